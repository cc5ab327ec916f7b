// Writes the list in docs/settings.md from the code; the text before the list is written by hand.
//   node_modules/.bin/node tools/settings-document.ts
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { type SettingRow, sectionMeaning, settingRows } from '../src/cli/setting-list.ts'

const file = fileURLToPath(new URL('../docs/settings.md', import.meta.url))
const start = '## All settings\n'

/** The whole document, with the current list. */
export function settingsDocument(current: string): string {
  return `${current.slice(0, current.indexOf(start))}${start}\n${list()}`
}

function list(): string {
  const bySection = Map.groupBy(settingRows(), ({ section }) => section)
  const sections = [...bySection].map(([section, rows]) => {
    const title = section === '' ? '### Settings of the node' : `### \`${section}\`: ${sectionMeaning(section)}`
    const table = [
      '| setting | meaning | default | environment, flag |',
      '|---|---|---|---|',
      ...rows.map(tableRow),
    ].join('\n')
    return [title, table, ...rows.filter(({ fields }) => fields.length > 0).map(fieldTable)].join('\n\n')
  })
  return `${sections.join('\n\n')}\n`
}

function tableRow({ name, meaning, values, byDefault, variable, flags }: SettingRow): string {
  const places = [variable, ...flags].map((place) => `\`${place}\``).join(' ')
  return `| \`${name}\` | ${cell(withValues(meaning, values))} | ${byDefault === undefined ? '' : `\`${byDefault}\``} | ${places} |`
}

function fieldTable({ name, fields }: SettingRow): string {
  const rows = fields.map(
    (field) =>
      `| \`${field.name}\` | ${cell(withValues(field.meaning || 'Which kind it is', field.values))} | ${
        field.byDefault === undefined ? '' : `\`${field.byDefault}\``
      } |`,
  )
  return [`An element of \`${name}\`:`, ['| field | meaning | default |', '|---|---|---|', ...rows].join('\n')].join(
    '\n\n',
  )
}

/** Numbers and texts need no explanation. */
function withValues(meaning: string, values: string): string {
  return values === 'whole number' || values === 'text' ? meaning : `${meaning} (${values})`
}

const cell = (text: string) => text.replaceAll('|', '\\|')

if (process.argv[1] === fileURLToPath(import.meta.url))
  writeFileSync(file, settingsDocument(readFileSync(file, 'utf8')))
