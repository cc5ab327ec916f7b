// The JSON around the pieces of an event. It is the same for every transaction with one outline, and is written once
// for all of them.

import { implementedInterfaces } from '../../ledger/reading/json/contract-views.ts'
import type { TemplateRule } from '../../ledger/reading/requests/event-matcher.ts'

/** The text before the first piece, between the pieces, and after the last. */
export type Frame = { readonly before: string; readonly between: string; readonly after: string }

/** An event's offset and pieces (events/format/transaction-writing.ts): texts, or gaps for them. */
type Inside<P> = { readonly offset: P; readonly pieces: readonly P[] }

type Framed = { readonly nodeId: number; readonly witnesses: readonly string[] }

export function createdFrame(event: Framed, isDelta: boolean): Frame {
  return frame(event, `"acsDelta":${isDelta}`)
}

export function archivedFrame(event: Framed, rule: TemplateRule): Frame {
  return frame(event, `"implementedInterfaces":${implementedInterfaces(rule, event.witnesses)}`)
}

export function exercisedFrame(event: Framed & { isConsuming: boolean }, rule: TemplateRule, isDelta: boolean): Frame {
  const interfaces = event.isConsuming ? implementedInterfaces(rule, event.witnesses) : '[]'
  return frame(event, `"implementedInterfaces":${interfaces},"acsDelta":${isDelta}`)
}

/** `CreatedEvent`; `shown` holds its blob and views. */
export function createdIn<P>(
  { before, between, after }: Frame,
  { offset, pieces, shown }: Inside<P> & { readonly shown: P },
): (P | string)[] {
  const [head, tail] = pieces
  return ['{"offset":', offset, before, head!, ',', shown, between, tail!, after]
}

/** `ArchivedEvent`, from the pieces of the consuming exercise. */
export function archivedIn<P>({ before, between, after }: Frame, { offset, pieces }: Inside<P>): (P | string)[] {
  return ['{"offset":', offset, before, pieces[0]!, between, pieces[3]!, after]
}

/** `ExercisedEvent`. */
export function exercisedIn<P>({ before, between, after }: Frame, { offset, pieces }: Inside<P>): (P | string)[] {
  const [contract, choice, result, packageName] = pieces
  return ['{"offset":', offset, before, contract!, ',', choice!, between, result!, ',', packageName!, after]
}

function frame({ nodeId, witnesses }: Framed, last: string): Frame {
  return { before: `,"nodeId":${nodeId},`, between: `,"witnessParties":${listOf(witnesses)},`, after: `,${last}}` }
}

/** For names that need no JSON escapes. */
export function listOf(names: readonly string[]): string {
  return names.length === 0 ? '[]' : `["${names.join('","')}"]`
}
