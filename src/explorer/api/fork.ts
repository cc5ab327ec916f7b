// Whether the ledger is a fork, as a development node tells it.
import { get } from './client.ts'

export type ForkStatus = {
  readonly participantId: string
  readonly offset: number
  readonly followedTo: number
  readonly isFollowing: boolean
  readonly reason: string
}

/** Null unless the ledger is a fork. */
export async function readFork(signal?: AbortSignal): Promise<ForkStatus | null> {
  return (await get<{ fork: ForkStatus | null }>('/dev/fork', { signal })).fork
}
