// What a participant has, read from it, and as a part of a world file: identity providers, parties and users.
import type { NodeClient } from './node-client.ts'
import { getJson } from './running-node.ts'
import { type Party, type User, userEntry } from './world-content.ts'

type Provider = {
  readonly identityProviderId: string
  readonly isDeactivated: boolean
  readonly issuer: string
  readonly jwksUrl: string
  readonly audience: string
}

export type ParticipantContent = {
  readonly providers: readonly Provider[]
  readonly parties: readonly Party[]
  readonly users: readonly User[]
}

export async function readParticipant(node: NodeClient): Promise<ParticipantContent> {
  const { participantId } = await getJson<{ participantId: string }>(node, '/v2/parties/participant-id')
  const { identityProviderConfigs: providers } = await getJson<{ identityProviderConfigs: Provider[] }>(
    node,
    '/v2/idps',
  )
  const ids = ['', ...providers.map(({ identityProviderId }) => identityProviderId)]
  return { providers, parties: await partiesOf(node, ids, participantId), users: await usersOf(node, ids) }
}

/** All pages of a list. */
async function listed<T>(node: NodeClient, path: string, provider: string): Promise<T[]> {
  const pages: T[] = []
  let pageToken = ''
  do {
    const query = `identity-provider-id=${encodeURIComponent(provider)}&pageToken=${encodeURIComponent(pageToken)}`
    const page = await getJson<T & { nextPageToken?: string }>(node, `${path}?${query}`)
    pages.push(page)
    pageToken = page.nextPageToken ?? ''
  } while (pageToken !== '')
  return pages
}

/**
 * Those of this participant's namespace, without its own, which every node has; others hold their own keys. Each is listed by
 * the provider it belongs to.
 */
async function partiesOf(node: NodeClient, providers: readonly string[], participantId: string): Promise<Party[]> {
  const namespace = participantId.slice(participantId.indexOf('::'))
  const found = new Map<string, Party>()
  for (const provider of providers) {
    for (const { partyDetails } of await listed<{ partyDetails: Party[] }>(node, '/v2/parties', provider)) {
      for (const party of partyDetails) {
        if (!party.party.endsWith(namespace) || party.party === participantId) continue
        if (provider === '' || party.identityProviderId === provider) found.set(party.party, party)
      }
    }
  }
  return [...found.values()]
}

async function usersOf(node: NodeClient, providers: readonly string[]): Promise<User[]> {
  const found: User[] = []
  for (const provider of providers) {
    for (const { users } of await listed<{ users: User[] }>(node, '/v2/users', provider)) {
      for (const user of users) {
        if (user.identityProviderId !== provider) continue // Each provider lists those of the default one.
        const query = `identity-provider-id=${encodeURIComponent(provider)}`
        const { rights } = await getJson<Pick<User, 'rights'>>(
          node,
          `/v2/users/${encodeURIComponent(user.id)}/rights?${query}`,
        )
        found.push({ ...user, rights })
      }
    }
  }
  return found
}

/** `aliases` are those of all parties of the file. */
export function sectionOf(
  { providers, parties, users }: ParticipantContent,
  aliases: ReadonlyMap<string, string>,
): object {
  return {
    ...given('identityProviders', Object.fromEntries(providers.map(providerEntry))),
    ...given(
      'parties',
      Object.fromEntries(parties.map((party) => [aliases.get(party.party)!, partyEntry(party, aliases)])),
    ),
    ...given('users', Object.fromEntries(users.map((user) => [user.id, userEntry(user, aliases)]))),
  }
}

function partyEntry({ party, identityProviderId, localMetadata }: Party, aliases: ReadonlyMap<string, string>): object {
  const hint = party.slice(0, party.lastIndexOf('::'))
  return {
    ...(hint !== aliases.get(party) && { hint }),
    ...(identityProviderId !== '' && { identityProvider: identityProviderId }),
    ...given('annotations', localMetadata?.annotations ?? {}),
  }
}

function providerEntry({ identityProviderId, issuer, jwksUrl, audience, isDeactivated }: Provider): [string, object] {
  return [
    identityProviderId,
    { issuer, jwksUrl, ...(audience !== '' && { audience }), ...(isDeactivated && { isDeactivated }) },
  ]
}

/** A section that is not empty. */
export function given(name: string, value: object): object {
  return Object.keys(value).length === 0 ? {} : { [name]: value }
}
