// Reads packed JSON (base/packed-text.ts) from its bytes, one value after the other, for those who write it in another form
// at once: no value and no text is made on the way. It is for JSON that this node wrote itself, without spaces between
// parts. Text that is not as it should be ends the reading with UnexpectedFormat.
import { Buffer } from 'node:buffer'
import { utf8BytesMax, viewOf } from '../../base/growing-bytes.ts'
import { base64Mark, contractIdDigits, wordCodes } from '../../base/packed-text.ts'
import { type MessageWriter, wordBytes } from '../../protobuf/message-writer.ts'
import { instantFromText } from './time-text.ts'

export class UnexpectedFormat extends Error {}

const firstText = 0x20
const quote = 0x22
const comma = 0x2c
const minus = 0x2d
const zero = 0x30
const nine = 0x39
const openList = 0x5b
const backslash = 0x5c
/** Up to here a double holds every integer. */
const exactDigits = 15
const bytesMin = 8192
/** More memory is given up when the next text begins. */
const keptBytesMax = 256 * 1024

const mark = base64Mark.charCodeAt(0)
const decodedBytesMax = 1 + wordCodes.length * contractIdDigits
/** The bytes of one word. */
const decoded = Buffer.alloc(contractIdDigits / 2)
/** Two digits for each byte. */
const hexDigits = Array.from({ length: 256 }, (_, byte) =>
  Buffer.from(byte.toString(16).padStart(2, '0')).readUInt16BE(),
)

const codesOfWords = wordCodes.map((code) => code.charCodeAt(0))
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are the codes.
const codes = /[\u0001-\u001f]/g

export class PackedReader {
  #bytes = Buffer.allocUnsafeSlow(bytesMin)
  #view = viewOf(this.#bytes)
  #end = 0
  /** The end of words that were decoded. */
  #decodedEnd = 0
  #at = 0
  /** Where words begin and end, by code. Other codes have none. */
  readonly #wordStarts = new Int32Array(firstText)
  readonly #wordEnds = new Int32Array(firstText)
  /** What `plain` read. */
  #from = 0
  #to = 0

  /** Begins after the line of words. False for a text that is not packed. */
  startPacked(packed: string): boolean {
    if (packed.charCodeAt(0) !== openList) return false
    this.start(packed)
    this.#wordEnds.fill(0)
    this.#decodedEnd = this.#end + 1
    let start = 2 // Words are ASCII, so positions are the same in text and bytes.
    for (let count = 0; this.#bytes[start - 1] === quote; count += 1) {
      const end = packed.indexOf('"', start)
      const code = codesOfWords[count]
      if (end < 0 || code === undefined) return this.fail()
      if (this.#bytes[start] === mark) this.#decodeWord(code, packed.slice(start + 1, end))
      else {
        this.#wordStarts[code] = start
        this.#wordEnds[code] = end
      }
      start = end + 3 // `","`, or the end of the list and the line.
    }
    this.#at = Math.max(start, 3)
    return true
  }

  /** A word in Base64, as hexadecimal digits after the text. */
  #decodeWord(code: number, word: string): void {
    const start = this.#decodedEnd
    const count = decoded.write(word, 'base64')
    for (let index = 0; index < count; index += 1) this.#view.setUint16(start + 2 * index, hexDigits[decoded[index]!]!)
    this.#decodedEnd = start + 2 * count
    this.#wordStarts[code] = start
    this.#wordEnds[code] = this.#decodedEnd
  }

  /** Begins with a text without words. */
  start(text: string): void {
    const bytesMax = utf8BytesMax * text.length + decodedBytesMax
    if (bytesMax >= this.#bytes.length || this.#bytes.length > keptBytesMax) {
      this.#bytes = Buffer.allocUnsafeSlow(
        1 + Math.max(bytesMin, bytesMax > keptBytesMax ? Buffer.byteLength(text) + decodedBytesMax : bytesMax),
      )
      this.#view = viewOf(this.#bytes)
    }
    this.#end = this.#bytes.write(text, 0, 'utf8')
    this.#bytes[this.#end] = 0 // No text goes on after its end.
    this.#at = 0
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

  /** Goes to the next byte of this kind, which no text contains; to the end if there is none. */
  find(byte: number): void {
    const bytes = this.#bytes
    while (this.#at < this.#end && bytes[this.#at] !== byte) this.#at += 1
  }

  /** Written as a text. */
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
    if (end < 0) return this.#anyText()
    this.#at = end + 1
    return this.#bytes.toString('utf8', start, end)
  }

  /** Writes a text with its length, which is returned. */
  textTo(writer: MessageWriter): number {
    const start = this.#at + 1
    const first = this.#bytes[start]!
    if (first < firstText && this.#bytes[start + 1] === quote && this.#bytes[start - 1] === quote) {
      this.#at = start + 2
      return this.#wordTo(writer, first)
    }
    const end = this.#endOfPlainText()
    if (end < 0) {
      const text = this.#anyText()
      writer.string(text)
      return text.length
    }
    this.#at = end + 1
    writer.part(this.#view, start, end)
    return end - start
  }

  /** A word, or plain text that ends where a code or a quotation mark follows. */
  plain(): void {
    const bytes = this.#bytes
    const start = this.#at
    const first = bytes[start]!
    if (first < firstText) {
      this.#from = this.#wordStarts[first]!
      this.#to = this.#wordEnds[first]!
      if (this.#to === 0) this.fail()
      this.#at += 1
      return
    }
    let end = start
    while (bytes[end] !== quote && bytes[end]! >= firstText) end += 1
    this.#from = start
    this.#to = end
    this.#at = end
  }

  /** What `plain` read. */
  plainText(): string {
    return this.#bytes.toString('utf8', this.#from, this.#to)
  }

  plainIs(expected: DataView): boolean {
    return this.#to - this.#from === expected.byteLength && this.#isAt(this.#from, expected)
  }

  plainTo(writer: MessageWriter): void {
    writer.part(this.#view, this.#from, this.#to)
  }

  // Most times that are read are of the same day.
  #lastDate = viewOf(Buffer.from('1970-01-01T'))
  #lastDateSeconds = 0

  /** Writes a time, as plain text, as the content of a Timestamp. */
  timeTo(writer: MessageWriter): void {
    const bytes = this.#bytes
    const start = this.#at
    if (start + secondLength > this.#end) this.fail()
    if (!this.#isAt(start, this.#lastDate)) this.#startDate(start)
    const minutes = 60 * this.#two(start + 11) + this.#two(start + 14)
    const seconds = this.#lastDateSeconds + 60 * minutes + this.#two(start + 17)
    let position = start + secondLength
    let fraction = 0
    let nanos = 0
    if (bytes[position] === point) {
      const first = position + 1
      for (position = first; bytes[position] !== letterZ; position += 1)
        fraction = 10 * fraction + this.#digit(position)
      nanos = fraction * (nanosOf[position - first] ?? this.fail())
    }
    if (bytes[position] !== letterZ) this.fail()
    this.#at = position + 1
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

  #wordTo(writer: MessageWriter, code: number): number {
    const [start, end] = [this.#wordStarts[code]!, this.#wordEnds[code]!]
    if (end === 0) this.fail()
    writer.part(this.#view, start, end)
    return end - start
  }

  /** Negative for a text with escapes or words inside. */
  #endOfPlainText(): number {
    const view = this.#view
    const bytes = this.#bytes
    if (bytes[this.#at] !== quote) this.fail()
    const last = this.#end - 4
    let position = this.#at + 1
    for (;;) {
      while (position <= last && !hasMark(view.getInt32(position, true))) position += 4
      const byte = bytes[position]!
      if (byte === quote) return position
      if (byte < firstText || byte === backslash) return -1
      position += 1
    }
  }

  /** With words inside, or escapes. */
  #anyText(): string {
    const bytes = this.#bytes
    let end = this.#at + 1
    for (; bytes[end] !== quote; end += bytes[end] === backslash ? 2 : 1) if (end >= this.#end) this.fail()
    const source = bytes.toString('utf8', this.#at, end + 1)
    this.#at = end + 1
    return JSON.parse(
      source.replaceAll(codes, (character) => {
        const code = character.charCodeAt(0)
        return bytes.toString('latin1', this.#wordStarts[code]!, this.#wordEnds[code]! || this.fail())
      }),
    )
  }
}

const letterZ = 0x5a
const point = 0x2e
/** Of `2026-01-01T00:00:00`. */
const secondLength = 19
/** Of `2026-01-01T`. */
const dateLength = 11
/** Of the last of so many digits after the point: as many as there are in times. */
const nanosOf = [1e9, 1e8, 1e7, 1e6, 1e5, 1e4, 1e3]

/** Whether one of the bytes may be a quotation mark, a backslash or a code: what is below such a mark borrows. */
function hasMark(four: number): boolean {
  const a = four ^ 0x22222222
  const b = four ^ 0x5c5c5c5c
  const c = four - 0x20202020
  return ((((a - 0x01010101) & ~a) | ((b - 0x01010101) & ~b) | (c & ~four)) & 0x80808080) !== 0
}

/** Bytes to look for. */
export function expected(text: string): DataView {
  return viewOf(Buffer.from(text))
}
