// Read requests in the ledger's own terms: formats with their filters, and the queries that carry them. Results are
// JSON as it is sent, because events are stored as JSON.

import type { ByteBudget } from '../../../base/byte-budget.ts'
import type { ErrorCode, ErrorDetails } from '../../../base/errors.ts'
import type { LedgerEngine } from '../../../engine/pool/ledger-engine.ts'
import type { TransactionForm } from '../../../events/json/transaction-json.ts'
import type { RenderedElement, RenderTransactions } from '../../../events/protobuf/transaction-protobuf.ts'
import type { AnswerChecks } from '../../model/commands.ts'
import type { LedgerEnd } from '../../model/ledger-end.ts'
import type { OnAccount, ReadHints } from '../reader.ts'

export type IdentifierFilter =
  | { readonly kind: 'wildcard'; readonly includeCreatedEventBlob: boolean }
  | { readonly kind: 'template'; readonly templateId: string; readonly includeCreatedEventBlob: boolean }
  | {
      readonly kind: 'interface'
      readonly interfaceId: string
      readonly includeInterfaceView: boolean
      readonly includeCreatedEventBlob: boolean
    }

/** An empty list is a wildcard. */
export type Filters = readonly IdentifierFilter[]

export type EventFormat = {
  readonly filtersByParty: ReadonlyMap<string, Filters>
  readonly filtersForAnyParty: Filters | undefined
}

export type TransactionShape =
  | 'TRANSACTION_SHAPE_UNSPECIFIED'
  | 'TRANSACTION_SHAPE_ACS_DELTA'
  | 'TRANSACTION_SHAPE_LEDGER_EFFECTS'

export type TransactionFormat = { readonly eventFormat: EventFormat | undefined; readonly shape: TransactionShape }

export type UpdateFormat = {
  readonly transactions: TransactionFormat | undefined
  readonly reassignments: EventFormat | undefined
  /** Parties whose authorizations on participants are wanted; empty means all. */
  readonly topology: readonly string[] | undefined
}

export type UpdatesQuery = {
  readonly beginExclusive: bigint
  /** Undefined for a stream without end. */
  readonly endInclusive: bigint | undefined
  readonly descending: boolean
  readonly format: UpdateFormat
  readonly form: TransactionForm
}

export type UpdatesPageQuery = {
  readonly beginExclusive: bigint | undefined
  readonly endInclusive: bigint | undefined
  readonly descending: boolean
  readonly format: UpdateFormat | undefined
  readonly maxPageSize: number | undefined
  readonly pageToken: string
}

export type ActiveContractsQuery = {
  readonly activeAtOffset: bigint
  readonly format: EventFormat
  readonly continuationToken: string
}

export type ActiveContractsPageQuery = {
  readonly activeAtOffset: bigint | undefined
  readonly format: EventFormat | undefined
  readonly maxPageSize: number | undefined
  readonly pageToken: string
}

export type CompletionsQuery = {
  /** Undefined for all users. */
  readonly userId: string | undefined
  /** Empty for all parties. */
  readonly parties: readonly string[]
  readonly beginExclusive: bigint
}

/** An interface view of a contract: JSON, or why it could not be computed. */
export type ViewResult =
  | { readonly kind: 'view'; readonly json: string }
  | { readonly kind: 'failed'; readonly code: ErrorCode; readonly message: string; readonly details: ErrorDetails }

export type ViewRequest = {
  /** The version of the template whose implementation computes the view. */
  readonly templateId: string
  readonly interfaceId: string
  readonly blob: Uint8Array
}

/** Elements of a list or messages of a stream, as JSON texts, in batches as they become available. */
export type Elements = AsyncIterable<readonly string[]>

/** The same, some of them not as JSON. */
export type RenderedElements = AsyncIterable<readonly (string | RenderedElement)[]>

export interface Updates {
  /** Elements are `{"update":…}`. Refusals are thrown at the first step. */
  stream(query: UpdatesQuery, signal: AbortSignal, hints?: ReadHints): Elements
  /** The same in another form, as far as the writer can write it. */
  rendered(query: UpdatesQuery, writer: RenderTransactions, signal: AbortSignal, hints?: ReadHints): RenderedElements
  /** Refuse what a lookup would refuse, before the command is recorded. */
  checksOf(format: TransactionFormat): AnswerChecks
  /** The value of `transaction`. */
  transactionAt(offset: bigint, format: TransactionFormat, form: TransactionForm, asking?: OnAccount): Promise<string>
  transactionWithId(
    updateId: string,
    format: TransactionFormat,
    form: TransactionForm,
    asking?: OnAccount,
  ): Promise<string>
  /** Like checksOf, for a reassignment. */
  checksOfReassignment(format: EventFormat): AnswerChecks
  /** The value of `reassignment`. Without a format it has no events. */
  reassignmentWithId(updateId: string, format: EventFormat | undefined, asking?: OnAccount): Promise<string>
  /** The value of `update`, a oneof. */
  updateAt(offset: bigint, format: UpdateFormat | undefined, asking?: OnAccount): Promise<string>
  updateWithId(updateId: string, format: UpdateFormat | undefined, asking?: OnAccount): Promise<string>
  /** The whole response. A page ends early when its elements are large. */
  page(query: UpdatesPageQuery, signal?: AbortSignal, hints?: ReadHints): Promise<string>
}

export interface ActiveContracts {
  /** Elements are `{"workflowId":…,"contractEntry":…,"streamContinuationToken":…}`. */
  stream(query: ActiveContractsQuery, signal: AbortSignal, hints?: ReadHints): Elements
  /** The whole response. A page ends early when its elements are large. */
  page(query: ActiveContractsPageQuery, signal?: AbortSignal, hints?: ReadHints): Promise<string>
}

export interface ContractEvents {
  /** The whole response: the create and archive events, as far as they are visible. */
  byContractId(contractId: string, format: EventFormat | undefined, asking?: OnAccount): Promise<string>
  /** The whole response: the contract as a created event. */
  contract(contractId: string, queryingParties: readonly string[], asking?: OnAccount): Promise<string>
}

export interface Completions {
  /** Elements are `{"completionResponse":…}`. */
  stream(query: CompletionsQuery, signal: AbortSignal, hints?: ReadHints): Elements
}

export type Reading = {
  readonly end: LedgerEnd
  /** The memory that all readers share. */
  readonly readBudget: ByteBudget
  readonly updates: Updates
  readonly activeContracts: ActiveContracts
  readonly contractEvents: ContractEvents
  readonly completions: Completions
  /** Elements of answers, which are JSON, as protobuf: each in the frame of gRPC. */
  readonly protobufOf: LedgerEngine['render']
  /** How values are rendered without the packages. */
  readonly plansOf: LedgerEngine['plans']
}
