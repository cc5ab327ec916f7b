// A gRPC API as a port offers it: its messages and its methods. A node has two, the Ledger API and the Admin API, which share
// listeners, limits, health and reflection.
import { ledgerApi } from '../protobuf/ledger-api.ts'
import type { Messages } from '../protobuf/messages.ts'
import type { Row } from './method.ts'
import { administrationMethods } from './methods/administration.ts'
import { ledgerMethods } from './methods/ledger.ts'

export type ServedApi = {
  /** What Canton's programs are told when they ask whose port it is. */
  readonly name: 'ledger-api' | 'admin-api'
  readonly messages: Messages
  readonly rows: readonly Row[]
  /** The package of the methods' services, with a dot; their names are relative to it. */
  readonly prefix: string
  /** What Canton calls the parts whose health can be asked for; here they are healthy together. */
  readonly components: ReadonlySet<string>
}

export const rows: readonly Row[] = [...administrationMethods, ...ledgerMethods]

export function servedLedgerApi(): ServedApi {
  return {
    name: 'ledger-api',
    messages: ledgerApi(),
    rows,
    prefix: 'com.daml.ledger.api.v2.',
    components: new Set(['', 'write', 'indexer', 'index']),
  }
}
