// tallystick snapshot delete: deletes a snapshot of a development node.
import type { Command } from '../command.ts'
import { type NodeFlags, nodeOptions } from '../local-node.ts'
import { runningNode } from '../running-node.ts'

export const snapshotDeleteCommand: Command = {
  summary: 'delete a snapshot',
  usage: 'tallystick snapshot delete NAME [options]',
  operands: ['NAME'],
  options: nodeOptions,
  async run(flags: NodeFlags, { environment, print }, [name]) {
    const node = await runningNode(flags, environment)
    await node.delete(`/dev/snapshots/${encodeURIComponent(name!)}`)
    print(`deleted ${name}`)
  },
}
