// tallystick user add: creates a user of a running node, with its rights.
import type { Command } from '../command.ts'
import { partyNamed, postJson, type RunningNodeFlags, runningNode, runningNodeOptions } from '../running-node.ts'

type Flags = RunningNodeFlags & {
  readonly 'act-as'?: readonly string[]
  readonly 'read-as'?: readonly string[]
  readonly admin?: boolean
}

export const userAddCommand: Command = {
  summary: 'create a user',
  usage: 'tallystick user add ID [--act-as PARTY]… [--read-as PARTY]… [--admin] [options]',
  operands: ['ID'],
  options: {
    'act-as': { type: 'string', multiple: true, value: 'PARTY', help: 'act as this party, by its id or its hint' },
    'read-as': { type: 'string', multiple: true, value: 'PARTY', help: 'read what this party sees' },
    admin: { type: 'boolean', help: 'administer the participant' },
    ...runningNodeOptions,
  },
  async run({ 'act-as': actAs = [], 'read-as': readAs = [], admin = false, ...flags }: Flags, surroundings, [id]) {
    const { environment, print } = surroundings
    const node = await runningNode(flags, environment)
    const rights: object[] = []
    for (const name of actAs) rights.push({ kind: { CanActAs: { value: { party: await partyNamed(name, node) } } } })
    for (const name of readAs) rights.push({ kind: { CanReadAs: { value: { party: await partyNamed(name, node) } } } })
    if (admin) rights.push({ kind: { ParticipantAdmin: { value: {} } } })
    const { user } = await postJson<{ user: { id: string } }>(node, '/v2/users', { user: { id }, rights })
    print(flags.json ? JSON.stringify(user, null, 2) : user.id)
  },
}
