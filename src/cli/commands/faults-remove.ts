// tallystick faults remove: cancels faults on order on a development node.
import type { Command } from '../command.ts'
import { type NodeFlags, nodeOptions } from '../local-node.ts'
import { runningNode } from '../running-node.ts'
import { UsageError } from '../usage.ts'

type Flags = NodeFlags & { readonly all?: boolean }

export const faultsRemoveCommand: Command = {
  summary: 'cancel a fault on order, or all',
  usage: 'tallystick faults remove (ID | --all) [options]',
  optionalOperands: ['ID'],
  options: { all: { type: 'boolean', help: 'cancel all' }, ...nodeOptions },
  async run({ all = false, ...flags }: Flags, { environment, print }, [id]) {
    if (all === (id !== undefined)) throw new UsageError('give either the ID of a fault or --all')
    const node = await runningNode(flags, environment)
    await node.delete(id === undefined ? '/dev/faults' : `/dev/faults/${encodeURIComponent(id)}`)
    print(id === undefined ? 'removed all' : `removed ${id}`)
  },
}
