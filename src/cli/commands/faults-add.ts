// tallystick faults add: orders a fault on a development node, to test how an application copes with it.
import { anyDurationFromText } from '../../base/duration.ts'
import type { Command } from '../command.ts'
import { type Fault, faultRow, faultTitles } from '../fault-rows.ts'
import { postJson, type RunningNodeFlags, runningNode, runningNodeOptions } from '../running-node.ts'
import { renderTable } from '../table.ts'
import { UsageError } from '../usage.ts'

type Flags = RunningNodeFlags & {
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

const usage = 'tallystick faults add (--fail CODE | --delay TIME | --lose-answer | --end-streams) [options]'

export const faultsAddCommand: Command = {
  summary: 'order a fault: let submissions fail, take long or lose their answer, or streams end',
  usage,
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
  },
  async run(flags: Flags, { environment, print, width }) {
    const order = orderFrom(flags)
    const node = await runningNode(flags, environment)
    const { fault } = await postJson<{ fault: Fault }>(node, '/dev/faults', order)
    print(flags.json ? JSON.stringify(fault, null, 2) : renderTable(faultTitles, [faultRow(fault)], width))
  },
}

function orderFrom(flags: Flags): object {
  const { fail, message, delay, template = '', command = '', user = '', every = '1', times = '1' } = flags
  const { 'lose-answer': loseAnswer = false, 'end-streams': endStreams = false } = flags
  const effects = [fail !== undefined, delay !== undefined, loseAnswer, endStreams].filter(Boolean)
  if (effects.length !== 1) {
    throw new UsageError(`give one of --fail, --delay, --lose-answer and --end-streams; usage: ${usage}`)
  }
  if (message !== undefined && fail === undefined) throw new UsageError('--message is only for --fail')
  return {
    match: { templateId: template, commandId: command, userId: user },
    every: countFrom('--every', every),
    times: countFrom('--times', times),
    ...(fail !== undefined && { fail: { code: fail, message: message ?? '' } }),
    ...(delay !== undefined && { delayMs: delayFrom(delay) }),
    ...{ loseAnswer, endStreams },
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
