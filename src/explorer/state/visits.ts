// Where this browser last saw the end of the ledger, so that the overview can say what is new. A visit lasts as long as its
// tab is open and looked at; a page that is loaded again goes on with it.
import { effect, signal } from '@preact/signals'
import { readParticipantId } from '../api/ledger-reads.ts'
import { ledgerEnd } from './ledger.ts'
import { sessionState } from './session.ts'

export type Visit = { readonly offset: number; readonly atMs: number }

/** The end of the visit before this one; undefined at the first. */
export const lastVisit = signal<Visit | undefined>(undefined)

/** After a longer absence the same tab is a new visit. */
const absenceMs = 30 * 60_000
let key: string | undefined
let hiddenAtMs = 0

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
    } else if (Date.now() - hiddenAtMs > absenceMs && key !== undefined) beginAfter(read(localStorage, key))
  })
}

/** From now on only what comes is new. */
export function seeEverything(): void {
  if (ledgerEnd.peek() !== undefined) beginAfter({ offset: ledgerEnd.peek()!, atMs: Date.now() })
}

async function begin(): Promise<void> {
  try {
    key = `tallystick-visit ${await readParticipantId()}`
    beginAfter(read(sessionStorage, key) ?? read(localStorage, key))
    keep()
  } catch {
    key = undefined // Not allowed to ask, or offline: then nothing is remembered.
  }
}

function beginAfter(visit: Visit | undefined): void {
  // Nothing is new at the first visit: the tab remembers that, too.
  const known = visit ?? { offset: Number.MAX_SAFE_INTEGER, atMs: Date.now() }
  sessionStorage.setItem(key!, JSON.stringify(known))
  lastVisit.value = known
}

function keep(): void {
  const offset = ledgerEnd.peek()
  if (key === undefined || offset === undefined) return
  localStorage.setItem(key, JSON.stringify({ offset, atMs: Date.now() }))
}

function read(storage: Storage, of: string): Visit | undefined {
  try {
    const { offset, atMs } = JSON.parse(storage.getItem(of) ?? '{}') as Partial<Visit>
    return typeof offset === 'number' && typeof atMs === 'number' ? { offset, atMs } : undefined
  } catch {
    return undefined // Somebody else wrote there.
  }
}
