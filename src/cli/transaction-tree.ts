// An update as a tree of what happened, for people.
import { transactionText } from '../base/transaction-text.ts'
import { type Transaction, type Update, updateRows } from './ledger-rows.ts'
import { hintOf } from './running-node.ts'
import { cleanText } from './table.ts'

type Row = readonly [name: string, value: string]

/** What is common to its events, and the events; cut to the width. */
export function renderUpdate(update: Update, width: number | undefined): string {
  const { Transaction: transaction, Reassignment: reassignment, TopologyTransaction: topology } = update
  const value = transaction?.value ?? reassignment?.value ?? topology?.value
  if (value === undefined) return ''
  const rows: Row[] = [
    ['update', value.updateId],
    ['offset', String(value.offset)],
    ['time', 'effectiveAt' in value ? value.effectiveAt : value.recordTime],
    ['command', transaction?.value.commandId ?? ''],
    ['workflow', transaction?.value.workflowId ?? ''],
    ['synchronizer', 'synchronizerId' in value ? hintOf(value.synchronizerId) : ''],
  ]
  const head = renderRows(rows, width)
  const tree = transaction === undefined ? otherEvents(update, width) : eventLines(transaction.value, width)
  return [head, '', ...tree.map((line) => fitting(line, width))].join('\n')
}

/** Names and values in two columns, without those that are empty. */
export function renderRows(rows: readonly Row[], width: number | undefined): string {
  const shown = rows.filter(([, value]) => value !== '')
  const widest = Math.max(...shown.map(([name]) => name.length))
  return shown.map(([name, value]) => fitting(`${name.padEnd(widest)}  ${cleanText(value)}`, width)).join('\n')
}

/** On a terminal, long ids are shortened. */
function eventLines(transaction: Transaction, width: number | undefined): string[] {
  return transactionText(transaction, width === undefined).split('\n')
}

function otherEvents(update: Update, width: number | undefined): string[] {
  return updateRows(update, width).map(([, , event, contract, what]) =>
    [event!, contract!, what!].filter((part) => part !== '').join(' '),
  )
}

function fitting(line: string, width: number | undefined): string {
  return width === undefined || line.length <= width ? line : `${line.slice(0, width - 1)}…`
}
