// Signatures by the keys of signing-keys.ts. Names are those of Canton's crypto.proto; the checks, their order and
// their texts mirror its JcePureCrypto.verifySignature.
import { createPublicKey, type KeyObject, verify } from 'node:crypto'
import { invalidField } from '../../base/errors.ts'
import { fingerprintProblem, shortHash } from '../../base/names.ts'
import { keyKinds, type SigningKeySpec, type SigningPublicKey } from './signing-keys.ts'

type Algorithm = {
  /** The name in Canton's texts. */
  readonly word: string
  readonly digest: string | null
  readonly format: 'SIGNATURE_FORMAT_CONCAT' | 'SIGNATURE_FORMAT_DER'
  readonly keySpecs: readonly SigningKeySpec[]
}

export const signingAlgorithms = {
  SIGNING_ALGORITHM_SPEC_ED25519: {
    word: 'Ed25519',
    digest: null,
    format: 'SIGNATURE_FORMAT_CONCAT',
    keySpecs: ['SIGNING_KEY_SPEC_EC_CURVE25519'],
  },
  SIGNING_ALGORITHM_SPEC_EC_DSA_SHA_256: {
    word: 'EC-DSA-SHA256',
    digest: 'sha256',
    format: 'SIGNATURE_FORMAT_DER',
    keySpecs: ['SIGNING_KEY_SPEC_EC_P256', 'SIGNING_KEY_SPEC_EC_SECP256K1'],
  },
  SIGNING_ALGORITHM_SPEC_EC_DSA_SHA_384: {
    word: 'EC-DSA-SHA384',
    digest: 'sha384',
    format: 'SIGNATURE_FORMAT_DER',
    keySpecs: ['SIGNING_KEY_SPEC_EC_P384'],
  },
} as const satisfies Record<string, Algorithm>

export type SigningAlgorithmSpec = keyof typeof signingAlgorithms

/** With the names in Canton's texts. RAW stands for the format of the algorithm. */
export const signatureFormats = {
  SIGNATURE_FORMAT_RAW: 'Raw',
  SIGNATURE_FORMAT_DER: 'DER',
  SIGNATURE_FORMAT_CONCAT: 'Concat',
  SIGNATURE_FORMAT_SYMBOLIC: 'Symbolic',
} as const

export type SignatureFormat = keyof typeof signatureFormats

export type Signature = {
  readonly format: SignatureFormat
  readonly signature: Uint8Array
  /** The fingerprint of the key. */
  readonly signedBy: string
  readonly signingAlgorithmSpec: SigningAlgorithmSpec
}

/** Whether the key made this signature of the bytes. Hashes are signed as they are, with their multihash prefix. */
export function verifySignature(
  key: SigningPublicKey,
  signature: Signature,
  bytes: Uint8Array,
): 'valid' | { readonly refused: string } {
  if (signature.signedBy !== key.fingerprint) {
    const { signedBy } = signature
    const text = `Signature signed by ${shortHash(signedBy)} instead of ${shortHash(key.fingerprint)}`
    return { refused: `SignatureWithWrongKey(${text})` }
  }
  const algorithm: Algorithm = signingAlgorithms[signature.signingAlgorithmSpec]
  if (!algorithm.keySpecs.includes(key.keySpec)) {
    const supported = listed(algorithm.keySpecs.map((spec) => keyKinds[spec].word))
    const words = `signingKeySpec = ${keyKinds[key.keySpec].word}, algorithmSpec = ${algorithm.word}`
    return { refused: `KeyAlgoSpecsMismatch(${words}, supportedKeySpecsByAlgo = ${supported})` }
  }
  const format = signature.format === 'SIGNATURE_FORMAT_RAW' ? algorithm.format : signature.format
  if (format !== algorithm.format) {
    const supported = signatureFormats[algorithm.format]
    const words = `signatureFormat = ${signatureFormats[format]}, supportedSignatureFormats = ${supported}`
    return { refused: `UnsupportedSignatureFormat(${words})` }
  }
  if (verify(algorithm.digest, bytes, keyObjectOf(key), signature.signature)) return 'valid'
  return { refused: invalidSignature(signature, algorithm, bytes) }
}

/** Parsed keys are cached, because parsing takes longer than verifying. */
const parsedKeys = new WeakMap<SigningPublicKey, KeyObject>()

function keyObjectOf(key: SigningPublicKey): KeyObject {
  const known = parsedKeys.get(key)
  if (known !== undefined) return known
  const parsed = createPublicKey({ key: Buffer.from(key.keyData), format: 'der', type: 'spki' })
  parsedKeys.set(key, parsed)
  return parsed
}

function invalidSignature({ signature, signedBy }: Signature, algorithm: Algorithm, bytes: Uint8Array): string {
  const details = [
    `signature = ${startOf(signature)}`,
    `format = ${signatureFormats[algorithm.format]}`,
    `signedBy = ${shortHash(signedBy)}`,
    `signingAlgorithmSpec = ${algorithm.word}`,
  ]
  const error = 'Failed to verify signature: java.security.GeneralSecurityException: Invalid signature'
  return `InvalidSignature(signature = Signature(${details.join(', ')}), bytes = ${startOf(bytes)}, error = "${error}")`
}

const startOf = (bytes: Uint8Array): string => Buffer.from(bytes.subarray(0, 6)).toString('hex')

const listed = (words: readonly string[]): string => (words.length === 1 ? words[0]! : `Set(${words.join(', ')})`)

/** A signature as a client sent it. */
export type SentSignature = {
  readonly format: SignatureFormat | 'SIGNATURE_FORMAT_UNSPECIFIED'
  readonly signature: Uint8Array
  readonly signedBy: string
  readonly signingAlgorithmSpec: SigningAlgorithmSpec | 'SIGNING_ALGORITHM_SPEC_UNSPECIFIED'
}

/**
 * Turns it into one that can be verified, as Canton's CryptoValidator does. `field` is the path of the signature, in
 * Canton's words.
 */
export function validateSignature(sent: SentSignature, field: string): Signature {
  const { format, signature, signedBy, signingAlgorithmSpec } = sent
  if (format === 'SIGNATURE_FORMAT_UNSPECIFIED') throw invalidField('format', 'Signature format must be specified')
  const problem = fingerprintProblem(signedBy)
  if (problem !== undefined) throw invalidField(field, problem)
  if (!isAlgorithm(signingAlgorithmSpec)) {
    throw invalidField(field, `Signing algorithm spec ${signingAlgorithmSpec} not supported`)
  }
  return { format, signature, signedBy, signingAlgorithmSpec }
}

function isAlgorithm(spec: SentSignature['signingAlgorithmSpec']): spec is SigningAlgorithmSpec {
  return Object.hasOwn(signingAlgorithms, spec)
}
