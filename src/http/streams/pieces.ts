// Splits a long element into pieces, so that only what the client is about to take is copied.

export const pieceLength = 256 * 1024

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
