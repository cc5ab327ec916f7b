// Signing keys and signatures on the wire, as in Canton's crypto.proto.
import { bytes, message, text, undocumentedEnumOf } from './schema.ts'

const keyFormats = [
  'CRYPTO_KEY_FORMAT_UNSPECIFIED',
  'CRYPTO_KEY_FORMAT_DER',
  'CRYPTO_KEY_FORMAT_RAW',
  'CRYPTO_KEY_FORMAT_DER_X509_SUBJECT_PUBLIC_KEY_INFO',
] as const

const keySpecs = [
  'SIGNING_KEY_SPEC_UNSPECIFIED',
  'SIGNING_KEY_SPEC_EC_CURVE25519',
  'SIGNING_KEY_SPEC_EC_P256',
  'SIGNING_KEY_SPEC_EC_P384',
  'SIGNING_KEY_SPEC_EC_SECP256K1',
] as const

const signatureFormats = [
  'SIGNATURE_FORMAT_UNSPECIFIED',
  'SIGNATURE_FORMAT_RAW',
  'SIGNATURE_FORMAT_DER',
  'SIGNATURE_FORMAT_CONCAT',
  'SIGNATURE_FORMAT_SYMBOLIC',
] as const

export const algorithmSpecs = [
  'SIGNING_ALGORITHM_SPEC_UNSPECIFIED',
  'SIGNING_ALGORITHM_SPEC_ED25519',
  'SIGNING_ALGORITHM_SPEC_EC_DSA_SHA_256',
  'SIGNING_ALGORITHM_SPEC_EC_DSA_SHA_384',
] as const

export const signingPublicKey = message(
  'SigningPublicKey',
  {
    format: undocumentedEnumOf(keyFormats, 'How the key is encoded'),
    keyData: bytes('The encoded key'),
    keySpec: undocumentedEnumOf(keySpecs, 'The curve of the key'),
  },
  { description: 'A public signing key', requires: 'all' },
)

export const signature = message(
  'Signature',
  {
    format: undocumentedEnumOf(signatureFormats, 'How the signature is encoded'),
    signature: bytes('The signature'),
    signedBy: text('The fingerprint of the signing key'),
    signingAlgorithmSpec: undocumentedEnumOf(algorithmSpecs, 'The signing algorithm'),
  },
  { description: 'A signature; the key is identified by its fingerprint', requires: 'all' },
)
