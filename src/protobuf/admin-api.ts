// All messages and services of the Admin API, read from their tables when they are first needed.
import { type Messages, readTables } from './messages.ts'
import { adminParticipantFiles } from './tables/admin-participant.ts'
import { adminTopologyFiles } from './tables/admin-topology.ts'
import { googleFiles } from './tables/google.ts'
import { grpcFiles } from './tables/grpc.ts'

let known: Messages | undefined

export function adminApi(): Messages {
  known ??= readTables([...googleFiles, ...adminTopologyFiles, ...adminParticipantFiles, ...grpcFiles])
  return known
}
