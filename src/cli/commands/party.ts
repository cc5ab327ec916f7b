// tallystick party: allocates parties on a running node, lists them, and shows one.
import type { Command } from '../command.ts'
import { eventFormat } from '../event-formats.ts'
import { type CreatedEvent, shownTemplate } from '../ledger-rows.ts'
import { listParties, type PartyDetails, partyNamed } from '../named-parties.ts'
import type { NodeClient } from '../node-client.ts'
import { withProgress } from '../progress.ts'
import {
  getJson,
  postJson,
  type RunningNodeFlags,
  runningNode,
  runningNodeOptions,
  type TableFlags,
  tableOptions,
  widthFor,
} from '../running-node.ts'
import { renderTable } from '../table.ts'
import { renderRows } from '../transaction-tree.ts'
import { listUsers, rightWords } from '../users-of-node.ts'

/** Contracts of a party that are counted, and users whose rights are looked at. */
const contractsCounted = 10_000
const usersLooked = 1_000

export const partyAddCommand: Command = {
  summary: 'allocate a party',
  usage: 'tallystick party add HINT [options]',
  operands: ['HINT'],
  options: runningNodeOptions,
  async run(flags: RunningNodeFlags, { environment, print }, [hint]) {
    const node = await runningNode(flags, environment)
    const answer = await postJson<{ partyDetails: PartyDetails }>(node, '/v2/parties', { partyIdHint: hint })
    print(flags.json ? JSON.stringify(answer.partyDetails, null, 2) : answer.partyDetails.party)
  },
}

export const partyListCommand: Command = {
  summary: 'list the parties',
  usage: 'tallystick party list [options]',
  options: tableOptions,
  async run(flags: TableFlags, surroundings) {
    const { environment, print, width } = widthFor(flags, surroundings)
    const parties = await listParties(await runningNode(flags, environment))
    if (flags.json) return print(JSON.stringify(parties, null, 2))
    const rows = parties.map(({ party, isLocal }) => [party, isLocal ? 'here' : 'elsewhere'])
    print(renderTable(['PARTY', 'HOSTED'], rows, width))
  },
}

export const partyShowCommand: Command = {
  summary: 'show a party: where it is hosted, who may act as it, and its contracts',
  usage: 'tallystick party show PARTY [options]',
  operands: ['PARTY'],
  options: tableOptions,
  notes: `PARTY is its id, the beginning of it, or its hint. At most ${contractsCounted} of its contracts are counted, and the
rights of at most ${usersLooked} users are looked at.`,
  async run(flags: TableFlags, surroundings, [written]) {
    const { environment, print, width } = widthFor(flags, surroundings)
    const node = await runningNode(flags, environment)
    const party = await partyNamed(written!, node)
    const found = await withProgress('reading the party', surroundings, detailsOf(party, node))
    if (flags.json) return print(JSON.stringify(found, null, 2))
    const { details, synchronizers, users, contracts } = found
    const head: [string, string][] = [
      ['party', party],
      ['hosted', details.isLocal ? 'here' : 'elsewhere'],
      ['synchronizers', synchronizers.join(', ')],
      ['identity provider', details.identityProviderId],
      ...Object.entries(details.localMetadata?.annotations ?? {}),
    ]
    const tables = [
      users.length > 0 &&
        renderTable(
          ['USER', 'MAY'],
          users.map(({ id, may }) => [id, may.join(', ')]),
          width,
        ),
      contracts.length > 0 &&
        renderTable(
          ['TEMPLATE', 'CONTRACTS'],
          contracts.map(({ template, count }) => [template, String(count)]),
          width,
        ),
    ]
    print([renderRows(head, width), ...tables.filter((table) => table !== false)].join('\n\n'))
  },
}

async function detailsOf(party: string, node: NodeClient) {
  const path = encodeURIComponent(party)
  const { partyDetails } = await getJson<{ partyDetails: PartyDetails[] }>(node, `/v2/parties/${path}`)
  const connected = await getJson<{ connectedSynchronizers: readonly { readonly synchronizerAlias: string }[] }>(
    node,
    `/v2/state/connected-synchronizers?party=${path}`,
  )
  const users = (await listUsers(node, usersLooked)).flatMap(({ id, rights }) => {
    const may = rights.filter(({ kind }) => Object.values(kind)[0]!.value.party === party).map(rightWords)
    return may.length === 0 ? [] : [{ id, may }]
  })
  return {
    details: partyDetails[0]!,
    synchronizers: connected.connectedSynchronizers.map(({ synchronizerAlias }) => synchronizerAlias),
    users,
    contracts: await contractsOf(party, node),
  }
}

async function contractsOf(party: string, node: NodeClient): Promise<{ template: string; count: number }[]> {
  const { offset } = await getJson<{ offset: number }>(node, '/v2/state/ledger-end')
  const format = await eventFormat({ party: [party] }, node)
  const counts = new Map<string, number>()
  let read = 0
  for await (const line of node.lines('/v2/state/active-contracts', { activeAtOffset: offset, eventFormat: format })) {
    const [entry] = Object.values((JSON.parse(line) as Entry).contractEntry)
    if (entry === undefined) continue
    const template = shownTemplate(entry.createdEvent)
    counts.set(template, (counts.get(template) ?? 0) + 1)
    read += 1
    if (read === contractsCounted) break
  }
  return [...counts].map(([template, count]) => ({ template, count }))
}

type Entry = { readonly contractEntry: Readonly<Record<string, { readonly createdEvent: CreatedEvent }>> }
