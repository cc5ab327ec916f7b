// What a ledger remembers of the participant that it was forked from. Kept in the ledger, so that a snapshot remembers it
// as well.
import { StartError } from '../../base/errors.ts'
import type { NodeRecords } from '../../store/core/administration-records.ts'
import type { Followed, Original } from './original.ts'

export type ForkRecord = {
  /** Where the original is, without credentials. */
  readonly from: string
  readonly participantId: string
  /** The offset of the original whose active contracts the fork has. */
  readonly offset: number
  /** The parties whose contracts were read; absent for any party. */
  readonly parties?: readonly string[]
  /** Aliases of the original's synchronizers. */
  readonly synchronizers: readonly string[]
  /** How many contracts are here, and the id of the last one. */
  readonly contracts: number
  readonly lastContractId: string
  /** False while contracts are still missing: nobody may use the ledger. */
  readonly isWhole: boolean
  /** How far it has followed the original; absent if it never did. */
  readonly followed?: Followed
}

/** Why a ledger that goes on beyond the original follows no longer. */
export function ownSince(offset: number | bigint): string {
  return `it has had commands of its own since offset ${offset}`
}

/** How far the ledger is that of the original. What it has beyond is its own. */
export function followedIn({ followed, offset }: ForkRecord): Followed {
  return followed ?? { offset, updateId: undefined }
}

const name = 'fork'

/** Of a fork that has nothing yet. */
export function newForkRecord({ from, participantId, offset, parties, synchronizers }: Original): ForkRecord {
  return {
    from,
    participantId,
    offset,
    ...(parties && { parties }),
    synchronizers: synchronizers.map(({ alias }) => alias),
    contracts: 0,
    lastContractId: '',
    isWhole: false,
  }
}

export async function readForkRecord(records: Pick<NodeRecords, 'get'>): Promise<ForkRecord | undefined> {
  const bytes = await records.get(name)
  return bytes === undefined ? undefined : JSON.parse(Buffer.from(bytes).toString('utf8'))
}

export function writeForkRecord(records: Pick<NodeRecords, 'put'>, record: ForkRecord): Promise<void> {
  return records.put(name, Buffer.from(JSON.stringify(record)))
}

/** Refuses a ledger that has not got all contracts of its original. */
export function checkWhole(record: ForkRecord | undefined): void {
  if (record === undefined || record.isWhole) return
  throw new StartError(
    `the ledger is an unfinished fork of ${record.participantId}, with ${record.contracts} contracts so far; ` +
      `start it with --fork ${record.from} to go on, or delete it`,
  )
}
