// Clients whose requests recently took long or cost a thread. Pure: the time is a parameter.

/** A client that burnt nothing for this long is like any other. */
export const heavyMs = 10_000
const heavyClientsMax = 1_000

export function createHeavyClients() {
  /** When each burnt last, earliest first. */
  const sinceMs = new Map<string, number>()

  function forget(nowMs: number): void {
    for (const [client, lastMs] of sinceMs) {
      if (nowMs - lastMs < heavyMs && sinceMs.size <= heavyClientsMax) return
      sinceMs.delete(client)
    }
  }

  return {
    get isEmpty() {
      return sinceMs.size === 0
    },
    has: (client: string) => sinceMs.has(client),
    add(client: string, nowMs: number): void {
      sinceMs.delete(client)
      sinceMs.set(client, nowMs)
      forget(nowMs)
    },
    forget,
  }
}
