// Cuts stored JSON into pieces. Positions count bytes; if every character is one byte, the text itself is cut.

import type { UpdateRow } from '../../store/core/store.ts'
import { unpackText } from './packed-text.ts'

type Stored = Pick<UpdateRow, 'body' | 'unpacked'>

export class Pieces {
  readonly #row: Stored
  readonly #length: number
  #text: string | undefined
  #bytes: Buffer | undefined

  /** `length` is that of the unpacked body, in bytes. */
  constructor(row: Stored, length: number) {
    this.#row = row
    this.#length = length
  }

  cut(from: number, to: number): string {
    const text = this.#text ?? this.#unpack()
    return this.#bytes === undefined ? text.slice(from, to) : this.#bytes.toString('utf8', from, to)
  }

  /** All pieces. */
  whole(): string {
    return this.#text ?? this.#unpack()
  }

  /** The text from a position up to the next quotation mark. */
  textAt(from: number): string {
    const text = this.#text ?? this.#unpack()
    if (this.#bytes === undefined) return text.slice(from, text.indexOf('"', from))
    return this.cut(from, this.#bytes.indexOf('"', from))
  }

  #unpack(): string {
    const row = this.#row
    row.unpacked ??= unpackText(row.body)
    const text = row.unpacked
    this.#text = text
    if (text.length !== this.#length) this.#bytes = Buffer.from(text)
    return text
  }
}
