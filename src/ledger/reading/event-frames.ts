// What stands around the pieces of an event's JSON. It is the same for every transaction with an outline, and is written
// once for all of them.
import { implementedInterfaces } from './contract-views.ts'
import type { TemplateRule } from './event-matcher.ts'

/** Before all pieces, in the middle of them, and after the last. */
export type Frame = { readonly before: string; readonly between: string; readonly after: string }

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

function frame({ nodeId, witnesses }: Framed, last: string): Frame {
  return { before: `,"nodeId":${nodeId},`, between: `,"witnessParties":${listOf(witnesses)},`, after: `,${last}}` }
}

/** Of names that JSON needs no escapes for. */
export function listOf(names: readonly string[]): string {
  return names.length === 0 ? '[]' : `["${names.join('","')}"]`
}
