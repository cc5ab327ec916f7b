// Reads parts of a stored created event, which begins with `"contractId":"…","templateId":"…"`.

export function eventPieces({
  event,
  eventCut,
}: {
  event: Uint8Array
  eventCut: number
}): [head: string, tail: string] {
  const text = Buffer.from(event.buffer, event.byteOffset, event.byteLength)
  return [text.toString('utf8', 0, eventCut), text.toString('utf8', eventCut)]
}

/** Includes the id of the package that the contract was created with. */
export function templateIdIn(event: Uint8Array): string {
  const text = Buffer.from(event.buffer, event.byteOffset, event.byteLength)
  const mark = '"templateId":"'
  const start = text.indexOf(mark) + mark.length
  return text.toString('latin1', start, text.indexOf('"', start))
}
