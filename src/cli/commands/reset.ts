// tallystick reset: returns the ledger of a development node to the state after its first start.
import type { Command } from '../command.ts'
import { type NodeFlags, nodeOptions } from '../local-node.ts'
import { withProgress } from '../progress.ts'
import { runningNode } from '../running-node.ts'

export const resetCommand: Command = {
  summary: 'return the ledger to the state after the first start of its node',
  usage: 'tallystick reset [options]',
  options: nodeOptions,
  async run(flags: NodeFlags, surroundings) {
    const node = await runningNode(flags, surroundings.environment)
    await withProgress('resetting', surroundings, node.post('/dev/reset', ''))
    surroundings.print('reset')
  },
}
