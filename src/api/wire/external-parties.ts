// External parties on the wire. Mirrors Canton's JsPartyManagementService.
import { type Static, Type } from 'typebox'
import type { AllocateExternalRequest } from '../../ledger/administration/external-parties.ts'
import type { GeneratedTopology, TopologyRequest } from '../../ledger/administration/external-party-topology.ts'
import { bytes, flag, int32, list, message, optional, text } from './schema.ts'
import { signature, signingPublicKey } from './signatures.ts'

export const generateTopologyRequest = message(
  'GenerateExternalPartyTopologyRequest',
  {
    synchronizer: text('The synchronizer to onboard the party on'),
    partyHint: text('The first part of the party id; the second is the fingerprint of the key'),
    publicKey: optional(signingPublicKey),
    localParticipantObservationOnly: flag('Whether this participant only observes, and does not confirm'),
    otherConfirmingParticipantUids: list(Type.String(), 'Further confirming participants'),
    confirmationThreshold: int32('How many of them must confirm; 0 for all'),
    observingParticipantUids: list(Type.String(), 'Observing participants'),
  },
  { requires: ['synchronizer', 'partyHint', 'publicKey'] },
)

export const generateTopologyResponse = message(
  'GenerateExternalPartyTopologyResponse',
  {
    partyId: text('hint::fingerprint'),
    publicKeyFingerprint: text('The fingerprint of the key'),
    topologyTransactions: list(Type.String({ format: 'byte' }), 'The transactions to sign, serialized'),
    multiHash: Type.String({ format: 'byte', description: 'The hash of all of them, which may be signed instead' }),
  },
  { requires: 'all' },
)

const signedTransaction = message(
  'SignedTransaction',
  {
    transaction: bytes('A serialized topology transaction'),
    signatures: list(signature, 'Signatures of its hash'),
  },
  { requires: ['transaction'] },
)

export const allocateExternalRequest = message(
  'AllocateExternalPartyRequest',
  {
    synchronizer: text('The synchronizer to onboard the party on'),
    onboardingTransactions: list(signedTransaction, 'Topology transactions: the hosting of the party, and its keys'),
    multiHashSignatures: list(signature, 'Signatures of the hash of all transactions'),
    identityProviderId: text('The identity provider for the party; the default one if empty'),
    waitForAllocation: optional(
      Type.Boolean({ description: 'Has no effect: the answer always waits for the allocation' }),
    ),
    userId: text('A user that gets the right to act as the party'),
  },
  { requires: ['synchronizer', 'onboardingTransactions'] },
)

export const allocateExternalResponse = message(
  'AllocateExternalPartyResponse',
  {
    partyId: text('The allocated party'),
  },
  { requires: 'all' },
)

export function topologyRequestFromJson(json: Static<typeof generateTopologyRequest>): TopologyRequest {
  return { ...json, publicKey: json.publicKey }
}

export function topologyToJson(topology: GeneratedTopology): Static<typeof generateTopologyResponse> {
  return {
    partyId: topology.partyId,
    publicKeyFingerprint: topology.publicKeyFingerprint,
    topologyTransactions: topology.topologyTransactions.map(base64),
    multiHash: base64(topology.multiHash),
  }
}

export function allocateExternalFromJson(
  json: Static<typeof allocateExternalRequest>,
  identityProviderId: string,
): AllocateExternalRequest {
  const { synchronizer, onboardingTransactions, multiHashSignatures, userId } = json
  return { synchronizer, onboardingTransactions, multiHashSignatures, identityProviderId, userId }
}

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64')
