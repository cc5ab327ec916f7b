// Where this browser last saw the end of the ledger, so that the overview can say what is new. A visit lasts as long as its
// tab is open and looked at; a page that is loaded again goes on with it. On other nodes than development nodes nothing
// outlives the tab: there, only an absence makes something new.
import { effect, signal } from '@preact/signals'
import { readParticipantId } from '../api/ledger-reads.ts'
import { ledgerEnd } from './ledger.ts'
import { browserStorage, sessionState } from './session.ts'

export type Visit = { readonly offset: number; readonly atMs: number }

/** The end of the visit before this one; undefined at the first. */
export const lastVisit = signal<Visit | undefined>(undefined)

/** After a longer absence the same tab is a new visit. */
const absenceMs = 30 * 60_000
let participantId: string | undefined
let hiddenAtMs = 0

/** Where the ledger was seen last, and where this visit began: the tab keeps that. */
const seenKey = () => `tallystick-seen ${participantId}`
const beginKey = () => `tallystick-visit ${participantId}`

export function followVisits(): void {
  effect(() => {
    if (sessionState.value.kind === 'signed in') void begin()
  })
  effect(() => {
    if (ledgerEnd.value !== undefined) keep()
  })
  document.addEventListener('visibilitychange', () => {
    if (document.hidden) {
      hiddenAtMs = Date.now()
      keep()
    } else if (Date.now() - hiddenAtMs > absenceMs) beginAfter(read(browserStorage(), seenKey()))
  })
}

/** From now on only what comes is new. */
export function seeEverything(): void {
  if (ledgerEnd.peek() !== undefined) beginAfter({ offset: ledgerEnd.peek()!, atMs: Date.now() })
}

async function begin(): Promise<void> {
  try {
    participantId = await readParticipantId()
    beginAfter(read(sessionStorage, beginKey()) ?? read(browserStorage(), seenKey()))
    keep()
  } catch {
    participantId = undefined // Not allowed to ask, or offline: then nothing is remembered.
  }
}

function beginAfter(visit: Visit | undefined): void {
  if (participantId === undefined) return
  // Nothing is new at the first visit: the tab remembers that, too.
  const known = visit ?? { offset: Number.MAX_SAFE_INTEGER, atMs: Date.now() }
  sessionStorage.setItem(beginKey(), JSON.stringify(known))
  lastVisit.value = known
}

function keep(): void {
  const offset = ledgerEnd.peek()
  if (participantId === undefined || offset === undefined) return
  browserStorage().setItem(seenKey(), JSON.stringify({ offset, atMs: Date.now() }))
}

function read(storage: Storage, of: string): Visit | undefined {
  try {
    const { offset, atMs } = JSON.parse(storage.getItem(of) ?? '{}') as Partial<Visit>
    return typeof offset === 'number' && typeof atMs === 'number' ? { offset, atMs } : undefined
  } catch {
    return undefined // Somebody else wrote there.
  }
}
