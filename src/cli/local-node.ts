// The node that a command talks to, and the token for it. For a node on this machine the token is signed with the
// secret in the data folder if none is given.
import { resolve } from 'node:path'
import { StartError } from '../base/errors.ts'
import { issueLocalToken } from '../maintenance.ts'
import { createNodeClient, type NodeClient } from './node-client.ts'
import type { OptionTable } from './options.ts'
import { UsageError } from './usage.ts'

export type NodeFlags = { readonly url?: string; readonly token?: string; readonly data?: string }

export const nodeOptions = {
  url: { type: 'string', value: 'URL', help: 'where the node is (http://127.0.0.1:7575)' },
  token: { type: 'string', value: 'TOKEN', help: "an administrator's token; made for a node of this machine" },
  data: { type: 'string', value: 'DIR', help: 'its data folder, for that token (./.tallystick)' },
} as const satisfies OptionTable

const defaultUrl = 'http://127.0.0.1:7575'
const lifetimeMs = 60_000
const loopback = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/

export type NodeAt = { readonly url: string; readonly node: NodeClient; readonly hasToken: boolean }

export async function nodeAt({ url = defaultUrl, token, data = './.tallystick' }: NodeFlags): Promise<NodeAt> {
  const parsed = URL.parse(url)
  if (parsed === null || !/^https?:$/.test(parsed.protocol)) throw new UsageError(`--url: ${url} is not a URL`)
  // A token signed with the local secret grants everything, so it is sent to no other machine.
  const effective = token ?? (loopback.test(parsed.hostname) ? await localToken(data) : undefined)
  return { url, node: createNodeClient(url, effective), hasToken: effective !== undefined }
}

async function localToken(data: string): Promise<string | undefined> {
  try {
    return await issueLocalToken({
      folder: resolve(data),
      userId: 'participant_admin',
      audience: undefined,
      lifetimeMs,
    })
  } catch (error) {
    if (error instanceof StartError) return undefined // There is no such folder, so the request has no token.
    throw error
  }
}
