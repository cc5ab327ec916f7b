// Those who wait for something to happen: all are woken when it does.

export type Waiting = {
  wake(): void
  /** Settles when woken, or at the signal. */
  until(signal: AbortSignal): Promise<void>
}

export function createWaiting(): Waiting {
  const waiting = new Set<() => void>()
  return {
    wake() {
      for (const wake of waiting) wake()
    },
    until(signal) {
      return new Promise((resolve) => {
        const wake = () => {
          waiting.delete(wake)
          signal.removeEventListener('abort', wake)
          resolve()
        }
        waiting.add(wake)
        signal.addEventListener('abort', wake, { once: true })
        if (signal.aborted) wake()
      })
    },
  }
}
