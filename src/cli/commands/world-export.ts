// tallystick world export: writes parties, users and packages of a running node as a world file, with its DAR files
// beside it.
import { writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { StartError } from '../../base/errors.ts'
import type { Command } from '../command.ts'
import { type NodeFlags, nodeAt, nodeOptions } from '../local-node.ts'
import type { NodeClient } from '../node-client.ts'
import { darsOfNode } from '../packages-of-node.ts'
import { withProgress } from '../progress.ts'
import { aliasesFor, type Party, type User, userEntry } from '../world-content.ts'

type Provider = {
  readonly identityProviderId: string
  readonly isDeactivated: boolean
  readonly issuer: string
  readonly jwksUrl: string
  readonly audience: string
}

export const worldExportCommand: Command = {
  summary: 'write the parties, users and packages of a running node as a world file',
  usage: 'tallystick world export FILE [options]',
  operands: ['FILE'],
  options: nodeOptions,
  notes: 'FILE is YAML if it ends in .yaml or .yml, otherwise JSON. DAR files are written beside it.',
  async run(flags: NodeFlags, surroundings, [file]) {
    const { environment, print } = surroundings
    const { node } = await nodeAt(flags, environment)
    const dars = await withProgress('reading the packages', surroundings, darsOfNode(node))
    for (const { name, bytes } of dars) write(join(dirname(file!), name), bytes)
    const { participantId } = await read<{ participantId: string }>(node, '/v2/parties/participant-id')
    const providers = (await read<{ identityProviderConfigs: Provider[] }>(node, '/v2/idps')).identityProviderConfigs
    const ids = ['', ...providers.map(({ identityProviderId }) => identityProviderId)]
    const parties = await withProgress('reading the parties', surroundings, partiesOf(node, ids, participantId))
    const users = await withProgress('reading the users', surroundings, usersOf(node, ids))
    const aliases = aliasesFor(parties)
    const content = {
      ...given(
        'dars',
        dars.map(({ name }) => name),
      ),
      ...given('identityProviders', Object.fromEntries(providers.map(providerEntry))),
      ...given(
        'parties',
        Object.fromEntries(parties.map((party) => [aliases.get(party.party)!, partyEntry(party, aliases)])),
      ),
      ...given('users', Object.fromEntries(users.map((user) => [user.id, userEntry(user, aliases)]))),
    }
    write(file!, await textOf(content, file!))
    print(`wrote ${file} (parties: ${parties.length}, users: ${users.length}, packages: ${dars.length})`)
  },
}

async function textOf(content: object, file: string): Promise<string> {
  if (!/\.ya?ml$/.test(file)) return `${JSON.stringify(content, null, 2)}\n`
  const { yamlText } = await import('../yaml-text.ts')
  return yamlText(content)
}

function write(file: string, content: string | Uint8Array): void {
  try {
    writeFileSync(file, content)
  } catch (error) {
    throw new StartError(`cannot write: ${(error as Error).message}`)
  }
}

async function read<T>(node: NodeClient, path: string): Promise<T> {
  return (await node.get(path)).json() as Promise<T>
}

/** All pages of a list. */
async function listed<T>(node: NodeClient, path: string, provider: string): Promise<T[]> {
  const pages: T[] = []
  let pageToken = ''
  do {
    const query = `identity-provider-id=${encodeURIComponent(provider)}&pageToken=${encodeURIComponent(pageToken)}`
    const page = await read<T & { nextPageToken?: string }>(node, `${path}?${query}`)
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
        const query = `identity-provider-id=${encodeURIComponent(provider)}`
        const { rights } = await read<Pick<User, 'rights'>>(
          node,
          `/v2/users/${encodeURIComponent(user.id)}/rights?${query}`,
        )
        found.push({ ...user, rights })
      }
    }
  }
  return found
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
function given(name: string, value: object): object {
  return Object.keys(value).length === 0 ? {} : { [name]: value }
}
