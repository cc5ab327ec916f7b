// All messages and services of the gRPC API, read from their tables when they are first needed.
import { type Messages, type MessageType, readTables } from './messages.ts'
import { administrationFiles } from './tables/administration.ts'
import { eventsFiles } from './tables/events.ts'
import { googleFiles } from './tables/google.ts'
import { grpcFiles } from './tables/grpc.ts'
import { interactiveFiles } from './tables/interactive.ts'
import { ledgerServicesFiles } from './tables/ledger-services.ts'
import { valuesFiles } from './tables/values.ts'

const tables = [
  ...googleFiles,
  ...valuesFiles,
  ...eventsFiles,
  ...ledgerServicesFiles,
  ...administrationFiles,
  ...interactiveFiles,
  ...grpcFiles,
]

let known: Messages | undefined

export function ledgerApi(): Messages {
  known ??= readTables(tables)
  return known
}

/** A message of the Ledger API by its name within `com.daml.ledger.api.v2`. */
export function ledgerMessage(name: string): MessageType {
  return ledgerApi().message(`com.daml.ledger.api.v2.${name}`)
}
