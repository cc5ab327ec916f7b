// A participant that is disconnected: what goes on without it, what waits for it, and what it finds when it returns.
import { doing, exercise, quickstart, target } from '../../../../test/fixtures/ledger.ts'
import { createdIn, effects, type Network, type Participant } from '../../network.ts'
import { darFile } from '../../world.ts'
import { activeContractsOf, completionsOf, contractOf, endsOf, updatesOf } from './reads.ts'

const proposalType = '#quickstart:Iou:IouProposal'
const creating = (signatories: readonly string[], observers: readonly string[], note: string) => ({
  CreateCommand: { templateId: effects, createArguments: target(signatories, { observers, note }) },
})

export async function awaySession(network: Network): Promise<void> {
  const { all, sandbox, pebblebox, sidebox, alice, dave, bob, carol, first, second, commandsOf } = network
  const [here, there] = [{ synchronizerId: second }, { synchronizerId: first }]
  const contractId = await signedByBoth(network)
  const beginOf = await endsOf(network)
  await pebblebox.disconnect('synchronizer-2')
  await state(pebblebox)
  await sandbox.submit('a contract for the absent', [creating([alice], [bob], 'for bob')], [alice], here)
  await pebblebox.submit('where it is not connected', [creating([bob], [], 'x')], [bob], here)
  await pebblebox.submit('a contract of there', [exercise(effects, contractId, 'Keep', doing([bob]))], [bob])
  await pebblebox.submit('where it still is', [creating([bob], [alice], 'y')], [bob], there)
  const consume = commandsOf([exercise(effects, contractId, 'Consume', doing([alice]))], [alice], here)
  const pending = { isPending: true }
  await sandbox.post('waits for the absent', '/v2/commands/async/submit', consume, pending)
  const again = commandsOf([exercise(effects, contractId, 'Consume', doing([alice]))], [alice], here)
  await sandbox.post('a locked contract', '/v2/commands/async/submit', again, pending)
  const behind = commandsOf([creating([dave], [], 'behind')], [dave], here)
  await sandbox.post('behind it', '/v2/commands/async/submit', behind, pending)
  const forCarol = commandsOf([creating([alice], [carol], 'for carol')], [alice], here)
  await sandbox.post('behind it, for others', '/v2/commands/async/submit', forCarol, pending)
  await sandbox.submit('on the other synchronizer', [creating([alice], [], 'elsewhere')], [alice], there)
  await sidebox.submit('of another participant', [creating([carol], [alice], 'of carol')], [carol], here)
  await contractOf(sandbox, contractId, alice)
  for (const one of all) await updatesOf(one, beginOf(one), one.both.settledEnd()) // Time is short.
  await pebblebox.reconnect('synchronizer-2')
  await state(pebblebox)
  for (const one of all) await history(one, beginOf(one), [alice, dave, bob, carol])
  await unreachable(network)
  await alone(network)
}

/** A contract of a synchronizer that the participant is away from, and whose package the other one does not know. */
async function unreachable({ sandbox, pebblebox, alice, bob, first }: Network): Promise<void> {
  const dar = darFile('packages/quickstart/quickstart.dar')
  for (const { post } of [sandbox, pebblebox]) await post('upload', `/v2/dars?synchronizerId=${first}`, dar)
  sandbox.both.ids.fix(quickstart)
  const iou = { issuer: alice, owner: bob, amount: '10', currency: 'EUR', observers: [] }
  const propose = { CreateCommand: { templateId: proposalType, createArguments: { iou } } }
  const contractId = createdIn(await sandbox.submit('a proposal', [propose], [alice], { synchronizerId: first }))
  await pebblebox.disconnect('synchronizer-1')
  await pebblebox.submit('out of reach', [exercise(proposalType, contractId, 'IouProposal_Accept')], [bob])
  await pebblebox.reconnect('synchronizer-1')
}

/** A contract of the second synchronizer. */
export async function signedByBoth({ sandbox, pebblebox, alice, bob, second }: Network): Promise<string> {
  const on = { synchronizerId: second }
  const offer = createdIn(await sandbox.submit('an offer', [creating([alice], [bob], 'offer')], [alice], on))
  const agreed = { tag: 'Create', value: target([alice, bob]) }
  return createdIn(
    await pebblebox.submit('agreed', [exercise(effects, offer, 'Consume', doing([bob], agreed))], [bob], on),
  )
}

/** Nobody confirms in time. */
export async function timeOutSession(network: Network): Promise<void> {
  const { sandbox, pebblebox, alice, second, commandsOf } = network
  const contractId = await signedByBoth(network)
  const begin = await sandbox.end()
  await pebblebox.disconnect('synchronizer-2')
  const commands = [exercise(effects, contractId, 'Consume', doing([alice]))]
  const on = { synchronizerId: second }
  await sandbox.post('never confirmed', '/v2/commands/async/submit', commandsOf(commands, [alice], on))
  await history(sandbox, begin, [alice])
  await pebblebox.reconnect('synchronizer-2')
  await sandbox.submit('the contract is free again', commands, [alice], on)
}

/** Connected to nothing. */
async function alone({ pebblebox, bob }: Network): Promise<void> {
  await pebblebox.disconnect('synchronizer-1')
  await pebblebox.disconnect('synchronizer-2')
  await state(pebblebox)
  await pebblebox.submit('connected to nothing', [creating([bob], [], 'z')], [bob])
  await pebblebox.post('a party of nowhere', '/v2/parties', { partyIdHint: 'nowhere', identityProviderId: '' })
  await pebblebox.get('its end', '/v2/state/ledger-end')
  await pebblebox.reconnect('synchronizer-1')
  await pebblebox.reconnect('synchronizer-2')
  await state(pebblebox)
}

async function state({ get }: Participant): Promise<void> {
  await get('where it is connected', '/v2/state/connected-synchronizers')
  await get('whether it is ready', '/readyz')
}

async function history(one: Participant, begin: number, parties: readonly string[]): Promise<void> {
  await updatesOf(one, begin)
  await completionsOf(one, begin, parties)
  await activeContractsOf(one, parties)
}
