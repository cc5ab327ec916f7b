// What a list shows of an update, and whether it passes a filter.
import type { LedgerEvent, Reassignment, TopologyTransaction, Transaction, Update } from './wire.ts'

export type Act = {
  readonly verb: 'create' | 'exercise' | 'archive' | 'assign' | 'unassign' | 'host'
  /** The template, or the party that is hosted. */
  readonly subject: string
  readonly choice?: string
}

export type UpdateSummary = {
  readonly kind: 'transaction' | 'reassignment' | 'topology'
  readonly offset: number
  readonly updateId: string
  readonly time: string
  readonly commandId: string
  readonly synchronizerId: string
  /** What was commanded: the roots of a transaction. */
  readonly roots: readonly Act[]
  readonly created: number
  readonly archived: number
  readonly parties: readonly string[]
  /** Every template and choice, for filters. */
  readonly templates: ReadonlySet<string>
  readonly choices: ReadonlySet<string>
}

export function summaryOf(update: Update): UpdateSummary {
  if ('Transaction' in update) return ofTransaction(update.Transaction.value)
  if ('Reassignment' in update) return ofReassignment(update.Reassignment.value)
  return ofTopology(update.TopologyTransaction.value)
}

function ofTransaction(transaction: Transaction): UpdateSummary {
  const { offset, updateId, recordTime: time, commandId, synchronizerId, events } = transaction
  const roots: Act[] = []
  const parties = new Set<string>()
  const templates = new Set<string>()
  const choices = new Set<string>()
  let [created, archived, lastCovered] = [0, 0, -1]
  for (const event of events) {
    const { act, nodeId, last, witnesses } = partsOf(event)
    for (const party of witnesses) parties.add(party)
    templates.add(act.subject)
    if (act.choice !== undefined) choices.add(act.choice)
    if (act.verb === 'create') created += 1
    if (act.verb === 'archive' || ('ExercisedEvent' in event && event.ExercisedEvent.consuming)) archived += 1
    if (nodeId > lastCovered) {
      roots.push(act)
      lastCovered = last
    }
  }
  return {
    ...{ kind: 'transaction', offset, updateId, time, commandId, synchronizerId, roots, created, archived },
    ...{ parties: [...parties], templates, choices },
  }
}

type Parts = { act: Act; nodeId: number; last: number; witnesses: readonly string[] }

function partsOf(event: LedgerEvent): Parts {
  if ('CreatedEvent' in event) {
    const { nodeId, templateId: subject, witnessParties: witnesses } = event.CreatedEvent
    return { act: { verb: 'create', subject }, nodeId, last: nodeId, witnesses }
  }
  if ('ArchivedEvent' in event) {
    const { nodeId, templateId: subject, witnessParties: witnesses } = event.ArchivedEvent
    return { act: { verb: 'archive', subject }, nodeId, last: nodeId, witnesses }
  }
  const {
    nodeId,
    templateId: subject,
    choice,
    lastDescendantNodeId: last,
    witnessParties: witnesses,
  } = event.ExercisedEvent
  return { act: { verb: 'exercise', subject, choice }, nodeId, last, witnesses }
}

function ofReassignment(reassignment: Reassignment): UpdateSummary {
  const { offset, updateId, recordTime: time, commandId, synchronizerId, events } = reassignment
  const roots = events.map((event): Act => {
    if ('JsAssignmentEvent' in event) {
      return { verb: 'assign', subject: event.JsAssignmentEvent.createdEvent.templateId }
    }
    return { verb: 'unassign', subject: event.JsUnassignedEvent.value.templateId }
  })
  const parties = events.flatMap((event) =>
    'JsAssignmentEvent' in event
      ? event.JsAssignmentEvent.createdEvent.witnessParties
      : event.JsUnassignedEvent.value.witnessParties,
  )
  return {
    ...{ kind: 'reassignment', offset, updateId, time, commandId, synchronizerId, roots, created: 0, archived: 0 },
    ...{ parties: [...new Set(parties)], templates: new Set(roots.map(({ subject }) => subject)), choices: new Set() },
  }
}

function ofTopology(topology: TopologyTransaction): UpdateSummary {
  const { offset, updateId, recordTime: time, synchronizerId, events } = topology
  const parties = events.flatMap(({ event }) => Object.values(event).map(({ value }) => value.partyId))
  const roots = parties.map((subject): Act => ({ verb: 'host', subject }))
  return {
    ...{ kind: 'topology', offset, updateId, time, commandId: '', synchronizerId, roots, created: 0, archived: 0 },
    ...{ parties, templates: new Set(), choices: new Set() },
  }
}

export type UpdateFilter = {
  readonly kind?: UpdateSummary['kind'] | undefined
  readonly choice?: string | undefined
  readonly commandId?: string | undefined
  /** Times as the API has them; they compare as texts. */
  readonly from?: string | undefined
  readonly to?: string | undefined
}

export function passes(summary: UpdateSummary, { kind, choice, commandId, from, to }: UpdateFilter): boolean {
  if (kind !== undefined && summary.kind !== kind) return false
  if (choice !== undefined && ![...summary.choices].some((one) => one.startsWith(choice))) return false
  if (commandId !== undefined && !summary.commandId.startsWith(commandId)) return false
  return (from === undefined || summary.time >= from) && (to === undefined || summary.time <= to)
}
