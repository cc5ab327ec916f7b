// tallystick snapshot list: the snapshots of a development node.
import type { Command } from '../command.ts'
import { getJson, type RunningNodeFlags, runningNode, runningNodeOptions } from '../running-node.ts'
import { renderTable } from '../table.ts'

export type Snapshot = {
  readonly name: string
  readonly takenAt: string
  readonly offset: number
  readonly bytes: number
  /** Why it cannot be restored; empty if it can. */
  readonly problem: string
}

export const snapshotListCommand: Command = {
  summary: 'list the snapshots',
  usage: 'tallystick snapshot list [options]',
  options: runningNodeOptions,
  async run(flags: RunningNodeFlags, { environment, print, width }) {
    const node = await runningNode(flags, environment)
    const { snapshots } = await getJson<{ snapshots: Snapshot[] }>(node, '/dev/snapshots')
    if (flags.json) return print(JSON.stringify(snapshots, null, 2))
    const shown = ({ offset, problem }: Snapshot) => (problem === '' ? String(offset) : `unusable: ${problem}`)
    const rows = snapshots.map((one) => [one.name, one.takenAt, shown(one), String(one.bytes)])
    print(renderTable(['NAME', 'TAKEN', 'OFFSET', 'BYTES'], rows, width))
  },
}
