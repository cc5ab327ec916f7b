// The events of a transaction as a tree: what an exercise caused is nested in it. Numbers may have gaps where a reader
// does not see a node.
import type { ArchivedEvent, CreatedEvent, ExercisedEvent, LedgerEvent } from './wire.ts'

export type EventNode = {
  readonly event: LedgerEvent
  readonly nodeId: number
  readonly children: EventNode[]
}

export function treeOf(events: readonly LedgerEvent[]): EventNode[] {
  const roots: EventNode[] = []
  const open: { readonly node: EventNode; readonly last: number }[] = []
  for (const event of events.toSorted((one, other) => nodeIdOf(one) - nodeIdOf(other))) {
    const node = { event, nodeId: nodeIdOf(event), children: [] }
    while (open.length > 0 && open.at(-1)!.last < node.nodeId) open.pop()
    const siblings = open.at(-1)?.node.children ?? roots
    siblings.push(node)
    if ('ExercisedEvent' in event) open.push({ node, last: event.ExercisedEvent.lastDescendantNodeId })
  }
  return roots
}

export function eventOf(event: LedgerEvent): CreatedEvent | ArchivedEvent | ExercisedEvent {
  if ('CreatedEvent' in event) return event.CreatedEvent
  return 'ArchivedEvent' in event ? event.ArchivedEvent : event.ExercisedEvent
}

const nodeIdOf = (event: LedgerEvent): number => eventOf(event).nodeId

/** What the transaction changed: contracts that were there before and are not now, and the other way round. */
export function changesOf(events: readonly LedgerEvent[]): {
  readonly created: readonly CreatedEvent[]
  readonly archived: readonly {
    readonly contractId: string
    readonly templateId: string
    readonly packageName: string
  }[]
  /** Created and archived in the same transaction: before and after know nothing of them. */
  readonly passing: number
} {
  const created = new Map<string, CreatedEvent>()
  const archived = []
  let passing = 0
  for (const event of events) {
    if ('CreatedEvent' in event) created.set(event.CreatedEvent.contractId, event.CreatedEvent)
    const isEnd = 'ArchivedEvent' in event || ('ExercisedEvent' in event && event.ExercisedEvent.consuming)
    if (!isEnd) continue
    const { contractId, templateId, packageName } = eventOf(event)
    if (created.delete(contractId)) passing += 1
    else archived.push({ contractId, templateId, packageName })
  }
  return { created: [...created.values()], archived, passing }
}
