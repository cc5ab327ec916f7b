// tallystick sql: asks a ledger in SQL; changes nothing. Rows are printed as they are read.
import { resolve } from 'node:path'
import { StartError } from '../../base/errors.ts'
import type { Settings } from '../../base/settings.ts'
import { queryLedger } from '../../node/maintenance.ts'
import type { Command, Surroundings } from '../command.ts'
import { loadSettings, type Flags as SettingFlags } from '../config.ts'
import { runningNodes } from '../node-record.ts'
import { settingOptions } from '../options.ts'
import { createTableWriter } from '../table.ts'

const { data, postgres, config } = settingOptions

type Flags = SettingFlags & { readonly json?: boolean; readonly participant?: string }
type Result = Parameters<Parameters<typeof queryLedger>[2]>[0]
type Row = readonly unknown[]

export const sqlCommand: Command = {
  summary: 'ask a ledger in SQL; changes nothing',
  usage: 'tallystick sql "SELECT …" [options]',
  operands: ['STATEMENT'],
  options: {
    json: { type: 'boolean', help: 'print a JSON list with an object for each row' },
    participant: { type: 'string', value: 'NAME', help: 'the participant of a network to ask; else its first one' },
    data,
    postgres,
    config,
  },
  notes: `Views: contracts, active_contracts, stakeholders, transactions, exercises; docs/sql.md has their columns, and the functions of a
query store that SQLite has, such as active('Iou:Iou'). A node may be running. On a terminal, values are cut to its width; elsewhere, and with --json, they are whole.
  tallystick sql "SELECT contract_id, payload FROM active_contracts WHERE template = '#quickstart:Iou:Iou'"`,
  async run({ json, participant, ...flags }: Flags, surroundings, [statement]) {
    const settings = loadSettings(flags, surroundings.environment)
    try {
      const question = { sql: statement!, participant }
      await queryLedger(settings, question, (result) => (json ? printJson : printTable)(result, surroundings))
    } catch (error) {
      throw (
        (error instanceof StartError && /^there is no ledger in/.test(error.message) && elsewhere(settings)) || error
      )
    }
  },
}

/** A node that runs over the folder may keep its ledger elsewhere. */
function elsewhere({ store }: Settings): StartError | undefined {
  const node = runningNodes(resolve(store.data)).find(({ store: kind = 'sqlite' }) => kind !== 'sqlite')
  if (store.kind !== 'sqlite' || node === undefined) return undefined
  return new StartError(
    node.store === 'memory'
      ? `the node at ${node.url} keeps its ledger in memory, where only the node reaches it; start it without --memory`
      : `the node at ${node.url} keeps its ledger in PostgreSQL; give its database with --postgres`,
  )
}

async function printTable({ columns, rows }: Result, surroundings: Surroundings): Promise<void> {
  const table = createTableWriter(columns, surroundings, { isRuled: true })
  let count = 0
  await eachRow(rows, surroundings, (row) => {
    count += 1
    table.add(row.map(shown))
  })
  table.end()
  surroundings.print(count === 1 ? '(1 row)' : `(${count} rows)`)
}

/** A list, with an object a line. */
async function printJson({ columns, rows }: Result, surroundings: Surroundings): Promise<void> {
  let before = '['
  let last: string | undefined
  await eachRow(rows, surroundings, (row) => {
    if (last !== undefined) {
      surroundings.print(`${before}${last},`)
      before = ''
    }
    last = objectOf(columns, row)
  })
  surroundings.print(`${before}${last ?? ''}]`)
}

/** Until nobody reads the output any longer. */
async function eachRow(rows: Result['rows'], { outputClosed }: Surroundings, show: (row: Row) => void): Promise<void> {
  let isWanted = true
  void outputClosed.then(() => {
    isWanted = false
  })
  for await (const batch of rows) {
    for (const row of batch) show(row)
    await new Promise<void>((resolve) => setImmediate(resolve)) // Lets it be known that the output is closed.
    if (!isWanted) return
  }
}

/** Columns that hold JSON in the views; others with such values are texts. */
const jsonColumns: ReadonlySet<string> = new Set([
  ...['payload', 'contract_key', 'signatories', 'observers', 'stakeholders', 'act_as'],
  ...['argument', 'result', 'acting_parties'],
])

function objectOf(columns: readonly string[], row: Row): string {
  const fields = row.map((cell, index) => `${JSON.stringify(columns[index])}:${jsonOf(cell, columns[index]!)}`)
  return `{${fields.join(',')}}`
}

function jsonOf(cell: unknown, column: string): string {
  if (typeof cell === 'bigint') return String(cell)
  if (typeof cell === 'string' && jsonColumns.has(column) && isJson(cell)) return cell
  return JSON.stringify(cell instanceof Uint8Array ? shown(cell) : (cell ?? null))
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

function shown(cell: unknown): string {
  if (cell === null || cell === undefined) return ''
  return cell instanceof Uint8Array ? Buffer.from(cell).toString('hex') : String(cell)
}
