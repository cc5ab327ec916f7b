// Whether the ledger is a fork: asked once, and again for a fork that follows, because it may stop with any update.
import { effect, signal } from '@preact/signals'
import { type ForkStatus, readFork } from '../api/fork.ts'
import { ledgerEnd, ledgerEpoch } from './ledger.ts'
import { sessionState } from './session.ts'

/** Null unless the ledger is a fork. */
export const fork = signal<ForkStatus | null>(null)

export function followFork(): void {
  effect(() => {
    const state = sessionState.value
    const isTold = state.kind === 'signed in' && state.session.isDevelopment
    if (ledgerEpoch.value >= 0 && isTold) return reading()
    fork.value = null
    return undefined
  })
  effect(() => {
    if (ledgerEnd.value !== undefined && fork.peek()?.isFollowing) return reading()
    return undefined
  })
}

function reading(): () => void {
  const controller = new AbortController()
  readFork(controller.signal).then(
    (found) => {
      if (!controller.signal.aborted) fork.value = found
    },
    () => undefined, // The pages tell that the node does not answer.
  )
  return () => controller.abort()
}
