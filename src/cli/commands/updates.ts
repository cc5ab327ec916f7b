// tallystick updates: what happened on the ledger of a running node, and with --follow what happens.
import { type Command, UsageError } from '../command.ts'
import { eventFormat, type FormatFlags, updateFormat } from '../event-formats.ts'
import { follow, stopSignal } from '../following.ts'
import { type Update, updateRows, updateTitles, updateWidths } from '../ledger-rows.ts'
import { getJson, runningNode, type TableFlags, tableOptions, widthFor } from '../running-node.ts'
import { createTableWriter } from '../table.ts'

type Flags = TableFlags & FormatFlags & { readonly follow?: boolean; readonly after?: string }

export const updatesCommand: Command = {
  summary: 'list what happened on the ledger',
  usage: 'tallystick updates [--after OFFSET] [--follow] [--party PARTY]… [options]',
  options: {
    follow: { type: 'boolean', help: 'show what happens from now on, until Ctrl-C' },
    after: { type: 'string', value: 'OFFSET', help: 'only updates after this offset' },
    party: { type: 'string', multiple: true, value: 'PARTY', help: 'only what this party sees, by its id or its hint' },
    template: { type: 'string', multiple: true, value: 'ID', help: 'only this template: [PACKAGE:][MODULE:]TEMPLATE' },
    ...tableOptions,
  },
  notes: 'With --json, one update a line, as the node sends it.',
  async run({ follow: isFollowing = false, after, party, template, ...flags }: Flags, around) {
    const surroundings = widthFor(flags, around)
    if (after !== undefined && !/^\d{1,18}$/.test(after)) throw new UsageError(`--after: ${after} is not an offset`)
    const stopped = isFollowing ? stopSignal(surroundings) : undefined
    const node = await runningNode(flags, surroundings.environment)
    const { print, width } = surroundings
    const { offset: end } = await getJson<{ offset: number }>(node, '/v2/state/ledger-end')
    const pruned = await getJson<{ participantPrunedUpToInclusive: number }>(node, '/v2/state/latest-pruned-offsets')
    const format = updateFormat(await eventFormat({ ...(party && { party }), ...(template && { template }) }, node))
    const beginExclusive = Number(after ?? (isFollowing ? end : pruned.participantPrunedUpToInclusive))
    const table = flags.json
      ? undefined
      : createTableWriter(updateTitles, surroundings, { live: isFollowing ? updateWidths : undefined })
    const show = (line: string) => {
      const { update } = JSON.parse(line) as { update: Update }
      if (Object.hasOwn(update, 'OffsetCheckpoint')) return
      if (flags.json) print(line)
      else for (const row of updateRows(update, width)) table!.add(row)
    }
    const request = { beginExclusive, updateFormat: format }
    if (stopped !== undefined) {
      await follow(stopped, (signal) => node.follow('/v2/updates', request, signal), show)
    } else if (beginExclusive < end) {
      for await (const line of node.lines('/v2/updates', { ...request, endInclusive: end })) show(line)
    }
    table?.end()
  },
}
