// Participants, synchronizers, parties and users, as each participant of a network shows them.
import type { Network } from '../../network.ts'

export async function administrationSession(network: Network): Promise<void> {
  const { all, sandbox, pebblebox, sidebox, alice, bob, carol, first, second } = network
  const connected = '/v2/state/connected-synchronizers'
  for (const { get } of all) await get('where it is connected', connected)
  await sandbox.post('without a synchronizer, on two', '/v2/parties', { partyIdHint: 'zero', identityProviderId: '' })
  await sidebox.post('without a synchronizer, on one', '/v2/parties', { partyIdHint: 'zero', identityProviderId: '' })
  const again = { partyIdHint: alice.split('::')[0], synchronizerId: first, identityProviderId: '' }
  await sandbox.post('a third time', '/v2/parties', again)
  await sidebox.post('on a synchronizer where it is not', '/v2/parties', { ...again, partyIdHint: 'away' })
  for (const { get } of all) {
    await get('the parties of all participants', '/v2/parties?pageSize=1000')
    for (const party of [alice, bob, carol]) {
      const encoded = encodeURIComponent(party)
      await get('one party', `/v2/parties/${encoded}`)
      await get('where a party is', `${connected}?party=${encoded}`)
    }
  }
  for (const [party, { id }] of [
    [bob, pebblebox],
    [carol, sidebox],
    [carol, pebblebox],
  ] as const) {
    await sandbox.get(
      'where a party of another participant is',
      `${connected}?party=${encodeURIComponent(party)}&participantId=${encodeURIComponent(id)}`,
    )
  }
  await sandbox.get('where another participant is', `${connected}?participantId=${encodeURIComponent(pebblebox.id)}`)
  const user = { id: 'user-of-one', primaryParty: alice, isDeactivated: false, identityProviderId: '' }
  await sandbox.post('a user', '/v2/users', { user, rights: [] })
  await pebblebox.get('that user elsewhere', '/v2/users/user-of-one')
  await pebblebox.post('the same user elsewhere', '/v2/users', { user, rights: [] })
  await topologyEvents(network, second)
}

/** A new party appears as the same update wherever the synchronizer reaches. */
async function topologyEvents({ all, pebblebox }: Network, synchronizerId: string): Promise<void> {
  const ends = new Map<string, number>()
  for (const one of all) ends.set(one.name, await one.end())
  const allocation = { partyIdHint: 'frank', synchronizerId, identityProviderId: '' }
  await pebblebox.post('a new party', '/v2/parties', allocation)
  for (const one of all) {
    const [beginExclusive, endInclusive] = [ends.get(one.name), await one.end()]
    const updateFormat = { includeTopologyEvents: { includeParticipantAuthorizationEvents: {} } }
    await one.post('its topology event', '/v2/updates', { beginExclusive, endInclusive, updateFormat })
  }
}
