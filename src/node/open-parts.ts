// The open parts of a node. They close in the reverse order of their opening, within a time limit.
import { type Clock, settlesWithin } from '../base/clock.ts'
import { StopError } from '../base/errors.ts'
import type { Log } from '../base/log.ts'

export type OpenParts = AsyncDisposable & {
  /** `name` is what the log calls the part if it does not close. */
  add(name: string, close: () => unknown): void
  /** Keeps the parts open at the end of their scope, and returns the function that closes them. */
  keep(): (limits: CloseLimits) => Promise<void>
}

type CloseLimits = { readonly withinMs: number; readonly clock: Clock; readonly log: Log }

export function createOpenParts(): OpenParts {
  const stack = new AsyncDisposableStack()
  let closing = ''
  return {
    add(name, close) {
      stack.defer(async () => {
        closing = name
        await close()
      })
    },
    keep() {
      const kept = stack.move()
      return async ({ withinMs, clock, log }) => {
        if (await settlesWithin(kept.disposeAsync(), withinMs, clock)) return
        log.error({ waitingFor: closing, withinMs }, 'the node does not stop')
        throw new StopError(`${closing} did not close within ${withinMs} ms`)
      }
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  }
}
