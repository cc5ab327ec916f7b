// tallystick config: the effective settings, as `start` with the same options would use them.
import type { Command } from '../command.ts'
import { type Flags, loadSettings, printableSettings } from '../config.ts'
import { settingOptions } from '../options.ts'

export const configCommand: Command = {
  summary: 'print the effective settings, secrets masked',
  usage: 'tallystick config [options]',
  options: settingOptions,
  async run(flags: Flags, { environment, print }) {
    print(JSON.stringify(printableSettings(loadSettings(flags, environment)), null, 2))
  },
}
