// JSON texts one after the other in as few buffers as possible: an element is a piece of the buffer it was written to.

export class JsonWriter {
  #buffer: Buffer
  #start = 0
  #position = 0
  /** Text that is written with what follows: joining strings costs less than writing each of them. */
  #pending = ''

  constructor(bytes: number) {
    this.#buffer = Buffer.allocUnsafeSlow(bytes)
  }

  text(text: string): void {
    this.#pending += text
  }

  bytes(source: Uint8Array, from: number, to: number): void {
    const text = this.#pending
    this.#reserve(text.length * 3 + to - from) // One unit of UTF-16 is at most three bytes of UTF-8.
    this.#position += this.#buffer.write(text, this.#position)
    this.#pending = ''
    this.#position += Buffer.prototype.copy.call(source, this.#buffer, this.#position, from, to)
  }

  /** What was written since the last one was taken. */
  take(): Buffer {
    this.#reserve(this.#pending.length * 3)
    this.#position += this.#buffer.write(this.#pending, this.#position)
    this.#pending = ''
    const element = this.#buffer.subarray(this.#start, this.#position)
    this.#start = this.#position
    return element
  }

  /** Elements that were taken stay where they are; only the one being written moves. */
  #reserve(length: number): void {
    if (this.#position + length <= this.#buffer.length) return
    const written = this.#position - this.#start
    const larger = Buffer.allocUnsafeSlow(Math.max(this.#buffer.length, 2 * (written + length)))
    this.#buffer.copy(larger, 0, this.#start, this.#position)
    this.#buffer = larger
    this.#start = 0
    this.#position = written
  }
}
