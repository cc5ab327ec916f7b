// tallystick status: whether a node is running and ready, and what it holds. Exits with 0 if it is ready.
import type { Command } from '../command.ts'
import { type NodeAt, type NodeFlags, nodeAt, nodeOptions } from '../local-node.ts'

type Flags = NodeFlags & { readonly json?: boolean }

type Status = {
  readonly url: string
  readonly state: 'ready' | 'not ready' | 'not running'
  /** Failing parts, as /readyz names them. */
  readonly problems?: readonly string[]
  /** Only if it is a problem. */
  readonly token?: 'not accepted'
  readonly version?: string
  readonly participantId?: string
  readonly ledgerEnd?: number
  readonly synchronizers?: readonly string[]
  readonly packages?: number
  /** The participant and the offset up to which the ledger is its. */
  readonly forkOf?: string
}

export const statusCommand: Command = {
  summary: 'show whether a node is ready, and what it holds',
  usage: 'tallystick status [options]',
  options: { ...nodeOptions, json: { type: 'boolean', help: 'print JSON instead of text' } },
  notes:
    'Exits with 0 if the node is ready, with 1 if it is not, and with 3 if nothing answers. Without a token, only readiness and\n' +
    'version are shown.',
  async run({ json, ...flags }: Flags, { environment, print, endWith }) {
    const status = await statusOf(await nodeAt(flags, environment))
    print(json ? JSON.stringify(status, null, 2) : rendered(status))
    if (status.state !== 'ready') endWith(status.state === 'not running' ? 3 : 1)
  },
}

async function statusOf({ url, node, hasToken }: NodeAt): Promise<Status> {
  const ready = await node.probe('/readyz')
  if (ready === undefined) return { url, state: 'not running' }
  const problems = [...(await ready.text()).matchAll(/^\[-\] (.*)$/gm)].map(([, problem]) => problem!)
  const state = ready.ok ? 'ready' : 'not ready'
  const read = async <T>(path: string): Promise<Partial<T>> => {
    const answer = await node.probe(path)
    return answer?.ok ? ((await answer.json()) as T) : {}
  }
  const { version } = await read<{ version: string }>('/v2/version')
  const known = {
    url,
    state,
    ...(problems.length > 0 && { problems }),
    ...(version !== undefined && { version }),
  } as const
  if (!hasToken) return known
  if ((await node.probe('/v2/parties/participant-id'))?.status === 401) return { ...known, token: 'not accepted' }
  const [{ participantId }, { offset }, { connectedSynchronizers }, { packageIds }, { fork }] = [
    await read<{ participantId: string }>('/v2/parties/participant-id'),
    await read<{ offset: number }>('/v2/state/ledger-end'),
    await read<{ connectedSynchronizers: { synchronizerAlias: string }[] }>('/v2/state/connected-synchronizers'),
    await read<{ packageIds: string[] }>('/v2/packages'),
    await read<{ fork: { participantId: string; followedTo: number } | null }>('/dev/fork'),
  ]
  return {
    ...known,
    ...(participantId !== undefined && { participantId }),
    ...(offset !== undefined && { ledgerEnd: offset }),
    ...(connectedSynchronizers !== undefined && {
      synchronizers: connectedSynchronizers.map(({ synchronizerAlias }) => synchronizerAlias),
    }),
    ...(packageIds !== undefined && { packages: packageIds.length }),
    ...(fork && { forkOf: `${fork.participantId} at offset ${fork.followedTo}` }),
  }
}

function rendered({
  url,
  state,
  problems = [],
  token,
  version,
  participantId,
  ledgerEnd,
  synchronizers,
  packages,
  forkOf,
}: Status): string {
  const rows: [name: string, value: string | undefined][] = [
    ['url', url],
    ['state', state],
    ...problems.map((problem): [string, string] => ['problem', problem]),
    ['token', token],
    ['version', version],
    ['participant', participantId],
    ['fork of', forkOf],
    ['ledger end', ledgerEnd?.toString()],
    ['synchronizers', synchronizers?.join(', ')],
    ['packages', packages?.toString()],
  ]
  return rows
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name.padEnd(14)} ${value}`)
    .join('\n')
}
