// tallystick participant: shows the participants of a running network, and connects, disconnects, stops or delays one.
import { anyDurationFromText } from '../../base/duration.ts'
import { type Command, UsageError } from '../command.ts'
import { getJson, postJson, type RunningNodeFlags, runningNode, runningNodeOptions } from '../running-node.ts'
import { renderTable } from '../table.ts'

type Network = { readonly participants: readonly Participant[] }

type Participant = {
  readonly participant: string
  readonly isStopped: boolean
  readonly delayMs: number
  readonly offset: number
  readonly synchronizers: readonly {
    readonly synchronizerAlias: string
    readonly isConnected: boolean
    readonly waiting: number
    readonly lagMs: number
  }[]
}

export const participantListCommand: Command = {
  summary: 'list the participants of a network: where they are connected, and what waits for them',
  usage: 'tallystick participant list [options]',
  options: runningNodeOptions,
  async run(flags: RunningNodeFlags, { environment, print, width }) {
    const node = await runningNode(flags, environment)
    print(shown(await getJson<Network>(node, '/dev/network'), flags, width))
  },
}

type SynchronizerFlags = RunningNodeFlags & { readonly synchronizer?: string }

const synchronizerOption = {
  synchronizer: { type: 'string', value: 'ALIAS', help: 'only this synchronizer; all by default' },
} as const

export const participantConnectCommand: Command = {
  summary: 'connect a participant to its synchronizers; it catches up with what it missed',
  usage: 'tallystick participant connect NAME [options]',
  operands: ['NAME'],
  options: { ...synchronizerOption, ...runningNodeOptions },
  run: ({ synchronizer = '', ...flags }: SynchronizerFlags, surroundings, [participant]) =>
    control({ participant, action: 'connect', synchronizerAlias: synchronizer }, flags, surroundings),
}

export const participantDisconnectCommand: Command = {
  summary: 'disconnect a participant from its synchronizers; what it misses waits for it',
  usage: 'tallystick participant disconnect NAME [options]',
  operands: ['NAME'],
  options: { ...synchronizerOption, ...runningNodeOptions },
  run: ({ synchronizer = '', ...flags }: SynchronizerFlags, surroundings, [participant]) =>
    control({ participant, action: 'disconnect', synchronizerAlias: synchronizer }, flags, surroundings),
}

export const participantStopCommand: Command = {
  summary: 'stop a participant: it answers, receives and confirms nothing',
  usage: 'tallystick participant stop NAME [options]',
  operands: ['NAME'],
  options: runningNodeOptions,
  run: (flags: RunningNodeFlags, surroundings, [participant]) =>
    control({ participant, action: 'stop' }, flags, surroundings),
}

export const participantResumeCommand: Command = {
  summary: 'resume a participant that was stopped',
  usage: 'tallystick participant resume NAME [options]',
  operands: ['NAME'],
  options: runningNodeOptions,
  run: (flags: RunningNodeFlags, surroundings, [participant]) =>
    control({ participant, action: 'resume' }, flags, surroundings),
}

export const participantDelayCommand: Command = {
  summary: 'let a participant receive and confirm later: 300ms, 2s; 0s ends it',
  usage: 'tallystick participant delay NAME TIME [options]',
  operands: ['NAME', 'TIME'],
  options: runningNodeOptions,
  run: (flags: RunningNodeFlags, surroundings, [participant, time]) =>
    control({ participant, action: 'delay', delayMs: delayFrom(time!) }, flags, surroundings),
}

function delayFrom(text: string): number {
  const ms = /^(\d{1,9})ms$/.exec(text)?.[1]
  const delayMs = ms === undefined ? (/^0s?$/.test(text) ? 0 : anyDurationFromText(text)) : Number(ms)
  if (delayMs === undefined) throw new UsageError(`${text} is not a time such as 300ms or 2s`)
  return delayMs
}

async function control(
  order: object,
  flags: RunningNodeFlags,
  { environment, print, width }: Parameters<Command['run']>[1],
): Promise<void> {
  const node = await runningNode(flags, environment)
  print(shown(await postJson<Network>(node, '/dev/network', order), flags, width))
}

const titles = ['PARTICIPANT', 'STATE', 'OFFSET', 'SYNCHRONIZER', 'CONNECTED', 'WAITING', 'LAG'] as const

function shown({ participants }: Network, { json }: RunningNodeFlags, width: number | undefined): string {
  if (json) return JSON.stringify(participants, null, 2)
  const rows = participants.flatMap((one) =>
    one.synchronizers.map(({ synchronizerAlias, isConnected, waiting, lagMs }, index) => [
      ...(index === 0 ? [one.participant, stateOf(one), String(one.offset)] : ['', '', '']),
      synchronizerAlias,
      isConnected ? 'yes' : 'no',
      String(waiting),
      waiting === 0 ? '' : `${(lagMs / 1000).toFixed(1)} s`,
    ]),
  )
  return renderTable(titles, rows, width)
}

function stateOf({ isStopped, delayMs }: Participant): string {
  if (isStopped) return 'stopped'
  return delayMs > 0 ? `delayed by ${delayMs} ms` : 'runs'
}
