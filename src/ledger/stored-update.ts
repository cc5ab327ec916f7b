// Updates as they are kept: a few facts and the description of their events as JSON, the JSON of the events as bytes.
import type { ServedFacts } from '../engine/served-transaction.ts'

export type TraceContext = { readonly traceparent: string; readonly tracestate: string | null }

export type StoredTransaction = ServedFacts & {
  readonly kind: 'transaction'
  readonly updateId: string
  readonly commandId: string
  readonly workflowId: string
  /** Who acted, whether they see anything of it or not. */
  readonly submitters: readonly string[]
  /** Times as the API writes them. */
  readonly effectiveAt: string
  readonly recordTime: string
  readonly synchronizerId: string
  readonly traceContext: TraceContext | null
  /** What external parties signed, in hex. */
  readonly externalTransactionHash?: string
}

/** Contracts that leave a synchronizer, or come to one. */
export type StoredReassignment = {
  readonly kind: 'reassignment'
  readonly direction: 'unassignment' | 'assignment'
  readonly updateId: string
  readonly commandId: string
  readonly workflowId: string
  readonly submitters: readonly [submitter: string]
  readonly recordTime: string
  /** Where it happened: the source of an unassignment, the target of an assignment. */
  readonly synchronizerId: string
  readonly traceContext: TraceContext | null
  readonly reassignmentId: string
  readonly source: string
  readonly target: string
  /** Of an unassignment: until when only its submitter may assign. */
  readonly exclusiveUntil: string | null
  readonly parties: readonly string[]
  readonly templates: readonly string[]
  readonly events: readonly MovedContract[]
}

/**
 * Numbers are positions in `parties` and `templates`. An unassignment has one piece, `contractId`, `templateId` and
 * `packageName`; an assignment has the two of a created event.
 */
export type MovedContract = {
  readonly nodeId: number
  readonly template: number
  readonly stakeholders: readonly number[]
  readonly counter: number
  /** Where each piece ends in the body; the first begins where the event before ends. */
  readonly ends: readonly number[]
}

export type StoredUpdate = StoredTransaction | StoredReassignment

/** `facts` is the JSON of ServedFacts, which is taken over as it is. */
export function metaToText(update: Omit<StoredTransaction, keyof ServedFacts>, facts: string): string {
  return `${JSON.stringify(update).slice(0, -1)},${facts.slice(1)}`
}

export function metaFromText(text: string): StoredUpdate {
  return JSON.parse(text)
}

/** Eight bytes of the hash in an update id (`1220` and 32 bytes, in hex), by which it is found. */
export function updateIdKey(updateId: string): bigint {
  return BigInt.asIntN(64, BigInt(`0x${updateId.slice(4, 20)}`))
}
