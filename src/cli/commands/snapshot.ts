// tallystick snapshot: keeps the ledger of a development node as it is now.
import type { Command } from '../command.ts'
import { withProgress } from '../progress.ts'
import { postJson, type RunningNodeFlags, runningNode, runningNodeOptions } from '../running-node.ts'
import type { Snapshot } from './snapshot-list.ts'

export const snapshotCommand: Command = {
  summary: 'keep the ledger of a development node as it is now',
  usage: 'tallystick snapshot [NAME] [options]',
  optionalOperands: ['NAME'],
  options: runningNodeOptions,
  async run(flags: RunningNodeFlags, surroundings, [name = '']) {
    const { environment, print } = surroundings
    const node = await runningNode(flags, environment)
    const taking = postJson<{ snapshot: Snapshot }>(node, '/dev/snapshots', { name })
    const { snapshot } = await withProgress('copying the ledger', surroundings, taking)
    print(flags.json ? JSON.stringify(snapshot, null, 2) : snapshot.name)
  },
}
