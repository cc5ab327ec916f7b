// A byte buffer that grows and is reused: for small, short-lived data an allocation would cost more than the writing.
import { Buffer } from 'node:buffer'

const bytesMin = 1024
/** A larger buffer is released by `restart`. */
const keptBytesMax = 64 * 1024
/** The most bytes that one UTF-16 code unit takes in UTF-8. */
export const utf8BytesMax = 3
/** Up to here a loop takes less time than the call of a native function: for bytes, and for the characters of a text. */
const bytesLoopMax = 24
const textLoopMax = 8

export class GrowingBytes {
  protected memory: Buffer
  /** Of the memory. */
  protected view: DataView
  private capacity: number
  /** The position of the next byte. */
  protected end = 0

  constructor(bytes = bytesMin) {
    this.memory = Buffer.allocUnsafeSlow(bytes)
    this.view = viewOf(this.memory)
    this.capacity = bytes
  }

  /** Discards what was written. */
  restart(): void {
    this.end = 0
    if (this.memory.length > keptBytesMax) this.use(Buffer.allocUnsafeSlow(bytesMin))
  }

  raw(bytes: Uint8Array): void {
    const { length } = bytes
    this.reserve(length)
    if (length > bytesLoopMax) this.memory.set(bytes, this.end)
    else for (let index = 0; index < length; index += 1) this.memory[this.end + index] = bytes[index]!
    this.end += length
  }

  /** Returns the new length. */
  utf8(text: string): number {
    this.reserve(text.length < bytesMin ? utf8BytesMax * text.length : Buffer.byteLength(text))
    this.end += this.write(text, this.end)
    return this.end
  }

  /** A copy that the caller may keep. */
  copy(): Buffer {
    return Buffer.from(this.written())
  }

  /** The same, after a text of which each character is one byte. */
  copyAfter(head: string): Buffer {
    const copy = Buffer.allocUnsafe(head.length + this.end)
    copy.write(head, 'latin1')
    copy.set(this.written(), head.length)
    return copy
  }

  /** Writes the text in UTF-8 to reserved memory, and returns how many bytes it has. */
  protected write(text: string, start: number): number {
    const { length } = text
    if (length > textLoopMax) return this.memory.write(text, start, 'utf8')
    for (let index = 0; index < length; index += 1) {
      const unit = text.charCodeAt(index)
      if (unit > 0x7f) return this.memory.write(text, start, 'utf8')
      this.memory[start + index] = unit
    }
    return length
  }

  /** The sum of the weights of the bytes from there on; bytes beyond the table have none. */
  weightFrom(start: number, weights: readonly number[]): number {
    const { memory, end } = this
    let sum = 0
    if (weights.length === 0) return sum
    for (let index = start; index < end; index += 1) {
      const byte = memory[index]!
      if (byte < weights.length) sum += weights[byte]!
    }
    return sum
  }

  /** A view, valid until the next write. */
  written(): Buffer {
    return this.memory.subarray(0, this.end)
  }

  protected reserve(count: number): void {
    if (this.end + count > this.capacity) this.grow(count)
  }

  private grow(count: number): void {
    const larger = Buffer.allocUnsafeSlow(Math.max(2 * this.memory.length, this.end + count))
    larger.set(this.written())
    this.use(larger)
  }

  private use(memory: Buffer): void {
    this.memory = memory
    this.view = viewOf(memory)
    this.capacity = memory.length
  }
}

export function viewOf({ buffer, byteOffset, byteLength }: Uint8Array): DataView {
  return new DataView(buffer, byteOffset, byteLength)
}
