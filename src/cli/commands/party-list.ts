// tallystick party list: the parties that a running node knows.
import type { Command } from '../command.ts'
import { listParties, type RunningNodeFlags, runningNode, runningNodeOptions } from '../running-node.ts'
import { renderTable } from '../table.ts'

export const partyListCommand: Command = {
  summary: 'list the parties',
  usage: 'tallystick party list [options]',
  options: runningNodeOptions,
  async run(flags: RunningNodeFlags, { environment, print, width }) {
    const parties = await listParties(await runningNode(flags, environment))
    if (flags.json) return print(JSON.stringify(parties, null, 2))
    const rows = parties.map(({ party, isLocal }) => [party, isLocal ? 'here' : 'elsewhere'])
    print(renderTable(['PARTY', 'HOSTED'], rows, width))
  },
}
