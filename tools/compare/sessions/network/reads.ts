// How sessions of a network read: the updates, active contracts and completions of one participant, over HTTP and over gRPC.
import { eventFormat, type Network, type Participant, updateFormat } from '../../network.ts'

/** Where each participant's ledger ends now. */
export async function endsOf({ all }: Network): Promise<(one: Participant) => number> {
  const ends = new Map<string, number>()
  for (const one of all) ends.set(one.name, await one.end())
  return ({ name }) => ends.get(name)!
}

/** All updates since, for any party. */
export async function updatesOf(one: Participant, beginExclusive: number, end?: number): Promise<void> {
  const body = {
    beginExclusive,
    endInclusive: end ?? (await one.end()),
    updateFormat: {
      ...updateFormat(undefined, 'LEDGER_EFFECTS'),
      includeReassignments: eventFormat(),
      includeTopologyEvents: { includeParticipantAuthorizationEvents: {} },
    },
  }
  await one.post('updates', '/v2/updates', body)
  await one.both.grpc('UpdateService/GetUpdates', body, { note: 'updates' })
}

export async function activeContractsOf(one: Participant, parties?: readonly string[]): Promise<void> {
  const body = { activeAtOffset: await one.end(), eventFormat: eventFormat(parties) }
  await one.post('active contracts', '/v2/state/active-contracts', body)
  await one.both.grpc('StateService/GetActiveContracts', body, { note: 'active contracts' })
}

export async function completionsOf(
  one: Participant,
  beginExclusive: number,
  parties: readonly string[],
): Promise<void> {
  const body = { userId: 'participant_admin', parties, beginExclusive }
  await one.post('completions', `/v2/commands/completions?stream_idle_timeout_ms=${one.idleMs}`, body)
  await one.both.grpc('CommandCompletionService/CompletionStream', body, { note: 'completions' })
}

/** What a participant tells of one contract to one party. */
export async function contractOf(one: Participant, contractId: string, party: string): Promise<void> {
  const note = `for ${party.split('::')[0]}`
  const body = { contractId, eventFormat: eventFormat([party]) }
  await one.post(note, '/v2/contracts/contract-by-id', { contractId, queryingParties: [party] })
  await one.post(note, '/v2/events/events-by-contract-id', body)
  await one.both.grpc('EventQueryService/GetEventsByContractId', body, { note })
}
