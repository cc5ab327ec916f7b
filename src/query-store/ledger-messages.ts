// What a query store reads of the JSON Ledger API: the fields of its messages that it uses.

export type CreatedEvent = {
  readonly offset: number
  readonly nodeId: number
  readonly contractId: string
  /** package-id:Module:Template */
  readonly templateId: string
  readonly contractKey?: unknown
  /** Base64. */
  readonly contractKeyHash?: string
  readonly createArgument: unknown
  /** Base64; empty unless requested. */
  readonly createdEventBlob?: string
  readonly interfaceViews?: readonly InterfaceView[]
  readonly witnessParties: readonly string[]
  readonly signatories: readonly string[]
  readonly observers?: readonly string[]
  readonly createdAt: string
  readonly packageName: string
  readonly representativePackageId?: string
}

export type InterfaceView = {
  readonly interfaceId: string
  readonly viewStatus?: { readonly code?: number; readonly message?: string }
  readonly viewValue?: unknown
}

export type ArchivedEvent = {
  readonly nodeId: number
  readonly contractId: string
  readonly templateId: string
  readonly packageName: string
}

export type ExercisedEvent = ArchivedEvent & {
  readonly interfaceId?: string | null
  readonly choice: string
  readonly choiceArgument: unknown
  readonly exerciseResult: unknown
  readonly actingParties: readonly string[]
  readonly consuming: boolean
  readonly witnessParties: readonly string[]
  readonly lastDescendantNodeId: number
}

export type LedgerEvent =
  | { readonly CreatedEvent: CreatedEvent }
  | { readonly ArchivedEvent: ArchivedEvent }
  | { readonly ExercisedEvent: ExercisedEvent }

export type Transaction = {
  readonly updateId: string
  readonly workflowId?: string
  readonly effectiveAt: string
  readonly events?: readonly LedgerEvent[]
  readonly offset: number
  readonly synchronizerId: string
  readonly traceContext?: { readonly traceparent?: string | null; readonly tracestate?: string | null } | null
  /** Hex. */
  readonly externalTransactionHash?: string | null
  readonly paidTrafficCost?: number | string | null
}

/** A contract that arrived from another synchronizer; `createdEvent` is as it was created. */
export type Reassignment = {
  readonly updateId: string
  readonly workflowId?: string
  readonly offset: number
  readonly recordTime: string
  readonly synchronizerId: string
  readonly events?: readonly {
    readonly JsAssignmentEvent?: { readonly createdEvent: CreatedEvent }
  }[]
}

export type Update =
  | { readonly Transaction: { readonly value: Transaction } }
  | { readonly Reassignment: { readonly value: Reassignment } }
  | { readonly OffsetCheckpoint: { readonly value: { readonly offset: number } } }

export type ActiveContract = {
  readonly contractEntry: {
    readonly JsActiveContract?: { readonly createdEvent: CreatedEvent }
    readonly JsIncompleteUnassigned?: { readonly createdEvent: CreatedEvent }
    readonly JsIncompleteAssigned?: { readonly assignedEvent: { readonly createdEvent: CreatedEvent } }
  }
}

/** `package-id:Module.Name:Entity.Name` */
export type QualifiedName = { readonly packageId: string; readonly module: string; readonly entity: string }

/** There are few, and they are in every event. */
const parsed = new Map<string, QualifiedName>()
const parsedMax = 10_000

export function parseIdentifier(text: string): QualifiedName {
  const known = parsed.get(text)
  if (known !== undefined) return known
  const [packageId = '', module = '', entity = ''] = text.split(':')
  const name = { packageId, module, entity }
  if (parsed.size >= parsedMax) parsed.clear()
  parsed.set(text, name)
  return name
}
