// Reads JSON from its bytes, one value after the other, for those who write it in another form at once: no value and no
// text is made on the way. It is for JSON that this node wrote itself, so it must be valid, without spaces between parts.
import { Buffer } from 'node:buffer'
import type { MessageWriter } from './message-writer.ts'

const quote = 0x22
const comma = 0x2c
const minus = 0x2d
const zero = 0x30
const nine = 0x39
const openList = 0x5b
const backslash = 0x5c
const closeList = 0x5d
const letterN = 0x6e
const letterT = 0x74
const openObject = 0x7b
const closeObject = 0x7d

/** Up to here a double holds every integer. */
const exactDigits = 15

export class JsonReader {
  readonly #bytes: Buffer
  readonly #view: DataView
  /** Whether the last text that was passed has escapes. */
  #isEscaped = false
  /** The position of the next value; set it to read something again. */
  at = 0

  constructor(bytes: Uint8Array) {
    const { buffer, byteOffset, byteLength } = bytes
    this.#bytes = Buffer.from(buffer, byteOffset, byteLength)
    this.#view = new DataView(buffer, byteOffset, byteLength)
  }

  isAtEnd(): boolean {
    return this.at >= this.#bytes.length
  }

  /** Enters an object or a list; false if it is empty, and passed. Items follow while `more` says so. */
  enter(): boolean {
    const next = this.#bytes[this.at + 1]
    const isEmpty = next === closeObject || next === closeList
    this.at += isEmpty ? 2 : 1
    return !isEmpty
  }

  /** After an item: passes the comma, or the end of the object or list. */
  more(): boolean {
    return this.#bytes[this.at++] === comma
  }

  /** Passes these bytes if they are next. */
  passed(expected: DataView): boolean {
    const view = this.#view
    const start = this.at
    const length = expected.byteLength
    if (start + length > view.byteLength) return false
    let index = 0
    for (; index <= length - 4; index += 4) {
      if (view.getInt32(start + index) !== expected.getInt32(index)) return false
    }
    for (; index < length; index += 1) if (view.getUint8(start + index) !== expected.getUint8(index)) return false
    this.at = start + length
    return true
  }

  /** The name of a member of an object; its value is next. */
  name(): string {
    const name = this.text()
    this.at += 1
    return name
  }

  isText(): boolean {
    return this.#bytes[this.at] === quote
  }

  isNull(): boolean {
    return this.#bytes[this.at] === letterN
  }

  isEmptyList(): boolean {
    return this.#bytes[this.at] === openList && this.#bytes[this.at + 1] === closeList
  }

  /** Passes null if that is next. */
  passedNull(): boolean {
    if (!this.isNull()) return false
    this.at += 4
    return true
  }

  /** Passes `""` if that is next. */
  passedEmptyText(): boolean {
    if (this.#bytes[this.at + 1] !== quote || !this.isText()) return false
    this.at += 2
    return true
  }

  bool(): boolean {
    const isTrue = this.#bytes[this.at] === letterT
    this.at += isTrue ? 4 : 5
    return isTrue
  }

  /** Written as a number or as a text. */
  integer(): number | bigint {
    const bytes = this.#bytes
    const isText = this.isText()
    const start = isText ? this.at + 1 : this.at
    const isNegative = bytes[start] === minus
    const first = isNegative ? start + 1 : start
    let position = first
    let value = 0
    for (; bytes[position]! >= zero && bytes[position]! <= nine; position += 1) {
      value = 10 * value + bytes[position]! - zero
    }
    this.at = isText ? position + 1 : position
    if (position - first > exactDigits) return BigInt(bytes.toString('latin1', start, position))
    return isNegative && value !== 0 ? -value : value
  }

  text(): string {
    const start = this.at
    this.#passText()
    if (this.#isEscaped) return JSON.parse(this.#bytes.toString('utf8', start, this.at))
    return this.#bytes.toString('utf8', start + 1, this.at - 1)
  }

  /** Writes a text with its length. */
  textTo(writer: MessageWriter): void {
    const start = this.at
    this.#passText()
    if (this.#isEscaped) writer.string(JSON.parse(this.#bytes.toString('utf8', start, this.at)))
    else writer.part(this.#view, start + 1, this.at - 1)
  }

  /** The JSON of the next value, which is passed. */
  source(): string {
    const start = this.at
    this.skip()
    return this.#bytes.toString('utf8', start, this.at)
  }

  skip(): void {
    const bytes = this.#bytes
    let depth = 0
    do {
      const byte = bytes[this.at]
      if (byte === quote) this.#passText()
      else {
        this.at += 1
        if (byte === openObject || byte === openList) depth += 1
        else if (byte === closeObject || byte === closeList) depth -= 1
        else if (depth === 0) this.#passWord()
      }
    } while (depth > 0)
  }

  /** The rest of a number, or of true, false and null. */
  #passWord(): void {
    const bytes = this.#bytes
    for (; this.at < bytes.length; this.at += 1) {
      const byte = bytes[this.at]
      if (byte === comma || byte === closeObject || byte === closeList || byte === openObject) return
    }
  }

  #passText(): void {
    const view = this.#view
    const last = view.byteLength - 4
    let position = this.at + 1
    this.#isEscaped = false
    for (;;) {
      // Four bytes at a time, as long as none of them is a quotation mark or a backslash.
      while (position <= last && !hasMark(view.getInt32(position, true))) position += 4
      if (position >= view.byteLength) throw new Error('a text in JSON has no end')
      const byte = view.getUint8(position)
      if (byte === quote) break
      if (byte === backslash) {
        this.#isEscaped = true
        position += 2
      } else position += 1
    }
    this.at = position + 1
  }
}

const quotes = 0x22222222
const backslashes = 0x5c5c5c5c

/** Whether one of the bytes may be a quotation mark or a backslash: a byte becomes zero where it is one. */
function hasMark(four: number): boolean {
  const a = four ^ quotes
  const b = four ^ backslashes
  return ((((a - 0x01010101) & ~a) | ((b - 0x01010101) & ~b)) & 0x80808080) !== 0
}

/** Bytes to look for with `passed`: a name and the colon after it. */
export function nameBytes(name: string): DataView {
  return expected(`${JSON.stringify(name)}:`)
}

export function expected(source: string): DataView {
  const bytes = new TextEncoder().encode(source)
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}
