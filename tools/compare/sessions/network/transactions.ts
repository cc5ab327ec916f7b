// One transaction between parties of two participants, through every way of reading; and what the third one knows of it.
import { exercise } from '../../../../test/fixtures/ledger.ts'
import type { Json } from '../../both.ts'
import { createdIn, eventFormat, type Network, type Participant, shapes, updateFormat } from '../../network.ts'

const proposalType = '#quickstart:Iou:IouProposal'
const iouType = '#quickstart:Iou:Iou'

export async function transactionSession(network: Network): Promise<void> {
  const { all, sandbox, pebblebox, sidebox, alice, bob, carol, first } = network
  const begins = new Map<string, number>()
  for (const one of all) begins.set(one.name, await one.end())
  const iou = { issuer: alice, owner: bob, amount: '10', currency: 'EUR', observers: [] }
  const proposal = { CreateCommand: { templateId: proposalType, createArguments: { iou } } }
  const on = { synchronizerId: first }
  const proposed = await sandbox.submit('alice proposes', [proposal], [alice], { ...on, workflowId: 'workflow-1' })
  await readUpdate(network, proposed)
  const accept = exercise(proposalType, createdIn(proposed), 'IouProposal_Accept')
  const accepted = await pebblebox.submit('bob accepts', [accept], [bob], { ...on, workflowId: 'workflow-2' })
  await readUpdate(network, accepted)
  const contractId = createdIn(accepted)
  for (const one of all) {
    for (const party of [alice, bob, carol]) {
      const activeAtOffset = await one.end()
      await one.post('active contracts', '/v2/state/active-contracts', {
        activeAtOffset,
        eventFormat: { ...eventFormat([party]) },
      })
      await one.post('completions', '/v2/commands/completions?stream_idle_timeout_ms=500', {
        userId: 'participant_admin',
        parties: [party],
        beginExclusive: begins.get(one.name),
      })
      await readContract(one, contractId, party)
    }
    await updatesOf(one, begins.get(one.name)!)
  }
  await sidebox.submit('carol uses it', [exercise(iouType, contractId, 'Iou_Show', { viewers: [] })], [carol])
  await sameCommandId(network, proposal)
}

async function readUpdate({ all, alice, bob, carol }: Network, transaction: Json): Promise<void> {
  const updateId = transaction?.updateId ?? `1220${'00'.repeat(32)}`
  for (const one of all) {
    for (const parties of [[alice], [bob], [carol], undefined]) {
      for (const shape of shapes) {
        const body = { updateId, updateFormat: updateFormat(parties, shape) }
        await one.post(`${shape} for ${parties?.[0]?.split('::')[0] ?? 'any party'}`, '/v2/updates/update-by-id', body)
      }
    }
  }
}

export async function readContract(one: Participant, contractId: string, party: string): Promise<void> {
  const note = `for ${party.split('::')[0]}`
  await one.post(note, '/v2/contracts/contract-by-id', { contractId, queryingParties: [party] })
  await one.post(note, '/v2/events/events-by-contract-id', { contractId, eventFormat: eventFormat([party]) })
}

/** All updates since, for any party. */
export async function updatesOf(one: Participant, beginExclusive: number): Promise<Json> {
  const endInclusive = await one.end()
  return one.post('updates', '/v2/updates', {
    beginExclusive,
    endInclusive,
    updateFormat: {
      ...updateFormat(undefined, 'LEDGER_EFFECTS'),
      includeReassignments: eventFormat(),
      includeTopologyEvents: { includeParticipantAuthorizationEvents: {} },
    },
  })
}

/** Commands are deduplicated by participant. */
async function sameCommandId({ sandbox, pebblebox, alice, bob, first }: Network, proposal: object): Promise<void> {
  const fields = { commandId: 'same', synchronizerId: first }
  await sandbox.submit('a command id', [proposal], [alice], fields)
  await sandbox.submit('the command id again', [proposal], [alice], fields)
  const iou = { issuer: bob, owner: alice, amount: '1', currency: 'EUR', observers: [] }
  const other = { CreateCommand: { templateId: proposalType, createArguments: { iou } } }
  await pebblebox.submit('the command id elsewhere', [other], [bob], fields)
}
