// tallystick check: searches a whole ledger for damage and reports it; changes nothing.
import { StartError } from '../../base/errors.ts'
import { checkLedger } from '../../node/maintenance.ts'
import type { Command } from '../command.ts'
import { loadSettings, type Flags as SettingFlags } from '../config.ts'
import { settingOptions } from '../options.ts'

const { data, postgres, config } = settingOptions
/** Time between two progress lines about one table. */
const progressMs = 5_000

export const checkCommand: Command = {
  summary: 'check a ledger for damage; changes nothing',
  usage: 'tallystick check [options]',
  options: { data, postgres, config },
  async run(flags: SettingFlags, { environment, print }) {
    let problems = 0
    let toldMs = performance.now()
    await checkLedger(loadSettings(flags, environment), {
      problem(text) {
        problems += 1
        print(`damaged: ${text}`)
      },
      progress(table, rows, isDone) {
        if (!isDone && performance.now() - toldMs < progressMs) return
        toldMs = performance.now()
        print(isDone ? `${table}: ${rows} rows` : `${table}: ${rows} rows so far`)
      },
    })
    if (problems > 0) throw new StartError(problems === 1 ? 'one thing is damaged' : `${problems} things are damaged`)
    print('nothing is damaged')
  },
}
