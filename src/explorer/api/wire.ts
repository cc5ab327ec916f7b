// The API's JSON, as far as the explorer reads it. Offsets are numbers here: a ledger has fewer than 2^53 updates.

/** Daml values: the type of each comes from its package (state/packages.ts). */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json }

export type CreatedEvent = {
  readonly offset: number
  readonly nodeId: number
  readonly contractId: string
  readonly templateId: string
  readonly contractKey?: Json
  readonly createArgument: Json
  readonly createdEventBlob?: string
  readonly interfaceViews?: readonly InterfaceView[]
  readonly witnessParties: readonly string[]
  readonly signatories: readonly string[]
  readonly observers?: readonly string[]
  readonly createdAt: string
  readonly packageName: string
  readonly acsDelta: boolean
}

export type InterfaceView = {
  readonly interfaceId: string
  readonly viewStatus: { readonly code: number; readonly message: string }
  readonly viewValue?: Json
}

export type ArchivedEvent = {
  readonly offset: number
  readonly nodeId: number
  readonly contractId: string
  readonly templateId: string
  readonly witnessParties: readonly string[]
  readonly packageName: string
}

export type ExercisedEvent = {
  readonly offset: number
  readonly nodeId: number
  readonly contractId: string
  readonly templateId: string
  readonly interfaceId?: string | null
  readonly choice: string
  readonly choiceArgument: Json
  readonly actingParties: readonly string[]
  readonly consuming: boolean
  readonly witnessParties: readonly string[]
  readonly lastDescendantNodeId: number
  readonly exerciseResult?: Json
  readonly packageName: string
  readonly acsDelta: boolean
}

export type LedgerEvent =
  | { readonly CreatedEvent: CreatedEvent }
  | { readonly ArchivedEvent: ArchivedEvent }
  | { readonly ExercisedEvent: ExercisedEvent }

type OfUpdate = {
  readonly updateId: string
  readonly offset: number
  readonly synchronizerId: string
  readonly recordTime: string
}

export type Transaction = OfUpdate & {
  readonly commandId: string
  readonly workflowId: string
  readonly effectiveAt: string
  readonly events: readonly LedgerEvent[]
}

export type UnassignedEvent = {
  readonly reassignmentId: string
  readonly contractId: string
  readonly templateId: string
  readonly source: string
  readonly target: string
  readonly submitter: string
  readonly reassignmentCounter: number
  readonly witnessParties: readonly string[]
  readonly packageName: string
}

export type AssignedEvent = {
  readonly source: string
  readonly target: string
  readonly reassignmentId: string
  readonly submitter: string
  readonly reassignmentCounter: number
  readonly createdEvent: CreatedEvent
}

export type Reassignment = OfUpdate & {
  readonly commandId: string
  readonly workflowId: string
  readonly events: readonly (
    | { readonly JsAssignmentEvent: AssignedEvent }
    | { readonly JsUnassignedEvent: { readonly value: UnassignedEvent } }
  )[]
}

export type TopologyTransaction = OfUpdate & {
  readonly events: readonly { readonly event: Readonly<Record<string, { readonly value: TopologyChange }>> }[]
}
export type TopologyChange = {
  readonly partyId: string
  readonly participantId: string
  readonly participantPermission?: string
}

export type Update =
  | { readonly Transaction: { readonly value: Transaction } }
  | { readonly Reassignment: { readonly value: Reassignment } }
  | { readonly TopologyTransaction: { readonly value: TopologyTransaction } }

export type UpdatesPage = {
  readonly updates?: readonly { readonly update: Update }[]
  readonly lowestPageOffsetExclusive: number
  readonly highestPageOffsetInclusive: number
  readonly nextPageToken?: string | null
}

export type ActiveContract = {
  readonly createdEvent: CreatedEvent
  readonly synchronizerId: string
  readonly reassignmentCounter: number
}

export type ContractEntry =
  | { readonly JsActiveContract: ActiveContract }
  | { readonly JsIncompleteAssigned: { readonly assignedEvent: AssignedEvent } }
  | {
      readonly JsIncompleteUnassigned: {
        readonly createdEvent: CreatedEvent
        readonly unassignedEvent: UnassignedEvent
      }
    }

export type ContractsPage = {
  readonly activeContracts: readonly { readonly workflowId: string; readonly contractEntry: ContractEntry }[]
  readonly activeAtOffset: number
  readonly nextPageToken?: string | null
}

export type IdentifierFilter =
  | { readonly WildcardFilter: { readonly value: { readonly includeCreatedEventBlob: boolean } } }
  | {
      readonly TemplateFilter: {
        readonly value: { readonly templateId: string; readonly includeCreatedEventBlob: boolean }
      }
    }
  | {
      readonly InterfaceFilter: {
        readonly value: {
          readonly interfaceId: string
          readonly includeInterfaceView: boolean
          readonly includeCreatedEventBlob: boolean
        }
      }
    }

export type Filters = { readonly cumulative: readonly { readonly identifierFilter: IdentifierFilter }[] }

export type EventFormat = {
  readonly filtersByParty: Readonly<Record<string, Filters>>
  readonly filtersForAnyParty?: Filters
  readonly verbose: boolean
}

export type UpdateFormat = {
  readonly includeTransactions?: {
    readonly eventFormat: EventFormat
    readonly transactionShape: 'TRANSACTION_SHAPE_ACS_DELTA' | 'TRANSACTION_SHAPE_LEDGER_EFFECTS'
  }
  readonly includeReassignments?: EventFormat
  readonly includeTopologyEvents?: {
    readonly includeParticipantAuthorizationEvents: { readonly parties: readonly string[] }
  }
}

export type Right = {
  readonly kind: Readonly<Record<string, { readonly value: { readonly party?: string } }>>
}

export type User = { readonly id: string; readonly primaryParty: string; readonly identityProviderId: string }

export type PartyDetails = { readonly party: string; readonly isLocal: boolean }

export type ErrorBody = {
  readonly code: string
  readonly cause: string
  readonly context?: Readonly<Record<string, string>>
  readonly traceId?: string | null
  readonly resources?: readonly (readonly [string, string])[]
}
