// Counts the requests that a service is answering, so that another can take over when there are none.

export type RequestsInFlight = {
  begin(): void
  end(): void
  /** Settles when no request is under way. */
  settled(): Promise<void>
  /** Runs a task of a request that does not count meanwhile: it waits for all others. */
  aside<T>(task: () => Promise<T>): Promise<T>
}

export function createRequestsInFlight(): RequestsInFlight {
  let count = 0
  let waiting: (() => void)[] = []

  function begin(): void {
    count += 1
  }

  function end(): void {
    count -= 1
    if (count > 0) return
    for (const settle of waiting) settle()
    waiting = []
  }

  return {
    begin,
    end,
    settled: () => (count === 0 ? Promise.resolve() : new Promise((resolve) => waiting.push(resolve))),
    async aside(task) {
      end()
      try {
        return await task()
      } finally {
        begin()
      }
    },
  }
}
