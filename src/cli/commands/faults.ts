// tallystick faults: orders faults on a development node, to test how an application copes with them; lists and cancels them.
import { anyDurationFromText } from '../../base/duration.ts'
import { type Command, UsageError } from '../command.ts'
import { type NodeFlags, nodeOptions } from '../local-node.ts'
import { getJson, postJson, type RunningNodeFlags, runningNode, runningNodeOptions } from '../running-node.ts'
import { renderTable } from '../table.ts'

type AddFlags = RunningNodeFlags & {
  readonly fail?: string
  readonly message?: string
  readonly delay?: string
  readonly 'lose-answer'?: boolean
  readonly 'end-streams'?: boolean
  readonly template?: string
  readonly command?: string
  readonly user?: string
  readonly every?: string
  readonly times?: string
}

const addUsage = 'tallystick faults add (--fail CODE | --delay TIME | --lose-answer | --end-streams) [options]'

export const faultsAddCommand: Command = {
  summary: 'order a fault: let submissions fail, take long or lose their answer, or streams end',
  usage: addUsage,
  options: {
    fail: { type: 'string', value: 'CODE', help: 'refuse the submission with this error code' },
    message: { type: 'string', value: 'TEXT', help: 'with --fail: what the error says' },
    delay: { type: 'string', value: 'TIME', help: 'delay the submission: 300ms, 2s, 1m' },
    'lose-answer': { type: 'boolean', help: 'commit, and close the connection instead of answering' },
    'end-streams': { type: 'boolean', help: 'end all open streams' },
    template: { type: 'string', value: 'ID', help: 'only commands for this template; Module:Entity is enough' },
    command: { type: 'string', value: 'ID', help: 'only submissions with this command id' },
    user: { type: 'string', value: 'ID', help: 'only submissions of this user' },
    every: { type: 'string', value: 'N', help: 'strike at each n-th of these (1)' },
    times: { type: 'string', value: 'N', help: 'strike so many times (1); 0 until it is removed' },
    ...runningNodeOptions,
    participant: {
      ...runningNodeOptions.participant,
      help: 'only submissions to this participant of a network; all of them by default',
    },
  },
  async run(flags: AddFlags, { environment, print, width }) {
    const order = orderFrom(flags)
    const node = await runningNode(flags, environment)
    const { fault } = await postJson<{ fault: Fault }>(node, '/dev/faults', order)
    print(flags.json ? JSON.stringify(fault, null, 2) : renderTable(faultTitles, [faultRow(fault)], width))
  },
}

function orderFrom(flags: AddFlags): object {
  const { fail, message, delay, template = '', command = '', user = '', every = '1', times = '1' } = flags
  const { participant = '' } = flags
  const { 'lose-answer': loseAnswer = false, 'end-streams': endStreams = false } = flags
  const effects = [fail !== undefined, delay !== undefined, loseAnswer, endStreams].filter(Boolean)
  if (effects.length !== 1) {
    throw new UsageError(`give one of --fail, --delay, --lose-answer and --end-streams; usage: ${addUsage}`)
  }
  if (message !== undefined && fail === undefined) throw new UsageError('--message is only for --fail')
  return {
    match: { templateId: template, commandId: command, userId: user, participant },
    every: countFrom('--every', every),
    times: countFrom('--times', times),
    ...(fail !== undefined && { fail: { code: fail, message: message ?? '' } }),
    ...(delay !== undefined && { delayMs: delayFrom(delay) }),
    loseAnswer,
    endStreams,
  }
}

function countFrom(option: string, text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new UsageError(`${option}: ${text} is not a whole number`)
  return Number(text)
}

function delayFrom(text: string): number {
  const ms = /^(\d{1,9})ms$/.exec(text)?.[1]
  const delayMs = ms === undefined ? anyDurationFromText(text) : Number(ms)
  if (!delayMs) throw new UsageError(`--delay: ${text} is not a time such as 300ms or 2s`)
  return delayMs
}

export const faultsListCommand: Command = {
  summary: 'list the faults on order',
  usage: 'tallystick faults list [options]',
  options: runningNodeOptions,
  async run(flags: RunningNodeFlags, { environment, print, width }) {
    const node = await runningNode(flags, environment)
    const { faults } = await getJson<{ faults: Fault[] }>(node, '/dev/faults')
    print(flags.json ? JSON.stringify(faults, null, 2) : renderTable(faultTitles, faults.map(faultRow), width))
  },
}

type RemoveFlags = NodeFlags & { readonly all?: boolean }

export const faultsRemoveCommand: Command = {
  summary: 'cancel a fault on order, or all',
  usage: 'tallystick faults remove (ID | --all) [options]',
  optionalOperands: ['ID'],
  options: { all: { type: 'boolean', help: 'cancel all' }, ...nodeOptions },
  async run({ all = false, ...flags }: RemoveFlags, { environment, print }, [id]) {
    if (all === (id !== undefined)) throw new UsageError('give either the ID of a fault or --all')
    const node = await runningNode(flags, environment)
    await node.delete(id === undefined ? '/dev/faults' : `/dev/faults/${encodeURIComponent(id)}`)
    print(id === undefined ? 'removed all' : `removed ${id}`)
  },
}

type Fault = {
  readonly id: number
  readonly match?: {
    readonly templateId: string
    readonly commandId: string
    readonly userId: string
    readonly participant: string
  } | null
  readonly every: number
  readonly times: number
  readonly fail?: { readonly code: string } | null
  readonly delayMs: number
  readonly loseAnswer: boolean
  readonly endStreams: boolean
  readonly met: number
  readonly struck: number
}

const faultTitles = ['ID', 'DOES', 'MATCHES', 'WHEN', 'MET', 'STRUCK'] as const

function faultRow(fault: Fault): string[] {
  const { id, match, met, struck } = fault
  const matches = [
    ...(match?.templateId ? [`template ${match.templateId}`] : []),
    ...(match?.commandId ? [`command ${match.commandId}`] : []),
    ...(match?.userId ? [`user ${match.userId}`] : []),
    ...(match?.participant ? [`participant ${match.participant}`] : []),
  ]
  return [String(id), effectOf(fault), matches.join(', ') || 'all', whenOf(fault), String(met), String(struck)]
}

function effectOf({ fail, delayMs, loseAnswer }: Fault): string {
  if (fail) return `fail with ${fail.code}`
  if (delayMs > 0) return `delay by ${delayMs} ms`
  return loseAnswer ? 'lose the answer' : 'end all streams'
}

function whenOf({ every, times }: Fault): string {
  const which = every === 1 ? 'each' : `each ${every}${ordinalOf(every)}`
  if (times === 0) return `${which}, until removed`
  if (times === 1) return every === 1 ? 'the next' : `the ${every}${ordinalOf(every)}`
  return `${which}, ${times} times`
}

function ordinalOf(number: number): string {
  const isTeen = Math.floor(number / 10) % 10 === 1
  return (isTeen ? undefined : ['', 'st', 'nd', 'rd'][number % 10]) || 'th'
}
