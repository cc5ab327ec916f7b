// Whether a participant of a network takes part now. An administrator disconnects it from synchronizers, which the ledger
// remembers; a developer also stops or delays it, which ends with the process.
import type { Synchronizers } from '../model/synchronizers.ts'

export type Presence = {
  isStopped(): boolean
  /** How long it takes to receive and to confirm. */
  delayMs(): number
  /** Whether it is connected and not stopped. */
  isReachable(synchronizer: bigint): boolean
  /** Until it is resumed it receives and confirms nothing. */
  stop(): void
  resume(): void
  delay(ms: number): void
  /** Called after each change, of its connections too. */
  onChange(listener: () => void): void
}

export function createPresence(synchronizers: Pick<Synchronizers, 'list' | 'onChange'>): Presence {
  let isStopped = false
  let delayMs = 0
  const listeners: (() => void)[] = []
  const changed = () => {
    for (const listener of listeners) listener()
  }
  synchronizers.onChange(changed)
  return {
    isStopped: () => isStopped,
    delayMs: () => delayMs,
    isReachable: (synchronizer) => !isStopped && synchronizers.list().some(({ number }) => number === synchronizer),
    stop() {
      isStopped = true
      changed()
    },
    resume() {
      isStopped = false
      changed()
    },
    delay(ms) {
      delayMs = ms
      changed()
    },
    onChange: (listener) => void listeners.push(listener),
  }
}
