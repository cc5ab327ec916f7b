// The synchronizers of the model: which are connected, which parties they host, and their record times.

export type Synchronizer = {
  readonly id: string
  readonly alias: string
  readonly priority: number
  readonly exclusivityMs: number
}

export type Synchronizers = ReturnType<typeof createSynchronizers>

/** `hosts` gives the synchronizers of each party. */
export function createSynchronizers(all: readonly Synchronizer[], hosts: ReadonlyMap<string, Set<string>>) {
  const connected = new Set(all.map(({ id }) => id))
  const recordTimes = new Map<string, bigint>()

  const isHosted = (party: string, id: string) => hosts.get(party)?.has(id) ?? false

  return {
    /** Everything that changes. */
    parts: { connected, recordTimes, hosts },
    all,
    isConnected: (id: string) => connected.has(id),
    connected: () => all.filter(({ id }) => connected.has(id)),
    setConnected(id: string, isConnected: boolean): void {
      if (isConnected) connected.add(id)
      else connected.delete(id)
    },
    byId: (id: string) => all.find((one) => one.id === id)!,
    isHosted,
    host: (party: string, id: string) => void hosts.get(party)!.add(id),
    hostsAll: (id: string, parties: Iterable<string>) => [...parties].every((party) => isHosted(party, id)),
    /** The next record time when the ledger time is `now`: later than all before. */
    nextTime(id: string, now: bigint): bigint {
      const last = recordTimes.get(id)
      return last === undefined || last < now ? now : last + 1n
    },
    reached: (id: string, time: bigint) => void recordTimes.set(id, time),
  }
}
