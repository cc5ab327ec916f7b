// Events as JSON for readers: the stored pieces of an event in a frame that depends on the reader. The frame is the same
// for every transaction with one outline, and is written once for all of them. Mirrors Canton's JsEvent.

/** The text before the first piece, between the pieces, and after the last. */
export type Frame = { readonly before: string; readonly between: string; readonly after: string }

/** The fields `createdEventBlob` and `interfaceViews` of a created event. */
export type Extras = string

export const noExtras: Extras = '"createdEventBlob":"","interfaceViews":[]'

/** An event's offset and pieces (format/event-pieces.ts): texts, or gaps for them. */
type Inside<P> = { readonly offset: P; readonly pieces: readonly P[] }

type Framed = { readonly nodeId: number; readonly witnesses: readonly string[] }

export function createdFrame(event: Framed, isDelta: boolean): Frame {
  return frame(event, `"acsDelta":${isDelta}`)
}

/** `interfaces` is the JSON list of the implemented interfaces. */
export function archivedFrame(event: Framed, interfaces: string): Frame {
  return frame(event, `"implementedInterfaces":${interfaces}`)
}

export function exercisedFrame(event: Framed, interfaces: string, isDelta: boolean): Frame {
  return frame(event, `"implementedInterfaces":${interfaces},"acsDelta":${isDelta}`)
}

/** `CreatedEvent`. */
export function createdIn<P>(
  { before, between, after }: Frame,
  { offset, pieces, extras }: Inside<P> & { readonly extras: P },
): (P | string)[] {
  const [head, tail] = pieces
  return ['{"offset":', offset, before, head!, ',', extras, between, tail!, after]
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

/** Traffic is free here. As in Canton, only a submitter is told so. */
export function paidTrafficCost(isOwn: boolean): string {
  return isOwn ? '0' : 'null'
}
