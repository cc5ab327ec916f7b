// Splits what is sent into pieces, so that only what the client is about to take is copied.

export const pieceLength = 64 * 1024

/** Elements that are sent at once: about a piece, or a single longer one. */
export function* groupsOf(elements: readonly string[]): Generator<readonly string[]> {
  let from = 0
  let length = 0
  for (let index = 0; index < elements.length; index += 1) {
    const more = elements[index]!.length
    if (index > from && length + more > pieceLength) {
      yield elements.slice(from, index)
      from = index
      length = 0
    }
    length += more
  }
  if (from < elements.length) yield from === 0 ? elements : elements.slice(from)
}

/** No piece ends within a surrogate pair. */
export function* piecesOf(text: string): Generator<string> {
  for (let from = 0; from < text.length; ) {
    let to = Math.min(text.length, from + pieceLength)
    if (to < text.length && isFirstHalf(text.charCodeAt(to - 1))) to += 1
    yield text.slice(from, to)
    from = to
  }
}

function isFirstHalf(unit: number): boolean {
  return unit >= 0xd800 && unit < 0xdc00
}
