// ECDSA signatures of a digest, with keys and signatures in DER. Canton verifies on whatever curve the key names
// (SECP256K1_BOOL is named after the usual one), with BouncyCastle. This file refuses what it refuses, with its errors.
import { secp256k1 } from '@noble/curves/secp256k1.js'
import { Failure, type FailureCode } from '../failures/failures.ts'
import { type CurvePoint, coordinatesOf, isInField, isOnCurve, readPublicKey } from './ecdsa-keys.ts'

export type PublicKey = CurvePoint & { readonly hex: string }

/** Reads a SubjectPublicKeyInfo. Whether its point is on the curve matters only when the key is used. */
export function publicKeyFromHex(hex: string): PublicKey {
  const key = readPublicKey(bytesOf(hex))
  if (typeof key === 'string') throw malformedKey(hex, `java.security.InvalidKeyException: ${key}`)
  return { hex, ...key }
}

export function verifies(signatureHex: string, digest: Uint8Array, { hex, curve, point }: PublicKey): boolean {
  if (!isOnCurve(curve, point)) throw pointNotOnCurve(hex)
  const signature = bytesOf(signatureHex)
  if (!isSignature(signature, curve.Point.Fn.ORDER)) {
    throw cryptoFailure('SIGNATURE', 'Malformed signature', signatureHex, 'error decoding signature bytes.')
  }
  return curve.verify(signature, digest, point, { format: 'der', prehash: false, lowS: false })
}

/** Whether the point is on secp256k1, whatever curve the key names. */
export function isOnSecp256k1({ hex, point }: PublicKey): boolean {
  if (!isInField(secp256k1, coordinatesOf(point))) throw pointNotOnCurve(hex)
  return isOnCurve(secp256k1, point)
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

// ── Signatures

const tags = { integer: 0x02, sequence: 0x30 }

/** Two integers from zero up to the order, in DER's only valid encoding, and nothing else. */
function isSignature(bytes: Uint8Array, order: bigint): boolean {
  const content = contentOf(bytes, tags.sequence)
  if (content === undefined) return false
  const rLength = 2 + (content[1] ?? 0) // No integer of these curves is so long that its length takes two bytes.
  return [content.subarray(0, rLength), content.subarray(rLength)].every((integer) => isScalar(integer, order))
}

function isScalar(bytes: Uint8Array, order: bigint): boolean {
  const content = contentOf(bytes, tags.integer)
  if (content === undefined) return false
  const [first = 0x80, second = 0x80] = content
  const isMinimal = first !== 0 || second >= 0x80
  return first < 0x80 && isMinimal && BigInt(`0x0${Buffer.from(content).toString('hex')}`) < order
}

/** The content of a value that is all of these bytes, with its length in the shortest form. */
function contentOf(bytes: Uint8Array, tag: number): Uint8Array | undefined {
  const headerLength = bytes[1] === 0x81 ? 3 : 2
  const length = bytes.length - headerLength
  const isShortest = headerLength === 2 ? length < 0x80 : length >= 0x80
  return bytes[0] === tag && isShortest && bytes[headerLength - 1] === length ? bytes.subarray(headerLength) : undefined
}

const bytesOf = (hex: string): Uint8Array => Buffer.from(hex, 'hex')
