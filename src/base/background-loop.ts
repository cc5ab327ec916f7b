// Work that goes on beside requests. It does not end because something it needs was away for a moment: when it fails, it is
// begun anew after a while, and `/readyz` and the metrics tell until it works again. Everything in the node that runs by
// itself and may fail runs in here.
import { backoffMs } from './backoff.ts'
import type { Clock } from './clock.ts'
import type { Health } from './health.ts'

export type LoopTurn = {
  /** Aborted when the loop shall end; `run` returns soon afterwards. */
  readonly signal: AbortSignal
  /** To be called when something succeeded: what was reported as failing is not any more. */
  works(): void
}

type Parts = {
  /** As `/readyz` and the metrics call it. */
  readonly name: string
  readonly health: Health
  readonly clock: Clock
}

export type Loop = AsyncDisposable & {
  /** Settles when all is done, or when the loop was ended. */
  readonly done: Promise<void>
}

/** When `run` returns, all is done; when it throws, it is run again. */
export function startLoop({ name, health, clock }: Parts, run: (turn: LoopTurn) => Promise<void>): Loop {
  const part = health.part(name, { stopsCommands: false })
  const stopped = new AbortController()
  const { signal } = stopped

  async function runAgainAndAgain(): Promise<void> {
    let failures = 0
    const works = () => {
      failures = 0
      part.work()
    }
    while (!signal.aborted) {
      try {
        await run({ signal, works })
        part.work()
        return
      } catch (error) {
        if (signal.aborted) return
        failures += 1
        part.fail('it failed and is begun anew', String(error))
        await pause(backoffMs(failures))
      }
    }
  }

  function pause(delayMs: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const timer = clock.after(delayMs, resolve)
    const onStop = () => {
      timer.cancel()
      resolve()
    }
    signal.addEventListener('abort', onStop, { once: true })
    return promise.finally(() => signal.removeEventListener('abort', onStop))
  }

  const done = runAgainAndAgain()
  return {
    done,
    async [Symbol.asyncDispose]() {
      stopped.abort()
      await done
    },
  }
}
