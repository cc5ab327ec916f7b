// tallystick snapshot, restore and reset: keep the ledger of a development node as it is now, and return to it.
import type { Command } from '../command.ts'
import { type NodeFlags, nodeOptions } from '../local-node.ts'
import { withProgress } from '../progress.ts'
import { getJson, postJson, type RunningNodeFlags, runningNode, runningNodeOptions } from '../running-node.ts'
import { renderTable } from '../table.ts'

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

type Snapshot = {
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
