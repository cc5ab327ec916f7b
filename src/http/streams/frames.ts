// Elements as WebSocket messages: one text message in one frame each, many of them in one piece of memory, because one
// write of a hundred messages costs hardly more than one of one (RFC 6455, section 5.2; a server does not mask).

const finalText = 0x81
const mediumMin = 126
const largeMin = 65_536

export function textFrames(elements: readonly string[]): Buffer {
  const lengths = elements.map((element) => Buffer.byteLength(element))
  const frames = Buffer.allocUnsafe(lengths.reduce((sum, length) => sum + headerBytes(length) + length, 0))
  let at = 0
  for (const [index, element] of elements.entries()) {
    at = writeHeader(frames, at, lengths[index]!)
    at += frames.write(element, at)
  }
  return frames
}

function headerBytes(length: number): number {
  if (length < mediumMin) return 2
  return length < largeMin ? 4 : 10
}

function writeHeader(frames: Buffer, at: number, length: number): number {
  frames[at] = finalText
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
