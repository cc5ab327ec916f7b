// tallystick key move: takes the participant's private key out of the database into a file of its own.
import { resolve } from 'node:path'
import { moveKey } from '../../maintenance.ts'
import type { Command } from '../command.ts'
import { loadSettings, type Flags as SettingFlags } from '../config.ts'
import { settingOptions } from '../options.ts'
import { UsageError } from '../usage.ts'

type Flags = SettingFlags & { to?: string }

const { data, postgres, config } = settingOptions
const usage = 'tallystick key move --to FILE [options]'

export const keyMoveCommand: Command = {
  summary: "take the participant's private key out of the database of a stopped node",
  usage,
  options: {
    to: { type: 'string', value: 'FILE', help: 'where to; made for this, and never overwritten' },
    data,
    postgres,
    config,
  },
  async run({ to, ...flags }: Flags, { environment, print }) {
    if (to === undefined) throw new UsageError(`--to is missing; usage: ${usage}`)
    const participantId = await moveKey(loadSettings(flags, environment), to)
    print(`the key of ${participantId} is in ${resolve(to)} now: set participant.keyFile to it, and keep a copy`)
  },
}
