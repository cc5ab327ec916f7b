// An update as a tree of what happened, for people.
import { type Event, shownFields, shownId, shownTemplate, shownValue, type Update, updateRows } from './ledger-rows.ts'
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
  const tree = transaction === undefined ? otherEvents(update, width) : eventTree(transaction.value.events, width)
  return [head, '', ...tree.map((line) => fitting(line, width))].join('\n')
}

/** Names and values in two columns, without those that are empty. */
export function renderRows(rows: readonly Row[], width: number | undefined): string {
  const shown = rows.filter(([, value]) => value !== '')
  const widest = Math.max(...shown.map(([name]) => name.length))
  return shown.map(([name, value]) => fitting(`${name.padEnd(widest)}  ${cleanText(value)}`, width)).join('\n')
}

function otherEvents(update: Update, width: number | undefined): string[] {
  return updateRows(update, width).map(([, , event, contract, what]) =>
    [event!, contract!, what!].filter((part) => part !== '').join(' '),
  )
}

/** A node is below the exercise whose descendants it is among. */
export function eventTree(events: readonly Event[], width: number | undefined): string[] {
  const lines: string[] = []
  const lasts = events.map(lastOf)
  /** The events from `from` on that are within `last`. */
  function addLevel(from: number, last: number, indent: string): void {
    const roots: number[] = []
    let next = from
    while (next < events.length && lasts[next]!.nodeId <= last) {
      roots.push(next)
      const { last: end } = lasts[next]!
      next += 1
      while (next < events.length && lasts[next]!.nodeId <= end) next += 1
    }
    for (const [index, root] of roots.entries()) {
      const isLast = index === roots.length - 1
      lines.push(`${indent}${isLast ? '└─' : '├─'} ${eventText(events[root]!, width)}`)
      addLevel(root + 1, lasts[root]!.last, `${indent}${isLast ? '   ' : '│  '}`)
    }
  }
  addLevel(0, Number.POSITIVE_INFINITY, '')
  return lines
}

function lastOf({ CreatedEvent: created, ArchivedEvent: archived, ExercisedEvent: exercised }: Event): {
  readonly nodeId: number
  readonly last: number
} {
  if (exercised !== undefined) return { nodeId: exercised.nodeId, last: exercised.lastDescendantNodeId }
  const { nodeId } = (created ?? archived)!
  return { nodeId, last: nodeId }
}

function eventText(
  { CreatedEvent: created, ArchivedEvent: archived, ExercisedEvent: exercised }: Event,
  width: number | undefined,
): string {
  const of = (created ?? archived ?? exercised)!
  const contract = `${shownTemplate(of)} ${shownId(of.contractId, width)}`
  if (created !== undefined) return cleanText(`create ${contract} ${shownFields(created.createArgument)}`)
  if (exercised === undefined) return `archive ${contract}`
  const { choice, choiceArgument, exerciseResult, actingParties, consuming } = exercised
  const parts = [
    `exercise ${choice} on ${contract}`,
    consuming ? '(archives it)' : '',
    `by ${actingParties.map(hintOf).join(', ')}`,
    isEmpty(choiceArgument) ? '' : `with ${shownFields(choiceArgument)}`,
    isEmpty(exerciseResult) ? '' : `→ ${shownValue(exerciseResult)}`,
  ]
  return cleanText(parts.filter((part) => part !== '').join(' '))
}

function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || (typeof value === 'object' && Object.keys(value).length === 0)
}

function fitting(line: string, width: number | undefined): string {
  return width === undefined || line.length <= width ? line : `${line.slice(0, width - 1)}…`
}
