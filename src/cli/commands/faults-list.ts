// tallystick faults list: the faults on order on a development node.
import type { Command } from '../command.ts'
import { type Fault, faultRow, faultTitles } from '../fault-rows.ts'
import { getJson, type RunningNodeFlags, runningNode, runningNodeOptions } from '../running-node.ts'
import { renderTable } from '../table.ts'

export const faultsListCommand: Command = {
  summary: 'list the faults on order',
  usage: 'tallystick faults list [options]',
  options: runningNodeOptions,
  async run(flags: RunningNodeFlags, { environment, print, width }) {
    const node = await runningNode(flags, environment)
    const { faults } = await getJson<{ faults: Fault[] }>(node, '/dev/faults')
    print(flags.json ? JSON.stringify(faults, null, 2) : renderTable(faultTitles, faults.map(faultRow), width))
  },
}
