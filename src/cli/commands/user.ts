// tallystick user: creates users on a running node, changes their rights, deletes users, and lists them.
import { type Command, UsageError } from '../command.ts'
import { withProgress } from '../progress.ts'
import {
  hintOf,
  postJson,
  type RunningNodeFlags,
  runningNode,
  runningNodeOptions,
  type TableFlags,
  tableOptions,
  widthFor,
} from '../running-node.ts'
import { renderTable } from '../table.ts'
import { listUsers, type Right, type RightFlags, rightOptions, rightsFrom, rightWords } from '../users-of-node.ts'

export const userAddCommand: Command = {
  summary: 'create a user',
  usage: 'tallystick user add ID [--act-as PARTY]… [--read-as PARTY]… [--admin] [options]',
  operands: ['ID'],
  options: {
    ...rightOptions,
    ...runningNodeOptions,
  },
  async run(flags: RightFlags & RunningNodeFlags, { environment, print }, [id]) {
    const node = await runningNode(flags, environment)
    const rights = await rightsFrom(flags, node)
    const { user } = await postJson<{ user: { id: string } }>(node, '/v2/users', { user: { id }, rights })
    print(flags.json ? JSON.stringify(user, null, 2) : user.id)
  },
}

const changes = {
  grant: { summary: 'give a user rights', path: 'post', answer: 'newlyGrantedRights', done: 'granted' },
  revoke: { summary: 'take rights from a user', path: 'patch', answer: 'newlyRevokedRights', done: 'revoked' },
} as const

/** What the user had, or had not, before is left as it is. */
function rightsCommand(verb: keyof typeof changes): Command {
  const { summary, path: method, answer, done } = changes[verb]
  const usage = `tallystick user ${verb} ID [--act-as PARTY]… [--read-as PARTY]… [--admin] [options]`
  return {
    summary,
    usage,
    operands: ['ID'],
    options: { ...rightOptions, ...runningNodeOptions },
    async run(flags: RightFlags & RunningNodeFlags, { environment, print }, [userId]) {
      const node = await runningNode(flags, environment)
      const rights = await rightsFrom(flags, node)
      if (rights.length === 0) throw new UsageError(`no right is named; usage: ${usage}`)
      const path = `/v2/users/${encodeURIComponent(userId!)}/rights`
      const response = await node[method](path, { userId, rights, identityProviderId: '' })
      const changed = ((await response.json()) as Readonly<Record<string, readonly Right[]>>)[answer] ?? []
      if (flags.json) return print(JSON.stringify(changed, null, 2))
      print(`${done} ${changed.length === 0 ? 'nothing: it is so already' : changed.map(rightWords).join(', ')}`)
    },
  }
}

export const userGrantCommand = rightsCommand('grant')
export const userRevokeCommand = rightsCommand('revoke')

export const userDeleteCommand: Command = {
  summary: 'delete a user',
  usage: 'tallystick user delete ID [options]',
  operands: ['ID'],
  options: runningNodeOptions,
  async run(flags: RunningNodeFlags, { environment, print }, [id]) {
    const node = await runningNode(flags, environment)
    await node.delete(`/v2/users/${encodeURIComponent(id!)}`)
    print(flags.json ? JSON.stringify({ deleted: id }, null, 2) : `deleted ${id}`)
  },
}

export const userListCommand: Command = {
  summary: 'list the users and their rights',
  usage: 'tallystick user list [options]',
  options: tableOptions,
  async run(flags: TableFlags, surroundings) {
    const { environment, print, width } = widthFor(flags, surroundings)
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

function partiesOf(rights: readonly Right[], wanted: string): string {
  return rights.flatMap(({ kind }) => hintOf(kind[wanted]?.value.party ?? '') || []).join(', ')
}

function otherRights(rights: readonly Right[]): string {
  const others = rights.filter(({ kind }) => !Object.hasOwn(kind, 'CanActAs') && !Object.hasOwn(kind, 'CanReadAs'))
  return others.map(rightWords).join(', ')
}
