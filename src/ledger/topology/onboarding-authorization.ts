// Checks that everyone agrees to onboard a party. Mirrors how Canton's topology manager treats the transactions: first
// whether each makes sense, then, in order, whether each is authorized and fits the known ones.

import { shortHash } from '../../base/names.ts'
import type { SigningPublicKey } from '../keys/signing-keys.ts'
import { type Authority, createAuthority, type SignedTransaction } from './authorization.ts'
import { type DecentralizedNamespaceDefinition, decentralizedNamespaceOf, type PartyToParticipant } from './mappings.ts'
import type { Onboarding } from './party-onboarding.ts'
import {
  allocationDetails,
  confirmingThresholdTooHigh,
  invalidMapping,
  missingAuthorization,
  partyIsParticipant,
  signingThresholdTooHigh,
  unknownParticipants,
} from './rejections.ts'

type Participant = { readonly participantId: string; readonly participantKey: SigningPublicKey }

/** False for a proposal, which others have yet to agree to. Refuses what cannot be agreed to. */
export function isAuthorized(onboarding: Onboarding, { participantId, participantKey }: Participant): boolean {
  const { delegations, decentralized, hosting, keyMapping, signingKeys, isComplete } = onboarding
  const { mapping } = hosting.transaction
  const details = allocationDetails(mapping.party, participantId)
  if (signingKeys.keys.length < signingKeys.threshold) {
    throw signingThresholdTooHigh(signingKeys.threshold, signingKeys.keys.length, details)
  }
  if (mapping.hosts.length < mapping.threshold) {
    throw confirmingThresholdTooHigh(mapping.threshold, mapping.hosts.length, details)
  }
  const authority = createAuthority(participantKey)
  for (const delegation of delegations) requireAll(delegation, authority)
  if (decentralized !== undefined) {
    requireAll(decentralized, authority)
    checkOwners(decentralized.transaction.mapping, authority)
  }
  const agreed = [hosting, ...(keyMapping ? [keyMapping] : [])].map((transaction) =>
    isComplete ? requireAll(transaction, authority) : agrees(transaction, authority),
  )
  checkHosts(mapping, participantId)
  return agreed.every(Boolean)
}

function agrees(transaction: SignedTransaction, authority: Authority): boolean {
  const { namespaces, keys } = authority.check(transaction)
  return namespaces.length === 0 && keys.length === 0
}

function requireAll(transaction: SignedTransaction, authority: Authority): true {
  const { namespaces, keys } = authority.check(transaction)
  if (namespaces.length === 0 && keys.length === 0) return true
  throw missingAuthorization(namespaces, keys)
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

/** The synchronizers inside this node have no other participant. */
function checkHosts({ party, hosts }: PartyToParticipant, participantId: string): void {
  if (party === participantId) throw partyIsParticipant(party, participantId)
  const unknown = hosts.map((host) => host.participantId).filter((id) => id !== participantId)
  if (unknown.length > 0) throw unknownParticipants(unknown)
}
