// tallystick party: allocates parties on a running node, and lists them.
import type { Command } from '../command.ts'
import {
  listParties,
  type PartyDetails,
  postJson,
  type RunningNodeFlags,
  runningNode,
  runningNodeOptions,
} from '../running-node.ts'
import { renderTable } from '../table.ts'

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
  options: runningNodeOptions,
  async run(flags: RunningNodeFlags, { environment, print, width }) {
    const parties = await listParties(await runningNode(flags, environment))
    if (flags.json) return print(JSON.stringify(parties, null, 2))
    const rows = parties.map(({ party, isLocal }) => [party, isLocal ? 'here' : 'elsewhere'])
    print(renderTable(['PARTY', 'HOSTED'], rows, width))
  },
}
