// Who this participant is: an Ed25519 key made at first start, its fingerprint as namespace, and the ids built on it.
import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto'
import type { Random } from '../base/random.ts'
import { fingerprintOf } from '../base/signing-keys.ts'
import type { Records, Store } from '../store/store.ts'

export type Identity = {
  /** `name::fingerprint`. */
  readonly participantId: string
  /** `1220` and the SHA-256 of the public key, as Canton computes it. */
  readonly namespace: string
  readonly signingKey: KeyObject
}

const names = { id: 'participant-id', key: 'participant-key' } as const

/** The stored identity, or a new one stored now. The name counts only for a new one. */
export async function loadIdentity(store: Store, random: Random, name: string): Promise<Identity> {
  const known = await readIdentity(store)
  if (known !== undefined) return known
  return store.transaction(async (records) => {
    const sibling = await readIdentity(records) // A node over the same database may have been quicker.
    if (sibling !== undefined) return sibling
    const seed = random.bytes(32)
    const { signingKey, namespace } = namespaceOf(seed)
    const participantId = `${name}::${namespace}`
    await records.node.insert(names.key, seed)
    await records.node.insert(names.id, Buffer.from(participantId))
    return { participantId, namespace, signingKey }
  })
}

export async function readIdentity(records: Records): Promise<Identity | undefined> {
  const seed = await records.node.get(names.key)
  const id = await records.node.get(names.id)
  if (seed === undefined || id === undefined) return undefined
  return { participantId: Buffer.from(id).toString(), ...namespaceOf(seed) }
}

/** The key that a seed stands for, and the namespace it rules. */
export function namespaceOf(seed: Uint8Array): { readonly signingKey: KeyObject; readonly namespace: string } {
  const signingKey = keyFromSeed(seed)
  const publicKey = createPublicKey(signingKey).export({ format: 'der', type: 'spki' })
  return { signingKey, namespace: fingerprintOf('SIGNING_KEY_SPEC_EC_CURVE25519', publicKey) }
}

function keyFromSeed(seed: Uint8Array): KeyObject {
  const pkcs8Prefix = Buffer.from('302e020100300506032b657004220420', 'hex')
  return createPrivateKey({ key: Buffer.concat([pkcs8Prefix, seed]), format: 'der', type: 'pkcs8' })
}
