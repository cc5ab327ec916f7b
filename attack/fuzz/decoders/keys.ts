// Decoders of what external parties send: topology transactions, public keys, signatures.
import {
  type SignatureFormat,
  type SigningAlgorithmSpec,
  signatureFormats,
  signingAlgorithms,
  verifySignature,
} from '../../../src/ledger/keys/signatures.ts'
import {
  fingerprintOf,
  type KeyFormat,
  readSigningKey,
  type SigningKeySpec,
  signingKeyFromStore,
} from '../../../src/ledger/keys/signing-keys.ts'
import { readTopologyTransaction } from '../../../src/ledger/topology/topology-reading.ts'
import type { Signer } from '../../../test/fixtures/signer.ts'
import {
  decentralizedNamespace,
  namespaceDelegation,
  partyHostingLimits,
  partyToKeyMapping,
  partyToParticipant,
  permission,
  transaction,
} from '../../../test/fixtures/topology.ts'
import { bytesDecoder } from '../decoder.ts'

/** One public key of each kind, constant so that a seed repeats a run. The private keys were discarded. */
const publicKeys: Readonly<Record<SigningKeySpec, string>> = {
  SIGNING_KEY_SPEC_EC_CURVE25519: 'MCowBQYDK2VwAyEAg+g4DNYmXWqEk0tVWUr3StNed+EYPEMPWUzlMeq9O7o=',
  SIGNING_KEY_SPEC_EC_P256:
    'MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAES3yIc7wfnMNEaLKc8khJaMPWr057quWsQJB5XzSpi1ASPZ/uf7RBcK46zVgOoU9LaM/WF25GYb4jMARZj6WX1g==',
  SIGNING_KEY_SPEC_EC_P384:
    'MHYwEAYHKoZIzj0CAQYFK4EEACIDYgAEu+IaI7CweoW35c1rHTYAWlDAYtXb9mXM3JA091/9iF8Pa3bgdCJ0v0VkShNmm8AW8bKf2U8y0FLJ+6AnVkZ0/2eMRvPVAUTjkVq+JFoW489Yft9Ao2VF7/fKEh2unJ5X',
  SIGNING_KEY_SPEC_EC_SECP256K1:
    'MFYwEAYHKoZIzj0CAQYFK4EEAAoDQgAEHsMO+g6rS9iXK456GEVkom0EZBwD+KBaPk0dwslk+jxoVNnh5nMA6jKDE/STRi3SG6BT9AsoAPTsVbeP6E++Tg==',
}
const keySpecs = Object.keys(publicKeys) as SigningKeySpec[]
const keyFormats: readonly KeyFormat[] = [
  'CRYPTO_KEY_FORMAT_DER_X509_SUBJECT_PUBLIC_KEY_INFO',
  'CRYPTO_KEY_FORMAT_RAW',
  'CRYPTO_KEY_FORMAT_DER',
  'CRYPTO_KEY_FORMAT_DER_PKCS8_PRIVATE_KEY_INFO',
]

const signers: readonly Signer[] = keySpecs.map((keySpec) => {
  const keyData = Buffer.from(publicKeys[keySpec], 'base64')
  const format = 'CRYPTO_KEY_FORMAT_DER_X509_SUBJECT_PUBLIC_KEY_INFO'
  const publicKey = { format, keyData: publicKeys[keySpec], keySpec }
  const sign = () => {
    throw new Error('nobody has the private key')
  }
  return { keySpec, keyData, fingerprint: fingerprintOf(keySpec, keyData), publicKey, sign }
})

export const topologyTransactions = bytesDecoder({
  name: 'topology transactions',
  corpus: () =>
    signers.flatMap((signer) => {
      const party = `alice::${signer.fingerprint}`
      const participant = `participant::${signer.fingerprint}`
      const hosts = [[participant, permission.confirmation] as const]
      const keys = signers.map((one) => ({ signer: one }))
      return [
        transaction(partyToParticipant({ party, hosts })),
        transaction(partyToParticipant({ party, hosts, keys, keyThreshold: 2 })),
        transaction(namespaceDelegation(signer.fingerprint, { signer })),
        transaction(namespaceDelegation(signer.fingerprint, { signer }, 6)),
        transaction(decentralizedNamespace(signer.fingerprint, 1, [signer.fingerprint])),
        transaction(partyToKeyMapping(party, 1, keys)),
        transaction(partyHostingLimits(party), { operation: 2, serial: 3 }),
      ]
    }),
  async read(input) {
    const found = await readTopologyTransaction(input)
    return 'refused' in found ? undefined : true
  },
  isRefusal: () => false, // Refusals are return values here.
})

/** The first byte chooses the kind of key, the second its format. */
export const publicKeyBytes = bytesDecoder({
  name: 'public keys',
  corpus: () => signers.map(({ keyData }, number) => Buffer.concat([Buffer.of(number, 0), keyData])),
  async read(input) {
    const keySpec = keySpecs[(input[0] ?? 0) % keySpecs.length]!
    const format = keyFormats[(input[1] ?? 0) % keyFormats.length]!
    const found = await readSigningKey({ keySpec, format, keyData: input.subarray(2) })
    return 'refused' in found ? undefined : true
  },
  isRefusal: () => false,
})

const algorithms = Object.keys(signingAlgorithms) as SigningAlgorithmSpec[]
const formats = Object.keys(signatureFormats) as SignatureFormat[]
const goodKeys = signers.map(({ keySpec, keyData }) => signingKeyFromStore(keySpec, keyData))
const derSignature = Buffer.from(
  `3044022${'01'.repeat(16)}0220${'02'.repeat(32)}0`.padEnd(140, '0').slice(0, 140),
  'hex',
)

/** Three bytes choose key, algorithm and format. No mutated input may verify. */
export const signatures = bytesDecoder({
  name: 'signatures',
  corpus: () =>
    goodKeys.flatMap((_, key) =>
      algorithms.flatMap((_, algorithm) =>
        [Buffer.alloc(64, 1), derSignature].map((bytes) =>
          Buffer.concat([Buffer.of(key, algorithm, algorithm === 0 ? 2 : 1), bytes]),
        ),
      ),
    ),
  read(input) {
    const key = goodKeys[(input[0] ?? 0) % goodKeys.length]!
    const signingAlgorithmSpec = algorithms[(input[1] ?? 0) % algorithms.length]!
    const format = formats[(input[2] ?? 0) % formats.length]!
    const signature = { format, signature: input.subarray(3), signedBy: key.fingerprint, signingAlgorithmSpec }
    const verdict = verifySignature(key, signature, Buffer.from('nobody signed this'))
    if (verdict === 'valid') throw new Error('a forged signature is accepted')
    return undefined
  },
  isRefusal: () => false,
})
