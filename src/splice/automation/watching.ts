// Watches the DSO's ledger: wakes the automations when something happens there, and tells when the ledger was replaced by a snapshot,
// so that it can be founded again.
import { backoffMs } from '../../base/backoff.ts'
import type { Clock } from '../../base/clock.ts'
import type { LocalNetwork } from '../founding/founding.ts'

type Listeners = { readonly onUpdate: () => void; readonly onReplaced: () => void }

export function watchLedger({ sv, dso }: LocalNetwork, listeners: Listeners, clock: Clock): AsyncDisposable {
  const stopping = new AbortController()
  const { signal } = stopping

  async function watch(): Promise<void> {
    for (let failures = 0; !signal.aborted; failures += 1) {
      const onUpdate = () => {
        failures = 0
        listeners.onUpdate()
      }
      const reason = await sv.participant.follow([sv.party, dso], onUpdate, signal).catch(() => undefined)
      if (reason === 'LEDGER_REPLACED') return listeners.onReplaced() // Whoever watches the next ledger starts anew.
      if (!signal.aborted) await pause(backoffMs(failures + 1))
    }
  }

  function pause(ms: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const timer = clock.after(ms, resolve)
    signal.addEventListener('abort', () => resolve(), { once: true })
    return promise.finally(() => timer.cancel())
  }

  const watching = watch()
  return {
    async [Symbol.asyncDispose]() {
      stopping.abort()
      await watching
    },
  }
}
