// tallystick sql: asks a ledger in SQL; changes nothing.
import { queryLedger } from '../../maintenance.ts'
import type { Command } from '../command.ts'
import { loadSettings, type Flags as SettingFlags } from '../config.ts'
import { settingOptions } from '../options.ts'

const { data, postgres, config } = settingOptions

type Flags = SettingFlags & { readonly json?: boolean }

/** Longer values are cut in a table. */
const widthMax = 60

export const sqlCommand: Command = {
  summary: 'ask a ledger in SQL; changes nothing',
  usage: 'tallystick sql "SELECT …" [options]',
  operands: ['STATEMENT'],
  options: { json: { type: 'boolean', help: 'print a JSON list with an object for each row' }, data, postgres, config },
  notes: `Views: contracts, transactions, exercises; docs/ledger.md has their columns. A node may be running.
  tallystick sql "SELECT contract_id, payload FROM contracts WHERE is_active = 1"`,
  async run({ json, ...flags }: Flags, { environment, print }, [statement]) {
    const { columns, rows } = await queryLedger(loadSettings(flags, environment), statement!)
    if (json) return print(jsonOf(columns, rows))
    print(tableOf(columns, rows))
  },
}

/** Columns that hold JSON in the views; others with such values are texts. */
const jsonColumns: ReadonlySet<string> = new Set([
  ...['payload', 'contract_key', 'signatories', 'observers', 'act_as', 'argument', 'result', 'acting_parties'],
])

function jsonOf(columns: readonly string[], rows: readonly (readonly unknown[])[]): string {
  const value = (cell: unknown, column: string): string => {
    if (typeof cell === 'bigint') return String(cell)
    if (typeof cell === 'string' && jsonColumns.has(column) && isJson(cell)) return cell
    return JSON.stringify(cell instanceof Uint8Array ? shown(cell) : (cell ?? null))
  }
  const objects = rows.map((row) => {
    const fields = row.map((cell, index) => `${JSON.stringify(columns[index])}:${value(cell, columns[index]!)}`)
    return `{${fields.join(',')}}`
  })
  return `[${objects.join(',\n')}]`
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

function tableOf(columns: readonly string[], rows: readonly (readonly unknown[])[]): string {
  const cells = rows.map((row) => row.map((cell) => cut(shown(cell))))
  const widths = columns.map((name, index) => Math.max(name.length, ...cells.map((row) => row[index]!.length)))
  const line = (texts: readonly string[]) =>
    texts
      .map((text, index) => text.padEnd(widths[index]!))
      .join('  ')
      .trimEnd()
  const count = rows.length === 1 ? '1 row' : `${rows.length} rows`
  return [line(columns), line(widths.map((width) => '-'.repeat(width))), ...cells.map(line), `(${count})`].join('\n')
}

function shown(cell: unknown): string {
  if (cell === null || cell === undefined) return ''
  if (cell instanceof Uint8Array) return Buffer.from(cell).toString('hex')
  return String(cell).replaceAll('\n', ' ')
}

function cut(text: string): string {
  return text.length <= widthMax ? text : `${text.slice(0, widthMax - 1)}…`
}
