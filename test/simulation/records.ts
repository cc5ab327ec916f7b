// The state of the model, and the submissions to it.
import type { Contract, Node, Request } from './interpretation.ts'

export const users = ['clerk', 'trader'] as const
export type User = (typeof users)[number]

/** How far back a submission asks to look for an earlier one of the same command. */
export type Period =
  | { readonly kind: 'longest' }
  | { readonly kind: 'duration'; readonly micros: bigint }
  | { readonly kind: 'offset'; readonly offset: number }

type Submitted = {
  readonly userId: User
  readonly commandId: string
  readonly submissionId: string
  readonly workflowId: string
}

export type Submission = Submitted &
  Omit<Request, 'disclosed'> & {
    readonly period: Period
    readonly disclosed: readonly StoredContract[]
    /** The stated synchronizers of disclosed contracts, by contract. */
    readonly disclosedOn: ReadonlyMap<string, string>
    /** "" lets the node choose. */
    readonly synchronizerId: string
  }

type Ways = { readonly source: string; readonly target: string }

export type ReassignmentCommand =
  | (Ways & { readonly kind: 'unassign'; readonly contractId: string })
  | (Ways & { readonly kind: 'assign'; readonly reassignmentId: string })

export type ReassignmentSubmission = Submitted & {
  readonly submitter: string
  readonly reassignments: readonly ReassignmentCommand[]
}

/** Contracts that left one synchronizer for another together. */
export type Reassignment = Ways & {
  readonly id: string
  readonly submitter: string
  readonly userId: User
  readonly commandId: string
  readonly workflowId: string
  readonly unassignedOffset: number
  /** Until then only the submitter may assign it; in microseconds since 1970. */
  readonly exclusiveUntil: bigint
  readonly contracts: readonly StoredContract[]
  assigned: { readonly offset: number; readonly workflowId: string } | undefined
}

/** The effect of a reassignment on one contract. */
export type Move = { readonly of: Reassignment; readonly nodeId: number; readonly counter: number }

export type StoredContract = Contract & {
  readonly createdOffset: number
  readonly nodeId: number
  readonly createdAt: string
  readonly workflowId: string
  readonly blob: string
  /** Where it was created. */
  readonly synchronizerId: string
  /** In order. */
  readonly moves: Move[]
  archivedOffset: number | undefined
}

type Told = {
  readonly offset: number
  readonly updateId: string
  readonly commandId: string
  readonly workflowId: string
  readonly submitters: readonly string[]
  readonly recordTime: string
  readonly traceContext: unknown
  readonly synchronizerId: string
}

export type TransactionUpdate = Told & {
  readonly kind: 'transaction'
  readonly effectiveAt: string
  readonly nodes: readonly Node[]
}

export type ReassignmentUpdate = Told & {
  readonly kind: 'unassignment' | 'assignment'
  readonly reassignment: Reassignment
  /** In the order of their nodes. */
  readonly moves: readonly { readonly contract: StoredContract; readonly counter: number }[]
}

export type Update = TransactionUpdate | ReassignmentUpdate

export type Completion = {
  readonly offset: number
  readonly userId: User
  readonly actAs: readonly string[]
  /** As the node reported it first. */
  readonly json: Readonly<Record<string, unknown>>
}

export type Verdict = {
  /** Undefined if it was accepted. */
  readonly rejection: string | undefined
  readonly deduplicationOffset: number
  /** For a duplicate: the offset of the accepted command. */
  readonly duplicateOf: number | undefined
}

/** What made a contract active on a synchronizer (its creation or an assignment), and the move by which it left. */
export type Place = {
  readonly offset: number
  readonly nodeId: number
  readonly workflowId: string
  readonly synchronizerId: string
  readonly counter: number
  readonly departure: Move | undefined
}

export function placeAt(contract: StoredContract, offset: number): Place {
  const begun = contract.moves.filter(({ of }) => of.unassignedOffset <= offset)
  const arrived = begun.filter(({ of: { assigned } }) => assigned !== undefined && assigned.offset <= offset)
  const last = arrived.at(-1)
  const departure = begun.length > arrived.length ? begun.at(-1) : undefined
  if (last === undefined) {
    const { createdOffset, nodeId, workflowId, synchronizerId } = contract
    return { offset: createdOffset, nodeId, workflowId, synchronizerId, counter: 0, departure }
  }
  const { of, nodeId, counter } = last
  return { ...of.assigned!, nodeId, counter, synchronizerId: of.target, departure }
}

/** Where a contract is now, archived or not; undefined while it is in transit. */
export function locationOf(contract: StoredContract): string | undefined {
  const { synchronizerId, departure } = placeAt(contract, Number.POSITIVE_INFINITY)
  return departure === undefined ? synchronizerId : undefined
}

export function counterOf({ moves }: StoredContract): number {
  return moves.at(-1)?.counter ?? 0
}
