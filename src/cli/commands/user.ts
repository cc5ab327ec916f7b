// tallystick user: creates users on a running node, and lists them with their rights.
import type { Command } from '../command.ts'
import type { NodeClient } from '../node-client.ts'
import { withProgress } from '../progress.ts'
import {
  getJson,
  hintOf,
  pagesOf,
  partyNamed,
  postJson,
  type RunningNodeFlags,
  runningNode,
  runningNodeOptions,
} from '../running-node.ts'
import { renderTable } from '../table.ts'

type AddFlags = RunningNodeFlags & {
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
  async run({ 'act-as': actAs = [], 'read-as': readAs = [], admin = false, ...flags }: AddFlags, surroundings, [id]) {
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

type Right = { readonly kind: Readonly<Record<string, { readonly value: { readonly party?: string } }>> }
type User = { readonly id: string; readonly identityProviderId: string; readonly isDeactivated: boolean }
type Listed = User & { readonly rights: readonly Right[] }

export const userListCommand: Command = {
  summary: 'list the users and their rights',
  usage: 'tallystick user list [options]',
  options: runningNodeOptions,
  async run(flags: RunningNodeFlags, surroundings) {
    const { environment, print, width } = surroundings
    const node = await runningNode(flags, environment)
    const users = await withProgress('reading the users', surroundings, listUsers(node))
    if (flags.json) return print(JSON.stringify(users, null, 2))
    const rows = users.map(({ id, isDeactivated, rights }) => [
      isDeactivated ? `${id} (deactivated)` : id,
      partiesOf(rights, 'CanActAs'),
      partiesOf(rights, 'CanReadAs'),
      otherRights(rights),
    ])
    print(renderTable(['USER', 'ACTS AS', 'READS AS', 'OTHER RIGHTS'], rows, width))
  },
}

async function listUsers(node: NodeClient): Promise<Listed[]> {
  const users: Listed[] = []
  for await (const page of pagesOf<{ users: User[]; nextPageToken: string }>(node, '/v2/users')) {
    for (const user of page.users) {
      const { rights } = await getJson<{ rights: Right[] }>(node, `/v2/users/${encodeURIComponent(user.id)}/rights`)
      users.push({ ...user, rights })
    }
  }
  return users
}

function partiesOf(rights: readonly Right[], wanted: string): string {
  return rights.flatMap(({ kind }) => hintOf(kind[wanted]?.value.party ?? '') || []).join(', ')
}

function otherRights(rights: readonly Right[]): string {
  return rights
    .flatMap(({ kind }) => Object.entries(kind))
    .filter(([name]) => name !== 'CanActAs' && name !== 'CanReadAs')
    .map(([name, { value }]) => (value.party === undefined ? name : `${name} ${hintOf(value.party)}`))
    .join(', ')
}
