// The original of a fork that follows it: its updates in order, and whether it is still the ledger that was forked.
import type { Permission, TraceContext } from '../events/format/stored-update.ts'
import {
  type Followed,
  type FollowedOriginal,
  type OriginalCreated,
  type OriginalExercised,
  OriginalLost,
  type OriginalUpdate,
} from '../ledger/fork/original.ts'
import { isPassingFailure, LedgerAway, type LedgerClient, LedgerRefusal } from '../ledger-client/ledger-client.ts'
import { instantFromText } from '../lf/codec/time-text.ts'
import { type CreatedEvent, contractOf, elementOf, type TextOf } from './original-contract.ts'
import { eventFormatFor, vettingsOf } from './original-ledger.ts'

type Boxed<T> = { readonly value: T }

type OfUpdate = {
  readonly offset: number
  readonly updateId: string
  readonly workflowId?: string
  readonly synchronizerId: string
  readonly recordTime: string
  readonly traceContext?: { readonly traceparent?: string; readonly tracestate?: string | null } | null
}

type ExercisedEvent = {
  readonly nodeId: number
  readonly lastDescendantNodeId: number
  readonly contractId: string
  readonly templateId: string
  readonly packageName: string
  readonly interfaceId?: string | null
  readonly choice: string
  readonly choiceArgument: unknown
  readonly exerciseResult?: unknown
  readonly consuming: boolean
  readonly actingParties: readonly string[]
  readonly witnessParties: readonly string[]
}

type Moving = {
  readonly reassignmentId: string
  readonly source: string
  readonly target: string
  readonly submitter?: string
  readonly reassignmentCounter: number
}

type Transaction = OfUpdate & {
  readonly effectiveAt: string
  readonly externalTransactionHash?: string | null
  readonly events: readonly { readonly CreatedEvent?: CreatedEvent; readonly ExercisedEvent?: ExercisedEvent }[]
}

type Reassignment = OfUpdate & {
  readonly events: readonly {
    readonly JsUnassignedEvent?: Boxed<
      Moving & { readonly contractId: string; readonly assignmentExclusivity?: string | null }
    >
    readonly JsAssignmentEvent?: Moving & { readonly createdEvent: CreatedEvent }
  }[]
}

type Hosting = {
  readonly partyId: string
  readonly participantId: string
  readonly participantPermission: string
}

type Topology = OfUpdate & {
  readonly events: readonly { readonly event: { readonly ParticipantAuthorizationAdded?: Boxed<Hosting> } }[]
}

type Element = {
  readonly update: {
    readonly Transaction?: Boxed<Transaction>
    readonly Reassignment?: Boxed<Reassignment>
    readonly TopologyTransaction?: Boxed<Topology>
  }
}

/** The parties are those that the fork was made for; undefined for any. */
export function openFollowed(
  client: LedgerClient,
  participantId: string,
  parties: readonly string[] | undefined,
): FollowedOriginal {
  const eventFormat = eventFormatFor(parties)
  const updateFormat = {
    includeTransactions: { eventFormat, transactionShape: 'TRANSACTION_SHAPE_LEDGER_EFFECTS' },
    includeReassignments: eventFormat,
    includeTopologyEvents: { includeParticipantAuthorizationEvents: { parties: parties ?? [] } },
  }
  return {
    from: client.place,
    participantId,
    packageIds: async () => (await client.get<{ packageIds: readonly string[] }>('/v2/packages')).packageIds,
    packagePayload: (id) => client.bytes(`/v2/packages/${id}`),
    vettings: () => vettingsOf(client, participantId),
    checkContinues: (followed) => checkContinues(client, participantId, followed, updateFormat),
    async *updates(beginExclusive, signal) {
      try {
        for await (const text of client.texts('/v2/updates', { beginExclusive, updateFormat }, signal)) {
          const update = updateFrom(text)
          if (update !== undefined) yield update
        }
      } catch (error) {
        throw lasting(error)
      }
      if (!signal.aborted) throw new LedgerAway(`${client.place} ended the stream`)
    },
  }
}

/** What will be the same tomorrow. */
function lasting(error: unknown): unknown {
  return error instanceof LedgerRefusal && !isPassingFailure(error) ? new OriginalLost(error.message) : error
}

async function checkContinues(
  client: LedgerClient,
  participantId: string,
  { offset, updateId }: Followed,
  updateFormat: object,
): Promise<void> {
  try {
    const own = await client.get<{ participantId: string }>('/v2/parties/participant-id')
    if (own.participantId !== participantId) {
      throw new OriginalLost(`${own.participantId} answers at ${client.place} now, instead of ${participantId}`)
    }
    const [{ offset: end }, { participantPrunedUpToInclusive: pruned = 0 }] = await Promise.all([
      client.get<{ offset: number }>('/v2/state/ledger-end'),
      client.get<{ participantPrunedUpToInclusive?: number }>('/v2/state/latest-pruned-offsets'),
    ])
    if (end < offset) throw new OriginalLost(`it ends at offset ${end} now: it was reset or restored`)
    if (pruned > offset) throw new OriginalLost(`it is pruned up to offset ${pruned}: updates between are gone`)
    if (updateId === undefined || offset <= pruned) return
    const request = { offset, updateFormat }
    const found = await client.post<{ update: Record<string, Boxed<{ updateId?: string }>> }>(
      '/v2/updates/update-by-offset',
      request,
    )
    const [update] = Object.values(found.update)
    if (update?.value.updateId === updateId) return
    throw new OriginalLost(`it has another update at offset ${offset} now: it was reset or restored`)
  } catch (error) {
    throw lasting(error)
  }
}

/** Undefined for a checkpoint. */
function updateFrom(text: string): OriginalUpdate | undefined {
  const { element, textOf } = elementOf<Element>(text)
  const { Transaction: transaction, Reassignment: reassignment, TopologyTransaction: topology } = element.update
  if (transaction !== undefined) return transactionFrom(transaction.value, textOf)
  if (reassignment !== undefined) return reassignmentFrom(reassignment.value, textOf)
  return topology && topologyFrom(topology.value)
}

function common({ offset, updateId, workflowId = '', synchronizerId, recordTime, traceContext }: OfUpdate) {
  const traced = traceContext?.traceparent
  const trace: TraceContext | null =
    traced === undefined ? null : { traceparent: traced, tracestate: traceContext?.tracestate ?? null }
  return { offset, updateId, workflowId, synchronizerId, recordTime: micros(recordTime), traceContext: trace }
}

function micros(text: string): bigint {
  return BigInt(instantFromText(text) ?? 0)
}

function transactionFrom(value: Transaction, textOf: TextOf): OriginalUpdate {
  const { effectiveAt, externalTransactionHash, events, synchronizerId, workflowId = '' } = value
  const place = { synchronizerId, reassignmentCounter: 0, workflowId }
  return {
    ...common(value),
    kind: 'transaction',
    effectiveAt: micros(effectiveAt),
    externalTransactionHash: externalTransactionHash ?? undefined,
    events: events.map(({ CreatedEvent: created, ExercisedEvent: exercised }) =>
      created === undefined ? exercisedFrom(exercised!, textOf) : createdFrom(created, place, textOf),
    ),
  }
}

function createdFrom(created: CreatedEvent, place: Parameters<typeof contractOf>[1], textOf: TextOf): OriginalCreated {
  return {
    kind: 'created',
    contract: contractOf(created, place, textOf),
    witnesses: created.witnessParties,
    isDelta: created.acsDelta ?? true,
  }
}

function exercisedFrom(exercised: ExercisedEvent, textOf: TextOf): OriginalExercised {
  const { nodeId, contractId, templateId, packageName, interfaceId, choice, exerciseResult: result } = exercised
  return {
    kind: 'exercised',
    ...{ nodeId, contractId, templateId, packageName, choice },
    lastDescendantId: exercised.lastDescendantNodeId,
    interfaceId: interfaceId ?? undefined,
    choiceArgument: textOf(exercised.choiceArgument),
    exerciseResult: result === undefined ? undefined : textOf(result),
    isConsuming: exercised.consuming,
    actors: exercised.actingParties,
    witnesses: exercised.witnessParties,
  }
}

/** All contracts of one update move together. */
function reassignmentFrom(value: Reassignment, textOf: TextOf): OriginalUpdate | undefined {
  const left = value.events.flatMap(({ JsUnassignedEvent: event }) => event?.value ?? [])
  const came = value.events.flatMap(({ JsAssignmentEvent: event }) => event ?? [])
  const [first] = [...left, ...came]
  if (first === undefined) return undefined
  const { reassignmentId, source, target, submitter = '' } = first
  const exclusive = left[0]?.assignmentExclusivity
  return {
    ...common(value),
    kind: left.length > 0 ? 'unassignment' : 'assignment',
    ...{ reassignmentId, source, target, submitter },
    exclusiveUntil: typeof exclusive === 'string' ? micros(exclusive) : 0n,
    contracts: [
      ...left.map(({ contractId, reassignmentCounter: counter }) => ({ contractId, counter, contract: undefined })),
      ...came.map(({ createdEvent, reassignmentCounter: counter }) => {
        const place = { synchronizerId: target, reassignmentCounter: counter, workflowId: value.workflowId ?? '' }
        return { contractId: createdEvent.contractId, counter, contract: contractOf(createdEvent, place, textOf) }
      }),
    ],
  }
}

const permissions: ReadonlyMap<string, Permission> = new Map([
  ['PARTICIPANT_PERMISSION_SUBMISSION', 'submission'],
  ['PARTICIPANT_PERMISSION_CONFIRMATION', 'confirmation'],
  ['PARTICIPANT_PERMISSION_OBSERVATION', 'observation'],
])

/** A fork hosts everybody, so only new parties matter. */
function topologyFrom(value: Topology): OriginalUpdate {
  const events = value.events.flatMap(({ event: { ParticipantAuthorizationAdded: added } }) => {
    if (added === undefined) return []
    const { partyId: party, participantId, participantPermission } = added.value
    return [{ party, participantId, permission: permissions.get(participantPermission) ?? 'submission' }]
  })
  return { ...common(value), kind: 'topology', events }
}
