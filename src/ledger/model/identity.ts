// This participant's identity: an Ed25519 key made at first start, its fingerprint as namespace, and the ids built on
// it. If the private key is kept outside the database (participant-key.ts), the database holds only the public key.
// Nothing is signed with it here: external parties are told the public key.
import type { KeyObject } from 'node:crypto'
import { StartError, storedDataDamaged } from '../../base/errors.ts'
import { type Random, randomAbout } from '../../base/random.ts'
import type { Settings } from '../../base/settings.ts'
import type { Records, Store } from '../../store/core/store.ts'
import {
  identityOfPublicKey,
  isKeyOutside,
  keyFromSeed,
  type PublicIdentity,
  publicIdentityOf,
  readOutsideKey,
  writeKeyFile,
} from '../keys/participant-key.ts'

export type Identity = PublicIdentity & {
  /** `name::fingerprint`. */
  readonly participantId: string
  /** Whether the database holds the private key. */
  readonly isKeyInside: boolean
}

const names = { id: 'participant-id', key: 'participant-key', publicKey: 'participant-public-key' } as const

export const identityName = 'the identity of the participant'

/** Loads the stored identity, or creates and stores one. The name counts only for a new one. */
export async function loadIdentity(store: Store, random: Random, settings: Settings['participant']): Promise<Identity> {
  const known = await readIdentity(store)
  const outside = outsideKey(settings, random, known === undefined)
  if (known !== undefined) return checked(known, outside)
  return store.transaction(async (records) => {
    const sibling = await readIdentity(records) // Another node over the same database may have been faster.
    if (sibling !== undefined) return checked(sibling, outside)
    if ((await records.state.get()).end > 0n) throw storedDataDamaged(identityName)
    const seed = randomAbout(random, () => 'participant').bytes(32)
    const identity = publicIdentityOf(outside ?? keyFromSeed(seed))
    const participantId = `${settings.name}::${identity.namespace}`
    if (outside === undefined) await records.node.insert(names.key, seed)
    else await records.node.insert(names.publicKey, identity.publicKey)
    await records.node.insert(names.id, Buffer.from(participantId))
    return { participantId, ...identity, isKeyInside: outside === undefined }
  })
}

/** Throws if a node with these settings cannot be the participant of the ledger in `records`. */
export async function checkIdentity(records: Records, settings: Settings['participant']): Promise<void> {
  const known = await readIdentity(records)
  if (known === undefined) throw new StartError('it has no participant')
  checked(known, isKeyOutside(settings) ? readOutsideKey(settings) : undefined)
}

export async function readIdentity(records: Pick<Records, 'node'>): Promise<Identity | undefined> {
  const stored = await records.node.getAll(Object.values(names)) // Another node may store them meanwhile.
  const [id, seed] = [stored.get(names.id), stored.get(names.key)]
  const key = seed ?? stored.get(names.publicKey)
  if (id === undefined && key === undefined) return undefined
  if (id === undefined || key === undefined) throw storedDataDamaged(identityName)
  const identity = seed === undefined ? identityOfPublicKey(key) : publicIdentityOf(keyFromSeed(seed))
  return { participantId: Buffer.from(id).toString(), ...identity, isKeyInside: seed !== undefined }
}

/** Moves the key from the database to a file, unless it is there already; returns the participant id. */
export async function moveKeyToFile(store: Store, file: string, passphrase: string | undefined): Promise<string> {
  const identity = await readIdentity(store)
  if (identity === undefined) throw new StartError('there is no participant yet; start a node there first')
  const seed = await store.node.get(names.key)
  if (seed === undefined) throw new StartError('the database does not have the key: it was moved before')
  const written = readOutsideKey({
    name: '',
    keyFile: file,
    ...(passphrase !== undefined && { keyPassphrase: passphrase }),
  })
  if (written !== undefined) {
    checked(identity, written) // An earlier run was interrupted after it had written the file.
  } else if (!writeKeyFile(file, keyFromSeed(seed), passphrase)) {
    throw new StartError(`another process has just written ${file}`)
  }
  await dropKey(store, identity.participantId)
  return identity.participantId
}

/** Deletes the key of this participant, if the database holds it. */
export async function dropKey(store: Store, participantId: string): Promise<void> {
  const identity = await readIdentity(store)
  if (identity?.participantId !== participantId || !identity.isKeyInside) return
  await store.transaction(async (records) => {
    await records.node.put(names.publicKey, identity.publicKey)
    await records.node.delete(names.key)
  })
}

/** The key that the settings name. A new ledger creates its file. */
function outsideKey(settings: Settings['participant'], random: Random, isNew: boolean): KeyObject | undefined {
  if (!isKeyOutside(settings)) return undefined
  const known = readOutsideKey(settings)
  if (known !== undefined) return known
  const file = settings.keyFile!
  if (!isNew) throw new StartError(`there is no key in ${file}; tallystick key move takes it there`)
  const key = keyFromSeed(random.bytes(32))
  if (writeKeyFile(file, key, settings.keyPassphrase)) return key
  return outsideKey(settings, random, isNew) // Another node over the same database was faster.
}

/** A ledger belongs to the key whose fingerprint is in its ids. */
function checked(identity: Identity, outside: KeyObject | undefined): Identity {
  if (outside === undefined) {
    if (identity.isKeyInside) return identity
    throw new StartError('the key of this ledger is kept outside of it: set participant.keyFile or participant.key')
  }
  const { namespace } = publicIdentityOf(outside)
  if (namespace === identity.namespace) return identity
  throw new StartError(`the key has the fingerprint ${namespace}, and this ledger belongs to ${identity.namespace}`)
}
