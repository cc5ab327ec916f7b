// A byte buffer that grows and is reused: for small, short-lived data an allocation would cost more than the writing.
import { Buffer } from 'node:buffer'

const bytesMin = 1024
/** A larger buffer is released by `restart`. */
const keptBytesMax = 64 * 1024
/** The most bytes that one UTF-16 code unit takes in UTF-8. */
export const utf8BytesMax = 3

export class GrowingBytes {
  protected memory = Buffer.allocUnsafeSlow(bytesMin)
  /** The position of the next byte. */
  protected end = 0

  /** Discards what was written. */
  restart(): void {
    this.end = 0
    if (this.memory.length > keptBytesMax) this.memory = Buffer.allocUnsafeSlow(bytesMin)
  }

  raw(bytes: Uint8Array): void {
    this.reserve(bytes.length)
    this.memory.set(bytes, this.end)
    this.end += bytes.length
  }

  /** Returns the new length. */
  utf8(text: string): number {
    this.reserve(text.length < bytesMin ? utf8BytesMax * text.length : Buffer.byteLength(text))
    this.end += this.memory.write(text, this.end)
    return this.end
  }

  /** A copy that the caller may keep. */
  copy(): Buffer {
    return Buffer.from(this.written())
  }

  /** A view, valid until the next write. */
  protected written(): Buffer {
    return this.memory.subarray(0, this.end)
  }

  protected reserve(count: number): void {
    if (this.end + count <= this.memory.length) return
    const larger = Buffer.allocUnsafeSlow(Math.max(2 * this.memory.length, this.end + count))
    larger.set(this.written())
    this.memory = larger
  }
}
