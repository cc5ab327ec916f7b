// Writes the list in docs/cli.md from the help of the commands; the text before the list is written by hand.
//   node_modules/.bin/node tools/cli-document.ts
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Command } from '../src/cli/command.ts'
import { commands } from '../src/cli/commands/all.ts'
import { describeOptions, helpOption, type OptionTable, settingOptions } from '../src/cli/options.ts'
import { runningNodeOptions, tableOptions } from '../src/cli/running-node.ts'

const file = fileURLToPath(new URL('../docs/cli.md', import.meta.url))
const start = '## All commands\n'

/** The whole document, with the current list. */
export function cliDocument(current: string): string {
  return `${current.slice(0, current.indexOf(start))}${start}\n${list()}`
}

function list(): string {
  const shared = [
    'Commands for a running node take these options, and those that print tables `--full`, too. Every command takes `--help`.',
    fenced(describeOptions({ ...tableOptions, ...helpOption })),
  ]
  return `${[...shared, ...Object.entries(commands).map(section)].join('\n\n')}\n`
}

function section([name, { summary, usage, options, notes }]: [string, Command]): string {
  const own = ownOptions(name, options)
  const parts = [
    `### ${name}`,
    `${summary[0]!.toUpperCase()}${summary.slice(1)}.`,
    fenced([usage, ...(Object.keys(own).length === 0 ? [] : [describeOptions(own)])].join('\n\n')),
    ...sharedWords(name, options),
    ...(notes === undefined ? [] : [fenced(notes)]),
  ]
  return parts.join('\n\n')
}

/** Without those that are described once for all. */
function ownOptions(name: string, options: OptionTable): OptionTable {
  return Object.fromEntries(
    Object.entries(options).filter(
      ([option, row]) => !isShared(option, row) && !(name !== 'start' && isSetting(option, row)),
    ),
  )
}

const isShared = (option: string, row: object) => Object.hasOwn(tableOptions, option) && tableRow(option) === row
const isSetting = (option: string, row: object) => Object.hasOwn(settingOptions, option) && settingRow(option) === row
const tableRow = (option: string) => tableOptions[option as keyof typeof tableOptions]
const settingRow = (option: string) => settingOptions[option as keyof typeof settingOptions]

function sharedWords(name: string, options: OptionTable): string[] {
  const rows = Object.entries(options)
  const shared = rows.filter(([option, row]) => isShared(option, row)).map(([option]) => option)
  const settings = rows
    .filter(([option, row]) => !isShared(option, row) && isSetting(option, row))
    .map(([option]) => option)
  const isAll = Object.keys(runningNodeOptions).every((option) => shared.includes(option))
  const all = `those for a running node${shared.includes('full') ? ' and `--full`' : ''}`
  const words = [
    ...(isAll ? [all] : shared.map(inCode)),
    ...(name === 'start' ? [] : settings.length > 3 ? ['the others of `start`'] : settings.map(inCode)),
  ]
  return words.length === 0 ? [] : [`Further options: ${words.join(', ')}.`]
}

const inCode = (option: string) => `\`--${option}\``
const fenced = (text: string) => `\`\`\`text\n${text}\n\`\`\``

if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync(file, cliDocument(readFileSync(file, 'utf8')))
