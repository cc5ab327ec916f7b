// tallystick restore: returns the ledger of a development node to a snapshot.
import type { Command } from '../command.ts'
import { type NodeFlags, nodeOptions } from '../local-node.ts'
import { withProgress } from '../progress.ts'
import { runningNode } from '../running-node.ts'

export const restoreCommand: Command = {
  summary: 'return the ledger to a snapshot',
  usage: 'tallystick restore NAME [options]',
  operands: ['NAME'],
  options: nodeOptions,
  async run(flags: NodeFlags, surroundings, [name]) {
    const node = await runningNode(flags, surroundings.environment)
    const restoring = node.post(`/dev/snapshots/${encodeURIComponent(name!)}/restore`, '')
    await withProgress('restoring', surroundings, restoring)
    surroundings.print(`restored ${name}`)
  },
}
