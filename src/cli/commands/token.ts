// tallystick token: a token for a user of the development node over a data folder.
import { resolve } from 'node:path'
import { userIdProblem } from '../../base/names.ts'
import { issueLocalToken } from '../../node.ts'
import type { Command } from '../command.ts'
import { UsageError } from '../usage.ts'

const unitMs: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }

type Flags = { user?: string; data?: string; ttl?: string; audience?: string }

export const tokenCommand: Command = {
  summary: 'print a token that the local node accepts',
  usage: 'tallystick token --user ID [options]',
  options: {
    user: { type: 'string', value: 'ID', help: 'the user the token stands for, such as participant_admin' },
    data: { type: 'string', value: 'DIR', help: 'the data folder of the node (./.tallystick)' },
    ttl: { type: 'string', value: 'TIME', help: 'how long it is valid: 90s, 15m, 1h, 7d (1h)' },
    audience: { type: 'string', value: 'AUD', help: "another audience than the participant's own" },
  },
  async run({ user, data = './.tallystick', ttl = '1h', audience }: Flags, { print }) {
    if (user === undefined) throw new UsageError('--user is missing')
    const problem = userIdProblem(user)
    if (problem !== undefined) throw new UsageError(`--user: ${problem}`)
    print(await issueLocalToken({ folder: resolve(data), userId: user, audience, lifetimeMs: durationMs(ttl) }))
  },
}

function durationMs(text: string): number {
  const [, digits, unit] = /^(\d{1,6})([smhd])$/.exec(text) ?? []
  if (digits === undefined || Number(digits) === 0)
    throw new UsageError(`--ttl: ${text} is not a time such as 15m or 1h`)
  return Number(digits) * unitMs[unit!]!
}
