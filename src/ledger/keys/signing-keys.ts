// Public keys of external parties and their namespaces. Names are those of Canton's crypto.proto; the accepted keys and
// the errors for others mirror its Signing.scala and CryptoKeyValidation.scala.
import { createPublicKey, hash, type KeyObject } from 'node:crypto'
import { shortHash } from '../../base/names.ts'

type KeyKind = {
  /** The name in node:crypto. */
  readonly curve: string
  /** The name in Canton's texts. */
  readonly word: string
  /** The name in Canton's error for points that are not on the curve. */
  readonly curveWord: string
}

export const keyKinds = {
  SIGNING_KEY_SPEC_EC_CURVE25519: { curve: 'ed25519', word: 'EC-Curve25519', curveWord: 'Ed25519' },
  SIGNING_KEY_SPEC_EC_P256: { curve: 'prime256v1', word: 'EC-P256', curveWord: 'secp256r1' },
  SIGNING_KEY_SPEC_EC_P384: { curve: 'secp384r1', word: 'EC-P384', curveWord: 'secp384r1' },
  SIGNING_KEY_SPEC_EC_SECP256K1: { curve: 'secp256k1', word: 'EC-Secp256k1', curveWord: 'secp256k1' },
} as const satisfies Record<string, KeyKind>

export type SigningKeySpec = keyof typeof keyKinds

/** Canton's names for them in its texts. */
const formatWords = {
  CRYPTO_KEY_FORMAT_DER: 'DER',
  CRYPTO_KEY_FORMAT_RAW: 'Raw',
  CRYPTO_KEY_FORMAT_DER_X509_SUBJECT_PUBLIC_KEY_INFO: 'DER-encoded X.509 SubjectPublicKeyInfo',
  CRYPTO_KEY_FORMAT_DER_PKCS8_PRIVATE_KEY_INFO: 'DER-encoded PKCS #8 PrivateKeyInfo',
} as const

export type KeyFormat = keyof typeof formatWords

export type EncodedKey = {
  readonly format: KeyFormat
  readonly keyData: Uint8Array
  readonly keySpec: SigningKeySpec
}

/** A validated key. */
export type SigningPublicKey = {
  readonly keySpec: SigningKeySpec
  /** The DER of its X.509 SubjectPublicKeyInfo, in whatever format it was sent. */
  readonly keyData: Uint8Array
  /** `1220` and 64 hex digits; also the namespace that the key controls. */
  readonly fingerprint: string
}

const spki = 'CRYPTO_KEY_FORMAT_DER_X509_SUBJECT_PUBLIC_KEY_INFO'
const ed25519Header = Buffer.from('302a300506032b6570032100', 'hex')
const fingerprintPurpose = 12

/** The key, or why it is invalid. */
export async function readSigningKey(encoded: EncodedKey): Promise<SigningPublicKey | { readonly refused: string }> {
  const { format, keyData, keySpec } = withoutLegacy(encoded)
  const key = signingKeyFromStore(keySpec, keyData)
  const refuse = (reason: string) => ({
    refused:
      `KeyParseAndValidateError(Failed to deserialize or validate ${formatWords[format]} public key ` +
      `[${shortHash(key.fingerprint)}]: KeyParseAndValidateError(${reason}))`,
  })
  if (format !== spki) return refuse(`Invalid format for public key: ${formatWords[format]}`)
  const parsed = parse(keyData)
  if (parsed === undefined) return refuse('InvalidKey(malformed SubjectPublicKeyInfo)')
  const kind = keyKinds[keySpec]
  if (keySpec === 'SIGNING_KEY_SPEC_EC_CURVE25519') {
    if (parsed.asymmetricKeyType !== 'ed25519') return refuse('Public key is not an ED25519 public key')
    if (await isOnCurve25519(keyData)) return key
    return refuse('Ed25519 public key validation failed: key does not represent a valid point on the Curve25519')
  }
  if (parsed.asymmetricKeyType !== 'ec') return refuse('Public key is not an EC public key')
  if (parsed.asymmetricKeyDetails?.namedCurve === kind.curve) return key
  return refuse(`EC key not in curve '${kind.curveWord}'.`)
}

/** A stored key, which was validated before. */
export function signingKeyFromStore(keySpec: SigningKeySpec, keyData: Uint8Array): SigningPublicKey {
  return { keySpec, keyData, fingerprint: fingerprintOf(keySpec, keyData) }
}

/** SHA-256 over the purpose and the data, with the multihash prefix for SHA-256, as in Canton. */
export function purposeHash(purpose: number, ...parts: readonly Uint8Array[]): Buffer {
  const purposeBytes = Buffer.alloc(4)
  purposeBytes.writeInt32BE(purpose)
  return Buffer.concat([
    Buffer.from([0x12, 0x20]),
    hash('sha256', Buffer.concat([purposeBytes, ...parts]), { outputEncoding: 'buffer' }),
  ])
}

/** For Ed25519 keys only the 32 bytes of the point are hashed, because Canton used to store them raw. */
export function fingerprintOf(keySpec: SigningKeySpec, keyData: Uint8Array): string {
  const counted = keySpec === 'SIGNING_KEY_SPEC_EC_CURVE25519' ? keyData.subarray(-32) : keyData
  return purposeHash(fingerprintPurpose, counted).toString('hex')
}

/** Converts keys in legacy formats to the current one. */
function withoutLegacy({ format, keyData, keySpec }: EncodedKey): EncodedKey {
  if (keySpec === 'SIGNING_KEY_SPEC_EC_CURVE25519' && format === 'CRYPTO_KEY_FORMAT_RAW') {
    return { format: spki, keyData: Buffer.concat([ed25519Header, keyData]), keySpec }
  }
  const wasDer = keySpec === 'SIGNING_KEY_SPEC_EC_P256' || keySpec === 'SIGNING_KEY_SPEC_EC_P384'
  return wasDer && format === 'CRYPTO_KEY_FORMAT_DER'
    ? { format: spki, keyData, keySpec }
    : { format, keyData, keySpec }
}

function parse(keyData: Uint8Array): KeyObject | undefined {
  try {
    const key = createPublicKey({ key: Buffer.from(keyData), format: 'der', type: 'spki' })
    // OpenSSL ignores trailing bytes; a key that does not round-trip would have two fingerprints.
    return key.export({ format: 'der', type: 'spki' }).equals(keyData) ? key : undefined
  } catch {
    return undefined
  }
}

/** OpenSSL accepts any 32 bytes; with a point of small order one signature would fit many messages. */
async function isOnCurve25519(keyData: Uint8Array): Promise<boolean> {
  const { ed25519 } = await import('@noble/curves/ed25519.js') // Imported on first use, for a quick start.
  try {
    const point = ed25519.Point.fromBytes(Uint8Array.from(keyData.subarray(ed25519Header.length)))
    return !point.is0() && point.isTorsionFree()
  } catch {
    return false
  }
}
