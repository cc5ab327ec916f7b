// tallystick token: a token for a user of the development node that owns a data folder.
import { resolve } from 'node:path'
import { durationFromText } from '../../base/duration.ts'
import { userIdProblem } from '../../base/names.ts'
import { issueLocalToken } from '../../maintenance.ts'
import type { Command } from '../command.ts'
import { UsageError } from '../usage.ts'

type Flags = { user?: string; data?: string; ttl?: string; audience?: string }

export const tokenCommand: Command = {
  summary: 'print a token that the local node accepts',
  usage: 'tallystick token --user ID [options]',
  options: {
    user: { type: 'string', value: 'ID', help: 'the user of the token, such as participant_admin' },
    data: { type: 'string', value: 'DIR', help: 'the data folder of the node (./.tallystick)' },
    ttl: { type: 'string', value: 'TIME', help: 'how long the token is valid: 90s, 15m, 1h, 7d, unlimited (1h)' },
    audience: { type: 'string', value: 'AUD', help: "audience of the token, instead of the participant's own" },
  },
  async run({ user, data = './.tallystick', ttl = '1h', audience }: Flags, { print }) {
    if (user === undefined) throw new UsageError('--user is missing; usage: tallystick token --user ID [options]')
    const problem = userIdProblem(user)
    if (problem !== undefined) throw new UsageError(`--user: ${problem}`)
    print(await issueLocalToken({ folder: resolve(data), userId: user, audience, lifetimeMs: lifetimeMs(ttl) }))
  },
}

function lifetimeMs(text: string): number {
  if (text === 'unlimited' || text === '0') return Number.POSITIVE_INFINITY
  const lifetime = durationFromText(text)
  if (lifetime === undefined) throw new UsageError(`--ttl: ${text} is not a time such as 15m or 1h, nor unlimited`)
  return lifetime
}
