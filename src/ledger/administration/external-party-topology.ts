// Generates the topology of an external party. Checks, their order and error texts mirror Canton's
// generateExternalPartyTopology.
import { invalidArgument } from '../../base/errors.ts'
import { partyHintProblem, partyProblem, shortIdentifier, uniqueIdentifierProblem } from '../../base/names.ts'
import { type KeyFormat, readSigningKey, type SigningKeySpec } from '../keys/signing-keys.ts'
import type { Synchronizers } from '../model/synchronizers.ts'
import { type Host, keyUsages, multiHash, type PartyToParticipant, transactionHash } from '../topology/mappings.ts'
import { onboardingTransaction } from '../topology/topology-writing.ts'

export type SentKey = {
  readonly format: KeyFormat | 'CRYPTO_KEY_FORMAT_UNSPECIFIED'
  readonly keyData: Uint8Array
  readonly keySpec: SigningKeySpec | 'SIGNING_KEY_SPEC_UNSPECIFIED'
}

export type TopologyRequest = {
  readonly synchronizer: string
  readonly partyHint: string
  readonly publicKey: SentKey | undefined
  readonly localParticipantObservationOnly: boolean
  readonly otherConfirmingParticipantUids: readonly string[]
  /** 0 means all confirming participants. */
  readonly confirmationThreshold: number
  readonly observingParticipantUids: readonly string[]
}

export type GeneratedTopology = {
  readonly partyId: string
  readonly publicKeyFingerprint: string
  readonly topologyTransactions: readonly Uint8Array[]
  /** The hash to sign. */
  readonly multiHash: Uint8Array
}

type Parts = { readonly participantId: string; readonly synchronizers: Synchronizers }

/** In Canton's order, which is part of the signed bytes. */
const usages = [keyUsages.namespace, keyUsages.ownership, keyUsages.protocol]

export async function generateTopology(request: TopologyRequest, parts: Parts): Promise<GeneratedTopology> {
  const key = await readKey(request.publicKey)
  checkSynchronizer(request.synchronizer, parts.synchronizers)
  if (request.partyHint === '') throw invalidArgument('Party hint is empty')
  refuse(partyProblem(request.partyHint), 'party_hint: ')
  refuse(partyHintProblem(request.partyHint), request.partyHint.includes('::') ? 'party_hint: ' : '')
  if (request.confirmationThreshold < 0) throw invalidArgument('Negative confirmation threshold observed')
  const { hosts, threshold } = hostsOf(request, parts.participantId)
  const mapping: PartyToParticipant = {
    kind: 'PartyToParticipant',
    party: `${request.partyHint}::${key.fingerprint}`,
    namespace: key.fingerprint,
    threshold,
    hosts,
    signingKeys: { keys: [{ ...key, usages }], threshold: 1 },
  }
  const transaction = onboardingTransaction(mapping)
  return {
    partyId: mapping.party,
    publicKeyFingerprint: key.fingerprint,
    topologyTransactions: [transaction],
    multiHash: multiHash([transactionHash(transaction)]),
  }
}

async function readKey(sent: SentKey | undefined) {
  if (sent === undefined) throw invalidArgument('Field `public_key` is not set')
  const { format, keyData, keySpec } = sent
  if (format === 'CRYPTO_KEY_FORMAT_UNSPECIFIED') throw invalidArgument('Field `format` is not set')
  if (keySpec === 'SIGNING_KEY_SPEC_UNSPECIFIED') throw invalidArgument('Field `key_spec and scheme` is not set')
  const key = await readSigningKey({ format, keyData, keySpec })
  if ('refused' in key) throw invalidArgument(key.refused)
  return key
}

function checkSynchronizer(id: string, synchronizers: Synchronizers): void {
  refuse(uniqueIdentifierProblem(id))
  if (synchronizers.byId(id) !== undefined) return
  throw invalidArgument(`Unknown or not connected synchronizer ${shortIdentifier(id)}`)
}

function hostsOf(request: TopologyRequest, participantId: string): { hosts: Host[]; threshold: number } {
  const { otherConfirmingParticipantUids: confirming, observingParticipantUids: observing } = request
  for (const id of [...confirming, ...observing]) refuse(uniqueIdentifierProblem(id))
  refuseOwn(confirming, 'otherConfirmingParticipantUids', participantId)
  refuseOwn(observing, 'observingParticipantUids', participantId)
  refuseRepeated([...confirming, ...observing])
  const isConfirming = !request.localParticipantObservationOnly
  const confirmers = (isConfirming ? 1 : 0) + confirming.length
  if (request.confirmationThreshold > confirmers) {
    throw invalidArgument('Confirmation threshold exceeds number of confirming participants')
  }
  if (confirmers === 0) throw invalidArgument('There is no confirming participant')
  const hosts: Host[] = [
    { participantId, permission: isConfirming ? 'Confirmation' : 'Observation' },
    ...confirming.map((id): Host => ({ participantId: id, permission: 'Confirmation' })),
    ...observing.map((id): Host => ({ participantId: id, permission: 'Observation' })),
  ]
  return { hosts, threshold: request.confirmationThreshold || confirmers }
}

function refuseOwn(ids: readonly string[], field: string, participantId: string): void {
  if (!ids.includes(participantId)) return
  throw invalidArgument(
    `This participant node (PAR::${shortIdentifier(participantId)}) is also listed in '${field}'. By sending the request ` +
      `to this node, it is de facto a hosting node and must not be listed in '${field}'.`,
  )
}

function refuseRepeated(ids: readonly string[]): void {
  const seen = new Set<string>()
  const repeated = new Set(ids.filter((id) => seen.size === seen.add(id).size))
  if (repeated.size === 0) return
  throw invalidArgument(
    `The following participant IDs are referenced multiple times in the request: ` +
      `${[...repeated].map(shortIdentifier).join(', ')}. Please ensure all IDs are referenced only once across ` +
      `'otherConfirmingParticipantUids' and 'observingParticipantUids' fields.`,
  )
}

function refuse(problem: string | undefined, prefix = ''): void {
  if (problem !== undefined) throw invalidArgument(`${prefix}${problem}`)
}
