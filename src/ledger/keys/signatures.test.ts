// Keys and signatures of all four kinds, and the errors for wrong ones.
import assert from 'node:assert/strict'
import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { describe, test } from 'node:test'
import { type Signature, type SigningAlgorithmSpec, verifySignature } from './signatures.ts'
import {
  type EncodedKey,
  type KeyFormat,
  readSigningKey,
  type SigningKeySpec,
  type SigningPublicKey,
} from './signing-keys.ts'

type Kind = {
  readonly spec: SigningKeySpec
  readonly algorithm: SigningAlgorithmSpec
  readonly digest: string | null
  readonly pair: { publicKey: KeyObject; privateKey: KeyObject }
}

const kinds: readonly Kind[] = [
  {
    spec: 'SIGNING_KEY_SPEC_EC_CURVE25519',
    algorithm: 'SIGNING_ALGORITHM_SPEC_ED25519',
    digest: null,
    pair: generateKeyPairSync('ed25519'),
  },
  {
    spec: 'SIGNING_KEY_SPEC_EC_P256',
    algorithm: 'SIGNING_ALGORITHM_SPEC_EC_DSA_SHA_256',
    digest: 'sha256',
    pair: generateKeyPairSync('ec', { namedCurve: 'P-256' }),
  },
  {
    spec: 'SIGNING_KEY_SPEC_EC_P384',
    algorithm: 'SIGNING_ALGORITHM_SPEC_EC_DSA_SHA_384',
    digest: 'sha384',
    pair: generateKeyPairSync('ec', { namedCurve: 'P-384' }),
  },
  {
    spec: 'SIGNING_KEY_SPEC_EC_SECP256K1',
    algorithm: 'SIGNING_ALGORITHM_SPEC_EC_DSA_SHA_256',
    digest: 'sha256',
    pair: generateKeyPairSync('ec', { namedCurve: 'secp256k1' }),
  },
]
const [ed25519, p256] = kinds as [Kind, Kind]

const spkiFormat = 'CRYPTO_KEY_FORMAT_DER_X509_SUBJECT_PUBLIC_KEY_INFO'
const spkiOf = ({ pair }: Kind): Buffer => pair.publicKey.export({ format: 'der', type: 'spki' })
const message = Buffer.from('what is signed')

async function keyOf(kind: Kind): Promise<SigningPublicKey> {
  const key = await readSigningKey({ format: spkiFormat, keyData: spkiOf(kind), keySpec: kind.spec })
  if ('refused' in key) assert.fail(key.refused)
  return key
}

async function signatureOf(kind: Kind, changes: Partial<Signature> = {}): Promise<Signature> {
  return {
    format: kind.digest === null ? 'SIGNATURE_FORMAT_CONCAT' : 'SIGNATURE_FORMAT_DER',
    signature: sign(kind.digest, message, kind.pair.privateKey),
    signedBy: (await keyOf(kind)).fingerprint,
    signingAlgorithmSpec: kind.algorithm,
    ...changes,
  }
}

describe('signatures', () => {
  for (const kind of kinds) {
    test(`a signature with ${kind.spec} is valid for what was signed and nothing else`, async () => {
      const key = await keyOf(kind)
      const signature = await signatureOf(kind)
      assert.equal(verifySignature(key, signature, message), 'valid')
      assert.equal(verifySignature(key, { ...signature, format: 'SIGNATURE_FORMAT_RAW' }, message), 'valid')
      const other = verifySignature(key, signature, Buffer.from('what is not'))
      assert.match(
        JSON.stringify(other),
        /^\{"refused":"InvalidSignature\(signature = Signature\(signature = [0-9a-f]{12}, /,
      )
      const cut = { ...signature, signature: signature.signature.subarray(1) }
      assert.match(JSON.stringify(verifySignature(key, cut, message)), /InvalidSignature/)
    })
  }

  test('a signature names its key and algorithm; a mismatch is refused with the text of Canton', async () => {
    const key = await keyOf(p256)
    const cases: [Partial<Signature>, RegExp][] = [
      [
        { signedBy: 'somebody' },
        /^SignatureWithWrongKey\(Signature signed by somebody instead of 1220[0-9a-f]{8}...\)$/,
      ],
      [
        { signingAlgorithmSpec: 'SIGNING_ALGORITHM_SPEC_ED25519' },
        /^KeyAlgoSpecsMismatch\(signingKeySpec = EC-P256, algorithmSpec = Ed25519, supportedKeySpecsByAlgo = EC-Curve25519\)$/,
      ],
      [
        { format: 'SIGNATURE_FORMAT_CONCAT' },
        /^UnsupportedSignatureFormat\(signatureFormat = Concat, supportedSignatureFormats = DER\)$/,
      ],
    ]
    for (const [changes, want] of cases) {
      const result = verifySignature(key, await signatureOf(p256, changes), message)
      assert.match(result === 'valid' ? result : result.refused, want)
    }
  })

  test('an Ed25519 key has the same fingerprint in every format', async () => {
    const raw = {
      format: 'CRYPTO_KEY_FORMAT_RAW',
      keyData: spkiOf(ed25519).subarray(-32),
      keySpec: ed25519.spec,
    } as const
    assert.deepEqual(await readSigningKey(raw), await keyOf(ed25519))
  })

  test('an invalid key is refused with the text of Canton', async () => {
    const encoded = (keyData: Uint8Array, keySpec: SigningKeySpec, format: KeyFormat = spkiFormat): EncodedKey => {
      return { format, keyData, keySpec }
    }
    const spki = 'DER-encoded X.509 SubjectPublicKeyInfo'
    const edPoint = (point: string) => Buffer.concat([spkiOf(ed25519).subarray(0, -32), Buffer.from(point, 'hex')])
    const offCurve = spkiOf(p256)
    offCurve[offCurve.length - 1]! ^= 1
    const cases: [EncodedKey, format: string, reason: string][] = [
      [encoded(Buffer.alloc(0), p256.spec), spki, 'InvalidKey(malformed SubjectPublicKeyInfo)'],
      [encoded(Buffer.concat([spkiOf(p256), message]), p256.spec), spki, 'InvalidKey(malformed SubjectPublicKeyInfo)'],
      [encoded(offCurve, p256.spec), spki, 'InvalidKey(malformed SubjectPublicKeyInfo)'],
      [encoded(spkiOf(ed25519), p256.spec), spki, 'Public key is not an EC public key'],
      [encoded(spkiOf(p256), ed25519.spec), spki, 'Public key is not an ED25519 public key'],
      [encoded(spkiOf(kinds[2]!), p256.spec), spki, "EC key not in curve 'secp256r1'."],
      [encoded(spkiOf(p256), p256.spec, 'CRYPTO_KEY_FORMAT_RAW'), 'Raw', 'Invalid format for public key: Raw'],
      ...['00'.repeat(32), `01${'00'.repeat(31)}`, '02'.repeat(32)].map((point): [EncodedKey, string, string] => [
        encoded(edPoint(point), ed25519.spec),
        spki,
        'Ed25519 public key validation failed: key does not represent a valid point on the Curve25519',
      ]),
    ]
    for (const [key, format, reason] of cases) {
      const result = await readSigningKey(key)
      const text =
        `KeyParseAndValidateError(Failed to deserialize or validate ${format} public key [1220…]: ` +
        `KeyParseAndValidateError(${reason}))`
      assert.equal('refused' in result && result.refused.replace(/1220[0-9a-f]{8}\.\.\./, '1220…'), text)
    }
  })
})
