// Transactions of the Ledger API as scan shows them: trees of events by id. Mirrors Splice's ScanHttpEncodings.
import type { CreatedContract } from '../ledger/dso-history.ts'
import type { Json } from '../ledger/participant.ts'
import { microsFrom, timeText } from '../ledger/times.ts'

/** Scan has three shapes of updates. Those after the first are the same on all super validators. */
export type UpdateVersion = 0 | 1 | 2

/** There was never another synchronizer before this one. */
export const migrationId = 0

export function updateJson(transaction: Json, version: UpdateVersion): object {
  const { updateId, workflowId = '', recordTime, synchronizerId, effectiveAt, offset } = transaction
  const { roots, events } = treeOf(transaction, version)
  const entries = version === 2 ? events.toSorted(([one], [other]) => (one < other ? -1 : 1)) : events
  return {
    update_id: updateId,
    migration_id: migrationId,
    workflow_id: workflowId,
    record_time: timeText(microsFrom(recordTime)!),
    synchronizer_id: synchronizerId,
    effective_at: effectiveAt,
    ...(version < 2 && { offset: offsetText(version === 0 ? offset : 1) }),
    root_event_ids: roots,
    events_by_id: Object.fromEntries(entries),
  }
}

/** Nine bytes in hex: a version and a number. */
function offsetText(offset: number): string {
  return offset.toString(16).padStart(18, '0')
}

type Tree = { readonly roots: readonly string[]; readonly events: readonly (readonly [id: string, event: object])[] }

/** Events come in the order of their nodes, consequences after what caused them. */
function treeOf({ updateId, events: all }: Json, version: UpdateVersion): Tree {
  const roots: string[] = []
  const events: [id: string, event: object][] = []
  const open: { readonly lastNode: number; readonly children: string[] }[] = []
  for (const [index, event] of all.entries()) {
    const { CreatedEvent: created, ExercisedEvent: exercised } = event
    const { nodeId } = created ?? exercised
    const id = eventId(updateId, version === 0 ? nodeId : index, version)
    while (open.length > 0 && open.at(-1)!.lastNode < nodeId) open.pop()
    const siblings = open.at(-1)?.children ?? roots
    siblings.push(id)
    const children: string[] = []
    if (exercised !== undefined) open.push({ lastNode: exercised.lastDescendantNodeId, children })
    events.push([id, created === undefined ? exercisedJson(exercised, id, children) : createdJson(created, id)])
  }
  return { roots, events }
}

function eventId(updateId: string, node: number, version: UpdateVersion): string {
  return `${version === 0 ? '#' : ''}${updateId}:${node}`
}

function createdJson(event: Json, id: string): object {
  return { event_type: 'created_event', event_id: id, ...contractFields(event) }
}

function contractFields({ contractId, templateId, packageName, createArgument, createdAt, ...parties }: Json): object {
  return {
    contract_id: contractId,
    template_id: templateId,
    package_name: packageName,
    create_arguments: createArgument,
    created_at: createdAt,
    signatories: parties.signatories.toSorted(),
    observers: (parties.observers ?? []).toSorted(),
  }
}

function exercisedJson(event: Json, id: string, children: readonly string[]): object {
  return {
    event_type: 'exercised_event',
    event_id: id,
    contract_id: event.contractId,
    template_id: event.templateId,
    package_name: event.packageName,
    choice: event.choice,
    choice_argument: event.choiceArgument,
    child_event_ids: children,
    exercise_result: event.exerciseResult ?? {},
    consuming: event.consuming ?? false,
    acting_parties: event.actingParties,
    ...(event.interfaceId && { interface_id: event.interfaceId }),
  }
}

/** A contract of a snapshot: as the event that created it, or, from version 1, with the update that did. */
export function snapshotContractJson({ event, updateId }: CreatedContract, version: 0 | 1): object {
  if (version === 0) return createdJson(event, eventId(updateId, event.nodeId, 0))
  return { created_in_update_id: updateId, ...contractFields(event) }
}
