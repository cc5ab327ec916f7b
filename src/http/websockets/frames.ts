// Elements as WebSocket text messages, one frame each, many in one buffer: writing a hundred costs hardly more than
// writing one. A long one is fragmented, so that other clients and pings are served in between (RFC 6455, sections 5.2
// and 5.4; a server does not mask).

const final = 0x80
const continuation = 0x0
const text = 0x1
const mediumMin = 126
const largeMin = 65_536

export function textFrames(elements: readonly string[]): Buffer {
  const lengths = elements.map((element) => Buffer.byteLength(element))
  const frames = Buffer.allocUnsafe(lengths.reduce((sum, length) => sum + headerBytes(length) + length, 0))
  let at = 0
  for (const [index, element] of elements.entries()) {
    at = writeHeader(frames, at, final | text, lengths[index]!)
    at += frames.write(element, at)
  }
  return frames
}

/** One fragment of a message. */
export function partFrame(part: string, place: { readonly isFirst: boolean; readonly isLast: boolean }): Buffer {
  const length = Buffer.byteLength(part)
  const frame = Buffer.allocUnsafe(headerBytes(length) + length)
  const at = writeHeader(frame, 0, (place.isLast ? final : 0) | (place.isFirst ? text : continuation), length)
  frame.write(part, at)
  return frame
}

function headerBytes(length: number): number {
  if (length < mediumMin) return 2
  return length < largeMin ? 4 : 10
}

function writeHeader(frames: Buffer, at: number, kind: number, length: number): number {
  frames[at] = kind
  if (length < mediumMin) {
    frames[at + 1] = length
    return at + 2
  }
  if (length < largeMin) {
    frames[at + 1] = 126
    return frames.writeUInt16BE(length, at + 2)
  }
  frames[at + 1] = 127
  return frames.writeBigUInt64BE(BigInt(length), at + 2)
}
