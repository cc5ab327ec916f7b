// Public keys of elliptic curves in DER (SubjectPublicKeyInfo). Canton asks Java's own KeyFactory first and BouncyCastle
// when that refuses: a key is good if either takes it, and what is wrong with it is said in the words of the first.
import assert from 'node:assert/strict'
import { brainpoolP256r1, brainpoolP384r1, brainpoolP512r1 } from '@noble/curves/misc.js'
import { p256, p384, p521 } from '@noble/curves/nist.js'
import { secp256k1 } from '@noble/curves/secp256k1.js'
import {
  bitsOf,
  type DerInput,
  DerProblem,
  derTags,
  identifierOf,
  identifierText,
  readOutermost,
  readValue,
  withoutUnusedBits,
} from './java-der.ts'

export type Curve = typeof secp256k1
/** The point is uncompressed: 04, x and y. Java does not check that it is on the curve. */
export type CurvePoint = { readonly curve: Curve; readonly point: Uint8Array }

/** By object identifier. */
const curves = new Map<string, Curve>([
  ['1.3.132.0.10', secp256k1],
  ['1.2.840.10045.3.1.7', p256],
  ['1.3.132.0.34', p384],
  ['1.3.132.0.35', p521],
  ['1.3.36.3.3.2.8.1.1.7', brainpoolP256r1],
  ['1.3.36.3.3.2.8.1.1.11', brainpoolP384r1],
  ['1.3.36.3.3.2.8.1.1.13', brainpoolP512r1],
])

/** Curves that Java knows and this file does not, by the bytes of a coordinate: keys may be wrong in other ways, too. */
const otherCurves = new Map<string, number>(
  (
    [
      [14, '1.3.132.0', 6, 7],
      [15, '1.3.132.0', 4, 5],
      [16, '1.3.132.0', 28, 29],
      [17, '1.3.132.0', 22, 23],
      [20, '1.3.132.0', 8, 9, 30],
      [21, '1.3.132.0', 1, 2, 15],
      [24, '1.3.132.0', 31],
      [25, '1.3.132.0', 24, 25],
      [28, '1.3.132.0', 32, 33],
      [30, '1.3.132.0', 3, 26, 27],
      [36, '1.3.132.0', 16, 17],
      [52, '1.3.132.0', 36, 37],
      [72, '1.3.132.0', 38, 39],
      [24, '1.2.840.10045.3.0', 5, 6, 7],
      [30, '1.2.840.10045.3.0', 11, 12, 13],
      [45, '1.2.840.10045.3.0', 18],
      [54, '1.2.840.10045.3.0', 20],
      [24, '1.2.840.10045.3.1', 1, 2, 3],
      [30, '1.2.840.10045.3.1', 4, 5, 6],
      [20, '1.3.36.3.3.2.8.1.1', 1],
      [24, '1.3.36.3.3.2.8.1.1', 3],
      [28, '1.3.36.3.3.2.8.1.1', 5],
      [40, '1.3.36.3.3.2.8.1.1', 9],
    ] satisfies [bytes: number, prefix: string, ...last: number[]][]
  ).flatMap(([bytes, prefix, ...last]) => last.map((number) => [`${prefix}.${number}`, bytes] as const)),
)

const ecPublicKey = '1.2.840.10045.2.1'
/** What Java says of the parameters of other algorithms that it knows. */
const otherParameters = new Map<string, string>([
  ['1.2.840.10046.2.1', 'DH params parsing error'],
  ['1.2.840.113549.1.3.1', 'DH params parsing error'],
  ['1.2.840.10040.4.1', 'DSA params parsing error'],
  ['1.3.14.3.2.12', 'DSA params parsing error'],
])

/** The key, or what is wrong with it: the message of Java's InvalidKeyException. */
export function readPublicKey(bytes: Uint8Array): CurvePoint | string {
  const key = readAsJava(bytes)
  if (key instanceof DerProblem) return readAsBouncyCastle(bytes) ?? `IOException: ${key.text}`
  return typeof key === 'string' ? (readAsBouncyCastle(bytes) ?? key) : key
}

/** Problems of DER are IOExceptions, those of the key are not. */
function readAsJava(bytes: Uint8Array): CurvePoint | string | DerProblem {
  const key = readOutermost(bytes)
  if (key instanceof DerProblem) return key
  if (key.tag !== derTags.sequence) return 'invalid key format'
  const algorithm = readAlgorithm(key.content)
  if (algorithm instanceof DerProblem) return algorithm
  const bitString = readValue(key.content)
  if (bitString instanceof DerProblem) return bitString
  const bits = bitsOf(bitString)
  if (bits instanceof DerProblem) return bits
  const { curveName } = algorithm
  if (curveName === undefined) return 'EC domain parameters must be encoded in the algorithm identifier'
  const curve = curves.get(curveName)
  const size = curve?.Point.Fp.BYTES ?? otherCurves.get(curveName)
  assert(size !== undefined, 'The curve was looked up before.')
  // Half of the bytes, rounded down: a byte at the end goes unnoticed.
  if (bits[0] !== 0x04 || Math.trunc((bits.length - 1) / 2) !== size) return 'Invalid EC key'
  if (key.content.at !== key.content.end) return 'excess key data'
  return curve ? { curve, point: bits.subarray(0, 1 + 2 * size) } : unknownCurve(curveName)
}

const unknownCurve = (name: string): DerProblem => new DerProblem(`Unknown named curve: ${name}`)

function readAlgorithm(input: DerInput): { readonly curveName?: string } | DerProblem {
  const algorithm = readValue(input)
  if (algorithm instanceof DerProblem) return algorithm
  if (algorithm.tag !== derTags.sequence) return new DerProblem('algid parse error, not a sequence')
  const { content } = algorithm
  const name = readValue(content)
  if (name instanceof DerProblem) return name
  const identifier = identifierOf(name)
  if (identifier instanceof DerProblem) return identifier
  if (content.at === content.end) return {}
  const parameters = readValue(content)
  if (parameters instanceof DerProblem) return parameters
  const isNull = parameters.tag === derTags.null
  if (isNull && parameters.content.at !== parameters.content.end) return new DerProblem('invalid NULL')
  if (content.at !== content.end) return new DerProblem('Invalid AlgorithmIdentifier: extra data')
  if (isNull) return {}
  const algorithmName = identifierText(identifier)
  if (algorithmName !== ecPublicKey) {
    const problem = parameters.tag === derTags.sequence ? undefined : otherParameters.get(algorithmName)
    return problem === undefined ? {} : new DerProblem(problem)
  }
  if (parameters.tag !== derTags.objectIdentifier) return new DerProblem('Only named ECParameters supported')
  const curveIdentifier = identifierOf(parameters)
  if (curveIdentifier instanceof DerProblem) return curveIdentifier
  const curveName = identifierText(curveIdentifier)
  return curves.has(curveName) || otherCurves.has(curveName) ? { curveName } : unknownCurve(curveName)
}

// ── BouncyCastle

/** Lengths may have any form, and points too; but the point must be on the curve, and nothing may follow. */
function readAsBouncyCastle(bytes: Uint8Array): CurvePoint | undefined {
  const reader = new BerReader(bytes)
  reader.openSequence()
  reader.openSequence()
  const algorithm = reader.readIdentifier()
  const curve = curves.get(reader.readIdentifier())
  reader.closeSequence()
  const [unused, ...bits] = reader.readPrimitive(derTags.bitString)
  reader.closeSequence()
  if (!reader.isAtEnd() || algorithm !== ecPublicKey || !curve) return undefined
  if (unused === undefined || unused > 7 || (unused > 0 && bits.length === 0)) return undefined
  const point = uncompressed(withoutOctetString(withoutUnusedBits(Uint8Array.from(bits), unused)), curve)
  return point && isOnCurve(curve, point) ? { curve, point } : undefined
}

/** Old certificates have a compressed point as an OCTET STRING of its own. */
function withoutOctetString(bits: Uint8Array): Uint8Array {
  const [tag, length, form] = bits
  const isOctetString = tag === 0x04 && length === bits.length - 2 && (form === 0x02 || form === 0x03)
  return isOctetString ? bits.subarray(2) : bits
}

/** The point in the form 04, x, y; from that form, from 02 or 03 and x, or from 06 or 07 (the parity of y), x and y. */
function uncompressed(bits: Uint8Array, curve: Curve): Uint8Array | undefined {
  const { Fp } = curve.Point
  const [form = 0] = bits
  if (form === 0x02 || form === 0x03) {
    const x = integerOf(bits.subarray(1))
    const y = bits.length === 1 + Fp.BYTES && x < Fp.ORDER ? rootOf(curve, x, form === 0x03) : undefined
    return y === undefined ? undefined : Buffer.concat([Uint8Array.of(0x04), Fp.toBytes(x), Fp.toBytes(y)])
  }
  const isHybrid = form === 0x06 || form === 0x07
  if (bits.length !== 1 + 2 * Fp.BYTES || !(form === 0x04 || isHybrid)) return undefined
  if (isHybrid && (bits.at(-1)! & 1) !== (form & 1)) return undefined
  return Buffer.concat([Uint8Array.of(0x04), bits.subarray(1)])
}

/** The y of that parity that belongs to x. */
function rootOf(curve: Curve, x: bigint, isOdd: boolean): bigint | undefined {
  const { Fp } = curve.Point
  const { a, b } = curve.Point.CURVE()
  const square = Fp.add(Fp.mul(Fp.add(Fp.sqr(x), a), x), b)
  const y = Fp.pow(square, (Fp.ORDER + 1n) / 4n) // A root, if there is one: all these fields leave 3 when divided by 4.
  if (!Fp.eql(Fp.sqr(y), square)) return undefined
  return (y & 1n) === (isOdd ? 1n : 0n) ? y : Fp.neg(y)
}

/** Reads what is expected, of any form of length; after a surprise it is invalid and reads nothing. */
class BerReader {
  readonly #bytes: Uint8Array
  #at = 0
  #isValid = true
  /** Where the open sequences end; undefined for those that say so when they end. */
  readonly #ends: (number | undefined)[] = []

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
  }

  openSequence(): void {
    const length = this.#readHeader(derTags.sequence)
    this.#ends.push(length === undefined ? undefined : this.#at + length)
  }

  closeSequence(): void {
    const end = this.#ends.pop()
    if (end !== undefined) this.#expect(this.#at === end)
    else for (let zeros = 0; zeros < 2; zeros += 1) this.#expect(this.#readByte() === 0)
  }

  readPrimitive(tag: number): Uint8Array {
    const length = this.#readHeader(tag)
    this.#expect(length !== undefined)
    const content = this.#bytes.subarray(this.#at, this.#at + (length ?? 0))
    this.#at += content.length
    this.#expect(content.length === length)
    return this.#isValid ? content : new Uint8Array()
  }

  readIdentifier(): string {
    const bytes = this.readPrimitive(derTags.objectIdentifier)
    this.#expect((bytes.at(-1) ?? 0x80) < 0x80)
    return identifierText(bytes)
  }

  isAtEnd(): boolean {
    return this.#isValid && this.#at === this.#bytes.length
  }

  #readHeader(tag: number): number | undefined {
    this.#expect(this.#readByte() === tag)
    const first = this.#readByte()
    if (first < 0x80) return first
    this.#expect(first < 0xff)
    let length = 0
    for (let missing = first & 0x7f; missing > 0 && this.#isValid; missing -= 1) {
      length = 256 * length + this.#readByte()
      this.#expect(length <= this.#bytes.length)
    }
    return first === 0x80 ? undefined : length
  }

  #readByte(): number {
    const byte = this.#bytes[this.#at]
    this.#at += 1
    this.#expect(byte !== undefined)
    return byte ?? 0
  }

  #expect(isSo: boolean): void {
    this.#isValid &&= isSo
  }
}

// ── Points

export type Coordinates = { readonly x: bigint; readonly y: bigint }

export function coordinatesOf(point: Uint8Array): Coordinates {
  const middle = (1 + point.length) / 2
  return { x: integerOf(point.subarray(1, middle)), y: integerOf(point.subarray(middle)) }
}

export const isInField = (curve: Curve, { x, y }: Coordinates): boolean =>
  x < curve.Point.Fp.ORDER && y < curve.Point.Fp.ORDER

export function isOnCurve(curve: Curve, point: Uint8Array): boolean {
  const { x, y } = coordinatesOf(point)
  const { p, a, b } = curve.Point.CURVE()
  return isInField(curve, { x, y }) && (y * y - (x * x * x + a * x + b)) % p === 0n
}

const integerOf = (bytes: Uint8Array): bigint => BigInt(`0x0${Buffer.from(bytes).toString('hex')}`)
