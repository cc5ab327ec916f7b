// Unpacks texts (packed-text.ts) in one pass, from bytes to bytes, in memory that the next text reuses.
import { Buffer } from 'node:buffer'
import { utf8BytesMax, viewOf } from '../../base/growing-bytes.ts'
import { wordBytes } from '../../protobuf/message-writer.ts'
import { base64Mark, contractIdDigits, noWords, type Phrases, phrases, wordCodes } from './packed-text.ts'

/** UTF-8 with a zero after it. The next text overwrites it. */
export type UnpackedBytes = { readonly bytes: Buffer; readonly view: DataView; readonly end: number }

const firstText = 0x20
const quote = 0x22
const bracket = 0x5b
const mark = base64Mark.charCodeAt(0)
/** The six bits of each digit of Base64. */
const base64Bits = new Uint8Array(128)
for (const [bits, digit] of [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'].entries()) {
  base64Bits[digit.charCodeAt(0)] = bits
}
const encodedBytes = (contractIdDigits * 2) / 3
const decodedBytesMax = wordCodes.length * contractIdDigits
const bytesMin = 8192
/** Larger memory is not kept for the next text. */
const keptBytesMax = 256 * 1024
/** Bytes are copied four at a time, so up to three more than there are, and a zero follows. */
const spareBytes = 4

class Memory {
  bytes: Buffer = Buffer.allocUnsafeSlow(bytesMin)
  view = viewOf(this.bytes)
  end = 0

  /** Makes room for a text of so many bytes; true if it is new memory. */
  startFor(count: number): boolean {
    this.end = 0
    if (count + spareBytes <= this.bytes.length) return false
    this.#use(Buffer.allocUnsafeSlow(count + spareBytes))
    return true
  }

  /** Releases large memory. */
  release(): boolean {
    if (this.bytes.length <= keptBytesMax) return false
    this.#use(Buffer.allocUnsafeSlow(bytesMin))
    return true
  }

  /** Makes room for so many bytes in all, and keeps what is there. */
  growTo(count: number): void {
    const larger = Buffer.allocUnsafeSlow(Math.max(2 * this.bytes.length, count + spareBytes))
    larger.set(this.bytes)
    this.#use(larger)
  }

  #use(bytes: Buffer): void {
    this.bytes = bytes
    this.view = viewOf(bytes)
  }
}

export class Unpacker {
  readonly #phrases: Buffer
  /** The phrases, the packed text with a zero after it, and the words that it has in Base64. */
  readonly #source = new Memory()
  readonly #target = new Memory()
  /** Where the text of each code begins and ends in the source. A code without a text stands for nothing. */
  readonly #starts = new Int32Array(firstText)
  readonly #ends = new Int32Array(firstText)
  /** The codes of words, in order. */
  readonly #wordCodes: readonly number[]
  /** Words of the last text: their codes stand for nothing in the next one. */
  #wordCount = 0

  constructor(table: Phrases) {
    const texts = Object.values(table)
    this.#phrases = Buffer.from(texts.map(([, text]) => text).join(''))
    let end = 0
    for (const [code, text] of texts) {
      this.#starts[code.charCodeAt(0)] = end
      end += text.length
      this.#ends[code.charCodeAt(0)] = end
    }
    this.#source.bytes.set(this.#phrases)
    this.#wordCodes = wordCodes.map((code) => code.charCodeAt(0)).filter((code) => this.#ends[code] === 0)
  }

  /** A text that does not begin with a bracket is not packed. */
  unpack(packed: string, encoding: 'utf8' | 'latin1' = 'utf8'): UnpackedBytes {
    const bytesMax = packed.length < bytesMin ? utf8BytesMax * packed.length : Buffer.byteLength(packed, encoding)
    if (packed.charCodeAt(0) !== bracket) {
      this.#target.startFor(bytesMax)
      return this.#finish(this.#target.bytes.write(packed, encoding))
    }
    const source = this.#source
    const { length } = this.#phrases
    if (source.startFor(length + bytesMax + decodedBytesMax)) source.bytes.set(this.#phrases)
    const end = length + source.bytes.write(packed, length, encoding)
    source.bytes[end] = 0
    source.end = end + 1
    return this.#unpackFrom(length + this.#readWords(packed), end)
  }

  unpackText(packed: string): string {
    if (packed.charCodeAt(0) !== bracket) return packed
    const { bytes, end } = this.unpack(packed)
    return this.#released(bytes.toString('utf8', 0, end))
  }

  unpackBytes(packed: Uint8Array): Uint8Array {
    if (packed[0] !== bracket) return packed
    const text = Buffer.from(packed.buffer, packed.byteOffset, packed.byteLength).toString('latin1')
    const { bytes, end } = this.unpack(text, 'latin1')
    return this.#released(Buffer.from(bytes.subarray(0, end)))
  }

  /** Large memory would be kept until the next text. */
  #released<T>(copy: T): T {
    if (this.#source.release()) this.#source.bytes.set(this.#phrases)
    this.#target.release()
    return copy
  }

  #unpackFrom(first: number, end: number): UnpackedBytes {
    const target = this.#target
    const { view } = this.#source
    const [starts, ends] = [this.#starts, this.#ends]
    target.startFor(end - first)
    let { view: written } = target
    let from = first
    let to = 0
    for (;;) {
      for (let four = view.getInt32(from, true); !hasCode(four); four = view.getInt32(from, true)) {
        written.setInt32(to, four, true)
        from += 4
        to += 4
      }
      let byte = view.getUint8(from++)
      for (; byte >= firstText; byte = view.getUint8(from++)) written.setUint8(to++, byte)
      if (byte === 0) return this.#finish(to)
      const start = starts[byte]!
      const length = ends[byte]! - start
      const needed = to + length + end - from
      if (needed + spareBytes > written.byteLength) {
        target.growTo(needed)
        written = target.view
      }
      copy(view, start, length, written, to)
      to += length
    }
  }

  #finish(end: number): UnpackedBytes {
    this.#target.bytes[end] = 0
    this.#target.end = end
    return this.#target
  }

  /** Notes where the words are; returns where the line ends. Words are ASCII: text and bytes have the same positions. */
  #readWords(packed: string): number {
    const { bytes } = this.#source
    const first = this.#phrases.length
    const [starts, ends, codes] = [this.#starts, this.#ends, this.#wordCodes]
    let count = 0
    // Words are in quotation marks. After a word come its mark, a comma and a mark, or its mark, a bracket and a line feed.
    let start = 2
    for (; bytes[first + start - 1] === quote && count < codes.length; count += 1) {
      const end = packed.indexOf('"', start)
      if (end < 0) break
      const isEncoded = bytes[first + start] === mark && end - start === 1 + encodedBytes
      starts[codes[count]!] = isEncoded ? this.#decode(first + start + 1, first + end) : first + start
      ends[codes[count]!] = isEncoded ? this.#source.end : first + end
      start = end + 3
    }
    for (let other = count; other < this.#wordCount; other += 1) ends[codes[other]!] = starts[codes[other]!]!
    this.#wordCount = count
    return Math.min(Math.max(start, noWords.length), packed.length)
  }

  /** Appends the hexadecimal digits: three for two digits of Base64. Returns where they begin. */
  #decode(from: number, to: number): number {
    const { bytes, view, end } = this.#source
    let at = end
    for (let position = from; position < to; position += 2) {
      const bits = (base64Bits[bytes[position]!]! << 6) | base64Bits[bytes[position + 1]!]!
      view.setInt32(at, hexDigitsOf(bits), true)
      at += 3
    }
    this.#source.end = at
    return end
  }
}

const events = new Unpacker(phrases)

/** The JSON of events. */
export function unpackText(packed: string): string {
  return events.unpackText(packed)
}

/** The same as bytes, which the next text overwrites. */
export function unpackToBytes(packed: string): UnpackedBytes {
  return events.unpack(packed)
}

/** The same from bytes, to keep. */
export function unpackBytes(packed: Uint8Array): Uint8Array {
  return events.unpackBytes(packed)
}

/** Copies ASCII, eight bytes at a time (protobuf/message-writer.ts). */
function copy(from: DataView, start: number, length: number, to: DataView, at: number): void {
  const last = length - wordBytes
  if (last < 0) {
    for (let step = 0; step < length; step += 1) to.setUint8(at + step, from.getUint8(start + step))
    return
  }
  for (let step = 0; step < last; step += wordBytes) {
    to.setFloat64(at + step, from.getFloat64(start + step, true), true)
  }
  to.setFloat64(at + last, from.getFloat64(start + last, true), true)
}

/** Twelve bits as three digits, the first in the lowest byte. */
function hexDigitsOf(bits: number): number {
  const digits = (bits >> 8) | ((bits & 0xf0) << 4) | ((bits & 0xf) << 16)
  const letters = ((digits + 0x060606) >> 4) & 0x010101
  return digits + 0x303030 + letters * ('a'.charCodeAt(0) - 10 - 0x30)
}

/** Whether one of four bytes is a code. */
function hasCode(four: number): boolean {
  return ((four - 0x20202020) & ~four & 0x80808080) !== 0
}
