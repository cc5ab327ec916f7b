// tallystick user list: the users of a running node and their rights.
import type { Command } from '../command.ts'
import type { NodeClient } from '../node-client.ts'
import { withProgress } from '../progress.ts'
import { getJson, hintOf, pagesOf, type RunningNodeFlags, runningNode, runningNodeOptions } from '../running-node.ts'
import { renderTable } from '../table.ts'

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
