// tallystick submit: submits commands from a file to a running node and shows the transaction, or what it would be.
import { readFileSync } from 'node:fs'
import { StartError } from '../../base/errors.ts'
import { randomUuid, systemRandom } from '../../base/random.ts'
import type { Command, Surroundings } from '../command.ts'
import { type Transaction, transactionRows, updateTitles } from '../ledger-rows.ts'
import { withProgress } from '../progress.ts'
import { runningNode, type TableFlags, tableOptions, widthFor } from '../running-node.ts'
import { renderTable } from '../table.ts'

type Flags = TableFlags & { readonly 'dry-run'?: boolean }

export const submitCommand: Command = {
  summary: 'submit commands and wait for their transaction',
  usage: 'tallystick submit FILE [--dry-run] [options]',
  operands: ['FILE'],
  options: {
    'dry-run': { type: 'boolean', help: 'show what they would do, and record nothing; on a development node' },
    ...tableOptions,
  },
  notes: `FILE has the JSON body of submit-and-wait-for-transaction, or only its commands; - is standard input. A command id
is made if there is none.`,
  async run({ 'dry-run': isDry = false, ...flags }: Flags, around, [file]) {
    const surroundings = widthFor(flags, around)
    const { environment, print, width } = surroundings
    const body = bodyFrom(await read(file!, surroundings), file!)
    const node = await runningNode(flags, environment)
    const path = isDry ? '/dev/dry-run' : '/v2/commands/submit-and-wait-for-transaction'
    const response = await withProgress('waiting for the transaction', surroundings, node.post(path, body))
    const text = await response.text()
    if (isDry || flags.json) return print(flags.json ? text : JSON.stringify(JSON.parse(text), null, 2))
    const { transaction } = JSON.parse(text) as { transaction: Transaction }
    print(renderTable(updateTitles, transactionRows(transaction, width), width))
  },
}

async function read(file: string, { readInput }: Surroundings): Promise<string> {
  if (file === '-') return readInput()
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw new StartError(`cannot read the commands: ${(error as Error).message}`)
  }
}

/** The text is sent as it is, unless something is missing: parsing could change its numbers. */
function bodyFrom(text: string, file: string): string {
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch (error) {
    throw new StartError(`${file === '-' ? 'the input' : file} is not JSON: ${(error as Error).message}`)
  }
  const { commands } = (json ?? {}) as { commands?: unknown }
  const isBare = Array.isArray(commands)
  const inner = (isBare ? json : commands) as { commandId?: unknown } | undefined
  if (typeof inner !== 'object' || inner === null || inner.commandId !== undefined) {
    return isBare ? `{"commands":${text}}` : text
  }
  const named = { ...inner, commandId: randomUuid(systemRandom) }
  return JSON.stringify(isBare ? { commands: named } : { ...(json as object), commands: named })
}
