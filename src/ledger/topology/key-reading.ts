// A signing key from protobuf, with its usages. Mirrors fromProtoV30 of Canton's SigningPublicKey.
import type { LooseMessage } from '../../protobuf/loose-message.ts'
import { type KeyFormat, readSigningKey, type SigningKeySpec } from '../keys/signing-keys.ts'
import { notSet, TopologyFormatError, unrecognized } from './format-error.ts'
import { keyUsages, type MappedKey } from './mappings.ts'

const formats: Readonly<Record<number, KeyFormat>> = {
  2: 'CRYPTO_KEY_FORMAT_DER',
  3: 'CRYPTO_KEY_FORMAT_RAW',
  4: 'CRYPTO_KEY_FORMAT_DER_X509_SUBJECT_PUBLIC_KEY_INFO',
  5: 'CRYPTO_KEY_FORMAT_DER_PKCS8_PRIVATE_KEY_INFO',
}

const specs: Readonly<Record<number, SigningKeySpec>> = {
  1: 'SIGNING_KEY_SPEC_EC_CURVE25519',
  2: 'SIGNING_KEY_SPEC_EC_P256',
  3: 'SIGNING_KEY_SPEC_EC_P384',
  4: 'SIGNING_KEY_SPEC_EC_SECP256K1',
}

const { namespace, identityDelegation, ownership, protocol, sequencer } = keyUsages
const usagesOfOldKeys = [namespace, sequencer, protocol, ownership]
const usageWords: Readonly<Record<number, string>> = {
  [namespace]: 'namespace',
  [sequencer]: 'sequencer-auth',
  [protocol]: 'signing',
  [ownership]: 'proof-of-ownership',
}

export async function readKey(message: LooseMessage): Promise<MappedKey> {
  const formatNumber = message.int(2)
  if (formatNumber === 0) throw notSet('format')
  const format = formats[formatNumber]
  if (format === undefined) throw unrecognized('format', formatNumber)
  const keySpec = specOf(message)
  const usages = usagesOf(message)
  const key = await readSigningKey({ format, keyData: message.bytes(3) ?? new Uint8Array(), keySpec })
  if ('refused' in key) throw new TopologyFormatError(key.refused)
  return { ...key, usages }
}

function specOf(message: LooseMessage): SigningKeySpec {
  const scheme = message.int(4) // Older versions use this field, with the first three of the same numbers.
  const number = message.int(6) || scheme
  if (number === 0) throw notSet('key_spec and scheme')
  const spec = specs[number]
  if (spec === undefined) throw unrecognized(message.int(6) === 0 ? 'scheme' : 'key_spec', number)
  return spec
}

/** Keys without usages may do everything, like keys of older versions. */
function usagesOf(message: LooseMessage): readonly number[] {
  const given = message.ints(5)
  for (const usage of given) {
    if (usage === 0) throw notSet('usage')
    if (usage !== identityDelegation && usageWords[usage] === undefined) throw unrecognized('usage', usage)
  }
  const usages = [...new Set(given)].filter((usage) => usage !== identityDelegation)
  if (usages.length === 0) return usagesOfOldKeys
  const others = usages.filter((usage) => usage !== ownership && usage !== namespace)
  if (others.length > 0) return usages.includes(ownership) ? usages : [...usages, ownership]
  if (!usages.includes(ownership)) return usages
  const words = usages.map((usage) => usageWords[usage]).join(', ')
  throw new TopologyFormatError(`InvalidKeyUsage(usage = Set(${words}))`)
}
