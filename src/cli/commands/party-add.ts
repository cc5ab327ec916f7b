// tallystick party add: allocates a party on a running node.
import type { Command } from '../command.ts'
import { type PartyDetails, postJson, type RunningNodeFlags, runningNode, runningNodeOptions } from '../running-node.ts'

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
