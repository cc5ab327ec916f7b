// tallystick contracts: the active contracts of a running node, and with --watch those that come and go.
import type { Command, Surroundings } from '../command.ts'
import { type EventFormat, eventFormat, type FormatFlags, updateFormat } from '../event-formats.ts'
import { follow, stopSignal } from '../following.ts'
import {
  type CreatedEvent,
  contractRow,
  contractTitles,
  type Event,
  shownId,
  shownTemplate,
  type Update,
} from '../ledger-rows.ts'
import type { NodeClient } from '../node-client.ts'
import { getJson, hintOf, runningNode, type TableFlags, tableOptions, widthFor } from '../running-node.ts'
import { createTableWriter } from '../table.ts'

type Flags = TableFlags & FormatFlags & { readonly watch?: boolean }
type Entry = {
  readonly contractEntry: {
    readonly JsActiveContract?: { readonly createdEvent: CreatedEvent }
    readonly JsIncompleteUnassigned?: {
      readonly createdEvent: CreatedEvent
      readonly unassignedEvent: { readonly target: string }
    }
  }
}

export const contractsCommand: Command = {
  summary: 'list the active contracts',
  usage: 'tallystick contracts [--party PARTY]… [--template ID]… [--watch] [options]',
  options: {
    party: { type: 'string', multiple: true, value: 'PARTY', help: 'only what this party sees, by its id or its hint' },
    template: { type: 'string', multiple: true, value: 'ID', help: 'only this template: [PACKAGE:][MODULE:]TEMPLATE' },
    watch: { type: 'boolean', help: 'then show contracts that come (+) and go (-), until Ctrl-C' },
    ...tableOptions,
  },
  notes: 'With --json, one contract a line, as the node sends it; with --watch, then one event a line.',
  async run({ party, template, watch, ...flags }: Flags, around) {
    const surroundings = widthFor(flags, around)
    const node = await runningNode(flags, surroundings.environment)
    const format = await eventFormat({ ...(party && { party }), ...(template && { template }) }, node)
    const { offset } = await getJson<{ offset: number }>(node, '/v2/state/ledger-end')
    const contracts = node.lines('/v2/state/active-contracts', { activeAtOffset: offset, eventFormat: format })
    if (watch) return watchContracts(node, contracts, format, offset, flags, surroundings)
    const { print, width } = surroundings
    if (flags.json) {
      for await (const line of contracts) print(line)
      return
    }
    const table = createTableWriter(contractTitles, surroundings)
    for await (const line of contracts) {
      for (const row of rowsOf(line, width)) table.add(row)
    }
    table.end()
  },
}

async function watchContracts(
  node: NodeClient,
  contracts: AsyncIterable<string>,
  format: EventFormat,
  offset: number,
  { json }: TableFlags,
  surroundings: Surroundings,
): Promise<void> {
  const stopped = stopSignal(surroundings)
  const { print, width } = surroundings
  const table = json
    ? undefined
    : createTableWriter(['', ...contractTitles], surroundings, { live: [1, 17, 24, 24, 60] })
  for await (const line of contracts) {
    if (json) print(line)
    else for (const row of rowsOf(line, width)) table!.add(['+', ...row])
  }
  const request = {
    beginExclusive: offset,
    updateFormat: {
      ...updateFormat(format),
      includeTransactions: {
        eventFormat: format,
        transactionShape: 'TRANSACTION_SHAPE_ACS_DELTA',
      },
    },
  }
  await follow(
    stopped,
    (signal) => node.follow('/v2/updates', request, signal),
    (message) => {
      for (const event of eventsIn(message)) {
        if (json) print(JSON.stringify(event))
        else if (event.CreatedEvent !== undefined) table!.add(['+', ...contractRow(event.CreatedEvent, width)])
        else if (event.ArchivedEvent !== undefined) {
          const { contractId } = event.ArchivedEvent
          table!.add(['-', shownId(contractId, width), shownTemplate(event.ArchivedEvent), '', ''])
        }
      }
    },
  )
}

/** A contract on its way between synchronizers says so; nobody can use it until it arrives. */
function rowsOf(line: string, width: number | undefined): string[][] {
  const { JsActiveContract: active, JsIncompleteUnassigned: leaving } = (JSON.parse(line) as Entry).contractEntry
  if (active !== undefined) return [contractRow(active.createdEvent, width)]
  if (leaving === undefined) return []
  const [id, template, stakeholders, fields] = contractRow(leaving.createdEvent, width)
  return [[id!, template!, stakeholders!, `(in transit to ${hintOf(leaving.unassignedEvent.target)}) ${fields}`]]
}

function eventsIn(message: string): readonly Event[] {
  return (JSON.parse(message) as { update: Update }).update.Transaction?.value.events ?? []
}
