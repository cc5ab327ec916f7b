// The topology mappings of external parties: who controls a namespace, who hosts a party, and who signs for it. Names
// and numbers are those of Canton's topology.proto.
import { purposeHash, type SigningPublicKey } from '../keys/signing-keys.ts'

/** Numbers of SigningKeyUsage. */
export const keyUsages = { namespace: 1, identityDelegation: 2, sequencer: 3, protocol: 4, ownership: 5 } as const

export type MappedKey = SigningPublicKey & {
  /** In the order in which they are written. */
  readonly usages: readonly number[]
}

export type PartyKeySet = { readonly keys: readonly MappedKey[]; readonly threshold: number }

/** The values of ParticipantPermission, by number. */
export const permissions = ['Unspecified', 'Submission', 'Confirmation', 'Observation'] as const
export type Permission = 'Submission' | 'Confirmation' | 'Observation'

export type Host = { readonly participantId: string; readonly permission: Permission }

export type NamespaceDelegation = {
  readonly kind: 'NamespaceDelegation'
  readonly namespace: string
  readonly target: MappedKey
  /** Codes of the mappings that the key may sign. */
  readonly signs: 'all' | 'allButDelegations' | ReadonlySet<number>
}

export type DecentralizedNamespaceDefinition = {
  readonly kind: 'DecentralizedNamespaceDefinition'
  readonly namespace: string
  /** The number of owners that must sign. */
  readonly threshold: number
  readonly owners: readonly string[]
}

export type PartyToParticipant = {
  readonly kind: 'PartyToParticipant'
  readonly party: string
  readonly namespace: string
  /** The number of hosts that must confirm. */
  readonly threshold: number
  readonly hosts: readonly Host[]
  readonly signingKeys: PartyKeySet | undefined
}

/** How older clients name the signing keys of a party. */
export type PartyToKeyMapping = {
  readonly kind: 'PartyToKeyMapping'
  readonly party: string
  readonly namespace: string
  readonly signingKeys: PartyKeySet
}

export type Mapping =
  | NamespaceDelegation
  | DecentralizedNamespaceDefinition
  | PartyToParticipant
  | PartyToKeyMapping
  /** A mapping that onboarding does not use; only its name matters. */
  | { readonly kind: 'other'; readonly name: string }

/** Field numbers in the oneof of TopologyMapping. */
export const mappingFields = {
  NamespaceDelegation: 1,
  DecentralizedNamespaceDefinition: 3,
  PartyToParticipant: 9,
  PartyToKeyMapping: 16,
} as const

/** Numbers in TopologyMappingCode, by which delegations are restricted. */
export const mappingCodes = {
  NamespaceDelegation: 1,
  DecentralizedNamespaceDefinition: 3,
  PartyToParticipant: 9,
  PartyToKeyMapping: 18,
} as const

export type TopologyTransaction<M extends Mapping = Mapping> = {
  readonly isReplace: boolean
  readonly serial: number
  readonly mapping: M
  /** As received. */
  readonly bytes: Uint8Array
  /** The hash of the bytes, which is what is signed. */
  readonly hash: Buffer
}

const purposes = { transaction: 11, multiTransaction: 55, decentralizedNamespace: 37 } as const

export function transactionHash(bytes: Uint8Array): Buffer {
  return purposeHash(purposes.transaction, bytes)
}

/** One hash over all transactions, so that one signature is enough. */
export function multiHash(hashes: readonly Buffer[]): Buffer {
  const distinct = [...new Map(hashes.map((hash) => [hash.toString('hex'), hash])).values()].sort(Buffer.compare)
  return purposeHash(purposes.multiTransaction, int32(distinct.length), Buffer.concat(distinct.flatMap(withLength)))
}

/** The namespace that the owners control together. */
export function decentralizedNamespaceOf(owners: readonly string[]): string {
  const names = [...new Set(owners)].sort().map((owner) => Buffer.from(owner))
  return purposeHash(purposes.decentralizedNamespace, Buffer.concat(names.flatMap(withLength))).toString('hex')
}

const withLength = (bytes: Buffer): Buffer[] => [int32(bytes.length), bytes]

function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeInt32BE(value)
  return bytes
}
