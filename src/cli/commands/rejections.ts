// tallystick rejections: the last submissions that a development node refused or rejected.
import type { Command } from '../command.ts'
import { follow, stopSignal } from '../following.ts'
import { getJson, runningNode, type TableFlags, tableOptions, widthFor } from '../running-node.ts'
import { createTableWriter } from '../table.ts'

type Flags = TableFlags & { readonly follow?: boolean }

type Rejection = {
  readonly number: number
  readonly at: string
  readonly operation: string
  readonly userId: string
  readonly commandId: string
  readonly code: string
  readonly cause: string
}

const titles = ['NUMBER', 'TIME', 'OPERATION', 'USER', 'COMMAND', 'CODE', 'CAUSE'] as const
const widths = [6, 27, 9, 18, 18, 28, 60] as const

export const rejectionsCommand: Command = {
  summary: 'list the submissions that were refused or rejected',
  usage: 'tallystick rejections [--follow] [options]',
  options: {
    follow: { type: 'boolean', help: 'then show those that are yet to come, until Ctrl-C' },
    ...tableOptions,
  },
  notes: 'With --json, each is a line of JSON, with its commands and its place in Daml.',
  async run({ follow: isFollowing = false, ...flags }: Flags, around) {
    const surroundings = widthFor(flags, around)
    const stopped = isFollowing ? stopSignal(surroundings) : undefined
    const node = await runningNode(flags, surroundings.environment)
    const known = await getJson<Rejection[]>(node, '/dev/rejections')
    const table = flags.json
      ? undefined
      : createTableWriter(titles, surroundings, { live: isFollowing ? widths : undefined })
    const show = (rejection: Rejection) => {
      if (flags.json) surroundings.print(JSON.stringify(rejection))
      else table!.add(rowOf(rejection))
    }
    for (const rejection of known) show(rejection)
    if (stopped !== undefined) {
      const request = { after: known.at(-1)?.number ?? 0 }
      await follow(
        stopped,
        (signal) => node.follow('/dev/rejections', request, signal),
        (line) => show(JSON.parse(line) as Rejection),
      )
    }
    table?.end()
  },
}

function rowOf({ number, at, operation, userId, commandId, code, cause }: Rejection): string[] {
  return [String(number), at, operation, userId, commandId, code, cause]
}
