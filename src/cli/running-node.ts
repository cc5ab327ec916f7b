// What commands for a running node share: finding it, JSON answers, pages of lists.
import { type NodeFlags, nodeAt, nodeOptions } from './local-node.ts'
import type { NodeClient } from './node-client.ts'
import type { OptionTable } from './options.ts'

export const jsonOption = {
  json: { type: 'boolean', help: 'print JSON, for scripts' },
} as const satisfies OptionTable

export const runningNodeOptions = { ...nodeOptions, ...jsonOption } as const satisfies OptionTable

/** For commands that print tables. */
export const tableOptions = {
  full: { type: 'boolean', help: 'cut nothing to the width of the terminal' },
  ...runningNodeOptions,
} as const satisfies OptionTable

export type TableFlags = RunningNodeFlags & { readonly full?: boolean }

/** The surroundings of a command whose tables are cut to the terminal, or not. */
export function widthFor<T extends { readonly width: number | undefined }>({ full }: TableFlags, surroundings: T): T {
  return full === true ? { ...surroundings, width: undefined } : surroundings
}

export type RunningNodeFlags = NodeFlags & { readonly json?: boolean }

type Environment = Readonly<Record<string, string | undefined>>

export async function runningNode(flags: RunningNodeFlags, environment: Environment): Promise<NodeClient> {
  const { url, token, participant, data, config } = flags
  const place = {
    ...(url !== undefined && { url }),
    ...(token !== undefined && { token }),
    ...(participant !== undefined && { participant }),
  }
  return (await nodeAt({ ...place, data, config }, environment)).node
}

export async function getJson<T>(node: NodeClient, path: string): Promise<T> {
  return (await (await node.get(path)).json()) as T
}

export async function postJson<T>(node: NodeClient, path: string, body: unknown): Promise<T> {
  return (await (await node.post(path, body)).json()) as T
}

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

export function hintOf(party: string): string {
  return party.split('::')[0]!
}
