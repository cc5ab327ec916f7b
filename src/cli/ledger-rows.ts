// Contracts and updates as rows of tables, for people. JSON output shows them as the node sends them.
import { fieldsText, valueText } from '../base/transaction-text.ts'
import { hintOf } from './running-node.ts'

export type CreatedEvent = {
  readonly nodeId: number
  readonly offset: number
  readonly contractId: string
  readonly templateId: string
  readonly packageName: string
  readonly createdAt: string
  readonly createArgument: unknown
  readonly signatories: readonly string[]
  readonly observers: readonly string[]
}

type OfContract = { readonly contractId: string; readonly templateId: string; readonly packageName?: string }
type UseOfContract = OfContract & { readonly nodeId: number; readonly offset: number }
export type ExercisedEvent = UseOfContract & {
  /** Of the last event below it. */
  readonly lastDescendantNodeId: number
  readonly choice: string
  readonly choiceArgument: unknown
  readonly exerciseResult?: unknown
  readonly actingParties: readonly string[]
  readonly consuming: boolean
}

export type Event = {
  readonly CreatedEvent?: CreatedEvent
  readonly ArchivedEvent?: UseOfContract
  readonly ExercisedEvent?: ExercisedEvent
}

export type Transaction = {
  readonly updateId: string
  readonly offset: number
  readonly effectiveAt: string
  readonly commandId?: string
  readonly workflowId?: string
  readonly synchronizerId: string
  readonly events: readonly Event[]
}

type ReassignmentEvent = {
  readonly JsUnassignedEvent?: { readonly value: OfContract & { readonly target: string } }
  readonly JsAssignmentEvent?: { readonly createdEvent: CreatedEvent; readonly target: string }
}

type TopologyEvent = Readonly<Record<string, { readonly value: { readonly partyId: string } }>>

type Boxed<T> = { readonly value: T }

export type Update = {
  readonly Transaction?: Boxed<Transaction>
  readonly Reassignment?: Boxed<{
    readonly updateId: string
    readonly offset: number
    readonly recordTime: string
    readonly events: readonly ReassignmentEvent[]
  }>
  readonly TopologyTransaction?: Boxed<{
    readonly updateId: string
    readonly offset: number
    readonly synchronizerId: string
    readonly recordTime: string
    readonly events: readonly { readonly event: TopologyEvent }[]
  }>
}

/** Characters of a contract id that are enough to recognize it. */
const idLength = 16

/** On a terminal, long ids are shortened. */
export function shownId(contractId: string, width: number | undefined): string {
  return width === undefined || contractId.length <= idLength ? contractId : `${contractId.slice(0, idLength)}…`
}

/** `#quickstart:Iou:Iou`, as commands name it. */
export function shownTemplate({ templateId, packageName }: { templateId: string; packageName?: string }): string {
  const rest = templateId.slice(templateId.indexOf(':'))
  return packageName === undefined ? templateId : `#${packageName}${rest}`
}

export function shownValue(value: unknown): string {
  return valueText(value, true)
}

/** A record without its braces. */
export function shownFields(record: unknown): string {
  const isRecord = typeof record === 'object' && record !== null && !Array.isArray(record)
  return isRecord ? fieldsText(record, true) : shownValue(record)
}

export const contractTitles = ['CONTRACT', 'TEMPLATE', 'STAKEHOLDERS', 'FIELDS'] as const

export function contractRow(event: CreatedEvent, width: number | undefined): string[] {
  const { contractId, signatories, observers, createArgument } = event
  const stakeholders = [...new Set([...signatories, ...observers].map(hintOf))].join(', ')
  return [shownId(contractId, width), shownTemplate(event), stakeholders, shownFields(createArgument)]
}

export const updateTitles = ['OFFSET', 'TIME', 'EVENT', 'CONTRACT', 'WHAT'] as const
/** For rows that are printed as they come. */
export const updateWidths = [6, 27, 8, 17, 60] as const

/** One row for each event. */
export function updateRows(update: Update, width: number | undefined): string[][] {
  const { Transaction: transaction, Reassignment: reassignment, TopologyTransaction: topology } = update
  if (transaction !== undefined) return transactionRows(transaction.value, width)
  if (reassignment !== undefined) {
    const { offset, recordTime, events } = reassignment.value
    return events.map(({ JsUnassignedEvent: left, JsAssignmentEvent: came }) => {
      const at = [String(offset), recordTime]
      if (left !== undefined) {
        const { contractId, target } = left.value
        return [...at, 'unassign', shownId(contractId, width), `${shownTemplate(left.value)} → ${hintOf(target)}`]
      }
      const { createdEvent, target } = came!
      const what = `${shownTemplate(createdEvent)} → ${hintOf(target)}`
      return [...at, 'assign', shownId(createdEvent.contractId, width), what]
    })
  }
  if (topology !== undefined) {
    const { offset, recordTime, events, synchronizerId } = topology.value
    return events.map(({ event }) => {
      const [name, { value }] = Object.entries(event)[0]!
      return [
        String(offset),
        recordTime,
        'party',
        '',
        `${value.partyId} (${name.replace(/^ParticipantAuthorization/, '').toLowerCase()} on ${hintOf(synchronizerId)})`,
      ]
    })
  }
  return []
}

export function transactionRows({ offset, effectiveAt, events }: Transaction, width: number | undefined): string[][] {
  return events.map(({ CreatedEvent: created, ArchivedEvent: archived, ExercisedEvent: exercised }) => {
    const at = [String(offset), effectiveAt]
    if (created !== undefined) {
      const what = `${shownTemplate(created)} ${shownFields(created.createArgument)}`
      return [...at, 'create', shownId(created.contractId, width), what]
    }
    if (archived !== undefined) {
      return [...at, 'archive', shownId(archived.contractId, width), shownTemplate(archived)]
    }
    const { choice, choiceArgument, contractId } = exercised!
    const what = `${shownTemplate(exercised!)} ${choice} ${shownFields(choiceArgument)}`
    return [...at, 'exercise', shownId(contractId, width), what]
  })
}
