// Where each party is hosted: on which synchronizers, and in a network by which participants. Every command asks, so
// answers are cached until the party is hosted somewhere else too.
import type { HostRecord } from '../../store/core/administration-records.ts'
import type { Records, Store } from '../../store/core/store.ts'

export type Hosting = {
  /** Synchronizer numbers, connected or not; empty for an unknown party. */
  of(party: string): readonly bigint[] | Promise<readonly bigint[]>
  /**
   * The participants that host the party, in a network; empty if only this one does. Inside a transaction, its records
   * must be given.
   */
  hosts(party: string, records?: Pick<Records, 'parties'>): readonly HostRecord[] | Promise<readonly HostRecord[]>
  /** Called after a change. */
  forget(party: string): void
  /** Another node has changed parties. */
  forgetAll(): void
}

type Hosted = { readonly numbers: readonly bigint[]; readonly hosts: readonly HostRecord[] }

/** Outside a network, `isNetwork` false, only this participant hosts parties. */
export function createHosting(store: Store, entriesMax: number, isNetwork = false): Hosting {
  const known = new Map<string, Hosted>()
  let changes = 0

  async function load(party: string, { parties }: Pick<Records, 'parties'>): Promise<Hosted> {
    const before = changes
    const numbers = await parties.synchronizersOf(party)
    const hosted = { numbers, hosts: isNetwork ? await parties.hostsOf(party) : [] }
    if (numbers.length === 0 || before !== changes) return hosted
    known.set(party, hosted)
    if (known.size > entriesMax) known.delete(known.keys().next().value!)
    return hosted
  }

  return {
    of: (party) => known.get(party)?.numbers ?? load(party, store).then(({ numbers }) => numbers),
    hosts: (party, records = store) => known.get(party)?.hosts ?? load(party, records).then(({ hosts }) => hosts),
    forget(party) {
      changes += 1
      known.delete(party)
    },
    forgetAll() {
      changes += 1
      known.clear()
    },
  }
}
