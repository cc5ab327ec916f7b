// DER as the Java runtime reads it (sun.security.util.DerValue): indefinite lengths are understood, lengths inside the
// outermost value may be longer than necessary, and each problem has its text. Clients see these texts in
// refusals.

/** Why something cannot be read, in Java's words. */
export class DerProblem {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

export type DerValue = { readonly tag: number; readonly content: DerInput }

/** What is left to read of a value: from `at` to `end`. The bytes may go on after it. */
export type DerInput = { readonly bytes: Uint8Array; at: number; readonly end: number }

export const derTags = { bitString: 0x03, null: 0x05, objectIdentifier: 0x06, sequence: 0x30 }

const indefinite = 0x80
const lengthBytesMax = 4
const identifierBytesMax = 4096

/** Reads the outermost value, whose length must be in its shortest form. More bytes may follow. */
export function readOutermost(bytes: Uint8Array): DerValue | DerProblem {
  const tag = bytes[0] ?? 0xff // Java reads the end of the input as a byte of ones, here and below.
  if (isLongTag(tag)) return new DerProblem('Tag number over 30 is not supported')
  const first = bytes[1]
  if (first === undefined) return new DerProblem('Short read of DER length')
  if (first === indefinite) {
    const value = readIndefinite({ bytes, at: 0, end: bytes.length }, tag)
    // Java compares the tag as a signed byte with the tag as an unsigned one.
    return tag < 0x80 || value instanceof DerProblem
      ? value
      : new DerProblem('Indefinite length encoding not supported')
  }
  const length = first < 0x80 ? first : outermostLength(bytes, first & 0x7f)
  if (length instanceof DerProblem) return length
  const start = first < 0x80 ? 2 : 2 + (first & 0x7f)
  if (start + length > bytes.length) return new DerProblem('null')
  return { tag, content: { bytes: bytes.subarray(start, start + length), at: 0, end: length } }
}

function outermostLength(bytes: Uint8Array, count: number): number | DerProblem {
  const problem = (text: string) => new DerProblem(`DerInputStream.getLength(): ${text}`)
  if (count > lengthBytesMax) return problem(`lengthTag=${count}, too big.`)
  if (bytes[2] === 0) return problem('Redundant length bytes found')
  const length = bigEndian(bytes, 2, count)
  if (length < 0) return problem('Invalid length bytes')
  return length <= 0x7f ? problem('Should use short form for length') : length
}

/** Reads the next value inside another one. */
export function readValue(input: DerInput): DerValue | DerProblem {
  const { bytes, at, end } = input
  if (end - at < 2) return new DerProblem('Too short')
  const tag = bytes[at]!
  if (isLongTag(tag)) return new DerProblem(`Tag number over 30 at ${at} is not supported`)
  const first = bytes[at + 1]!
  if (first === indefinite) return readIndefinite(input, tag)
  const count = first < 0x80 ? 0 : first & 0x7f
  if (count > lengthBytesMax) return new DerProblem('Invalid lenByte')
  if (end - at < 2 + count) return new DerProblem('Not enough length bytes')
  const length = count === 0 ? first : bigEndian(bytes, at + 2, count)
  if (length < 0) return new DerProblem('Invalid length bytes')
  const start = at + 2 + count
  if (start + length > end) return new DerProblem('not enough content')
  input.at = start + length
  return { tag, content: { bytes, at: start, end: start + length } }
}

function readIndefinite(input: DerInput, tag: number): DerValue | DerProblem {
  if ((tag & 0x20) === 0) {
    return new DerProblem('Indefinite length encoding not supported with non-constructed data')
  }
  const converted = withDefiniteLengths(input.bytes.subarray(input.at, input.end))
  if (converted instanceof DerProblem) return converted
  // Java counts what is left from the end of all bytes, although the value may end before.
  input.at = input.bytes.length - (converted.bytes.length - converted.end)
  return { tag, content: converted }
}

/** A value of indefinite length, written anew with definite ones; what follows it comes after the end. */
function withDefiniteLengths(bytes: Uint8Array): DerInput | DerProblem {
  const unresolved = new DerProblem('not enough data to resolve indef len BER')
  /** The values that are open, outermost first: their tags, and the parts of their contents so far. */
  const open: { readonly tag: number; readonly parts: Uint8Array[] }[] = [{ tag: bytes[0]!, parts: [] }]
  let at = 2
  while (at + 2 <= bytes.length) {
    const tag = bytes[at]!
    const first = bytes[at + 1]!
    if (tag === 0 && first === 0) {
      at += 2
      const { tag: closed, parts } = open.pop()!
      const content = Buffer.concat(parts)
      const header = headerOf(closed, content.length)
      const outer = open.at(-1)
      if (!outer) {
        const whole = Buffer.concat([header, content, bytes.subarray(at)])
        return { bytes: whole, at: header.length, end: header.length + content.length }
      }
      outer.parts.push(header, content)
    } else if (first === indefinite) {
      at += 2
      open.push({ tag, parts: [] })
    } else {
      const count = first < 0x80 ? 0 : first & 0x7f
      if (count > lengthBytesMax) return new DerProblem('Too much data')
      if (count > 0 && bytes.length - at - 2 < count + 1) return unresolved
      const length = count === 0 ? first : bigEndian(bytes, at + 2, count)
      if (length < 0) return new DerProblem('Invalid length bytes')
      const next = at + 2 + count + length
      open.at(-1)!.parts.push(bytes.subarray(at, next))
      at = next
    }
  }
  return unresolved
}

function headerOf(tag: number, length: number): Uint8Array {
  if (length < 0x80) return Uint8Array.of(tag, length)
  const digits = length.toString(16)
  const bytes = Buffer.from(digits.length % 2 === 0 ? digits : `0${digits}`, 'hex')
  return Buffer.concat([Uint8Array.of(tag, 0x80 + bytes.length), bytes])
}

const isLongTag = (tag: number): boolean => (tag & 0x1f) === 0x1f

/** As an int of Java, which four bytes may make negative. */
function bigEndian(bytes: Uint8Array, at: number, count: number): number {
  let value = 0
  for (let index = at; index < at + count; index += 1) value = (value << 8) | (bytes[index] ?? 0xff)
  return value
}

// ── Values

const contentOf = ({ content }: DerValue): Uint8Array => content.bytes.subarray(content.at, content.end)
/** Java prints bytes with their sign. */
const signed = (tag: number): number => (tag << 24) >> 24

/** The bytes of an object identifier. */
export function identifierOf(value: DerValue): Uint8Array | DerProblem {
  if (value.tag !== derTags.objectIdentifier) {
    return new DerProblem(`DerValue.getOID, not an OID ${signed(value.tag)}`)
  }
  const bytes = contentOf(value)
  if (bytes.length > identifierBytesMax) {
    const limits = `(OId length(>=): ${bytes.length}, Restriction: ${identifierBytesMax})`
    return new DerProblem(`ObjectIdentifier encoded length exceeds the restriction in JDK ${limits}`)
  }
  const invalid = (text: string) => new DerProblem(`ObjectIdentifier() -- Invalid DER encoding, ${text}`)
  if ((bytes.at(-1) ?? 0x80) >= 0x80) return invalid('not ended')
  const isPadded = bytes.some((byte, index) => byte === 0x80 && (bytes[index - 1] ?? 0) < 0x80)
  return isPadded ? invalid('useless extra octet detected') : bytes
}

/** `1.2.840.10045.2.1` */
export function identifierText(bytes: Uint8Array): string {
  const numbers: bigint[] = []
  let number = 0n
  for (const byte of bytes) {
    number = (number << 7n) | BigInt(byte & 0x7f)
    if (byte >= 0x80) continue
    if (numbers.length === 0) {
      const root = number < 80n ? number / 40n : 2n
      numbers.push(root, number - 40n * root)
    } else {
      numbers.push(number)
    }
    number = 0n
  }
  return numbers.join('.')
}

/** The bytes of a bit string; bits that do not count are zero. */
export function bitsOf(value: DerValue): Uint8Array | DerProblem {
  if (value.tag !== derTags.bitString) {
    return new DerProblem(`DerValue.getBitString, not a bit string ${signed(value.tag)}`)
  }
  const [unused, ...bytes] = contentOf(value)
  if (unused === undefined) return new DerProblem('Invalid encoding: zero length bit string')
  if (unused > 7) return new DerProblem('Invalid number of padding bits')
  if (unused > 0 && bytes.length === 0) return new DerProblem('Not enough bytes in BitString')
  return withoutUnusedBits(Uint8Array.from(bytes), unused)
}

export function withoutUnusedBits(bytes: Uint8Array, unused: number): Uint8Array {
  const copy = Uint8Array.from(bytes)
  if (copy.length > 0) copy[copy.length - 1]! &= 0xff << unused
  return copy
}
