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

/** Neighbours that do the same: as many as a reader would rather count than read. */
export type EventGroup = { readonly alike: readonly EventNode[] }

const alikeMin = 20

/** The nodes in their order; runs of at least twenty of the same template and choice are one group. */
export function grouped(nodes: readonly EventNode[]): (EventNode | EventGroup)[] {
  const runs: EventNode[][] = []
  for (const node of nodes) {
    const run = runs.at(-1)
    if (run !== undefined && actOf(run[0]!.event) === actOf(node.event)) run.push(node)
    else runs.push([node])
  }
  return runs.flatMap((alike): (EventNode | EventGroup)[] => (alike.length < alikeMin ? alike : [{ alike }]))
}

function actOf(event: LedgerEvent): string {
  const kind = Object.keys(event)[0]
  return `${kind} ${eventOf(event).templateId} ${'ExercisedEvent' in event ? event.ExercisedEvent.choice : ''}`
}

export type Counts = { readonly events: number; readonly created: number; readonly archived: number }

/** Of everything below the nodes, without themselves. */
export function countsBelow(nodes: readonly EventNode[]): Counts {
  let [events, created, archived] = [0, 0, 0]
  const open = nodes.flatMap(({ children }) => children)
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    events += 1
    if ('CreatedEvent' in node.event) created += 1
    else if ('ArchivedEvent' in node.event || node.event.ExercisedEvent.consuming) archived += 1
    open.push(...node.children)
  }
  return { events, created, archived }
}

/**
 * The nodes in which a text occurs, with those that lead to them: in the template, choice, ids, parties, or anywhere in
 * the values. Also how many they are.
 */
export function found(nodes: readonly EventNode[], text: string): { nodes: EventNode[]; count: number } {
  const wanted = text.trim().toLowerCase()
  let count = 0
  function among(of: readonly EventNode[]): EventNode[] {
    return of.flatMap((node) => {
      const isFound = wordsOf(node.event).includes(wanted)
      if (isFound) count += 1
      const children = among(node.children)
      return isFound || children.length > 0 ? [{ ...node, children }] : []
    })
  }
  const left = among(nodes)
  return { nodes: left, count }
}

/** How many letters the values of events have, about: what showing all of them would cost. */
export const lettersOf = (events: readonly LedgerEvent[]): number =>
  events.reduce((sum, event) => sum + wordsOf(event).length, 0)

/** Made once for each event: an update may have thousands, and somebody types. */
const words = new WeakMap<LedgerEvent, string>()

function wordsOf(event: LedgerEvent): string {
  const known = words.get(event)
  if (known !== undefined) return known
  const { templateId, contractId, witnessParties } = eventOf(event)
  const own =
    'CreatedEvent' in event
      ? [event.CreatedEvent.createArgument, event.CreatedEvent.signatories, event.CreatedEvent.observers]
      : 'ExercisedEvent' in event
        ? [event.ExercisedEvent.choice, event.ExercisedEvent.choiceArgument, event.ExercisedEvent.exerciseResult]
        : []
  const made = JSON.stringify([templateId, contractId, witnessParties, ...own]).toLowerCase()
  words.set(event, made)
  return made
}

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
