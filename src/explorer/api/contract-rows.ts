// Contracts as rows: what a list shows, and what of it a filter can compare.
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

/** A value that a filter can compare, as the filter has it; undefined for what has parts, and for nothing. */
export function leafText(value: Json | undefined): string | undefined {
  return value === null || value === undefined || typeof value === 'object' ? undefined : String(value)
}

const depthMax = 3

/** The paths of the leaves of a value, with dots: `iou.amount`. Lists and maps have none. */
export function pathsIn(value: Json, depth = depthMax): string[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value) || depth === 0) return []
  return Object.entries(value).flatMap(([name, inner]) =>
    leafText(inner) === undefined ? pathsIn(inner, depth - 1).map((path) => `${name}.${path}`) : [name],
  )
}
