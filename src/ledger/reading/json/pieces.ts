// Cuts stored JSON into pieces. Positions count bytes; if every character is one byte, the text itself is cut.

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

  /** The text from a position up to the next quotation mark. */
  textAt(from: number): string {
    if (this.#bytes === undefined) return this.#text.slice(from, this.#text.indexOf('"', from))
    return this.cut(from, this.#bytes.indexOf('"', from))
  }
}
