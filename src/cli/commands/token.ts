// tallystick token: a token for a user of the development node that owns a data folder.
import { durationFromText } from '../../base/duration.ts'
import { userIdProblem } from '../../base/names.ts'
import { issueLocalToken } from '../../maintenance.ts'
import type { Command } from '../command.ts'
import type { Flags as SettingFlags } from '../config.ts'
import { dataFolder, folderOptions } from '../local-node.ts'
import { UsageError } from '../usage.ts'

type Flags = Pick<SettingFlags, 'data' | 'config'> & { user?: string; ttl?: string; audience?: string }

export const tokenCommand: Command = {
  summary: 'print a token that the local node accepts',
  usage: 'tallystick token --user ID [options]',
  options: {
    user: { type: 'string', value: 'ID', help: 'the user of the token, such as participant_admin' },
    ...folderOptions,
    ttl: { type: 'string', value: 'TIME', help: 'how long the token is valid: 90s, 15m, 1h, 7d, unlimited (1h)' },
    audience: { type: 'string', value: 'AUD', help: "audience of the token, instead of the participant's own" },
  },
  async run({ user, ttl = '1h', audience, ...flags }: Flags, { environment, print }) {
    if (user === undefined) throw new UsageError('--user is missing; usage: tallystick token --user ID [options]')
    const problem = userIdProblem(user)
    if (problem !== undefined) throw new UsageError(`--user: ${problem}`)
    const lifetimeMs = lifetimeFrom(ttl)
    print(await issueLocalToken({ folder: dataFolder(flags, environment), userId: user, audience, lifetimeMs }))
  },
}

function lifetimeFrom(text: string): number {
  if (text === 'unlimited' || text === '0') return Number.POSITIVE_INFINITY
  const lifetime = durationFromText(text)
  if (lifetime === undefined) throw new UsageError(`--ttl: ${text} is not a time such as 15m or 1h, nor unlimited`)
  return lifetime
}
