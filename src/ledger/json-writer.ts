// JSON texts one after the other in as few buffers as possible: an element is a piece of the buffer it was written to.

export class JsonWriter {
  #buffer: Buffer
  #start = 0
  #position = 0

  constructor(bytes: number) {
    this.#buffer = Buffer.allocUnsafe(bytes)
  }

  text(text: string): void {
    this.#reserve(text.length * 3) // More than three bytes of UTF-8 for one unit of UTF-16 there are not.
    this.#position += this.#buffer.write(text, this.#position)
  }

  bytes(source: Uint8Array, from: number, to: number): void {
    this.#reserve(to - from)
    this.#buffer.set(from === 0 && to === source.length ? source : source.subarray(from, to), this.#position)
    this.#position += to - from
  }

  /** What was written since the last one was taken. */
  take(): Buffer {
    const element = this.#buffer.subarray(this.#start, this.#position)
    this.#start = this.#position
    return element
  }

  /** Elements that were taken stay where they are; only the one being written moves. */
  #reserve(length: number): void {
    const written = this.#position - this.#start
    if (this.#position + length <= this.#buffer.length) return
    const larger = Buffer.allocUnsafe(Math.max(this.#buffer.length, 2 * (written + length)))
    this.#buffer.copy(larger, 0, this.#start, this.#position)
    this.#buffer = larger
    this.#start = 0
    this.#position = written
  }
}
