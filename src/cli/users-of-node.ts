// The users of a running node and their rights, and rights as people write them.
import { partyNamed } from './named-parties.ts'
import type { NodeClient } from './node-client.ts'
import type { OptionTable } from './options.ts'
import { getJson, hintOf, pagesOf } from './running-node.ts'

export type Right = { readonly kind: Readonly<Record<string, { readonly value: { readonly party?: string } }>> }
type User = { readonly id: string; readonly identityProviderId: string; readonly isDeactivated: boolean }
export type UserWithRights = User & { readonly rights: readonly Right[] }

/** At most so many: the rights of each are a request. */
export async function listUsers(node: NodeClient, most = Number.POSITIVE_INFINITY): Promise<UserWithRights[]> {
  const users: UserWithRights[] = []
  for await (const page of pagesOf<{ users: User[]; nextPageToken: string }>(node, '/v2/users')) {
    for (const user of page.users) {
      const { rights } = await getJson<{ rights: Right[] }>(node, `/v2/users/${encodeURIComponent(user.id)}/rights`)
      users.push({ ...user, rights })
      if (users.length >= most) return users
    }
  }
  return users
}

export const rightOptions = {
  'act-as': { type: 'string', multiple: true, value: 'PARTY', help: 'act as this party, by its id or its hint' },
  'read-as': { type: 'string', multiple: true, value: 'PARTY', help: 'read what this party sees' },
  admin: { type: 'boolean', help: 'administer the participant' },
} as const satisfies OptionTable

export type RightFlags = {
  readonly 'act-as'?: readonly string[]
  readonly 'read-as'?: readonly string[]
  readonly admin?: boolean
}

export async function rightsFrom(flags: RightFlags, node: NodeClient): Promise<Right[]> {
  const { 'act-as': actAs = [], 'read-as': readAs = [], admin = false } = flags
  const rights: Right[] = []
  for (const name of actAs) rights.push({ kind: { CanActAs: { value: { party: await partyNamed(name, node) } } } })
  for (const name of readAs) rights.push({ kind: { CanReadAs: { value: { party: await partyNamed(name, node) } } } })
  if (admin) rights.push({ kind: { ParticipantAdmin: { value: {} } } })
  return rights
}

/** `CanActAs alice` */
export function rightWords({ kind }: Right): string {
  const [name, { value }] = Object.entries(kind)[0]!
  return value.party === undefined ? name : `${name} ${hintOf(value.party)}`
}
