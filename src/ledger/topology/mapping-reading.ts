// The mappings of external parties from protobuf. Check order and texts are those of Canton's TopologyMapping.scala.
import { fingerprintProblem, type NameProblem, shortHash, uniqueIdentifierProblem } from '../../base/names.ts'
import { LooseMessage } from '../../protobuf/loose-message.ts'
import { notSet, positive, TopologyFormatError, unrecognized } from './format-error.ts'
import { readKey } from './key-reading.ts'
import {
  type DecentralizedNamespaceDefinition,
  type Host,
  keyUsages,
  type MappedKey,
  mappingCodes,
  type NamespaceDelegation,
  type PartyKeySet,
  type PartyToKeyMapping,
  type PartyToParticipant,
  type Permission,
  permissions,
} from './mappings.ts'

/** Keys that may sign for a party. */
const keysMax = 20

/** Owners of a namespace. The certificates of all of them are looked up. */
const ownersMax = 25

export async function namespaceDelegation(message: LooseMessage): Promise<NamespaceDelegation> {
  const namespace = message.text(1)
  refuse(fingerprintProblem(namespace))
  const targetMessage = message.message(2)
  if (targetMessage === undefined) throw notSet('target_key')
  const target = await readKey(targetMessage)
  const signs = restrictionOf(message)
  if (!target.usages.includes(keyUsages.namespace)) {
    throw new TopologyFormatError(`The key ${shortHash(target.fingerprint)} must include a namespace usage.`)
  }
  const delegation: NamespaceDelegation = { kind: 'NamespaceDelegation', namespace, target, signs }
  if (namespace === target.fingerprint && !maySign(delegation, 'NamespaceDelegation')) {
    throw new TopologyFormatError(
      `Root certificate for ${shortHash(namespace)} needs to be be able to sign other NamespaceDelegations`,
    )
  }
  return delegation
}

export function maySign({ signs }: NamespaceDelegation, kind: keyof typeof mappingCodes): boolean {
  if (signs === 'all') return true
  return signs === 'allButDelegations' ? kind !== 'NamespaceDelegation' : signs.has(mappingCodes[kind])
}

function restrictionOf(message: LooseMessage): NamespaceDelegation['signs'] {
  const isRoot = message.int(3) !== 0
  const restriction = message.choice([4, 5, 6])
  if (restriction === undefined) return isRoot ? 'all' : 'allButDelegations'
  const codes = restriction === 6 ? message.message(6)!.ints(1) : undefined
  if (codes?.length === 0) throw notSet('Sequence mappings not set or empty')
  if (isRoot) {
    const reason = 'was set to true, but the list of mapping restrictions did not contain NamespaceDelegation'
    throw new TopologyFormatError(`Invariant violation in field \`is_root_delegation\`: is_root_delegation ${reason}`)
  }
  if (codes !== undefined) return new Set(codes)
  return restriction === 4 ? 'all' : 'allButDelegations'
}

export function decentralizedMapping(message: LooseMessage): DecentralizedNamespaceDefinition {
  const namespace = message.text(1)
  refuse(fingerprintProblem(namespace))
  const threshold = positive(message.int(2), 'threshold')
  const owners = [...new Set(message.texts(3))]
  if (owners.length > ownersMax) {
    throw new TopologyFormatError(`At most ${ownersMax} owner(s) can be specified, got ${owners.length}.`)
  }
  for (const owner of owners) refuse(fingerprintProblem(owner))
  if (owners.length === 0) throw new TopologyFormatError('Invariant violation in field `owners`: cannot be empty')
  if (owners.length < threshold) {
    const words = `for ${shortHash(namespace)} with ${owners.length} owners`
    throw new TopologyFormatError(`Invalid threshold (${threshold}) ${words}`)
  }
  return { kind: 'DecentralizedNamespaceDefinition', namespace, threshold, owners }
}

export async function partyToParticipant(message: LooseMessage): Promise<PartyToParticipant> {
  const { party, namespace } = partyOf(message)
  const threshold = positive(message.int(2), 'threshold')
  const hosts = distinctHosts(message.messages(3).map(hostFrom))
  const keySet = message.message(6)
  const signingKeys = keySet && (await keySetFrom(keySet))
  return { kind: 'PartyToParticipant', party, namespace, threshold, hosts, signingKeys }
}

async function keySetFrom(message: LooseMessage): Promise<PartyKeySet> {
  const encoded = message.messages(1)
  if (encoded.length === 0) throw notSet('Sequence keys not set or empty')
  checkKeyCount(encoded.length, 'Invalid PartyToParticipant: ')
  const keys = await readKeys(encoded)
  const threshold = positive(message.int(2), 'threshold')
  const fingerprints = new Set(keys.map(({ fingerprint }) => fingerprint))
  if (fingerprints.size < keys.length) {
    const repeated = [...fingerprints].filter((one) => keys.filter((key) => key.fingerprint === one).length > 1)
    const words = `Duplicate keys: List(${repeated.map(shortHash).join(', ')})`
    throw new TopologyFormatError(`All signing keys must be unique. ${words}`)
  }
  return { keys, threshold }
}

export async function partyToKeyMapping(message: LooseMessage): Promise<PartyToKeyMapping> {
  const { party, namespace } = partyOf(message)
  const encoded = message.messages(4)
  if (encoded.length === 0) throw notSet('Sequence signing_keys not set or empty')
  checkKeyCount(encoded.length, '')
  const keys = new Map((await readKeys(encoded)).map((key) => [key.fingerprint, key]))
  const threshold = positive(message.int(3), 'threshold')
  return { kind: 'PartyToKeyMapping', party, namespace, signingKeys: { keys: [...keys.values()], threshold } }
}

function partyOf(message: LooseMessage): { party: string; namespace: string } {
  const party = message.text(1)
  refuse(uniqueIdentifierProblem(party), 'party')
  return { party, namespace: party.slice(party.indexOf('::') + 2) }
}

function hostFrom(bytes: Uint8Array): Host {
  const message = new LooseMessage(bytes, 'TopologyMapping')
  const participantId = message.text(1).replace(/^PAR::/, '') // An older format.
  refuse(uniqueIdentifierProblem(participantId), 'participant_uid')
  const permission = permissions[message.int(2)]
  if (permission === undefined) throw unrecognized('UNRECOGNIZED', message.int(2))
  if (permission === 'Unspecified') throw notSet('PARTICIPANT_PERMISSION_UNSPECIFIED')
  return { participantId, permission }
}

/** A participant listed several times has the highest of its permissions. */
function distinctHosts(hosts: readonly Host[]): Host[] {
  const rank = (permission: Permission) => permissions.indexOf(permission)
  const byId = new Map<string, Host>()
  for (const host of hosts) {
    const known = byId.get(host.participantId)
    if (known === undefined || rank(host.permission) < rank(known.permission)) byId.set(host.participantId, host)
  }
  return [...byId.values()]
}

/** Checked before the keys are read, which takes time. */
function checkKeyCount(count: number, prefix: string): void {
  if (count <= keysMax) return
  throw new TopologyFormatError(`${prefix}At most ${keysMax} key(s) can be specified, got ${count}.`)
}

async function readKeys(encoded: readonly Uint8Array[]): Promise<MappedKey[]> {
  const keys: MappedKey[] = []
  for (const bytes of encoded) keys.push(await readKey(new LooseMessage(bytes, 'TopologyMapping')))
  return keys
}

function refuse(problem: NameProblem, field?: string): void {
  if (problem === undefined) return
  throw new TopologyFormatError(field === undefined ? problem : `Unable to convert field \`${field}\`: ${problem}`)
}
