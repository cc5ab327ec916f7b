// One transaction between parties of two participants, through every way of reading; and what the third one knows of it.
import { exercise } from '../../../../test/fixtures/ledger.ts'
import type { Json } from '../../both.ts'
import { createdIn, type Network, shapes, updateFormat } from '../../network.ts'
import { activeContractsOf, completionsOf, contractOf, endsOf, updatesOf } from './reads.ts'

const proposalType = '#quickstart:Iou:IouProposal'
const iouType = '#quickstart:Iou:Iou'

export async function transactionSession(network: Network): Promise<void> {
  const { all, sandbox, pebblebox, sidebox, alice, bob, carol, first } = network
  const beginOf = await endsOf(network)
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
      await activeContractsOf(one, [party])
      await contractOf(one, contractId, party)
    }
    await completionsOf(one, beginOf(one), [alice, bob, carol])
    await updatesOf(one, beginOf(one))
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
        const note = `${shape} for ${parties?.[0]?.split('::')[0] ?? 'any party'}`
        await one.post(note, '/v2/updates/update-by-id', body)
        await one.both.grpc('UpdateService/GetUpdateById', body, { note })
      }
    }
  }
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
