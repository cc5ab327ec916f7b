// tallystick update: one update as a tree of what happened.
import type { Command } from '../command.ts'
import { updateAt } from '../contract-events.ts'
import { eventFormat, type FormatFlags } from '../event-formats.ts'
import { updateNamed } from '../named-ids.ts'
import { runningNode, type TableFlags, tableOptions, widthFor } from '../running-node.ts'
import { renderUpdate } from '../transaction-tree.ts'

type Flags = TableFlags & Pick<FormatFlags, 'party'>

export const updateCommand: Command = {
  summary: 'show an update as a tree of what happened',
  usage: 'tallystick update (ID | OFFSET) [--party PARTY]… [options]',
  operands: ['ID | OFFSET'],
  options: {
    party: { type: 'string', multiple: true, value: 'PARTY', help: 'only what this party sees, by its id or its hint' },
    ...tableOptions,
  },
  notes: 'ID may be the beginning of it. With --json, the update as the node sends it.',
  async run({ party = [], ...flags }: Flags, surroundings, [written]) {
    const { environment, print, width } = widthFor(flags, surroundings)
    const node = await runningNode(flags, environment)
    const format = await eventFormat({ party }, node)
    const found = await updateAt(await updateNamed(written!, node, format), format, node)
    print(flags.json ? JSON.stringify(found, null, 2) : renderUpdate(found.update, width))
  },
}
