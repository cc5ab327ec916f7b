// tallystick prune: deletes the history of a ledger, through its running node or directly. A node answers as soon as
// the history is no longer readable and deletes the rows in the background.
import { type Clock, wallClock } from '../../base/clock.ts'
import { durationFromText } from '../../base/duration.ts'
import { type PruneBound, pruneLedger } from '../../node/maintenance.ts'
import { type Command, UsageError } from '../command.ts'
import { loadSettings, type Flags as SettingFlags } from '../config.ts'
import { createNodeClient, type NodeClient } from '../node-client.ts'
import { withNodeVariables } from '../node-variables.ts'
import { settingOptions } from '../options.ts'

type Flags = SettingFlags & {
  'up-to'?: string
  'older-than'?: string
  participant?: string
  url?: string
  token?: string
  wait?: boolean
}

type Progress = {
  readonly prunedUpTo: bigint | number
  readonly deletedUpTo: bigint | number
  readonly isRunning: boolean
}
type Pruned = { progress(): Promise<Progress> }

const { data, postgres, config } = settingOptions
const lookMs = 100
const reportMs = 2_000

export const pruneCommand: Command = {
  summary: 'delete the history of a ledger; active contracts stay',
  usage: 'tallystick prune (--up-to OFFSET | --older-than TIME) [options]',
  options: {
    'up-to': { type: 'string', value: 'OFFSET', help: 'delete everything up to this offset, inclusive' },
    'older-than': { type: 'string', value: 'TIME', help: 'delete what is older: 90s, 15m, 12h, 30d' },
    participant: { type: 'string', value: 'NAME', help: 'the participant of a network to prune; else its first one' },
    data,
    postgres,
    config,
    url: {
      type: 'string',
      value: 'URL',
      help: 'ask the node at this URL, or TALLYSTICK_URL, instead of opening its ledger',
    },
    token: { type: 'string', value: 'TOKEN', help: "with --url: an administrator's token" },
    wait: { type: 'boolean', help: 'with --url: wait until the node has deleted everything' },
  },
  async run({ 'up-to': upTo, 'older-than': olderThan, participant, wait, ...ownFlags }: Flags, { environment, print }) {
    const target = { ...targetFrom(upTo, olderThan), participant }
    const { url, token, ...flags } =
      ownFlags.postgres === undefined ? withNodeVariables(ownFlags, environment) : ownFlags
    checkPlace(url, ownFlags.token, wait, flags)
    if (url !== undefined && participant !== undefined) {
      throw new UsageError('--url and --participant exclude each other: each participant has its own URL')
    }
    const tell = (prunedUpTo: bigint, more = '') =>
      print(prunedUpTo === 0n ? 'nothing to prune' : `pruned up to ${prunedUpTo}${more}`)
    if (url === undefined) {
      const watch = (pruning: Pruned) => watchPruning(() => pruning.progress(), print, wallClock)
      tell(await pruneLedger(loadSettings(flags, environment), target, watch))
      return
    }
    const node = createNodeClient(url, token)
    const prunedUpTo = await askNode(node, upTo, olderThan)
    if (!wait) return tell(prunedUpTo, '; the node deletes the rows in the background')
    await watchPruning(() => progressOf(node), print, wallClock)
    tell(prunedUpTo)
  },
}

function targetFrom(upTo: string | undefined, olderThan: string | undefined): PruneBound {
  if ((upTo === undefined) === (olderThan === undefined)) throw new UsageError('give one of --up-to and --older-than')
  if (olderThan !== undefined) {
    const ageMs = durationFromText(olderThan)
    if (ageMs === undefined) throw new UsageError(`--older-than: ${olderThan} is not a time such as 12h or 30d`)
    return { olderThanMs: ageMs }
  }
  if (!/^[1-9]\d{0,17}$/.test(upTo!)) throw new UsageError(`--up-to: ${upTo} is not an offset`)
  return { upTo: BigInt(upTo!) }
}

/** The ledger is given either by its node or by its database, not by both. */
function checkPlace(
  url: string | undefined,
  token: string | undefined,
  wait: boolean | undefined,
  { data, postgres }: SettingFlags,
): void {
  if (url === undefined) {
    if (token !== undefined) throw new UsageError('--token is only for --url')
    if (wait !== undefined) throw new UsageError('--wait is only for --url; without it the command waits anyway')
    return
  }
  if (data !== undefined) throw new UsageError('--url and --data exclude each other')
  if (postgres !== undefined) throw new UsageError('--url and --postgres exclude each other')
  if (!URL.canParse(url)) throw new UsageError(`--url: ${url} is not a URL`)
}

async function askNode(node: NodeClient, upTo?: string, olderThan?: string): Promise<bigint> {
  const response = await node.post('/v2/pruning', upTo === undefined ? { olderThan } : { pruneUpTo: upTo })
  return BigInt(((await response.json()) as { prunedUpTo: number }).prunedUpTo)
}

async function progressOf(node: NodeClient): Promise<Progress> {
  return (await node.get('/v2/pruning')).json() as Promise<Progress>
}

/** Waits for the end of pruning and prints a progress line now and then. */
async function watchPruning(look: () => Promise<Progress>, print: (line: string) => void, clock: Clock): Promise<void> {
  let reportedMs = clock.elapsedMs()
  for (;;) {
    const { prunedUpTo, deletedUpTo, isRunning } = await look()
    if (!isRunning) return
    if (clock.elapsedMs() - reportedMs >= reportMs) {
      reportedMs = clock.elapsedMs()
      print(deletedUpTo < prunedUpTo ? `deleted up to ${deletedUpTo} of ${prunedUpTo}` : 'releasing disk space')
    }
    await new Promise<void>((resolve) => clock.after(lookMs, resolve))
  }
}
