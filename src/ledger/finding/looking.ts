// Looking through much of the ledger for one who asks: one search at a time for each owner, and one step of all searches in
// a turn, so that small requests are answered in between.
import { createTurns } from '../../base/turns.ts'

export type Looking = {
  /** Runs the search when those of the same owner before it have ended. An aborted one does not begin. */
  alone<T>(owner: string, signal: AbortSignal, search: () => Promise<T>): Promise<T>
  /** To be awaited before each step of a search. */
  turn(owner: string, signal: AbortSignal): Promise<void>
}

export function createLooking(): Looking {
  const turns = createTurns()
  /** The last search of each owner that has any. */
  const last = new Map<string, Promise<void>>()
  return {
    async alone(owner, signal, search) {
      const before = last.get(owner)
      const { promise: ended, resolve: end } = Promise.withResolvers<void>()
      last.set(owner, ended)
      try {
        if (before !== undefined) await before
        signal.throwIfAborted()
        return await search()
      } finally {
        end()
        if (last.get(owner) === ended) last.delete(owner)
      }
    },
    async turn(owner, signal) {
      await turns.next(owner)
      signal.throwIfAborted()
    },
  }
}
