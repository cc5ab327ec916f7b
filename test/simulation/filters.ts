// The formats of readers: for which parties, which contracts, and which details.
import { holding, quickstart } from './quickstart.ts'

/** Which contracts a reader wants, and which details. */
export type Filter = 'all' | 'with-blob' | 'ious' | 'holdings'
/** By party, or for any party. */
export type Format = ReadonlyMap<string, Filter> | Filter
export type Shape = 'TRANSACTION_SHAPE_ACS_DELTA' | 'TRANSACTION_SHAPE_LEDGER_EFFECTS'

/** Updates of one kind or of both, each with its own readers. */
export type UpdateFormat = {
  readonly shape: Shape
  readonly transactions: Format | undefined
  readonly reassignments: Format | undefined
}

/** All updates, with the same readers. */
export function updatesFor(format: Format, shape: Shape): UpdateFormat {
  return { shape, transactions: format, reassignments: format }
}

export function formatFor(parties: readonly string[]): Format {
  return new Map(parties.map((party) => [party, 'all']))
}

export function readersAmong(parties: readonly string[], format: Format): string[] {
  return typeof format === 'string' ? [...parties] : parties.filter((party) => format.has(party))
}

/** The filters of the readers that see it. */
export function filtersOf(format: Format, seenBy: readonly string[]): Filter[] {
  if (seenBy.length === 0) return []
  return typeof format === 'string' ? [format] : seenBy.map((party) => format.get(party)!)
}

/** Whether any reader that sees a contract of the template wants it. */
export function isWanted(template: string, format: Format, seenBy: readonly string[]): boolean {
  return filtersOf(format, seenBy).some((filter) => isAbout(filter, template))
}

export function hasViews({ template }: { readonly template: string }, filters: readonly Filter[]): boolean {
  return filters.includes('holdings') && isAbout('holdings', template)
}

function isAbout(filter: Filter, template: string): boolean {
  if (filter === 'ious') return template === 'Iou:Iou'
  return filter !== 'holdings' || quickstart.interfaces[holding]!.of.includes(template)
}
