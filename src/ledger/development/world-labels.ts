// Which contracts each command of a transaction created.
import type { commandKinds } from './world-schema.ts'

type Kind = (typeof commandKinds)[number]
type Created = { readonly CreatedEvent: { readonly nodeId: number; readonly contractId: string } }
type Exercised = { readonly ExercisedEvent: { readonly nodeId: number; readonly lastDescendantNodeId: number } }

/** The contract ids for each command, in the order of creation. `transaction` is JSON with all its events. */
export function createdBy(
  kinds: readonly Kind[],
  { events }: { readonly events: readonly (Created | Exercised)[] },
): string[][] {
  let next = 0
  /** Takes the next root and what is below it. */
  function takeRoot(): string[] {
    const root = events[next]
    if (root === undefined) return []
    const last = 'CreatedEvent' in root ? root.CreatedEvent.nodeId : root.ExercisedEvent.lastDescendantNodeId
    const found: string[] = []
    for (; next < events.length && nodeIdOf(events[next]!) <= last; next += 1) {
      const event = events[next]!
      if ('CreatedEvent' in event) found.push(event.CreatedEvent.contractId)
    }
    return found
  }
  return kinds.map((kind) => (kind === 'CreateAndExerciseCommand' ? [...takeRoot(), ...takeRoot()] : takeRoot()))
}

function nodeIdOf(event: Created | Exercised): number {
  return 'CreatedEvent' in event ? event.CreatedEvent.nodeId : event.ExercisedEvent.nodeId
}
