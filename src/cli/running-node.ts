// What commands for a running node share: finding it, JSON answers, parties by their hints.
import { StartError } from '../base/errors.ts'
import { type NodeFlags, nodeAt, nodeOptions } from './local-node.ts'
import type { NodeClient } from './node-client.ts'
import type { OptionTable } from './options.ts'

export const jsonOption = {
  json: { type: 'boolean', help: 'print JSON, for scripts' },
} as const satisfies OptionTable

export const runningNodeOptions = { ...nodeOptions, ...jsonOption } as const satisfies OptionTable

export type RunningNodeFlags = NodeFlags & { readonly json?: boolean }

type Environment = Readonly<Record<string, string | undefined>>

export async function runningNode(flags: RunningNodeFlags, environment: Environment): Promise<NodeClient> {
  const { url, token, data, config } = flags
  const place = { ...(url !== undefined && { url }), ...(token !== undefined && { token }) }
  return (await nodeAt({ ...place, data, config }, environment)).node
}

export async function getJson<T>(node: NodeClient, path: string): Promise<T> {
  return (await (await node.get(path)).json()) as T
}

export async function postJson<T>(node: NodeClient, path: string, body: unknown): Promise<T> {
  return (await (await node.post(path, body)).json()) as T
}

export type PartyDetails = { readonly party: string; readonly isLocal: boolean }

/** All pages of a list. */
export async function* pagesOf<T extends { readonly nextPageToken: string }>(
  node: NodeClient,
  path: string,
): AsyncIterable<T> {
  let pageToken = ''
  do {
    const mark = path.includes('?') ? '&' : '?'
    const page = await getJson<T>(
      node,
      pageToken === '' ? path : `${path}${mark}pageToken=${encodeURIComponent(pageToken)}`,
    )
    yield page
    pageToken = page.nextPageToken
  } while (pageToken !== '')
}

export async function listParties(node: NodeClient, prefix = ''): Promise<PartyDetails[]> {
  const parties: PartyDetails[] = []
  const path = prefix === '' ? '/v2/parties' : `/v2/parties?filter-party=${encodeURIComponent(prefix)}`
  for await (const page of pagesOf<{ partyDetails: PartyDetails[]; nextPageToken: string }>(node, path)) {
    parties.push(...page.partyDetails)
  }
  return parties
}

/** The id of a party that is named by it or by its hint. */
export async function partyNamed(name: string, node: NodeClient): Promise<string> {
  if (name.includes('::')) return name
  const found = await listParties(node, `${name}::`)
  if (found.length === 1) return found[0]!.party
  if (found.length > 1) {
    throw new StartError(`several parties are called ${name}: ${found.map(({ party }) => party).join(', ')}`)
  }
  throw new StartError(`there is no party ${name}; tallystick party add ${name} makes one`)
}

export function hintOf(party: string): string {
  return party.split('::')[0]!
}
