// Checks that signatures authorize a topology transaction. Mirrors Canton's TopologyTransactionAuthorizationValidator
// for a transaction that is the first of its mapping: everyone it concerns must sign, at once or one after the other.
import { type Signature, verifySignature } from '../keys/signatures.ts'
import type { SigningPublicKey } from '../keys/signing-keys.ts'
import { maySign } from './mapping-reading.ts'
import {
  type DecentralizedNamespaceDefinition,
  keyUsages,
  type MappedKey,
  type NamespaceDelegation,
  type PartyKeySet,
  type PartyToKeyMapping,
  type PartyToParticipant,
  type TopologyTransaction,
} from './mappings.ts'
import { invalidSignature, missingDelegation } from './rejections.ts'

export type SignableMapping =
  | NamespaceDelegation
  | DecentralizedNamespaceDefinition
  | PartyToParticipant
  | PartyToKeyMapping

export type SignedTransaction<M extends SignableMapping = SignableMapping> = {
  readonly transaction: TopologyTransaction<M>
  /** One per signer, with the hash that it signs: the transaction's own or that of several. */
  readonly signatures: ReadonlyMap<string, { readonly signature: Signature; readonly signed: Uint8Array }>
}

export type CertificateMapping = NamespaceDelegation | DecentralizedNamespaceDefinition

/** Missing signatures: of namespaces, and of keys whose possession must be proved. */
export type Missing = { readonly namespaces: readonly string[]; readonly keys: readonly string[] }

type Signers = ReadonlySet<string>
const nobody: Signers = new Set()

export type Authority = ReturnType<typeof createAuthority>

/**
 * Starts with the participant, which signs whatever concerns it, as others that have agreed did, and with known
 * certificates; learns the namespaces of accepted transactions.
 */
export function createAuthority(
  participantKey: SigningPublicKey,
  known: readonly CertificateMapping[],
  agreed: ReadonlySet<string>,
) {
  const ownNamespace = participantKey.fingerprint
  const delegations = new Map<string, NamespaceDelegation[]>()
  const decentralized = new Map<string, DecentralizedNamespaceDefinition>()
  for (const mapping of known) learn(mapping)

  /**
   * Refuses wrong signatures; returns the missing ones and who has signed, and learns from a transaction that misses
   * none. `earlier` are keys whose signatures of the transaction were checked before.
   */
  function check(signed: SignedTransaction, earlier: Signers = nobody): { missing: Missing; signers: Signers } {
    const { mapping } = signed.transaction
    const keys =
      mapping.kind === 'NamespaceDelegation' && isRoot(mapping)
        ? new Map([[mapping.namespace, mapping.target]])
        : usableKeys(signed)
    verify(signed, keys)
    const signers = earlier.union(keys)
    const missing = missingFrom(mapping, signers)
    if (missing.namespaces.length === 0 && missing.keys.length === 0) learn(mapping)
    return { missing, signers }
  }

  function learn(mapping: SignableMapping): void {
    if (mapping.kind === 'DecentralizedNamespaceDefinition') decentralized.set(mapping.namespace, mapping)
    if (mapping.kind !== 'NamespaceDelegation') return
    delegations.set(mapping.namespace, [...(delegations.get(mapping.namespace) ?? []), mapping])
  }

  /** The keys whose signatures count for the transaction. Others are ignored, unless there are only others. */
  function usableKeys(signed: SignedTransaction): Map<string, MappedKey> {
    const { mapping } = signed.transaction
    const concerned = [...namespacesOf(mapping).flatMap((name) => keysOf(name, mapping.kind)), ...keysIn(mapping)]
    const used = concerned.filter(({ fingerprint }) => signed.signatures.has(fingerprint))
    if (used.length === 0 && !isOwnConcern(mapping)) throw missingDelegation([...signed.signatures.keys()])
    return new Map(used.map((key) => [key.fingerprint, key]))
  }

  function missingFrom(mapping: SignableMapping, signers: Signers): Missing {
    const namespaces = namespacesOf(mapping).filter((name) => !isAuthorized(name, mapping, signers))
    const keys = keysIn(mapping).map(({ fingerprint }) => fingerprint)
    return { namespaces, keys: keys.filter((key) => !signers.has(key)) }
  }

  function isAuthorized(name: string, mapping: SignableMapping, signers: Signers): boolean {
    if (name === ownNamespace || agreed.has(name)) return true
    const group = decentralized.get(name)
    if (group !== undefined) {
      return group.owners.filter((owner) => isAuthorized(owner, mapping, signers)).length >= group.threshold
    }
    if (mapping.kind === 'NamespaceDelegation' && isRoot(mapping)) return true
    const ruling = [...keysOf(name, mapping.kind), ...keysIn(mapping).filter((key) => key.fingerprint === name)]
    return ruling.some(({ fingerprint }) => signers.has(fingerprint))
  }

  /** The known keys that may sign for a namespace. */
  function keysOf(name: string, kind: SignableMapping['kind']): MappedKey[] {
    if (name === ownNamespace) return [{ ...participantKey, usages: [keyUsages.namespace] }]
    const group = decentralized.get(name)
    if (group !== undefined) return group.owners.flatMap((owner) => keysOf(owner, kind))
    return (delegations.get(name) ?? []).filter((one) => maySign(one, kind)).map(({ target }) => target)
  }

  /** The participant adds its own signature to parties it hosts. */
  const isOwnConcern = (mapping: SignableMapping): boolean => namespacesOf(mapping).includes(ownNamespace)

  return {
    check,
    /** Whether the namespace has a root certificate. */
    hasRoot: (name: string): boolean =>
      name === ownNamespace || (delegations.get(name) ?? []).some((delegation) => isRoot(delegation)),
  }
}

export function isRoot(delegation: NamespaceDelegation): boolean {
  return delegation.target.fingerprint === delegation.namespace && maySign(delegation, 'NamespaceDelegation')
}

/** The key that a certificate is about; empty for a namespace of several owners. */
export function targetOf(mapping: CertificateMapping): string {
  return mapping.kind === 'NamespaceDelegation' ? mapping.target.fingerprint : ''
}

function verify({ transaction, signatures }: SignedTransaction, keys: ReadonlyMap<string, MappedKey>): void {
  for (const [fingerprint, key] of keys) {
    const { signature, signed } = signatures.get(fingerprint)!
    const isAllowed = usagesFor(transaction.mapping, fingerprint).some((usage) => key.usages.includes(usage))
    if (!isAllowed || verifySignature(key, signature, signed) !== 'valid') throw invalidSignature()
  }
}

/** A mapped key only proves possession; a key that controls a namespace needs the namespace usage. */
function usagesFor(mapping: SignableMapping, fingerprint: string): readonly number[] {
  const isMapped = keysIn(mapping).some((key) => key.fingerprint === fingerprint)
  const rules = 'namespace' in mapping && mapping.namespace === fingerprint
  return isMapped && !rules ? [keyUsages.namespace, keyUsages.ownership] : [keyUsages.namespace]
}

/** The namespaces that must agree. */
function namespacesOf(mapping: SignableMapping): string[] {
  if (mapping.kind === 'DecentralizedNamespaceDefinition') return [...mapping.owners]
  if (mapping.kind !== 'PartyToParticipant') return [mapping.namespace]
  const hosts = mapping.hosts.map(({ participantId }) => namespaceOf(participantId))
  return [...new Set([mapping.namespace, ...hosts])]
}

export const namespaceOf = (participantId: string): string => participantId.slice(participantId.indexOf('::') + 2)

function keysIn(mapping: SignableMapping): readonly MappedKey[] {
  const keySet: PartyKeySet | undefined = 'signingKeys' in mapping ? mapping.signingKeys : undefined
  return keySet?.keys ?? []
}
