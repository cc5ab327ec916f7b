// Pruning and time on the wire. Both are ours: Canton has them only in its gRPC API.
import { flag, message, optional, optionalInt64, text, timestamp } from './schema.ts'

export const pruneRequest = message('PruneRequest', {
  pruneUpTo: optionalInt64('Delete updates and completions up to this offset, inclusive'),
  olderThan: text('Instead of an offset: delete what is older than this, such as 30d, 12h, 15m or 90s'),
})

export const pruneResponse = message('PruneResponse', {
  prunedUpTo: optionalInt64('The offset up to which the ledger is pruned; 0 if it was never pruned'),
})

export const pruningProgress = message('PruningProgress', {
  prunedUpTo: optionalInt64('The offset up to which the ledger is pruned and cannot be read; 0 if it was never pruned'),
  deletedUpTo: optionalInt64('The offset up to which its rows are deleted'),
  isRunning: flag('Whether rows are being deleted or disk space released'),
})

export const timeResponse = message('GetTimeResponse', {
  currentTime: timestamp('The ledger time'),
})

export const setTimeRequest = message('SetTimeRequest', {
  currentTime: optional(timestamp('The current ledger time; the request is refused if it differs')),
  newTime: optional(timestamp('The new ledger time; not earlier than the current one')),
})
