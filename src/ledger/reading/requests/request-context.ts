// A read request as Canton's log shows it, which is in the context of the errors that occur while it is answered
// (platform/apiserver/services/logging). Scala's order of maps and sets shows in it.
import { LedgerError } from '../../../base/errors.ts'
import { hashOfProduct, hashOfText } from '../../../base/scala-hashes.ts'
import { inMapOrder } from '../../../base/scala-order.ts'
import { hashOfDottedName } from '../../../lf/syntax/names.ts'
import type { EventFormat, Filters, TransactionFormat, UpdateFormat } from './queries.ts'

/** What an answer throws, with what is known of its request; values that are undefined are left out. */
export function withRequest(error: unknown, contextOf: () => Readonly<Record<string, string | undefined>>): unknown {
  if (!(error instanceof LedgerError) || error.category.redact) return error
  const known = Object.entries(contextOf()).filter((entry): entry is [string, string] => entry[1] !== undefined)
  const context = { ...Object.fromEntries(known), ...error.details.context }
  return new LedgerError(error.code, error.message, { ...error.details, context })
}

export function eventFormatShown({ filtersByParty, filtersForAnyParty }: EventFormat): string {
  const all = new Map(filtersByParty)
  if (filtersForAnyParty !== undefined) all.set('anyParty', filtersForAnyParty)
  const names = inMapOrder([...all.keys()], hashOfText)
  return `{${names.map((name) => `${name}: ${filtersShown(all.get(name)!)}`).join(', ')}}`
}

export function updateFormatShown({ transactions, reassignments, topology }: UpdateFormat): string {
  const parts = [
    `transaction format: [${transactions === undefined ? '' : transactionFormatShown(transactions)}]`,
    `reassignment filters: [${reassignments === undefined ? '' : eventFormatShown(reassignments)}]`,
    `topology format: [${topology === undefined ? '' : `{participantAuthorizationFormat: ${partiesShown(topology)}}`}]`,
  ]
  return `{${parts.join(', ')}}`
}

function transactionFormatShown({ eventFormat, shape }: TransactionFormat): string {
  const filters = eventFormat === undefined ? '{}' : eventFormatShown(eventFormat)
  const shapeShown = shape === 'TRANSACTION_SHAPE_LEDGER_EFFECTS' ? 'LedgerEffects' : 'AcsDelta'
  return `{filters: ${filters}, transactionShape: '${shapeShown}'}`
}

function partiesShown(parties: readonly string[]): string {
  return parties.length === 0 ? '' : `[${parties.map((party) => `'${party}'`).join(', ')}]`
}

function filtersShown(filters: Filters): string {
  const templates = filters.flatMap((filter) => (filter.kind === 'template' ? [filter.templateId] : []))
  const interfaces = filters.flatMap((filter) => (filter.kind === 'interface' ? [filter.interfaceId] : []))
  const wildcards = filters.filter(({ kind }) => kind === 'wildcard')
  const hasBlobs = wildcards.some(({ includeCreatedEventBlob }) => includeCreatedEventBlob)
  const isWildcard = filters.length === 0 || wildcards.length > 0
  const wildcard = isWildcard ? [`all-templates, created_event_blob: ${hasBlobs}`] : []
  return `{${[`templates: ${typesShown(templates)}`, `interfaces: ${typesShown(interfaces)}`, ...wildcard].join(', ')}}`
}

function typesShown(types: readonly string[]): string {
  const ordered = inMapOrder([...new Set(types)], hashOfType)
  return `[${ordered.map((type) => `'${type}'`).join(', ')}]`
}

/** `#package-name:Module:Entity`; filters name no others. */
function hashOfType(type: string): number {
  const [packageName = '', module = '', name = ''] = type.slice(1).split(':')
  const qualified = hashOfProduct('QualifiedName', hashOfDottedName(module), hashOfDottedName(name))
  return hashOfProduct('FullReference', hashOfProduct('Name', hashOfText(packageName)), qualified)
}
