// Checks that everyone agrees to onboard a party. Mirrors how Canton's topology manager treats the transactions: first
// whether each makes sense, then, in order, whether each is authorized and fits the known ones.

import { shortHash } from '../../base/names.ts'
import type { SigningPublicKey } from '../keys/signing-keys.ts'
import { type Authority, type CertificateMapping, createAuthority, type Missing, targetOf } from './authorization.ts'
import type { Kept } from './kept-topology.ts'
import {
  type DecentralizedNamespaceDefinition,
  decentralizedNamespaceOf,
  type PartyToParticipant,
  type TopologyTransaction,
} from './mappings.ts'
import type { Onboarding } from './party-onboarding.ts'
import {
  allocationDetails,
  confirmingThresholdTooHigh,
  invalidMapping,
  missingAuthorization,
  partyIsParticipant,
  serialMismatch,
  signingThresholdTooHigh,
  unknownParticipants,
} from './rejections.ts'

type Participant = {
  readonly participantId: string
  readonly participantKey: SigningPublicKey
  /** Whether there is such a participant beside this one. */
  readonly isKnown: (participantId: string) => boolean
}

export type Authorization = {
  /** False for a proposal, which others have yet to agree to. */
  readonly isComplete: boolean
  /** The keys that have signed each transaction of the proposal by now. */
  readonly signers: readonly (readonly string[])[]
  readonly newCertificates: Kept['certificates']
}

/** Refuses what cannot be agreed to. */
export function authorize(onboarding: Onboarding, participant: Participant, kept: Kept): Authorization {
  const { delegations, decentralized, proposed, hosting, signingKeys, isComplete } = onboarding
  const { participantId, participantKey } = participant
  const { mapping } = hosting.transaction
  const details = allocationDetails(mapping.party, participantId)
  if (signingKeys.keys.length < signingKeys.threshold) {
    throw signingThresholdTooHigh(signingKeys.threshold, signingKeys.keys.length, details)
  }
  if (mapping.hosts.length < mapping.threshold) {
    throw confirmingThresholdTooHigh(mapping.threshold, mapping.hosts.length, details)
  }
  const { certificates, agreed } = kept
  const authority = createAuthority(
    participantKey,
    certificates.map((one) => one.mapping),
    agreed,
  )
  const newCertificates: TopologyTransaction<CertificateMapping>[] = []
  for (const sent of [...delegations, ...(decentralized ? [decentralized] : [])]) {
    if (isKnown(sent.transaction, [...certificates, ...newCertificates])) continue
    refuseIncomplete(authority.check(sent).missing)
    if (sent.transaction.mapping.kind === 'DecentralizedNamespaceDefinition') {
      checkOwners(sent.transaction.mapping, authority)
    }
    newCertificates.push(sent.transaction)
  }
  const checked = proposed.map((transaction, index) => authority.check(transaction, kept.signers[index]))
  if (isComplete) for (const { missing } of checked) refuseIncomplete(missing)
  checkHosts(mapping, participant)
  return {
    isComplete: checked.every(({ missing }) => isNone(missing)),
    signers: checked.map(({ signers }) => [...signers]),
    newCertificates,
  }
}

/** The same transaction, sent again. Refuses another one of the same mapping. */
function isKnown({ mapping, hash }: Kept['certificates'][0], known: Kept['certificates']): boolean {
  const same = known.find((one) => {
    return one.mapping.namespace === mapping.namespace && targetOf(one.mapping) === targetOf(mapping)
  })
  if (same !== undefined && !same.hash.equals(hash)) throw serialMismatch()
  return same !== undefined
}

const isNone = ({ namespaces, keys }: Missing): boolean => namespaces.length === 0 && keys.length === 0

function refuseIncomplete(missing: Missing): void {
  if (!isNone(missing)) throw missingAuthorization(missing.namespaces, missing.keys)
}

function checkOwners({ namespace, owners }: DecentralizedNamespaceDefinition, authority: Authority): void {
  if (decentralizedNamespaceOf(owners) !== namespace) {
    const names = owners.toSorted().map(shortHash).join(', ')
    throw invalidMapping(
      `The decentralized namespace ${shortHash(namespace)} is not derived from the owners List(${names})`,
    )
  }
  const unknown = owners.filter((owner) => !authority.hasRoot(owner))
  if (unknown.length === 0) return
  throw invalidMapping(`No root certificate found for ${unknown.toSorted().map(shortHash).join(', ')}`)
}

function checkHosts({ party, hosts }: PartyToParticipant, { participantId, isKnown }: Participant): void {
  if (party === participantId) throw partyIsParticipant(party, participantId)
  const unknown = hosts.map((host) => host.participantId).filter((id) => id !== participantId && !isKnown(id))
  if (unknown.length > 0) throw unknownParticipants(unknown)
}
