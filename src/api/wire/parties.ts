// Parties on the wire. Mirrors Canton's JsPartyManagementService.
import type { Static } from 'typebox'
import type { AllocateRequest, PartyDetails } from '../../ledger/administration/parties.ts'
import { fieldMask, flag, list, message, optional, text } from './schema.ts'
import { noMetadata, objectMeta } from './users.ts'

export const partyDetails = message(
  'PartyDetails',
  {
    party: text('The party id: hint::fingerprint'),
    isLocal: flag('Whether this participant hosts the party'),
    localMetadata: optional(objectMeta),
    identityProviderId: text('The identity provider the party belongs to; empty for the default one'),
  },
  { description: 'The details of a party on this participant', requires: ['party'] },
)

export const allocateRequest = message('AllocatePartyRequest', {
  partyIdHint: text('The first part of the party id; random if empty'),
  localMetadata: optional(objectMeta),
  identityProviderId: text('The identity provider for the party; the default one if empty'),
  synchronizerId: text('The synchronizer on which to allocate; may be empty if there is only one'),
  userId: text('A user that gets the right to act as the party'),
})
export const allocateResponse = message('AllocatePartyResponse', { partyDetails })
export const updatePartyResponse = message('UpdatePartyDetailsResponse', { partyDetails })
export const partiesResponse = message(
  'GetPartiesResponse',
  {
    partyDetails: list(partyDetails, 'The known parties among those requested'),
  },
  { requires: 'all' },
)
export const partyPageResponse = message(
  'ListKnownPartiesResponse',
  {
    partyDetails: list(partyDetails, 'One page of parties, by id'),
    nextPageToken: text('The token of the next page; empty if this page is not full'),
  },
  { requires: ['partyDetails'] },
)
export const updatePartyRequest = message(
  'UpdatePartyDetailsRequest',
  {
    partyDetails: optional(partyDetails),
    updateMask: optional(fieldMask),
  },
  { requires: 'all' },
)
export const participantIdResponse = message(
  'GetParticipantIdResponse',
  {
    participantId: text('name::fingerprint of this participant'),
  },
  { requires: 'all' },
)

export function allocateFromJson(json: Static<typeof allocateRequest>): AllocateRequest {
  return { ...json, localMetadata: json.localMetadata ?? noMetadata }
}

export function partyFromJson(json: Static<typeof partyDetails>): PartyDetails {
  return { ...json, localMetadata: json.localMetadata ?? noMetadata }
}

/** How Canton prints a party in the error about a path and a body that differ. */
export function showParty(json: Static<typeof partyDetails> | undefined): string {
  if (json === undefined) return 'None'
  const { party, isLocal, localMetadata, identityProviderId } = json
  const annotations = Object.entries(localMetadata?.annotations ?? {}).map(([key, value]) => `${key} -> ${value}`)
  const metadata = localMetadata && `ObjectMeta(${localMetadata.resourceVersion},Map(${annotations.join(', ')}))`
  return `Some(PartyDetails(${party},${isLocal},${metadata ? `Some(${metadata})` : 'None'},${identityProviderId}))`
}
