// Reassignments of contracts with stakeholders on several participants, by command and of themselves.
import { doing, exercise, target } from '../../../../test/fixtures/ledger.ts'
import type { Json } from '../../both.ts'
import { createdIn, effects, eventFormat, type Network, type Participant } from '../../network.ts'
import { updatesOf } from './transactions.ts'

const waitPath = '/v2/commands/submit-and-wait-for-reassignment'

export async function reassignmentSession(network: Network): Promise<void> {
  const { all, sandbox, pebblebox, alice, bob, carol, first, second } = network
  const begins = new Map<string, number>()
  for (const one of all) begins.set(one.name, await one.end())
  const contractId = await createOn(network, first, [bob])
  const keep = (party: string) => [exercise(effects, contractId, 'Keep', doing([party]))]
  const reassignmentId = await unassign(network, sandbox, alice, contractId, first, second)
  for (const one of all) await active(one)
  await pebblebox.submit('in transit, by an observer', keep(bob), [bob])
  await sandbox.submit('in transit', keep(alice), [alice])
  await assign(network, pebblebox, bob, reassignmentId, 'by another stakeholder, too early')
  await assign(network, sandbox, bob, reassignmentId, 'by a party of another participant')
  await assign(network, sandbox, alice, reassignmentId, 'by the submitter')
  await assign(network, sandbox, alice, reassignmentId, 'again')
  for (const one of all) await active(one)
  const observed = await createOn(network, first, [bob])
  const back = await unassign(network, pebblebox, bob, observed, first, second)
  await assign(network, pebblebox, bob, back, 'by the observer who unassigned')
  await unassign(network, sandbox, alice, await createOn(network, second, [carol]), second, first)
  for (const { post } of [sandbox, pebblebox]) {
    await post('events of a reassigned contract', '/v2/events/events-by-contract-id', {
      contractId,
      eventFormat: eventFormat([alice, bob]),
    })
  }
  await automatic(network)
  for (const one of all) await updatesOf(one, begins.get(one.name)!)
}

/** A command that needs contracts of two synchronizers moves them to one where all informees are. */
async function automatic(network: Network): Promise<void> {
  const { sandbox, alice, bob, carol, first, second } = network
  const begin = await sandbox.end()
  const [there, here] = [await createOn(network, first, [bob]), await createOn(network, second, [])]
  const fetch = (contractId: string) => ({ tag: 'Fetch', value: { tag: 'Given', value: contractId } })
  const create = { tag: 'Create', value: target([alice], { observers: [carol] }) }
  const program = doing([alice], fetch(there), create)
  await sandbox.submit('contracts of two synchronizers', [exercise(effects, here, 'Keep', program)], [alice])
  // Canton's other participant waits for the source's time to pass before it takes part in the target again.
  await createOn(network, first, [bob])
  await sandbox.post('its completions', '/v2/commands/completions?stream_idle_timeout_ms=500', {
    userId: 'participant_admin',
    parties: [alice],
    beginExclusive: begin,
  })
  const bound = await createOn(network, second, [carol])
  const use = exercise(effects, bound, 'Keep', doing([alice]))
  await sandbox.submit('prescribed where a stakeholder is not', [use], [alice], { synchronizerId: first })
  const loose = await createOn(network, first, [])
  await sandbox.submit('to where all are', [exercise(effects, loose, 'Keep', doing([alice], fetch(bound)))], [alice])
  await createOn(network, first, [bob])
}

async function createOn({ sandbox, alice }: Network, synchronizerId: string, observers: readonly string[]) {
  const create = { CreateCommand: { templateId: effects, createArguments: target([alice], { observers }) } }
  return createdIn(await sandbox.submit('a contract to move', [create], [alice], { synchronizerId }))
}

async function active(one: Participant): Promise<void> {
  const body = { activeAtOffset: await one.end(), eventFormat: eventFormat() }
  await one.post('active contracts', '/v2/state/active-contracts', body)
}

async function unassign(
  { newId }: Network,
  { post }: Participant,
  submitter: string,
  contractId: string,
  source: string,
  destination: string,
): Promise<string> {
  const command = { UnassignCommand: { value: { contractId, source, target: destination } } }
  const body = { reassignmentCommands: request(newId, submitter, command), eventFormat: eventFormat() }
  const answer: Json = await post('unassign', waitPath, body)
  return answer?.reassignment?.events?.[0]?.JsUnassignedEvent?.value?.reassignmentId ?? '00'
}

async function assign(
  { newId, first, second }: Network,
  { post }: Participant,
  submitter: string,
  reassignmentId: string,
  note: string,
): Promise<void> {
  const command = { AssignCommand: { value: { reassignmentId, source: first, target: second } } }
  const body = { reassignmentCommands: request(newId, submitter, command), eventFormat: eventFormat() }
  await post(`assign ${note}`, waitPath, body)
}

function request(newId: Network['newId'], submitter: string, command: object): object {
  return {
    workflowId: '',
    userId: 'participant_admin',
    commandId: newId('move'),
    submitter,
    submissionId: newId('submission'),
    commands: [{ command }],
  }
}
