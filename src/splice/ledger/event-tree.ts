// The events of a transaction as a tree: each exercise with what happened inside it.
import type { Json } from './participant.ts'

export type EventNode = {
  readonly kind: 'created' | 'exercised'
  /** The created or exercised event of the Ledger API. */
  readonly event: Json
  readonly children: readonly EventNode[]
}

type Growing = { readonly node: EventNode & { readonly children: EventNode[] }; readonly last: number }

/** From events in the order of their nodes. Events that the reader does not see are missing; what is inside them moves up. */
export function eventTree(events: readonly Json[]): readonly EventNode[] {
  const roots: EventNode[] = []
  const open: Growing[] = []
  for (const { CreatedEvent: created, ExercisedEvent: exercised } of events) {
    const event = created ?? exercised
    if (event === undefined) continue
    while (open.length > 0 && open.at(-1)!.last < event.nodeId) open.pop()
    const node = { kind: created === undefined ? 'exercised' : 'created', event, children: [] } as Growing['node']
    const siblings = open.at(-1)?.node.children ?? roots
    siblings.push(node)
    if (exercised !== undefined) open.push({ node, last: event.lastDescendantNodeId })
  }
  return roots
}

export function isExercise({ kind, event }: EventNode, choice: string): boolean {
  return kind === 'exercised' && event.choice === choice
}

/** The first exercise of a choice inside a node. */
export function findInside({ children }: EventNode, choice: string): EventNode | undefined {
  for (const child of children) {
    const found = isExercise(child, choice) ? child : findInside(child, choice)
    if (found !== undefined) return found
  }
  return undefined
}

/** Module and name of a template, without its package. */
export function entityOf(templateId: string): string {
  return templateId.slice(templateId.indexOf(':') + 1)
}
