// The end of the ledger, asked for twice a second while the page is visible. Live lists look at it and then read one
// page: so a ledger that grows by a thousand updates a second costs the node and the page no more than a slow one.
import { effect, signal } from '@preact/signals'
import { ApiError } from '../api/api-error.ts'
import { readLedgerEnd } from '../api/ledger-reads.ts'
import { refreshSession, sessionState } from './session.ts'

const pollMs = 500
const retryMs = 2_000

export const ledgerEnd = signal<number | undefined>(undefined)
/** Grows when the ledger was replaced (restored or reset): whatever a page has read before is gone. */
export const ledgerEpoch = signal(0)
export const isOnline = signal(true)

/** For a page that has replaced the ledger itself. */
export function ledgerReplaced(): void {
  ledgerEnd.value = undefined
  ledgerEpoch.value += 1
}

let timer: ReturnType<typeof setTimeout> | undefined

async function poll(): Promise<void> {
  clearTimeout(timer)
  if (sessionState.peek().kind !== 'signed in' || document.hidden) return
  try {
    const end = await readLedgerEnd()
    const before = ledgerEnd.peek()
    if (before !== undefined && end < before) ledgerEpoch.value += 1
    ledgerEnd.value = end
    isOnline.value = true
  } catch (error) {
    const status = error instanceof ApiError ? error.status : undefined
    if (status === 0) isOnline.value = false
    // Everybody may ask for the end: the user of the token has gone.
    if (status === 403) void refreshSession().catch(() => undefined)
  }
  timer = setTimeout(() => void poll(), isOnline.peek() ? pollMs : retryMs)
}

/** At once, as after a submission. */
export function refreshLedgerEnd(): Promise<void> {
  return poll()
}

export function followLedgerEnd(): void {
  document.addEventListener('visibilitychange', () => void poll())
  effect(() => {
    if (sessionState.value.kind === 'signed in') void poll()
  })
  effect(() => {
    if (ledgerEpoch.value > 0) void refreshSession().catch(() => undefined)
  })
}
