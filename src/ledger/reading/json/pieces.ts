// Stored JSON in pieces. Where they begin and end is counted in bytes; as long as each character has one, the text itself
// is cut.

export class Pieces {
  readonly #text: string
  readonly #bytes: Buffer | undefined

  constructor(text: string, bytes: number) {
    this.#text = text
    this.#bytes = text.length === bytes ? undefined : Buffer.from(text)
  }

  cut(from: number, to: number): string {
    return this.#bytes === undefined ? this.#text.slice(from, to) : this.#bytes.toString('utf8', from, to)
  }

  /** From a place up to the next quotation mark. */
  textAt(from: number): string {
    if (this.#bytes === undefined) return this.#text.slice(from, this.#text.indexOf('"', from))
    return this.cut(from, this.#bytes.indexOf('"', from))
  }
}
