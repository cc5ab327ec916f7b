// Writes protobuf messages, field after field, into memory that the next message reuses. A nested message is written in
// place; the length in front of it is filled in when it ends.
import { GrowingBytes, utf8BytesMax } from '../base/growing-bytes.ts'
import { type WireType, wireTypes } from './wire-reading.ts'

const varintBytesMax = 10
/**
 * Bytes of UTF-8 are copied and compared eight at a time, as doubles: for up to a few hundred bytes that is faster than a
 * native function. None of them is a NaN, which would be neither copied nor equal: there, a byte of 0xf0 or more comes
 * before one of 0x7f or 0xff.
 */
export const wordBytes = 8
/** A flag and the length of the message. */
const frameHeadBytes = 5
/** Up to here bits are those of 32. */
const smallMax = 2 ** 31 - 1
/** Twice this is still exact. */
const exactMax = 2 ** 52

export class MessageWriter extends GrowingBytes {
  /** Where open messages begin. */
  private starts: number[] = []

  tag(field: number, wireType: WireType): this {
    return this.varint(((field << 3) | wireType) >>> 0)
  }

  uint32(value: number): this {
    return this.varint(value)
  }

  bool(value: boolean): this {
    return this.varint(value ? 1 : 0)
  }

  int32(value: number): this {
    return this.int64(value)
  }

  int64(value: number | bigint): this {
    if (typeof value === 'number' && value >= 0) return this.varint(value)
    return this.longVarint(BigInt(value))
  }

  /** Zig-zag: small numbers are short, negative ones too. */
  sint64(value: number | bigint): this {
    if (value > -exactMax && value < exactMax) {
      const small = Number(value)
      return this.varint(small < 0 ? -2 * small - 1 : 2 * small)
    }
    const large = BigInt(value)
    return this.longVarint((large << 1n) ^ (large >> 63n))
  }

  sfixed64(value: number | bigint): this {
    this.reserve(8)
    this.end = this.memory.writeBigInt64LE(BigInt(value), this.end)
    return this
  }

  string(text: string): this {
    this.reserve(varintBytesMax + utf8BytesMax * text.length)
    const start = this.end
    // Mostly a text has as many bytes as characters.
    const guess = sizeOfVarint(text.length)
    const length = this.write(text, start + guess)
    const size = sizeOfVarint(length)
    if (size !== guess) this.memory.copyWithin(start + size, start + guess, start + guess + length)
    this.varint(length)
    this.end += length
    return this
  }

  bytes(bytes: Uint8Array): this {
    this.varint(bytes.length)
    this.raw(bytes)
    return this
  }

  /** The bytes that these digits stand for. */
  hex(digits: string): this {
    this.varint(digits.length / 2)
    this.reserve(digits.length / 2)
    this.end += this.memory.write(digits, this.end, 'hex')
    return this
  }

  /** A part of these bytes, which are UTF-8, with its length. */
  part(bytes: DataView, from: number, to: number): this {
    const length = to - from
    this.varint(length)
    this.reserve(length)
    const { view, end } = this
    this.end = end + length
    const shift = end - from
    if (length < wordBytes) {
      for (let position = from; position < to; position += 1) view.setUint8(position + shift, bytes.getUint8(position))
      return this
    }
    const last = to - wordBytes
    for (let position = from; position < last; position += wordBytes) {
      view.setFloat64(position + shift, bytes.getFloat64(position, true), true)
    }
    view.setFloat64(last + shift, bytes.getFloat64(last, true), true)
    return this
  }

  /** The content of a Timestamp. */
  timestamp(seconds: number, nanos: number): this {
    if (seconds !== 0) this.tag(1, wireTypes.varint).int64(seconds)
    if (nanos !== 0) this.tag(2, wireTypes.varint).int32(nanos)
    return this
  }

  /** Writes a nested message with its tag. */
  message(field: number, write: () => unknown): this {
    this.tag(field, wireTypes.bytes).fork()
    write()
    return this.join()
  }

  /** Begins a nested message, which ends with `join`. */
  fork(): this {
    this.starts.push(this.open(1))
    return this
  }

  join(): this {
    this.close(this.starts.pop()!, 1)
    return this
  }

  /** Begins a nested message whose length probably takes so many bytes; returns where. */
  open(lengthBytes: number): number {
    this.reserve(varintBytesMax)
    const start = this.end
    this.end += lengthBytes
    return start
  }

  /** Ends it; returns how many bytes its length takes: the next one of its kind will be about as long. */
  close(start: number, lengthBytes: number): number {
    const length = this.end - start - lengthBytes
    const size = sizeOfVarint(length)
    if (size !== lengthBytes) {
      this.reserve(size)
      this.memory.copyWithin(start + size, start + lengthBytes, this.end)
    }
    this.end = start
    this.varint(length)
    this.end += length
    return size
  }

  /** Where the next byte goes; what is written from there on can be taken back. */
  position(): number {
    return this.end
  }

  takeBack(position: number): void {
    this.end = position
  }

  /** Begins a message in a frame of gRPC; returns where. */
  beginFrame(): number {
    this.reserve(frameHeadBytes)
    const start = this.end
    this.end += frameHeadBytes
    return start
  }

  endFrame(start: number): void {
    this.memory[start] = 0
    this.memory.writeUInt32BE(this.end - start - frameHeadBytes, start + 1)
  }

  override restart(): void {
    super.restart()
    this.starts.length = 0
  }

  /** A copy of what is written between two positions. */
  copyOf(start: number, end: number): Uint8Array {
    return Uint8Array.from(this.memory.subarray(start, end))
  }

  /** Returns the message; the next one can begin. */
  finish(): Uint8Array {
    const message = this.copy()
    this.restart()
    return message
  }

  private varint(value: number): this {
    this.reserve(varintBytesMax)
    if (value <= 0x7f) {
      this.memory[this.end++] = value
      return this
    }
    return this.manyBytes(value)
  }

  /** Apart, so that what is short can be inlined. */
  private manyBytes(value: number): this {
    let rest = value
    for (; rest > smallMax; rest = Math.floor(rest / 0x80)) this.memory[this.end++] = (rest % 0x80) | 0x80
    for (; rest > 0x7f; rest >>>= 7) this.memory[this.end++] = (rest & 0x7f) | 0x80
    this.memory[this.end++] = rest
    return this
  }

  /** 64 bits, however negative. */
  private longVarint(value: bigint): this {
    this.reserve(varintBytesMax)
    let rest = BigInt.asUintN(64, value)
    for (; rest > 0x7fn; rest >>= 7n) this.memory[this.end++] = Number(rest & 0x7fn) | 0x80
    this.memory[this.end++] = Number(rest)
    return this
  }
}

/** A pool of finished writers, whose memory the next messages reuse. */
const spareWriters: MessageWriter[] = []

export function finishWriting(write: (writer: MessageWriter) => void): Uint8Array {
  const writer = spareWriters.pop() ?? new MessageWriter()
  write(writer)
  spareWriters.push(writer)
  return writer.finish()
}

export function sizeOfVarint(value: number): number {
  if (value <= 0x7f) return 1
  let size = 1
  for (let rest = value; rest > 0x7f; rest = Math.floor(rest / 0x80)) size += 1
  return size
}
