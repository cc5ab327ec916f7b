// tallystick logs: what happened on a running node, and what was refused, in the order of time; with --follow as it happens.
import { type Command, type Surroundings, UsageError } from '../command.ts'
import { eventFormat, type FormatFlags, updateFormat } from '../event-formats.ts'
import { follow, stopSignal } from '../following.ts'
import { type Update, updateRows, updateTitles, updateWidths } from '../ledger-rows.ts'
import type { NodeClient } from '../node-client.ts'
import { getJson, runningNode, type TableFlags, tableOptions, widthFor } from '../running-node.ts'
import { createTableWriter } from '../table.ts'

type Flags = TableFlags & Pick<FormatFlags, 'party'> & { readonly follow?: boolean; readonly after?: string }

type Rejection = {
  readonly number: number
  readonly at: string
  readonly userId: string
  readonly commandId: string
  readonly code: string
  readonly cause: string
}

type Printer = { update(line: string): void; rejection(json: Rejection): void; end(): void }

export const logsCommand: Command = {
  summary: 'show what happened and what was refused',
  usage: 'tallystick logs [--after OFFSET] [--follow] [--party PARTY]… [options]',
  options: {
    follow: { type: 'boolean', help: 'then show what happens, until Ctrl-C' },
    after: {
      type: 'string',
      value: 'OFFSET',
      help: 'only updates after this offset, and refusals after the first of them',
    },
    party: { type: 'string', multiple: true, value: 'PARTY', help: 'only what this party sees, by its id or its hint' },
    ...tableOptions,
  },
  notes: `Only a development node remembers what it refused. With --json, one {"update":…} or {"rejection":…} a line. The log of
the node itself is what tallystick start prints.`,
  async run({ follow: isFollowing = false, after, party, ...flags }: Flags, around) {
    const surroundings = widthFor(flags, around)
    if (after !== undefined && !/^\d{1,18}$/.test(after)) throw new UsageError(`--after: ${after} is not an offset`)
    const stopped = isFollowing ? stopSignal(surroundings) : undefined
    const node = await runningNode(flags, surroundings.environment)
    const { offset: end } = await getJson<{ offset: number }>(node, '/v2/state/ledger-end')
    const pruned = await getJson<{ participantPrunedUpToInclusive: number }>(node, '/v2/state/latest-pruned-offsets')
    const beginExclusive = Number(after ?? pruned.participantPrunedUpToInclusive)
    const request = { updateFormat: updateFormat(await eventFormat(party ? { party } : {}, node)) }
    const rejections = await rejectionsOf(node)
    const printer = createPrinter(flags.json === true, isFollowing, surroundings)

    let printed = 0
    let hasBegun = after === undefined
    const printUntil = (ms: number) => {
      for (const rejection of (rejections ?? []).slice(printed)) {
        if (Date.parse(rejection.at) >= ms) return
        printed += 1
        if (hasBegun) printer.rejection(rejection)
      }
    }
    if (beginExclusive < end) {
      for await (const line of node.lines('/v2/updates', { ...request, beginExclusive, endInclusive: end })) {
        printUntil(timeOf(line))
        hasBegun = true
        printer.update(line)
      }
    }
    printUntil(Number.POSITIVE_INFINITY)
    if (stopped !== undefined) {
      const streams = [
        follow(
          stopped,
          (signal) => node.follow('/v2/updates', { ...request, beginExclusive: end }, signal),
          printer.update,
        ),
        ...(rejections === undefined
          ? []
          : [
              follow(
                stopped,
                (signal) => node.follow('/dev/rejections', { after: rejections.at(-1)?.number ?? 0 }, signal),
                (line) => printer.rejection(JSON.parse(line) as Rejection),
              ),
            ]),
      ]
      await Promise.all(streams)
    }
    printer.end()
  },
}

/** Undefined if the node keeps none. */
async function rejectionsOf(node: NodeClient): Promise<Rejection[] | undefined> {
  const answer = await node.probe('/dev/rejections')
  return answer?.status === 404 ? undefined : getJson<Rejection[]>(node, '/dev/rejections')
}

function createPrinter(isJson: boolean, isLive: boolean, surroundings: Surroundings): Printer {
  const { print, width } = surroundings
  if (isJson) {
    return {
      update: (line) => 'OffsetCheckpoint' in updateIn(line) || print(line),
      rejection: (json) => print(JSON.stringify({ rejection: json })),
      end: () => undefined,
    }
  }
  const table = createTableWriter(updateTitles, surroundings, { live: isLive ? updateWidths : undefined })
  return {
    update: (line) => updateRows(updateIn(line), width).forEach(table.add),
    rejection: ({ at, code, cause, userId, commandId }) =>
      table.add(['', at, 'refused', '', `${code} for ${userId || 'nobody'} (${commandId}): ${cause}`]),
    end: table.end,
  }
}

function updateIn(line: string): Update {
  return (JSON.parse(line) as { update: Update }).update
}

function timeOf(line: string): number {
  const { Transaction, Reassignment, TopologyTransaction } = updateIn(line)
  const value = Transaction?.value ?? Reassignment?.value ?? TopologyTransaction?.value
  return value === undefined ? 0 : Date.parse('effectiveAt' in value ? value.effectiveAt : value.recordTime)
}
