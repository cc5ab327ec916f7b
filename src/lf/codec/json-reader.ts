// Reads JSON from its bytes, one part after the other, and writes texts straight into a message. It is for JSON that this
// node wrote itself, without spaces between parts: the caller says what comes next. Other text ends the reading with
// UnexpectedFormat.
import { Buffer } from 'node:buffer'
import { utf8BytesMax, viewOf } from '../../base/growing-bytes.ts'
import { type MessageWriter, wordBytes } from '../../protobuf/message-writer.ts'
import { instantFromText } from './time-text.ts'

export class UnexpectedFormat extends Error {}

const firstText = 0x20
const quote = 0x22
const comma = 0x2c
const minus = 0x2d
const point = 0x2e
const zero = 0x30
const nine = 0x39
const letterZ = 0x5a
const backslash = 0x5c
/** A double holds every integer of so many digits. */
const exactDigits = 15
const bytesMin = 8192
/** A larger buffer is released when the next text begins. */
const keptBytesMax = 256 * 1024

/** JSON in UTF-8 up to its end, where a zero follows: no text continues past it. */
export type JsonBytes = { readonly bytes: Buffer; readonly view: DataView; readonly end: number }

export class JsonReader {
  /** Memory for texts. */
  #memory = Buffer.allocUnsafeSlow(bytesMin)
  #memoryView = viewOf(this.#memory)
  #bytes: Buffer = this.#memory
  #view = this.#memoryView
  #end = 0
  #at = 0

  start(text: string): void {
    const bytesMax = 1 + (text.length < bytesMin ? utf8BytesMax * text.length : Buffer.byteLength(text))
    if (bytesMax > this.#memory.length || this.#memory.length > keptBytesMax) {
      this.#memory = Buffer.allocUnsafeSlow(Math.max(bytesMin, bytesMax))
      this.#memoryView = viewOf(this.#memory)
    }
    const end = this.#memory.write(text, 0, 'utf8')
    this.#memory[end] = 0
    this.#begin(this.#memory, this.#memoryView, end)
  }

  startBytes({ bytes, view, end }: JsonBytes): void {
    this.#begin(bytes, view, end)
  }

  #begin(bytes: Buffer, view: DataView, end: number): void {
    this.#bytes = bytes
    this.#view = view
    this.#end = end
    this.#at = 0
  }

  /** Continues at this position, in bytes. */
  goTo(position: number): void {
    if (position > this.#end) this.fail()
    this.#at = position
  }

  /** The next byte. */
  next(): number {
    return this.#bytes[this.#at]!
  }

  /** Passes this byte if it is next. */
  passes(byte: number): boolean {
    if (this.#bytes[this.#at] !== byte) return false
    this.#at += 1
    return true
  }

  pass(byte: number): void {
    if (this.#bytes[this.#at] !== byte) this.fail()
    this.#at += 1
  }

  /** Passes these bytes if they are next. */
  passesText(expected: DataView): boolean {
    if (!this.#isAt(this.#at, expected)) return false
    this.#at += expected.byteLength
    return true
  }

  passText(expected: DataView): void {
    if (!this.passesText(expected)) this.fail()
  }

  /** The same, after a comma. */
  passesNext(expected: DataView): boolean {
    if (this.#bytes[this.#at] !== comma || !this.#isAt(this.#at + 1, expected)) return false
    this.#at += 1 + expected.byteLength
    return true
  }

  /** An integer that is written as a text. */
  integer(): number | bigint {
    this.pass(quote)
    const integer = this.digits()
    this.pass(quote)
    return integer
  }

  digits(): number | bigint {
    const bytes = this.#bytes
    const start = this.#at
    const isNegative = bytes[start] === minus
    const first = isNegative ? start + 1 : start
    let position = first
    let value = 0
    for (; bytes[position]! >= zero && bytes[position]! <= nine; position += 1) {
      value = 10 * value + bytes[position]! - zero
    }
    if (position === first) this.fail()
    this.#at = position
    if (position - first > exactDigits) return BigInt(bytes.toString('latin1', start, position))
    return isNegative && value !== 0 ? -value : value
  }

  text(): string {
    const start = this.#at + 1
    const end = this.#endOfPlainText()
    if (end < 0) return this.#escapedText()
    this.#at = end + 1
    return this.#bytes.toString('utf8', start, end)
  }

  /** Writes a text with its length, which is returned. */
  textTo(writer: MessageWriter): number {
    const start = this.#at + 1
    const end = this.#endOfPlainText()
    if (end < 0) {
      const text = this.#escapedText()
      writer.string(text)
      return text.length
    }
    this.#at = end + 1
    writer.part(this.#view, start, end)
    return end - start
  }

  /** The same for an id, such as a party: it has no escapes, so its end takes half the time to find. */
  idTo(writer: MessageWriter): number {
    const view = this.#view
    const bytes = this.#bytes
    this.pass(quote)
    const start = this.#at
    const last = this.#end - 8
    let position = start
    while (position <= last && !hasQuote(view.getInt32(position, true), view.getInt32(position + 4, true)))
      position += 8
    while (bytes[position]! >= firstText && bytes[position] !== quote) position += 1
    this.#at = position
    this.pass(quote)
    writer.part(view, start, position)
    return position - start
  }

  // Most times that are read are of the same day.
  #lastDate = viewOf(Buffer.from('1970-01-01T'))
  #lastDateSeconds = 0

  /** Writes a time as the content of a Timestamp. */
  timeTo(writer: MessageWriter): void {
    this.pass(quote)
    const bytes = this.#bytes
    const start = this.#at
    if (start + secondLength > this.#end) this.fail()
    if (!this.#isAt(start, this.#lastDate)) this.#startDate(start)
    const minutes = 60 * this.#two(start + 11) + this.#two(start + 14)
    const seconds = this.#lastDateSeconds + 60 * minutes + this.#two(start + 17)
    let position = start + secondLength
    let nanos = 0
    if (bytes[position] === point) {
      const first = position + 1
      let fraction = 0
      for (position = first; bytes[position] !== letterZ; position += 1)
        fraction = 10 * fraction + this.#digit(position)
      nanos = fraction * (nanosOf[position - first] ?? this.fail())
    }
    this.#at = position
    this.pass(letterZ)
    this.pass(quote)
    writer.timestamp(seconds, nanos)
  }

  #startDate(start: number): void {
    const date = this.#bytes.toString('latin1', start, start + dateLength)
    const micros = instantFromText(`${date}00:00:00Z`)
    if (typeof micros !== 'number') this.fail()
    this.#lastDate = viewOf(Buffer.from(date))
    this.#lastDateSeconds = micros / 1_000_000
  }

  fail(): never {
    throw new UnexpectedFormat(`text is not as expected at ${this.#at}`)
  }

  #two(position: number): number {
    return 10 * this.#digit(position) + this.#digit(position + 1)
  }

  #digit(position: number): number {
    const digit = this.#bytes[position]! - zero
    return digit >= 0 && digit <= 9 ? digit : this.fail()
  }

  #isAt(start: number, expected: DataView): boolean {
    const view = this.#view
    const length = expected.byteLength
    if (start + length > this.#end) return false
    if (length < wordBytes) {
      for (let index = 0; index < length; index += 1) {
        if (view.getUint8(start + index) !== expected.getUint8(index)) return false
      }
      return true
    }
    const last = length - wordBytes
    for (let index = 0; index < last; index += wordBytes) {
      if (view.getFloat64(start + index, true) !== expected.getFloat64(index, true)) return false
    }
    return view.getFloat64(start + last, true) === expected.getFloat64(last, true)
  }

  /** Negative for a text with escapes. */
  #endOfPlainText(): number {
    const view = this.#view
    const bytes = this.#bytes
    if (bytes[this.#at] !== quote) this.fail()
    const last = this.#end - 8
    let position = this.#at + 1
    for (;;) {
      while (position <= last && !hasMark(view.getInt32(position, true), view.getInt32(position + 4, true)))
        position += 8
      const byte = bytes[position]!
      if (byte === quote) return position
      if (byte === backslash) return -1
      if (byte < firstText) this.fail()
      position += 1
    }
  }

  #escapedText(): string {
    const bytes = this.#bytes
    let end = this.#at + 1
    while (end < this.#end && bytes[end] !== quote) end += bytes[end] === backslash ? 2 : 1
    if (end >= this.#end) this.fail()
    const start = this.#at
    this.#at = end + 1
    return JSON.parse(bytes.toString('utf8', start, end + 1))
  }
}

/** The length of `2026-01-01T00:00:00`. */
const secondLength = 19
/** The length of `2026-01-01T`. */
const dateLength = 11
/** The nanoseconds of the last digit, by the number of digits after the point. */
const nanosOf = [1e9, 1e8, 1e7, 1e6, 1e5, 1e4, 1e3]

/** Whether one of eight bytes is a quotation mark or a backslash. */
function hasMark(four: number, next: number): boolean {
  const a = four ^ 0x22222222
  const b = four ^ 0x5c5c5c5c
  const c = next ^ 0x22222222
  const d = next ^ 0x5c5c5c5c
  const marks = ((a - 0x01010101) & ~a) | ((b - 0x01010101) & ~b) | ((c - 0x01010101) & ~c) | ((d - 0x01010101) & ~d)
  return (marks & 0x80808080) !== 0
}

/** Whether one of eight bytes is a quotation mark. */
function hasQuote(four: number, next: number): boolean {
  const a = four ^ 0x22222222
  const b = next ^ 0x22222222
  return ((((a - 0x01010101) & ~a) | ((b - 0x01010101) & ~b)) & 0x80808080) !== 0
}

/** Bytes to look for. */
export function expected(text: string): DataView {
  return viewOf(Buffer.from(text))
}
