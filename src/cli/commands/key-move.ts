// tallystick key move: moves the participant's private key from the database to a file.
import { resolve } from 'node:path'
import { moveKey } from '../../node/maintenance.ts'
import { type Command, UsageError } from '../command.ts'
import { loadSettings, type Flags as SettingFlags } from '../config.ts'
import { settingOptions } from '../options.ts'

type Flags = SettingFlags & { to?: string }

const { data, postgres, config } = settingOptions
const usage = 'tallystick key move --to FILE [options]'

export const keyMoveCommand: Command = {
  summary: "move the participant's private key from the database of a stopped node to a file",
  usage,
  options: {
    to: { type: 'string', value: 'FILE', help: 'the new file; an existing one is not overwritten' },
    data,
    postgres,
    config,
  },
  async run({ to, ...flags }: Flags, { environment, print }) {
    if (to === undefined) throw new UsageError(`--to is missing; usage: ${usage}`)
    const participantId = await moveKey(loadSettings(flags, environment), to)
    print(`the key of ${participantId} is now in ${resolve(to)}: set participant.keyFile to it, and keep a copy`)
  },
}
