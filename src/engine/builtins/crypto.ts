// Hashes, hex and signatures. Bytes are texts of lower-case hex digits; any other text fails the command.
import { hash as hashOnce } from 'node:crypto'
import { asText } from '../../lf/values/kinds.ts'
import { steps } from '../failures/steps.ts'
import { isOnSecp256k1, malformedEncoding, publicKeyFromHex, verifies } from './ecdsa.ts'
import type { Rows } from './rows.ts'

/** The approximate cost of an operation on a curve, in calls. */
const verificationSteps = 100_000

const anyText = 'can not parse hex string'
const signatureText = 'can not parse signature hex string'
const messageText = 'can not parse message hex string'
const publicKeyText = 'can not parse DER encoded public key hex string'

export const cryptoBuiltins = {
  SHA256_TEXT(text: string): string {
    return hash('sha256', encodable(text))
  },

  SHA256_HEX(hex: string): string {
    return hash('sha256', bytesOf(hex, anyText))
  },

  KECCAK256_TEXT(hex: string): string {
    return hash('keccak-256', bytesOf(hex, anyText))
  },

  TEXT_TO_HEX(text: string): string {
    return utf8Of(text).toString('hex')
  },

  HEX_TO_TEXT(hex: string): string {
    return textOf(bytesOf(hex, 'can not parse hex string argument'))
  },

  /** Verifies a signature of the message's SHA-256. Only here the message is read before the signature. */
  SECP256K1_BOOL(signature: string, message: string, publicKey: string): boolean {
    const digest = hashOnce('sha256', bytesOf(message, messageText), 'buffer')
    return isSignatureOf(signature, digest, publicKey)
  },

  SECP256K1_WITH_ECDSA_BOOL(signature: string, digest: string, publicKey: string): boolean {
    checkHex(signature, signatureText)
    return isSignatureOf(signature, bytesOf(digest, messageText), publicKey)
  },

  SECP256K1_VALIDATE_KEY(publicKey: string): boolean {
    checkHex(publicKey, publicKeyText)
    return isOnSecp256k1(publicKeyFromHex(publicKey))
  },
} satisfies Partial<Rows>

function isSignatureOf(signature: string, digest: Uint8Array, publicKey: string): boolean {
  steps.charge(verificationSteps)
  checkHex(signature, signatureText)
  checkHex(publicKey, publicKeyText)
  return verifies(signature, digest, publicKeyFromHex(publicKey))
}

/** In one call, which for short texts takes a third of the time of a Hash object. Texts are hashed as UTF-8. */
const hash = (algorithm: 'sha256' | 'keccak-256', data: string | Uint8Array): string => hashOnce(algorithm, data, 'hex')

function bytesOf(hex: string, cause: string): Buffer {
  checkHex(hex, cause)
  return Buffer.from(hex, 'hex')
}

function checkHex(hex: string, cause: string): void {
  steps.chargeText(asText(hex).length)
  if (hex.length % 2 !== 0 || !/^[0-9a-f]*$/.test(hex)) throw malformedEncoding(hex, cause)
}

const utf8Of = (text: string): Buffer => Buffer.from(encodable(text))

/** As in Java: an unpaired surrogate becomes a question mark. */
function encodable(text: string): string {
  steps.chargeText(asText(text).length)
  return text.isWellFormed() ? text : text.replace(/\p{Surrogate}/gu, '?')
}

/** As in Java: malformed bytes become U+FFFD, and an encoded surrogate becomes a single one. */
function textOf(bytes: Buffer): string {
  if (!bytes.includes(0xed)) return bytes.toString()
  const replaced = bytes.toString('latin1').replace(/\xed[\xa0-\xbf][\x80-\xbf]?/g, '\xef\xbf\xbd')
  return Buffer.from(replaced, 'latin1').toString()
}
