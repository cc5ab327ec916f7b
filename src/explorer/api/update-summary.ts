// What a list shows of an update, and whether it passes a filter.
import { compareTimes } from './times.ts'
import type { CreatedEvent, LedgerEvent, Reassignment, TopologyTransaction, Transaction, Update } from './wire.ts'

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
  /** Who sees it, of those that the reader asked for. */
  readonly parties: readonly string[]
  /** Also those that act, sign or observe, whether the reader may ask for them or not. */
  readonly involved: ReadonlySet<string>
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
  const involved = new Set<string>()
  const templates = new Set<string>()
  const choices = new Set<string>()
  let [created, archived, lastCovered] = [0, 0, -1]
  for (const event of events) {
    const { act, nodeId, last, witnesses, others } = partsOf(event)
    for (const party of witnesses) parties.add(party)
    for (const party of others) involved.add(party)
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
    kind: 'transaction',
    offset,
    updateId,
    time,
    commandId,
    synchronizerId,
    roots,
    created,
    archived,
    parties: [...parties],
    involved: involved.union(parties),
    templates,
    choices,
  }
}

type Parts = {
  readonly act: Act
  readonly nodeId: number
  readonly last: number
  readonly witnesses: readonly string[]
  readonly others: readonly string[]
}

function partsOf(event: LedgerEvent): Parts {
  if ('CreatedEvent' in event) {
    const { nodeId, templateId: subject, witnessParties: witnesses } = event.CreatedEvent
    return {
      act: { verb: 'create', subject },
      nodeId,
      last: nodeId,
      witnesses,
      others: stakeholdersOf(event.CreatedEvent),
    }
  }
  if ('ArchivedEvent' in event) {
    const { nodeId, templateId: subject, witnessParties: witnesses } = event.ArchivedEvent
    return { act: { verb: 'archive', subject }, nodeId, last: nodeId, witnesses, others: [] }
  }
  const {
    nodeId,
    templateId: subject,
    choice,
    lastDescendantNodeId: last,
    witnessParties: witnesses,
    actingParties: others,
  } = event.ExercisedEvent
  return { act: { verb: 'exercise', subject, choice }, nodeId, last, witnesses, others }
}

const stakeholdersOf = ({ signatories, observers = [] }: CreatedEvent): readonly string[] => [
  ...signatories,
  ...observers,
]

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
  const others = events.flatMap((event) =>
    'JsAssignmentEvent' in event
      ? [event.JsAssignmentEvent.submitter, ...stakeholdersOf(event.JsAssignmentEvent.createdEvent)]
      : [event.JsUnassignedEvent.value.submitter],
  )
  return {
    kind: 'reassignment',
    offset,
    updateId,
    time,
    commandId,
    synchronizerId,
    roots,
    created: 0,
    archived: 0,
    parties: [...new Set(parties)],
    involved: new Set([...parties, ...others]),
    templates: new Set(roots.map(({ subject }) => subject)),
    choices: new Set(),
  }
}

function ofTopology(topology: TopologyTransaction): UpdateSummary {
  const { offset, updateId, recordTime: time, synchronizerId, events } = topology
  const parties = events.flatMap(({ event }) => Object.values(event).map(({ value }) => value.partyId))
  const roots = parties.map((subject): Act => ({ verb: 'host', subject }))
  return {
    kind: 'topology',
    offset,
    updateId,
    time,
    commandId: '',
    synchronizerId,
    roots,
    created: 0,
    archived: 0,
    parties,
    involved: new Set(parties),
    templates: new Set(),
    choices: new Set(),
  }
}

export type UpdateFilter = {
  readonly kind?: UpdateSummary['kind'] | undefined
  /** The beginning of its id. */
  readonly party?: string | undefined
  readonly choice?: string | undefined
  readonly commandId?: string | undefined
  readonly from?: string | undefined
  readonly to?: string | undefined
}

export function passes(summary: UpdateSummary, filter: UpdateFilter): boolean {
  const { kind, party, choice, commandId, from, to } = filter
  if (kind !== undefined && summary.kind !== kind) return false
  if (party !== undefined && ![...summary.involved].some((one) => one.startsWith(party))) return false
  if (choice !== undefined && ![...summary.choices].some((one) => one.startsWith(choice))) return false
  if (commandId !== undefined && !summary.commandId.startsWith(commandId)) return false
  if (from !== undefined && compareTimes(summary.time, from) < 0) return false
  return to === undefined || compareTimes(summary.time, to) <= 0
}
