// Contracts as rows: what a list shows, filters and sorts. Sorting and filtering look at one page of a list that may have a
// million rows, so they say only something about what was read.
import type { ContractEntry, CreatedEvent, Json } from './wire.ts'

export type ContractRow = {
  readonly event: CreatedEvent
  /** Empty while the contract is in transit. */
  readonly synchronizerId: string
}

export function rowOf(entry: ContractEntry): ContractRow {
  if ('JsActiveContract' in entry) {
    const { createdEvent: event, synchronizerId } = entry.JsActiveContract
    return { event, synchronizerId }
  }
  if ('JsIncompleteUnassigned' in entry) {
    return { event: entry.JsIncompleteUnassigned.createdEvent, synchronizerId: '' }
  }
  const { createdEvent: event, target } = entry.JsIncompleteAssigned.assignedEvent
  return { event, synchronizerId: target }
}

/** The value of a field of the contract, or of its view where rows are shown through an interface. */
export function fieldOf({ event }: ContractRow, field: string, isView: boolean): Json | undefined {
  const value = isView ? event.interfaceViews?.[0]?.viewValue : event.createArgument
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
  return Object.hasOwn(value, field) ? (value as Readonly<Record<string, Json>>)[field] : undefined
}

/** Whether a text occurs anywhere in the contract: its fields, its id, its parties. */
export function containsText(row: ContractRow, text: string): boolean {
  const wanted = text.toLowerCase()
  const { contractId, createArgument, interfaceViews = [], signatories, observers = [] } = row.event
  return JSON.stringify([contractId, createArgument, interfaceViews, signatories, observers])
    .toLowerCase()
    .includes(wanted)
}

/** Numbers by their size, everything else by its text. */
export function compareValues(one: Json | undefined, other: Json | undefined): number {
  const [a, b] = [textOf(one), textOf(other)]
  if (isNumber.test(a) && isNumber.test(b)) return compareNumbers(a, b)
  return a < b ? -1 : a > b ? 1 : 0
}

const isNumber = /^-?\d+(\.\d+)?$/

function textOf(value: Json | undefined): string {
  return typeof value === 'string' ? value : value === undefined ? '' : JSON.stringify(value)
}

/** Exactly: an Int64 or a Numeric has more digits than a double. */
function compareNumbers(a: string, b: string): number {
  const scale = Math.max(...[a, b].map((text) => text.split('.')[1]?.length ?? 0))
  const [x, y] = [a, b].map((text) => {
    const [whole = '', fraction = ''] = text.split('.')
    return BigInt(whole + fraction.padEnd(scale, '0'))
  }) as [bigint, bigint]
  return x < y ? -1 : x > y ? 1 : 0
}
