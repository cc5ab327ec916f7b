// Pruning and time on the wire. Both are ours: Canton has them only in its gRPC API.
import { flag, message, optional, optionalInt64, text, timestamp } from './schema.ts'

export const pruneRequest = message('PruneRequest', {
  pruneUpTo: optionalInt64('Forget updates and completions up to and with this offset'),
  olderThan: text('Instead of an offset: delete what is older than this, such as 30d, 12h, 15m or 90s'),
})

export const pruneResponse = message('PruneResponse', {
  prunedUpTo: optionalInt64('The offset up to which the ledger is pruned; 0 if nothing was'),
})

export const pruningProgress = message('PruningProgress', {
  prunedUpTo: optionalInt64('The offset up to which the ledger is pruned, and nothing can be read; 0 if nothing was'),
  deletedUpTo: optionalInt64('The offset up to which its rows are deleted'),
  isRunning: flag('Whether rows are being deleted, or their space is being given back'),
})

export const timeResponse = message('GetTimeResponse', {
  currentTime: timestamp('The ledger time'),
})

export const setTimeRequest = message('SetTimeRequest', {
  currentTime: optional(timestamp('What the ledger time is now; refused if it is not')),
  newTime: optional(timestamp('What it shall be; not earlier')),
})
