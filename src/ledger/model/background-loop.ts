// Background work. When it fails, it is restarted with a growing delay, and `/readyz` and the metrics report it until
// it works again. Everything in the node that runs on its own and may fail runs in such a loop.
import { backoffMs } from '../../base/backoff.ts'
import type { Clock } from '../../base/clock.ts'
import type { Health } from '../../base/health.ts'
import type { Sharing } from '../../store/core/sharing.ts'

export type LoopTurn = {
  /** Aborted to end the loop; `run` should then return soon. */
  readonly signal: AbortSignal
  /** To be called after each success; clears the reported failure. */
  works(): void
}

type Parts = {
  /** The name in `/readyz` and the metrics. */
  readonly name: string
  readonly health: Health
  readonly clock: Clock
}

export type Loop = AsyncDisposable & {
  /** Settles when `run` has returned or the loop was ended. */
  readonly done: Promise<void>
}

/** Calls `run` until it returns; if it throws, it is called again. */
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
        part.fail('it failed and is restarted', String(error))
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

/**
 * Work that one node at a time does for all of them. Which node that is may change at any moment, when one dies or is cut
 * off, so the work is such that doing it twice harms nothing.
 */
export type Leadership = {
  leads(): boolean
  /** Called when this node begins to lead. */
  onLead(listener: () => void): void
}

/** For a node that has its ledger to itself, and for programs that work on it. */
export const alwaysLeading: Leadership = { leads: () => true, onLead: () => undefined }

export function leadershipOf(sharing: Sharing | undefined): Leadership {
  return sharing ?? alwaysLeading
}
