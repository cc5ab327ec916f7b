// Bytes that are written one after the other, into memory that is used again and again: for what is small and soon
// forgotten, memory of its own would cost more than writing it.
import { Buffer } from 'node:buffer'

const bytesMin = 1024
/** What was larger gives its memory back. */
const keptBytesMax = 64 * 1024
/** One unit of UTF-16 in UTF-8. */
export const utf8BytesMax = 3

export class GrowingBytes {
  protected memory = Buffer.allocUnsafeSlow(bytesMin)
  /** Where the next byte goes. */
  protected end = 0

  /** Forgets what was written. */
  restart(): void {
    this.end = 0
    if (this.memory.length > keptBytesMax) this.memory = Buffer.allocUnsafeSlow(bytesMin)
  }

  raw(bytes: Uint8Array): void {
    this.reserve(bytes.length)
    this.memory.set(bytes, this.end)
    this.end += bytes.length
  }

  /** Answers how much there is now. */
  utf8(text: string): number {
    this.reserve(text.length < bytesMin ? utf8BytesMax * text.length : Buffer.byteLength(text))
    this.end += this.memory.write(text, this.end)
    return this.end
  }

  /** What was written, for the one who asks to keep. */
  copy(): Buffer {
    return Buffer.from(this.written())
  }

  /** Only until more is written. */
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
