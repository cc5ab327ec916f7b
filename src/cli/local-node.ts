// The node that a command talks to, and the token for it: the one of --url or TALLYSTICK_URL, else the development node
// that runs over the data folder, else where the settings say that it listens.
import { resolve } from 'node:path'
import { StartError } from '../base/errors.ts'
import type { Settings } from '../base/settings.ts'
import { localSecretIn, signCommandLineToken } from '../node/maintenance.ts'
import { UsageError } from './command.ts'
import { type Flags, loadSettings } from './config.ts'
import { createNodeClient, type NodeClient } from './node-client.ts'
import { type NodeRecord, runningNodes } from './node-record.ts'
import { urlVariable, withNodeVariables } from './node-variables.ts'
import { type OptionTable, settingOptions } from './options.ts'

export type NodeFlags = Pick<Flags, 'data' | 'config'> & {
  readonly url?: string
  readonly token?: string
  readonly participant?: string
}

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
  url: {
    type: 'string',
    value: 'URL',
    help: 'where the node is; else TALLYSTICK_URL, else the node of the data folder',
  },
  participant: {
    type: 'string',
    value: 'NAME',
    help: 'the participant of a network that runs here; else its first one',
  },
  token: {
    type: 'string',
    value: 'TOKEN',
    help: "an administrator's token; else TALLYSTICK_TOKEN, else made for a node of this machine",
  },
  data: { ...folderOptions.data, help: 'its data folder (./.tallystick)' },
  config: folderOptions.config,
} as const satisfies OptionTable

export const isLoopback = (host: string): boolean => /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(host)

export type NodeAt = {
  readonly url: string
  readonly node: NodeClient
  readonly hasToken: boolean
  /** Undefined if there is none to send. */
  readonly token: string | undefined
}

export async function nodeAt(ownFlags: NodeFlags, environment: Environment): Promise<NodeAt> {
  const flags = withNodeVariables(ownFlags, environment)
  const settings = loadSettings({ data: flags.data, config: flags.config }, environment)
  const folder = resolve(settings.store.data)
  if (flags.url !== undefined) checkUrl(flags.url, ownFlags.url === undefined ? urlVariable : '--url')
  const record = flags.url === undefined ? await nodeOf(folder) : recordOf(flags.url, folder)
  const url =
    flags.participant === undefined
      ? (flags.url ?? record?.url ?? urlFrom(settings.http))
      : urlOf(flags.participant, record)
  if (flags.token !== undefined) {
    return { url, node: createNodeClient(url, flags.token), hasToken: true, token: flags.token }
  }
  // The token grants everything, so it is sent to no other machine.
  const mayHaveToken = record !== undefined || isLoopback(new URL(url).hostname)
  const secret = record === undefined ? localSecretIn(folder) : record.secret
  const token = mayHaveToken && secret !== undefined ? await signCommandLineToken(secret) : undefined
  const needsNone = record !== undefined && record.secret === undefined
  return { url, node: createNodeClient(url, token, true), hasToken: token !== undefined || needsNone, token }
}

function checkUrl(url: string, origin: string): void {
  const parsed = URL.parse(url)
  if (parsed === null || !/^https?:$/.test(parsed.protocol)) throw new UsageError(`${origin}: ${url} is not a URL`)
}

function urlOf(participant: string, record: NodeRecord | undefined): string {
  if (record === undefined) throw new UsageError('--participant is for a network of this machine; use --url elsewhere')
  const { participants = [] } = record
  const found = participants.find(({ name }) => name === participant)
  if (found !== undefined) return found.url
  const names = participants.map(({ name }) => name).join(', ')
  throw new UsageError(`there is no participant ${participant}; the node has ${names || 'one that needs no name'}`)
}

function recordOf(url: string, folder: string): NodeRecord | undefined {
  const { origin } = new URL(url)
  const isThere = ({ url: one, participants = [] }: NodeRecord) =>
    [one, ...participants.map((participant) => participant.url)].some((served) => new URL(served).origin === origin)
  return runningNodes(folder).find(isThere)
}

/** The node that runs over this folder. */
export async function nodeOf(folder: string): Promise<NodeRecord | undefined> {
  const records = runningNodes(folder)
  if (records.length < 2) return records[0]
  // After a crash, the process may be another program by now.
  const answers = await Promise.all(records.map(({ url }) => createNodeClient(url, undefined).probe('/livez')))
  const alive = records.filter((_, index) => answers[index]?.ok)
  if (alive.length < 2) return alive[0]
  const urls = alive.map(({ url }) => url).sort()
  throw new StartError(`${alive.length} nodes run over ${folder}: ${urls.join(', ')}; choose one with --url`)
}
