// Reassignments of contracts with stakeholders on several participants, by command and of themselves.
import { doing, effects as effectsPackage, exercise, target } from '../../../../test/fixtures/ledger.ts'
import type { Json } from '../../both.ts'
import { createdIn, effects, eventFormat, type Network, type Participant } from '../../network.ts'
import { activeContractsOf, completionsOf, contractOf, endsOf, updatesOf } from './reads.ts'

const waitPath = '/v2/commands/submit-and-wait-for-reassignment'

export async function reassignmentSession(network: Network): Promise<void> {
  const { all, sandbox, pebblebox, alice, bob, carol, first, second } = network
  const beginOf = await endsOf(network)
  const contractId = await createOn(network, first, [bob])
  const keep = (party: string) => [exercise(effects, contractId, 'Keep', doing([party]))]
  const reassignmentId = await unassign(network, sandbox, alice, contractId, first, second)
  for (const one of all) await activeContractsOf(one)
  await pebblebox.submit('in transit, by an observer', keep(bob), [bob])
  await sandbox.submit('in transit', keep(alice), [alice])
  await assign(network, pebblebox, bob, reassignmentId, 'by another stakeholder, too early')
  await assign(network, sandbox, bob, reassignmentId, 'by a party of another participant')
  await assign(network, sandbox, alice, reassignmentId, 'by the submitter')
  await assign(network, sandbox, alice, reassignmentId, 'again')
  for (const one of all) await activeContractsOf(one)
  const observed = await createOn(network, first, [bob])
  const back = await unassign(network, pebblebox, bob, observed, first, second)
  await assign(network, pebblebox, bob, back, 'by the observer who unassigned')
  await unassign(network, sandbox, alice, await createOn(network, second, [carol]), second, first)
  for (const one of [sandbox, pebblebox]) for (const party of [alice, bob]) await contractOf(one, contractId, party)
  await unvetted(network)
  for (const one of all) await updatesOf(one, beginOf(one))
}

/** The package has to be vetted on the target by the participants of all stakeholders. */
async function unvetted(network: Network): Promise<void> {
  const { sandbox, pebblebox, alice, bob, first, second } = network
  const contractId = await createOn(network, first, [bob])
  const vet = ({ post }: Participant, operation: 'Vet' | 'Unvet') => {
    const value = { packages: [{ packageId: effectsPackage }] }
    const body = { changes: [{ operation: { [operation]: { value } } }], synchronizerId: second }
    return post(`${operation} on the target`, '/v2/package-vetting/update', body)
  }
  for (const one of [sandbox, pebblebox]) await vet(one, 'Unvet')
  await unassign(network, sandbox, alice, contractId, first, second)
  await vet(sandbox, 'Vet')
  await unassign(network, sandbox, alice, contractId, first, second)
  await vet(pebblebox, 'Vet')
  const reassignmentId = await unassign(network, sandbox, alice, contractId, first, second)
  await assign(network, sandbox, alice, reassignmentId, 'once the package is vetted')
}

/** A command that needs contracts of two synchronizers moves them to one where all informees are. */
export async function automaticSession(network: Network): Promise<void> {
  const { all, sandbox, alice, bob, carol, first, second } = network
  const beginOf = await endsOf(network)
  // Bob's participant has to have heard of the target just before: otherwise Canton's abstains from the unassignment, and then
  // waits for ever on the target.
  const [there, here] = [await createOn(network, first, [bob]), await createOn(network, second, [bob])]
  const fetch = (contractId: string) => ({ tag: 'Fetch', value: { tag: 'Given', value: contractId } })
  const create = { tag: 'Create', value: target([alice], { observers: [carol] }) }
  const program = doing([alice], fetch(there), create)
  await sandbox.submit('contracts of two synchronizers', [exercise(effects, here, 'Keep', program)], [alice])
  await completionsOf(sandbox, beginOf(sandbox), [alice])
  const bound = await createOn(network, second, [carol])
  const use = exercise(effects, bound, 'Keep', doing([alice]))
  await sandbox.submit('prescribed where a stakeholder is not', [use], [alice], { synchronizerId: first })
  const loose = await createOn(network, first, [])
  await sandbox.submit('to where all are', [exercise(effects, loose, 'Keep', doing([alice], fetch(bound)))], [alice])
  for (const one of all) await updatesOf(one, beginOf(one))
}

async function createOn({ sandbox, alice }: Network, synchronizerId: string, observers: readonly string[]) {
  const create = { CreateCommand: { templateId: effects, createArguments: target([alice], { observers }) } }
  return createdIn(await sandbox.submit('a contract to move', [create], [alice], { synchronizerId }))
}

export async function unassign(
  network: Network,
  { post }: Participant,
  submitter: string,
  contractId: string,
  source: string,
  destination: string,
): Promise<string> {
  const reassignmentCommands = unassignment(network, submitter, contractId, source, destination)
  const answer: Json = await post('unassign', waitPath, { reassignmentCommands, eventFormat: eventFormat() })
  return answer?.reassignment?.events?.[0]?.JsUnassignedEvent?.value?.reassignmentId ?? '00'
}

async function assign(
  network: Network,
  { post }: Participant,
  submitter: string,
  reassignmentId: string,
  note: string,
): Promise<void> {
  const reassignmentCommands = assignment(network, submitter, reassignmentId, network.first, network.second)
  await post(`assign ${note}`, waitPath, { reassignmentCommands, eventFormat: eventFormat() })
}

export function unassignment(
  network: Network,
  submitter: string,
  contractId: string,
  source: string,
  destination: string,
): object {
  return request(network, submitter, { UnassignCommand: { value: { contractId, source, target: destination } } })
}

export function assignment(
  network: Network,
  submitter: string,
  reassignmentId: string,
  source: string,
  destination: string,
): object {
  return request(network, submitter, { AssignCommand: { value: { reassignmentId, source, target: destination } } })
}

function request({ newId }: Network, submitter: string, command: object): object {
  return {
    workflowId: '',
    userId: 'participant_admin',
    commandId: newId('move'),
    submitter,
    submissionId: newId('submission'),
    commands: [{ command }],
  }
}
