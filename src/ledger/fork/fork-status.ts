// What people are told about a fork: which participant it comes from, and whether it still follows.
import type { NodeRecords } from '../../store/core/administration-records.ts'
import type { FollowingState } from './following.ts'
import { followedIn, ownSince, readForkRecord } from './fork-record.ts'

export type ForkStatus = {
  /** The original. */
  readonly participantId: string
  /** Where it was read, without credentials. */
  readonly url: string
  /** The offset at which the fork was made. */
  readonly offset: number
  /** Up to this offset the ledger is that of the original. */
  readonly followedTo: number
  readonly isFollowing: boolean
  /** Why it does not follow, or not now; empty if nobody asked for it, or if it does. */
  readonly reason: string
}

/** Undefined unless the ledger is a fork. `end` is that of the ledger before this was asked. */
export async function forkStatus(
  records: Pick<NodeRecords, 'get'>,
  end: bigint,
  following: FollowingState | undefined,
): Promise<ForkStatus | undefined> {
  const record = await readForkRecord(records)
  if (record === undefined) return undefined
  const { participantId, from: url, offset } = record
  const followedTo = followedIn(record).offset
  return { participantId, url, offset, followedTo, ...stateOf(following, end > BigInt(followedTo), followedTo) }
}

/** The follower may not have noticed yet that the ledger goes on alone. */
function stateOf(
  following: FollowingState | undefined,
  isAlone: boolean,
  followedTo: number,
): Pick<ForkStatus, 'isFollowing' | 'reason'> {
  if (following === undefined) return { isFollowing: false, reason: '' }
  if (following.kind === 'stopped') return { isFollowing: false, reason: following.reason }
  if (isAlone) return { isFollowing: false, reason: ownSince(followedTo) }
  return { isFollowing: true, reason: following.problem ?? '' }
}
