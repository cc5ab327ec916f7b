// What a fork takes from the participant that it is made from, its original.
import type { HostingEvent, TraceContext } from '../../events/format/stored-update.ts'

export type OriginalSynchronizer = { readonly alias: string; readonly id: string }

export type OriginalVetting = {
  readonly synchronizerId: string
  readonly packages: readonly {
    readonly packageId: string
    /** Microseconds since 1970. */
    readonly validFrom: bigint | undefined
    readonly validUntil: bigint | undefined
  }[]
}

export type OriginalContract = {
  readonly contractId: string
  readonly templateId: string
  readonly packageName: string
  readonly offset: number
  readonly nodeId: number
  /** JSON text, as the original writes it. */
  readonly createArgument: string
  readonly contractKey: string | undefined
  readonly blob: Uint8Array
  readonly synchronizerId: string
  readonly reassignmentCounter: number
  /** Of the transaction that created it, or of the assignment that brought it. */
  readonly workflowId: string
}

export type Original = {
  /** Where it is, without credentials. */
  readonly from: string
  readonly participantId: string
  /** The offset at which it is read. */
  readonly offset: number
  /** Undefined for any party. */
  readonly parties: readonly string[] | undefined
  readonly synchronizers: readonly OriginalSynchronizer[]
  /** Ids of all parties that the participant knows. */
  knownParties(): Promise<readonly string[]>
  packageIds(): Promise<readonly string[]>
  /** The payload of the archive; the id is its hash. */
  packagePayload(id: string): Promise<Uint8Array>
  vettings(): Promise<readonly OriginalVetting[]>
  /** Active contracts at the offset, always in the same order; 'in transit' stands for one between synchronizers. */
  contracts(): AsyncIterable<OriginalContract | 'in transit'>
}

type OfUpdate = {
  readonly offset: number
  readonly updateId: string
  readonly workflowId: string
  readonly synchronizerId: string
  /** Microseconds since 1970. */
  readonly recordTime: bigint
  readonly traceContext: TraceContext | null
}

export type OriginalTransaction = OfUpdate & {
  readonly kind: 'transaction'
  /** Microseconds since 1970. */
  readonly effectiveAt: bigint
  /** In hex; of a transaction that external parties have signed. */
  readonly externalTransactionHash: string | undefined
  /** In the order of their node ids. */
  readonly events: readonly (OriginalCreated | OriginalExercised)[]
}

export type OriginalCreated = {
  readonly kind: 'created'
  readonly contract: OriginalContract
  readonly witnesses: readonly string[]
  /** Whether a party that is read is a stakeholder; others only see it. */
  readonly isDelta: boolean
}

export type OriginalExercised = {
  readonly kind: 'exercised'
  readonly nodeId: number
  readonly lastDescendantId: number
  readonly contractId: string
  readonly templateId: string
  readonly packageName: string
  readonly interfaceId: string | undefined
  readonly choice: string
  /** JSON texts. */
  readonly choiceArgument: string
  readonly exerciseResult: string | undefined
  readonly isConsuming: boolean
  readonly actors: readonly string[]
  readonly witnesses: readonly string[]
}

/** Contracts that leave a synchronizer, or arrive at one. */
export type OriginalReassignment = OfUpdate & {
  readonly kind: 'unassignment' | 'assignment'
  readonly reassignmentId: string
  readonly source: string
  readonly target: string
  readonly submitter: string
  /** Of an unassignment, in microseconds since 1970. */
  readonly exclusiveUntil: bigint
  readonly contracts: readonly {
    readonly contractId: string
    readonly counter: number
    /** Undefined for one that leaves. */
    readonly contract: OriginalContract | undefined
  }[]
}

export type OriginalTopology = OfUpdate & { readonly kind: 'topology'; readonly events: readonly HostingEvent[] }

export type OriginalUpdate = OriginalTransaction | OriginalReassignment | OriginalTopology

/** How far a fork has followed. */
export type Followed = {
  readonly offset: number
  /** Of the last update that was applied; undefined if none was. */
  readonly updateId: string | undefined
}

/** The original, as it goes on. */
export type FollowedOriginal = Pick<
  Original,
  'from' | 'participantId' | 'packageIds' | 'packagePayload' | 'vettings'
> & {
  /** Throws OriginalLost if what comes after is not to be had any more. */
  checkContinues(followed: Followed): Promise<void>
  /** Those after the offset, and those that are yet to come, until the signal. */
  updates(after: number, signal: AbortSignal): AsyncIterable<OriginalUpdate>
}

/** The original cannot be followed any longer: pruned, reset, replaced, or closed to the token. */
export class OriginalLost extends Error {}
