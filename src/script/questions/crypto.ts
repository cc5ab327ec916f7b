// Keys and signatures on secp256k1, in the encodings of Java: keys as PKCS#8 and X.509, signatures as DER.
import { createHash, createPrivateKey, createPublicKey } from 'node:crypto'
import { secp256k1 } from '@noble/curves/secp256k1.js'
import type { LfValue } from '../../lf/values/values.ts'
import { Unanswered } from '../failures.ts'
import { fieldsIn, textIn } from '../shapes.ts'
import type { AnswerQuestion, Questions } from './question.ts'

const sign: AnswerQuestion = async (payload) => {
  const { key, message } = signingIn(payload)
  return signed(createHash('sha256').update(message).digest(), key)
}

/** The message is a digest already. */
const signDigest: AnswerQuestion = async (payload) => {
  const { key, message } = signingIn(payload)
  return signed(message, key)
}

const generateKeyPair: AnswerQuestion = async (_, { values, random }) => {
  const { secretKey, publicKey } = secp256k1.keygen(random.bytes(48))
  const d = Buffer.from(secretKey).toString('base64url')
  const point = Buffer.from(secp256k1.Point.fromBytes(publicKey).toBytes(false))
  const [x, y] = [point.subarray(1, 33), point.subarray(33)].map((part) => part.toString('base64url'))
  const jwk = { kty: 'EC', crv: 'secp256k1', d, x: x!, y: y! }
  const key = createPrivateKey({ key: jwk, format: 'jwk' })
  return values.record(values.ofLibrary('Questions.Crypto.Text', 'Secp256k1KeyPair'), [
    ['privateKey', key.export({ type: 'pkcs8', format: 'der' }).toString('hex')],
    ['publicKey', createPublicKey(key).export({ type: 'spki', format: 'der' }).toString('hex')],
  ])
}

function signingIn(payload: LfValue): { readonly key: Uint8Array; readonly message: Uint8Array } {
  const [key, message] = fieldsIn(payload, 2, 'a key and a message').map((field) => bytesOf(textIn(field)))
  return { key: secretIn(key!), message: message! }
}

function secretIn(pkcs8: Buffer): Uint8Array {
  try {
    const { d, crv } = createPrivateKey({ key: pkcs8, format: 'der', type: 'pkcs8' }).export({ format: 'jwk' })
    if (crv === 'secp256k1' && d !== undefined) return Buffer.from(d, 'base64url')
  } catch (error) {
    throw new Unanswered(`the private key cannot be read: ${(error as Error).message}`, 'InvalidKeySpecException')
  }
  throw new Unanswered('the private key is not of the curve secp256k1', 'InvalidKeySpecException')
}

function signed(digest: Uint8Array, key: Uint8Array): string {
  const signature = secp256k1.sign(digest, key, { prehash: false, format: 'der' })
  return Buffer.from(signature).toString('hex')
}

function bytesOf(hex: string): Buffer {
  if (!/^([0-9a-f]{2})*$/.test(hex)) throw new Unanswered(`cannot parse HexString ${hex}`, 'IllegalArgumentException')
  return Buffer.from(hex, 'hex')
}

export const cryptoQuestions: Questions = [
  ['Secp256k1Sign 1', sign],
  ['Secp256k1WithEcdsaSign 1', signDigest],
  ['Secp256k1GenerateKeyPair 1', generateKeyPair],
]
