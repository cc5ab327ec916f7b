// Contracts that a command holds which waits for an absent participant: what others may do with them meanwhile.
import { doing, exercise } from '../../../../test/fixtures/ledger.ts'
import { effects, type Network } from '../../network.ts'
import { signedByBoth } from './away.ts'
import { completionsOf, endsOf, updatesOf } from './reads.ts'
import { assignment, unassign, unassignment } from './reassignments.ts'

const reassignPath = '/v2/commands/async/submit-reassignment'
const pending = { isPending: true }

export async function lockSession(network: Network): Promise<void> {
  const { all, sandbox, pebblebox, alice, first, second, commandsOf } = network
  const held = await signedByBoth(network)
  const moving = await signedByBoth(network)
  const reassignmentId = await unassign(network, sandbox, alice, moving, second, first)
  const beginOf = await endsOf(network)
  const use = (note: string, choice: string) => {
    const body = commandsOf([exercise(effects, held, choice, doing([alice]))], [alice], { synchronizerId: second })
    return sandbox.post(note, '/v2/commands/async/submit', body, pending)
  }
  const move = (note: string, reassignmentCommands: object) =>
    sandbox.post(note, reassignPath, { reassignmentCommands }, pending)
  for (const alias of ['synchronizer-1', 'synchronizer-2']) await pebblebox.disconnect(alias)
  await use('waits for the absent', 'Consume')
  await use('a locked contract, used', 'Keep')
  await use('a locked contract, consumed', 'Consume')
  await move('a locked contract, unassigned', unassignment(network, alice, held, second, first))
  await move('waits for the absent, too', assignment(network, alice, reassignmentId, second, first))
  await move('assigned twice', assignment(network, alice, reassignmentId, second, first))
  for (const alias of ['synchronizer-1', 'synchronizer-2']) await pebblebox.reconnect(alias)
  for (const one of all) await updatesOf(one, beginOf(one))
  await completionsOf(sandbox, beginOf(sandbox), [alice])
}
