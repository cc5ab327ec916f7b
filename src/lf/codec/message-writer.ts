// Writes protobuf messages, field after field, into memory that the next message reuses. A nested message is written in
// place; the length in front of it is filled in when it ends.
import { GrowingBytes, utf8BytesMax } from '../../base/growing-bytes.ts'
import type { WireType } from '../archive/wire.ts'
import type { Int64 } from '../values/values.ts'

const varintBytesMax = 10
/** A flag and the length of the message. */
const frameHeadBytes = 5
/** Twice this is still exact. */
const exactMax = 2 ** 52

export class MessageWriter extends GrowingBytes {
  /** Where open messages begin. */
  private starts: number[] = []

  tag(field: number, wireType: WireType): this {
    return this.uint32(((field << 3) | wireType) >>> 0)
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

  int64(value: Int64): this {
    if (typeof value === 'number' && value >= 0) return this.varint(value)
    return this.longVarint(BigInt(value))
  }

  /** Zig-zag: small numbers are short, negative ones too. */
  sint64(value: Int64): this {
    if (value > -exactMax && value < exactMax) {
      const small = Number(value)
      return this.varint(small < 0 ? -2 * small - 1 : 2 * small)
    }
    const large = BigInt(value)
    return this.longVarint((large << 1n) ^ (large >> 63n))
  }

  sfixed64(value: Int64): this {
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

  /** Begins a nested message, which ends with `join`. */
  fork(): this {
    this.starts.push(this.end)
    return this.varint(0) // A placeholder for its length, if that is short.
  }

  join(): this {
    const start = this.starts.pop()!
    const length = this.end - start - 1
    const size = sizeOfVarint(length)
    if (size > 1) {
      this.reserve(size - 1)
      this.memory.copyWithin(start + size, start + 1, this.end)
    }
    this.end = start
    this.varint(length)
    this.end += length
    return this
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
    let rest = value
    while (rest > 0x7f) {
      this.memory[this.end++] = (rest % 0x80) | 0x80
      rest = Math.floor(rest / 0x80)
    }
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

function sizeOfVarint(value: number): number {
  let size = 1
  for (let rest = value; rest > 0x7f; rest = Math.floor(rest / 0x80)) size += 1
  return size
}
