// A message that is read without a table, by the numbers of its fields. As in every lenient reader, fields come in any
// order, unknown ones are ignored, and the last of several counts.
import { isUtf8 } from 'node:buffer'
import { groupDepthMax } from './java-reading.ts'
import { type Cursor, openCursor, readBytes, readInt32, readTag, refuse, skipField, wireTypes } from './wire-reading.ts'

type Field = { readonly number: number; readonly varint?: number; readonly bytes?: Uint8Array }

/** Throws a ProtobufError for bytes that are no message. */
export class LooseMessage {
  readonly #cursor: Cursor
  readonly #fields: readonly Field[]

  /** `place` names the message in errors. */
  constructor(bytes: Uint8Array, place: string) {
    this.#cursor = openCursor(bytes, place)
    this.#fields = readFields(this.#cursor)
  }

  /** The low 32 bits, with their sign; 0 if absent. */
  int(number: number): number {
    return this.#fields.findLast((field) => field.number === number && field.varint !== undefined)?.varint ?? 0
  }

  /** Written one by one or packed. */
  ints(number: number): number[] {
    return this.#fields.flatMap((field) => {
      if (field.number !== number) return []
      return field.varint === undefined ? readPacked(field.bytes!, this.#cursor.place) : [field.varint]
    })
  }

  bytes(number: number): Uint8Array | undefined {
    return this.messages(number).at(-1)
  }

  /** "" if absent. */
  text(number: number): string {
    return this.texts(number).at(-1) ?? ''
  }

  texts(number: number): string[] {
    return this.messages(number).map((bytes) => {
      if (!isUtf8(bytes)) refuse(this.#cursor, 'a text is not valid UTF-8', 'utf8')
      return Buffer.from(bytes).toString()
    })
  }

  /** Several occurrences are pieces of one message. */
  message(number: number): LooseMessage | undefined {
    const pieces = this.messages(number)
    return pieces.length === 0 ? undefined : new LooseMessage(Buffer.concat(pieces), this.#cursor.place)
  }

  /** Not read yet: there may be too many of them. */
  messages(number: number): Uint8Array[] {
    return this.#fields.flatMap((field) => (field.number === number && field.bytes ? [field.bytes] : []))
  }

  /** Which message of a oneof is set: the last one. */
  choice<N extends number>(numbers: readonly N[]): N | undefined {
    const chosen = this.#fields.findLast(
      (field) => field.bytes !== undefined && numbers.some((number) => number === field.number),
    )
    return chosen?.number as N | undefined
  }
}

function readFields(cursor: Cursor): Field[] {
  const fields: Field[] = []
  while (cursor.position < cursor.end) {
    const tag = readTag(cursor)
    const [number, wireType] = [tag >>> 3, tag & 7]
    if (wireType === wireTypes.varint) fields.push({ number, varint: readInt32(cursor) })
    else if (wireType === wireTypes.bytes) fields.push({ number, bytes: readBytes(cursor) })
    // The end of a group that did not begin means nothing to the reference.
    else if (wireType !== wireTypes.endGroup) skipField(cursor, tag, groupDepthMax)
  }
  return fields
}

function readPacked(bytes: Uint8Array, place: string): number[] {
  const cursor = openCursor(bytes, place)
  const numbers: number[] = []
  while (cursor.position < cursor.end) numbers.push(readInt32(cursor))
  return numbers
}
