// A fork on the wire. All of it is ours.
import { flag, int64, message, nullable, text } from './schema.ts'

const forkStatus = message(
  'ForkStatus',
  {
    participantId: text('The participant that the ledger is a fork of'),
    url: text('Where that participant was read'),
    offset: int64('Its offset when the fork was made'),
    followedTo: int64('Up to this offset the ledger is that of the original; what comes after is its own'),
    isFollowing: flag('Whether updates of the original are still applied'),
    reason: text('Why they are not, or not now; empty if nobody asked for it, or if they are'),
  },
  { description: 'A fork' },
)

export const forkResponse = message('ForkResponse', {
  fork: nullable(forkStatus),
})
