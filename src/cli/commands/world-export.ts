// tallystick world export: writes parties, users, packages and active contracts of a running node as a world file, with its
// DAR files beside it.
import { closeSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { StartError } from '../../base/errors.ts'
import type { Command } from '../command.ts'
import { type CreatedEvent, shownTemplate } from '../ledger-rows.ts'
import { type NodeFlags, nodeAt, nodeOptions } from '../local-node.ts'
import type { NodeClient } from '../node-client.ts'
import { darsOfNode, listPackages, newestOf } from '../packages-of-node.ts'
import { withProgress } from '../progress.ts'
import { aliasesFor, jsonPieces, type Party, type User, userEntry, yamlPieces } from '../world-content.ts'
import { type ActiveContract, readContracts, submissionsFor, type WorldSubmissions } from '../world-contracts.ts'

type Provider = {
  readonly identityProviderId: string
  readonly isDeactivated: boolean
  readonly issuer: string
  readonly jwksUrl: string
  readonly audience: string
}

type Flags = NodeFlags & { readonly 'without-contracts'?: boolean }

export const worldExportCommand: Command = {
  summary: 'write a running node as a world file: parties, users, packages and active contracts',
  usage: 'tallystick world export FILE [--without-contracts] [options]',
  operands: ['FILE'],
  options: {
    'without-contracts': { type: 'boolean', help: 'leave the active contracts out' },
    ...nodeOptions,
  },
  notes: `FILE is YAML if it ends in .yaml or .yml, otherwise JSON. DAR files are written beside it. A contract that a new node could not
create is left out and named: one with a stakeholder of another participant or with keys of its own, or one in transit.`,
  async run({ 'without-contracts': isWithout = false, ...flags }: Flags, surroundings, [file]) {
    const { environment, print, tell } = surroundings
    const { node } = await nodeAt(flags, environment)
    const dars = await withProgress('reading the packages', surroundings, darsOfNode(node))
    const { participantId } = await read<{ participantId: string }>(node, '/v2/parties/participant-id')
    const providers = (await read<{ identityProviderConfigs: Provider[] }>(node, '/v2/idps')).identityProviderConfigs
    const ids = ['', ...providers.map(({ identityProviderId }) => identityProviderId)]
    const parties = await withProgress('reading the parties', surroundings, partiesOf(node, ids, participantId))
    const users = await withProgress('reading the users', surroundings, usersOf(node, ids))
    const aliases = aliasesFor(parties)
    const reading = isWithout ? Promise.resolve(noContracts) : contractsFor(node, aliases)
    const contracts = await withProgress('reading the contracts', surroundings, reading)
    const content = {
      ...given(
        'dars',
        dars.map(({ name }) => name),
      ),
      ...given('synchronizers', contracts.synchronizers),
      ...given('identityProviders', Object.fromEntries(providers.map(providerEntry))),
      ...given(
        'parties',
        Object.fromEntries(parties.map((party) => [aliases.get(party.party)!, partyEntry(party, aliases)])),
      ),
      ...given('users', Object.fromEntries(users.map((user) => [user.id, userEntry(user, aliases)]))),
    }
    for (const { name, bytes } of dars) write(join(dirname(file!), name), [bytes])
    write(file!, await piecesOf(content, contracts.submissions, file!))
    for (const line of leftOutWords(contracts)) tell(`left out: ${line}`)
    const counts = { parties: parties.length, users: users.length, packages: dars.length, contracts: contracts.count }
    const { contracts: _, ...others } = counts
    const words = Object.entries(isWithout ? others : counts).map(([name, count]) => `${name}: ${count}`)
    print(`wrote ${file} (${words.join(', ')})`)
  },
}

type Contracts = WorldSubmissions & {
  readonly count: number
  /** Undefined, unless they are others than those of a new development node. */
  readonly synchronizers: readonly object[]
}

const noContracts: Contracts = { submissions: [], leftOut: [], unknownReferences: 0, count: 0, synchronizers: [] }

async function contractsFor(node: NodeClient, parties: ReadonlyMap<string, string>): Promise<Contracts> {
  const { connectedSynchronizers } = await read<{
    connectedSynchronizers: readonly { readonly synchronizerAlias: string; readonly synchronizerId: string }[]
  }>(node, '/v2/state/connected-synchronizers')
  const aliases = new Map(connectedSynchronizers.map((one) => [one.synchronizerId, one.synchronizerAlias]))
  const contracts = await readContracts(node, aliases)
  const newest = new Map(
    newestOf(await listPackages(node)).map(({ packageName, packageId }) => [packageName, packageId]),
  )
  const templateIdOf = ({ templateId, packageName }: CreatedEvent) => {
    const [packageId = '', ...entity] = templateId.split(':')
    return newest.get(packageName) === packageId ? [`#${packageName}`, ...entity].join(':') : templateId
  }
  const { usual, synchronizers } = synchronizersFor([...aliases.values()], contracts)
  const exported = submissionsFor(contracts, parties, templateIdOf, usual)
  return { ...exported, count: contracts.length - exported.leftOut.length, synchronizers }
}

/** Those of a new development node need no mention. Of others, a new node prefers the one with most of the contracts. */
function synchronizersFor(aliases: readonly string[], contracts: readonly ActiveContract[]) {
  const countOf = (alias: string) => contracts.filter(({ synchronizer }) => synchronizer === alias).length
  if (aliases.every((alias) => alias === 'global' || alias === 'private')) return { usual: 'global', synchronizers: [] }
  const [usual] = aliases.toSorted((a, b) => countOf(b) - countOf(a))
  return { usual, synchronizers: aliases.map((alias) => ({ alias, priority: alias === usual ? 1 : 0 })) }
}

/** Contracts that are named before the rest is counted. */
const namesShown = 10

function leftOutWords({ leftOut, unknownReferences }: Contracts): string[] {
  const byReason = Map.groupBy(leftOut, ({ reason }) => reason)
  const lines = [...byReason].map(([reason, contracts]) => {
    const names = contracts
      .slice(0, namesShown)
      .map(({ contract }) => `${shownTemplate(contract)} ${contract.contractId}`)
    const more = contracts.length > namesShown ? ` and ${contracts.length - namesShown} more` : ''
    return `${names.join(', ')}${more}: ${reason}`
  })
  if (unknownReferences === 0) return lines
  return [
    ...lines,
    `${unknownReferences} contracts that others refer to and that are not in the file: their ids are kept`,
  ]
}

async function piecesOf(content: object, submissions: readonly object[], file: string): Promise<Iterable<string>> {
  if (!/\.ya?ml$/.test(file)) return jsonPieces(content, submissions)
  const { yamlText } = await import('../yaml-text.ts')
  return yamlPieces(content, submissions, yamlText)
}

/** A file that exists stays as it is until the new one is complete. */
function write(file: string, pieces: Iterable<string | Uint8Array>): void {
  const part = `${file}.part`
  try {
    const handle = openSync(part, 'w')
    try {
      for (const piece of pieces) writeFileSync(handle, piece)
    } finally {
      closeSync(handle)
    }
    renameSync(part, file)
  } catch (error) {
    rmSync(part, { force: true })
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
