// Founding, first step: the party of each validator, the party of the DSO, and the users that act as them.

import { type Participant, ParticipantRefusal } from '../ledger/participant.ts'
import { globalAlias } from '../profile/localnet-settings.ts'
import { dsoPartyHint, operatorUser, type ParticipantProfile } from '../profile/participants.ts'

/** A participant with the party of its validator. */
export type Validator = {
  readonly profile: ParticipantProfile
  readonly participant: Participant
  readonly participantId: string
  readonly party: string
}

export type ValidatorPlace = { readonly profile: ParticipantProfile; readonly participant: Participant }

/** Allocates what is missing. The wallet's user comes last: where it exists, everything does. */
export async function foundValidator(
  { profile, participant }: ValidatorPlace,
  operatorHint: string,
): Promise<Validator> {
  const { participantId } = await participant.call('GET', '/v2/parties/participant-id')
  const hint = profile.partyHint.replace('*', operatorHint)
  const party = partyOf(hint, participantId)
  const validator = { profile, participant, participantId, party }
  if (await exists(participant, `/v2/users/${profile.walletUser}`)) return validator
  await allocateParty(participant, participantId, hint)
  await giveParty(participant, operatorUser, party)
  await createUserOf(participant, profile.walletUser, party)
  return validator
}

/** The DSO is one party on the participant of its only super validator. */
export async function foundDsoParty({ participant, participantId }: Validator): Promise<string> {
  const dso = await allocateParty(participant, participantId, dsoPartyHint)
  await letOperatorActAs(participant, dso)
  return dso
}

/** The participant's operator may act as the party from now on. */
export function letOperatorActAs(participant: Participant, party: string): Promise<void> {
  return grantOperator(participant, { CanActAs: { value: { party } } })
}

/** Registries of instruments that anybody may create read as any admin. */
export function letOperatorReadAsAnyParty(participant: Participant): Promise<void> {
  return grantOperator(participant, { CanReadAsAnyParty: { value: {} } })
}

async function grantOperator(participant: Participant, kind: object): Promise<void> {
  await participant.call('POST', `/v2/users/${operatorUser}/rights`, {
    userId: operatorUser,
    identityProviderId: '',
    rights: [{ kind }],
  })
}

export async function globalSynchronizer(participant: Participant): Promise<string> {
  const { connectedSynchronizers } = await participant.call('GET', '/v2/state/connected-synchronizers')
  const found = connectedSynchronizers.find(
    (one: { synchronizerAlias: string }) => one.synchronizerAlias === globalAlias,
  )
  return found.synchronizerId
}

/** A participant allocates parties in its own namespace. */
function partyOf(hint: string, participantId: string): string {
  return `${hint}::${participantId.slice(participantId.indexOf('::') + 2)}`
}

/** On every synchronizer of the participant on which the party is not yet. */
export async function allocateParty(
  participant: Participant,
  participantId: string,
  partyIdHint: string,
): Promise<string> {
  const party = partyOf(partyIdHint, participantId)
  const all = await participant.call('GET', '/v2/state/connected-synchronizers')
  const query = `?party=${encodeURIComponent(party)}`
  const known = await participant.call('GET', `/v2/state/connected-synchronizers${query}`)
  const ids = new Set<string>(known.connectedSynchronizers.map(idOf))
  for (const synchronizerId of all.connectedSynchronizers.map(idOf)) {
    if (!ids.has(synchronizerId)) await participant.call('POST', '/v2/parties', { partyIdHint, synchronizerId })
  }
  return party
}

const idOf = ({ synchronizerId }: { synchronizerId: string }) => synchronizerId

async function giveParty(participant: Participant, userId: string, primaryParty: string): Promise<void> {
  await participant.call('PATCH', `/v2/users/${userId}`, {
    user: { id: userId, primaryParty, isDeactivated: false, identityProviderId: '' },
    updateMask: { paths: ['primary_party'] },
  })
  await letOperatorActAs(participant, primaryParty)
}

export async function createUserOf(participant: Participant, id: string, primaryParty: string): Promise<void> {
  await participant.call('POST', '/v2/users', {
    user: { id, primaryParty, isDeactivated: false, identityProviderId: '' },
    rights: [{ kind: { CanActAs: { value: { party: primaryParty } } } }],
  })
}

/** Whether there is something at this path of the API. */
export async function exists(participant: Participant, path: string): Promise<boolean> {
  try {
    await participant.call('GET', path)
    return true
  } catch (error) {
    if (error instanceof ParticipantRefusal && error.status === 404) return false
    throw error
  }
}
