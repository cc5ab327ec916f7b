// tallystick config: every setting with its meaning, its default and the origin of its value. The values are those that
// `start` would use with the same options.
import { type Command, UsageError } from '../command.ts'
import { type LoadedSettings, loadWithOrigins, printableSettings, type Flags as SettingFlags } from '../config.ts'
import { settingOptions } from '../options.ts'
import { type SettingRow, sectionMeaning, settingRows, shownValue } from '../setting-list.ts'

type Flags = SettingFlags & { readonly json?: boolean }

const introduction = `# Each setting can be given in a JSON file (--config FILE, nested as its name says), by its environment variable,
# and some by a flag. Later ones win. Secrets are masked.`

export const configCommand: Command = {
  summary: 'show every setting: its value, its meaning, its default, and where the value comes from',
  usage: 'tallystick config [WORD] [options]',
  optionalOperands: ['WORD'],
  notes: 'With WORD, only the settings whose name or meaning contains it.',
  options: {
    json: { type: 'boolean', help: 'print the values alone, as a configuration file holds them' },
    ...settingOptions,
  },
  async run({ json, ...flags }: Flags, { environment, print }, [word]) {
    const loaded = loadWithOrigins(flags, environment)
    const printable = printableSettings(loaded.settings) as Record<string, unknown>
    if (json) {
      if (word !== undefined) throw new UsageError('WORD and --json exclude each other')
      return print(JSON.stringify(printable, null, 2))
    }
    const rows = settingRows().filter((row) => word === undefined || mentions(row, word))
    if (rows.length === 0) throw new UsageError(`no setting mentions ${word}`)
    const bySection = Map.groupBy(rows, ({ section }) => section)
    const sections = [...bySection].map(([section, members]) => {
      const title = section === '' ? 'Settings of the node' : `${sectionMeaning(section)} (${section})`
      return `${title}\n\n${members.map((row) => described(row, printable, loaded)).join('\n\n')}`
    })
    print([introduction, ...sections].join('\n\n'))
  },
}

function mentions({ name, meaning, variable, flags }: SettingRow, word: string): boolean {
  return [name, meaning, variable, ...flags].some((text) => text.toLowerCase().includes(word.toLowerCase()))
}

function described(row: SettingRow, settings: Record<string, unknown>, { originOf }: LoadedSettings): string {
  const { path, name, meaning, values, byDefault, variable, flags, fields } = row
  const value = path.reduce<unknown>((part, key) => (part as Record<string, unknown> | undefined)?.[key], settings)
  const origin = originOf(path)
  const source = origin === undefined ? 'default' : `from ${origin}`
  const shown = value === undefined ? '(not set)' : `= ${shownValue(name, value)}`
  const element = fields.map(
    (field) => `        ${field.name}: ${field.meaning || 'which kind it is'} (${field.values})`,
  )
  return [
    `  ${name} ${shown}${value === undefined ? '' : `  [${source}]`}`,
    `      ${meaning}`,
    `      ${values}${byDefault === undefined ? '' : `; default ${byDefault}`}; ${[variable, ...flags].join(', ')}`,
    ...(element.length === 0 ? [] : ['      each holds', ...element]),
  ].join('\n')
}
