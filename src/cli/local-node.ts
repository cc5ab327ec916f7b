// The node that a command talks to, and the token for it. For a node on this machine the token is signed with the
// secret in the data folder if none is given.
import { resolve } from 'node:path'
import { StartError } from '../base/errors.ts'
import type { Settings } from '../base/settings.ts'
import { issueLocalToken } from '../maintenance.ts'
import { type Flags, loadSettings } from './config.ts'
import { createNodeClient, type NodeClient } from './node-client.ts'
import { type OptionTable, settingOptions } from './options.ts'
import { UsageError } from './usage.ts'

export type NodeFlags = Pick<Flags, 'data' | 'config'> & { readonly url?: string; readonly token?: string }

type Environment = Readonly<Record<string, string | undefined>>

/** Where the secret of a development node is. */
export const folderOptions = {
  data: { type: 'string', value: 'DIR', help: 'the data folder of the node (./.tallystick)' },
  config: settingOptions.config,
} as const satisfies OptionTable

/** The folder that `start` would use with the same flags and environment. */
export function dataFolder(flags: Pick<Flags, 'data' | 'config'>, environment: Environment): string {
  return resolve(loadSettings(flags, environment).store.data)
}

/** Where `start` would listen. */
function urlFrom({ host, port, tls }: Settings['http']): string {
  const reached = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host
  return `${tls === undefined ? 'http' : 'https'}://${reached.includes(':') ? `[${reached}]` : reached}:${port}`
}

export const nodeOptions = {
  url: { type: 'string', value: 'URL', help: 'where the node is (http://127.0.0.1:7575)' },
  token: { type: 'string', value: 'TOKEN', help: "an administrator's token; made for a node of this machine" },
  data: { ...folderOptions.data, help: 'its data folder, for that token (./.tallystick)' },
  config: folderOptions.config,
} as const satisfies OptionTable

const lifetimeMs = 60_000
const loopback = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/

export type NodeAt = { readonly url: string; readonly node: NodeClient; readonly hasToken: boolean }

export async function nodeAt(flags: NodeFlags, environment: Environment): Promise<NodeAt> {
  const settings = loadSettings({ data: flags.data, config: flags.config }, environment)
  const { url = urlFrom(settings.http), token } = flags
  const parsed = URL.parse(url)
  if (parsed === null || !/^https?:$/.test(parsed.protocol)) throw new UsageError(`--url: ${url} is not a URL`)
  // A token signed with the local secret grants everything, so it is sent to no other machine.
  const effective =
    token ?? (loopback.test(parsed.hostname) ? await localToken(resolve(settings.store.data)) : undefined)
  return { url, node: createNodeClient(url, effective), hasToken: effective !== undefined }
}

async function localToken(folder: string): Promise<string | undefined> {
  try {
    return await issueLocalToken({ folder, userId: 'participant_admin', audience: undefined, lifetimeMs })
  } catch (error) {
    if (error instanceof StartError) return undefined // There is no such folder, so the request has no token.
    throw error
  }
}
