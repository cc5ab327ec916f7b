// The transactions that onboard one external party: which belong together, and what they must not contain. Mirrors
// Canton's ExternalPartyOnboardingDetails, its order and its texts. Authorization is checked elsewhere.
import { invalidArgument } from '../../base/errors.ts'
import { shortHash, shortIdentifier } from '../../base/names.ts'
import type { Signature } from '../keys/signatures.ts'
import { isRoot, type SignableMapping, type SignedTransaction } from './authorization.ts'
import {
  type DecentralizedNamespaceDefinition,
  keyUsages,
  mappingFields,
  multiHash,
  type NamespaceDelegation,
  type PartyKeySet,
  type PartyToKeyMapping,
  type PartyToParticipant,
  type TopologyTransaction,
} from './mappings.ts'

export type SentTransaction = { readonly transaction: TopologyTransaction; readonly signatures: readonly Signature[] }

export type Onboarding = {
  /** Delegations of the party's namespace, or of its owners' namespaces. */
  readonly delegations: readonly SignedTransaction<NamespaceDelegation>[]
  readonly decentralized: SignedTransaction<DecentralizedNamespaceDefinition> | undefined
  /** Without signatures it is a proposal, which only the participant agrees to. */
  readonly hosting: SignedTransaction<PartyToParticipant>
  /** The hosting, and the mapping of the party's keys if there is one: others may sign them later. */
  readonly proposed: readonly SignedTransaction<PartyToParticipant | PartyToKeyMapping>[]
  readonly signingKeys: PartyKeySet
  /** Whether the client means to send every signature: then it is not just a proposal. */
  readonly isComplete: boolean
}

const ownersMax = 10

type Given = {
  readonly transactions: readonly SentTransaction[]
  /** Signatures of the hash over all transactions. */
  readonly multiSignatures: readonly Signature[]
  readonly participantId: string
}

export function createOnboarding({ transactions, multiSignatures, participantId }: Given): Onboarding {
  refuseOthers(transactions)
  const all = collectSignatures(transactions, multiSignatures)
  const signed = all.filter(({ signatures }) => signatures.size > 0)
  const hosting =
    single(ofKind(signed, 'PartyToParticipant'), classOf('PartyToParticipant')) ??
    single(ofKind(all, 'PartyToParticipant'), 'PartyToParticipant')
  if (hosting === undefined) throw invalidArgument('One transaction of type PartyToParticipant must be provided, got 0')
  const { mapping } = hosting.transaction
  checkHosting(mapping, participantId)
  const keyMapping = single(ofKind(signed, 'PartyToKeyMapping'), classOf('PartyToKeyMapping'))
  if (keyMapping !== undefined) checkNamespace('PartyToKeyMapping', keyMapping.transaction.mapping, mapping)
  const signingKeys = chooseKeys(mapping, keyMapping?.transaction.mapping)
  const { delegations, decentralized } = findNamespace(signed, mapping)
  const isCentralized = decentralized === undefined && delegations.length > 0
  const isComplete = (isCentralized || hosting.signatures.has(mapping.namespace)) && mapping.hosts.length === 1
  const proposed = keyMapping === undefined ? [hosting] : [hosting, keyMapping]
  return { delegations, decentralized, hosting, proposed, signingKeys, isComplete }
}

function refuseOthers(transactions: readonly SentTransaction[]): void {
  const names = transactions.flatMap(({ transaction: { mapping } }) => (mapping.kind === 'other' ? [mapping.name] : []))
  if (names.length === 0) return
  const known = `Supported transactions are: ${Object.keys(mappingFields).join(', ')}`
  throw invalidArgument(`Unsupported transactions found: ${names.join(', ')}. ${known}`)
}

/** One signature per signer: one of the transaction alone is preferred to one of all of them. */
function collectSignatures(transactions: readonly SentTransaction[], multiSignatures: readonly Signature[]) {
  const all = multiHash(transactions.map(({ transaction }) => transaction.hash))
  return transactions.map(({ transaction, signatures }): SignedTransaction => {
    const { mapping, hash } = transaction as TopologyTransaction<SignableMapping>
    const collected = new Map<string, { signature: Signature; signed: Uint8Array }>()
    const offered = [
      ...signatures.map((signature) => ({ signature, signed: hash })),
      ...multiSignatures.map((signature) => ({ signature, signed: all })),
    ]
    for (const { signature, signed } of offered) {
      const { signedBy } = signature
      if (collected.has(signedBy)) continue
      if (mapping.kind === 'NamespaceDelegation' && mapping.namespace !== signedBy) continue
      collected.set(signedBy, { signature, signed })
    }
    return { transaction: transaction as TopologyTransaction<SignableMapping>, signatures: collected }
  })
}

function checkHosting({ hosts, namespace, signingKeys }: PartyToParticipant, participantId: string): void {
  const own = named(participantId)
  const submitting = hosts.filter(({ permission }) => permission === 'Submission')
  if (submitting.length > 0) {
    const nodes = submitting.map((host) => named(host.participantId)).join(', ')
    const text = 'The PartyToParticipant transaction must not contain any node with Submission permission.'
    throw invalidArgument(`${text} Nodes with submission permission: ${nodes}`)
  }
  const [only] = hosts
  if (only !== undefined && hosts.length === 1) {
    const isHere = only.participantId === participantId && only.permission === 'Confirmation'
    const host = named(only.participantId)
    if (!isHere) {
      throw invalidArgument(
        `The party is to be hosted on a single participant (${host}) that is not this participant (${own}). ` +
          `Submit the allocation request on ${host} instead.`,
      )
    }
  }
  if (!hosts.some(({ permission }) => permission === 'Confirmation')) {
    const text = 'The PartyToParticipant transaction must contain at least one node with Confirmation permission'
    throw invalidArgument(text)
  }
  const keys = signingKeys?.keys ?? []
  const { namespace: ruling, protocol } = keyUsages
  if (!keys.every(({ usages }) => usages.includes(protocol))) {
    throw invalidArgument('Missing Protocol usage on signing keys')
  }
  const rulingKey = keys.find(({ fingerprint }) => fingerprint === namespace)
  if (rulingKey !== undefined && !rulingKey.usages.includes(ruling)) {
    throw invalidArgument('Missing Namespace and Protocol usage on the party namespace key')
  }
  if (hosts.some((host) => host.participantId === participantId)) return
  throw invalidArgument('This node is not hosting the party either with Confirmation or Observation permission.')
}

function chooseKeys(hosting: PartyToParticipant, keyMapping: PartyToKeyMapping | undefined): PartyKeySet {
  const keys = hosting.signingKeys ?? keyMapping?.signingKeys
  if (keys !== undefined && (hosting.signingKeys === undefined || keyMapping === undefined)) return keys
  throw invalidArgument(
    'Party signing keys must be supplied either in the PartyToParticipant or in a PartyToKeyMapping transaction. ' +
      'Not in both.',
  )
}

/** A namespace of several owners with their delegations, or one delegation, or nothing. */
function findNamespace(signed: readonly SignedTransaction[], hosting: PartyToParticipant) {
  const delegations = ofKind(signed, 'NamespaceDelegation')
  const kind = 'DecentralizedNamespaceDefinition'
  const decentralized = single(ofKind(signed, kind), classOf(kind))
  if (decentralized === undefined) {
    const only = single(delegations, classOf('NamespaceDelegation'))
    if (only !== undefined && !isRoot(only.transaction.mapping)) {
      throw invalidArgument(
        'NamespaceDelegation is not a root namespace. Ensure the namespace and target key are the same',
      )
    }
    if (only !== undefined) checkNamespace('Party', only.transaction.mapping, hosting)
    return { delegations, decentralized }
  }
  const { owners } = decentralized.transaction.mapping
  const ofOwners = delegations.filter(({ transaction }) => owners.includes(transaction.mapping.namespace))
  if (ofOwners.length > ownersMax) {
    const limit = `more than ${ownersMax} individual namespace owners, got ${ofOwners.length}`
    throw invalidArgument(`Decentralized namespaces cannot have ${limit}`)
  }
  checkNamespace('Party', decentralized.transaction.mapping, hosting)
  return { delegations: ofOwners, decentralized }
}

function checkNamespace(what: string, { namespace }: { readonly namespace: string }, hosting: PartyToParticipant) {
  if (namespace === hosting.namespace) return
  throw invalidArgument(
    `The ${what} namespace (${shortHash(namespace)}) does not match the PartyToParticipant namespace ` +
      `(${shortHash(hosting.namespace)})`,
  )
}

function ofKind<K extends SignableMapping['kind']>(
  transactions: readonly SignedTransaction[],
  kind: K,
): SignedTransaction<Extract<SignableMapping, { kind: K }>>[] {
  const found = transactions.filter(({ transaction }) => transaction.mapping.kind === kind)
  return found as SignedTransaction<Extract<SignableMapping, { kind: K }>>[]
}

function single<T>(found: readonly T[], type: string): T | undefined {
  if (found.length <= 1) return found[0]
  throw invalidArgument(`Only one transaction of type ${type} can be provided, got ${found.length}`)
}

/** Canton's class names, for errors about too many transactions of a kind. */
const classOf = (kind: SignableMapping['kind']): string => `com.digitalasset.canton.topology.transaction.${kind}`

const named = (participantId: string): string => `PAR::${shortIdentifier(participantId)}`
