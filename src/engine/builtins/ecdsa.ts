// ECDSA signatures of a digest, with keys and signatures in DER. Canton verifies on whatever curve the key names
// (SECP256K1_BOOL is named after the usual one), reads keys with Java's KeyFactory and signatures with BouncyCastle.
// This file refuses what they refuse, with the same errors.
import { p256, p384, p521 } from '@noble/curves/nist.js'
import { secp256k1 } from '@noble/curves/secp256k1.js'
import { Failure, type FailureCode } from '../failures/failures.ts'

type Curve = typeof secp256k1
export type PublicKey = { readonly hex: string; readonly curve: Curve; readonly point: Uint8Array }

/** Keyed by the DER of their object identifiers, in hex. */
const curves = new Map<string, Curve>([
  ['2b8104000a', secp256k1],
  ['2a8648ce3d030107', p256],
  ['2b81040022', p384],
  ['2b81040023', p521],
])

const ecPublicKey = '2a8648ce3d0201'
const tags = { integer: 0x02, bitString: 0x03, objectIdentifier: 0x06, sequence: 0x30 }

/** Reads a SubjectPublicKeyInfo. Whether its point is on the curve matters only when the key is used. */
export function publicKeyFromHex(hex: string): PublicKey {
  const key = readPublicKey(bytesOf(hex))
  if (typeof key === 'string') throw malformedKey(hex, `java.security.InvalidKeyException: ${key}`)
  return { hex, ...key }
}

export function verifies(signatureHex: string, digest: Uint8Array, { hex, curve, point }: PublicKey): boolean {
  const signature = bytesOf(signatureHex)
  if (!isOnCurve(curve, coordinatesOf(point))) throw pointNotOnCurve(hex)
  if (!isSignature(signature, curve.Point.Fn.ORDER)) {
    throw cryptoFailure('SIGNATURE', 'Malformed signature', signatureHex, 'error decoding signature bytes.')
  }
  return curve.verify(signature, digest, point, { format: 'der', prehash: false, lowS: false })
}

/** Whether the point is on secp256k1, whatever curve the key names. */
export function isOnSecp256k1({ hex, point }: PublicKey): boolean {
  const coordinates = coordinatesOf(point)
  if (!isInField(secp256k1, coordinates)) throw pointNotOnCurve(hex)
  return isOnCurve(secp256k1, coordinates)
}

export function malformedEncoding(hex: string, cause: string): Failure {
  return cryptoFailure('BYTE_ENCODING', 'Invalid byte encoding format', hex, cause)
}

/** Canton reports a wrong encoding, although the encoding is right. */
const pointNotOnCurve = (hex: string): Failure =>
  malformedEncoding(hex, 'can not parse DER encoded public key hex string')

const malformedKey = (hex: string, cause: string): Failure => cryptoFailure('KEY', 'Malformed public key', hex, cause)

function cryptoFailure(what: 'BYTE_ENCODING' | 'KEY' | 'SIGNATURE', text: string, hex: string, cause: string): Failure {
  const code: FailureCode = `INTERPRETATION_CRYPTO_ERROR_MALFORMED_${what}`
  return new Failure(code, `${text} for ${hex} :\n${cause}`, { CRYPTO_VALUE: hex })
}

// ── Points

type Coordinates = { readonly x: bigint; readonly y: bigint }

/** The coordinates of an uncompressed point: 04, x and y. */
function coordinatesOf(point: Uint8Array): Coordinates {
  const middle = (1 + point.length) / 2
  return { x: integerOf(point.subarray(1, middle)), y: integerOf(point.subarray(middle)) }
}

const isInField = (curve: Curve, { x, y }: Coordinates): boolean => x < curve.Point.Fp.ORDER && y < curve.Point.Fp.ORDER

function isOnCurve(curve: Curve, { x, y }: Coordinates): boolean {
  const { p, a, b } = curve.Point.CURVE()
  return isInField(curve, { x, y }) && (y * y - (x * x * x + a * x + b)) % p === 0n
}

// ── DER

type Cursor = { readonly bytes: Uint8Array; at: number }
type Element = { readonly tag: number; readonly content: Uint8Array }
/** Why something cannot be read, in Java's words. */
type Problem = string

function readPublicKey(bytes: Uint8Array): Omit<PublicKey, 'hex'> | Problem {
  const key = readElement({ bytes, at: 0 })
  if (typeof key === 'string') return key
  if (key.tag !== tags.sequence) return 'invalid key format'
  const content: Cursor = { bytes: key.content, at: 0 }
  const curve = readAlgorithm(content)
  if (typeof curve === 'string') return curve
  const bits = readElement(content)
  if (typeof bits === 'string') return bits
  if (bits.tag !== tags.bitString) return 'IOException: not a bit string'
  const point = bits.content.subarray(1) // The byte before counts unused bits.
  if (point[0] !== 0x04 || point.length !== 1 + 2 * curve.Point.Fp.BYTES) return 'Invalid EC key'
  return content.at === content.bytes.length ? { curve, point } : 'excess key data'
}

function readAlgorithm(cursor: Cursor): Curve | Problem {
  const algorithm = readElement(cursor)
  if (typeof algorithm === 'string') return algorithm
  if (algorithm.tag !== tags.sequence) return 'IOException: algid parse error, not a sequence'
  const content: Cursor = { bytes: algorithm.content, at: 0 }
  const name = readElement(content)
  if (typeof name === 'string') return name
  if (hexOf(name.content) !== ecPublicKey) return 'IOException: not a key of an elliptic curve'
  const parameters = readElement(content)
  if (typeof parameters === 'string') return parameters
  return curves.get(hexOf(parameters.content)) ?? 'IOException: Unknown named curve'
}

function readElement(cursor: Cursor): Element | Problem {
  const tag = readByte(cursor) ?? 0xff // Java reads the end of the input as a tag of ones.
  if ((tag & 0x1f) === 0x1f) return 'IOException: Tag number over 30 is not supported'
  const length = readLength(cursor)
  if (length === undefined) return 'IOException: Short read of DER length'
  const content = cursor.bytes.subarray(cursor.at, cursor.at + length)
  if (content.length < length) return 'IOException: null'
  cursor.at += length
  return { tag, content }
}

function readLength(cursor: Cursor): number | undefined {
  const first = readByte(cursor)
  if (first === undefined || first < 0x80) return first
  let length = 0
  for (let missing = first & 0x7f; missing > 0; missing -= 1) {
    const byte = readByte(cursor)
    if (byte === undefined) return undefined
    length = 256 * length + byte
  }
  return length
}

function readByte(cursor: Cursor): number | undefined {
  const byte = cursor.bytes[cursor.at]
  cursor.at += 1
  return byte
}

/** Two integers from zero up to the order, in DER's only valid encoding, and nothing else. */
function isSignature(bytes: Uint8Array, order: bigint): boolean {
  const signature = readElement({ bytes, at: 0 })
  if (typeof signature === 'string' || signature.tag !== tags.sequence) return false
  const { content } = signature
  const headerLength = content.length < 0x80 ? 2 : 3
  if (bytes.length !== headerLength + content.length) return false
  const cursor: Cursor = { bytes: content, at: 0 }
  const isEach = [readElement(cursor), readElement(cursor)].every((element) => isScalar(element, order))
  return isEach && cursor.at === content.length
}

function isScalar(element: Element | Problem, order: bigint): boolean {
  if (typeof element === 'string' || element.tag !== tags.integer) return false
  const [first = 0x80, second = 0x80] = element.content
  const isMinimal = first !== 0 || second >= 0x80
  return first < 0x80 && isMinimal && integerOf(element.content) < order
}

const bytesOf = (hex: string): Uint8Array => Buffer.from(hex, 'hex')
const hexOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')
const integerOf = (bytes: Uint8Array): bigint => BigInt(`0x0${hexOf(bytes)}`)
