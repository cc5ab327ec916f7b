// A command that is to be tried again: the form that opens next begins with it.
import type { Command } from '../api/acting.ts'

export type Retry = { readonly command: Command; readonly actAs: readonly string[] }

let waiting: Retry | undefined

export function tryAgain(retry: Retry): void {
  waiting = retry
}

/** Once. */
export function takeRetry(): Retry | undefined {
  const taken = waiting
  waiting = undefined
  return taken
}
