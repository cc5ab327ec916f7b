// The synchronizers that order this ledger. They live inside the node: one is made at first start, and the node is
// connected to all it has. Mirrors what Canton's SynchronizerConnectionsManager tells of them.
import type { Random } from '../base/random.ts'
import type { Store, SynchronizerRecord } from '../store/store.ts'
import { namespaceOf } from './identity.ts'

export type Synchronizer = {
  /** What rows of the store know it by. */
  readonly number: bigint
  /** `name::fingerprint`. */
  readonly id: string
  readonly alias: string
}

export type Synchronizers = ReturnType<typeof createSynchronizers>

const first = { number: 1n, alias: 'global' } as const

/** The stored ones; at first start, one that is made and stored now. */
export async function loadSynchronizers(store: Store, random: Random): Promise<Synchronizers> {
  const known = await store.synchronizers.list()
  if (known.length > 0) return createSynchronizers(known)
  return store.transaction(async (records) => {
    const siblings = await records.synchronizers.list() // Of a node over the same database that was quicker.
    if (siblings.length > 0) return createSynchronizers(siblings)
    const signingKey = random.bytes(32)
    const id = `${first.alias}::${namespaceOf(signingKey).namespace}`
    const synchronizer = { ...first, id, signingKey, recordTime: 0n }
    await records.synchronizers.insert(synchronizer)
    return createSynchronizers([synchronizer])
  })
}

/** From at least one record, in the order of their numbers. */
export function createSynchronizers(records: readonly SynchronizerRecord[]) {
  const all: readonly Synchronizer[] = records.map(({ number, id, alias }) => ({ number, id, alias }))
  const byId = new Map(all.map((synchronizer) => [synchronizer.id, synchronizer]))
  const byNumber = new Map(all.map((synchronizer) => [synchronizer.number, synchronizer]))

  return {
    /** Those the node is connected to. */
    list: () => all,
    byId: (id: string): Synchronizer | undefined => byId.get(id),
    /** The id of one that the store names. */
    byNumber: (number: bigint): string => byNumber.get(number)!.id,
    /** Where commands go that name none. */
    default: all[0]!,
  }
}
