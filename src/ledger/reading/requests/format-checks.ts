// Checks that a format is complete and names what exists. Order, codes and texts mirror Canton's
// FormatValidator and IndexServiceImpl.checkUnknownIdentifiers.
import { type ErrorCode, invalidArgument, invalidField, LedgerError, missingField } from '../../../base/errors.ts'
import { dottedNameProblem, type NameProblem, packageReferenceProblem, partyProblem } from '../../../base/names.ts'
import type { PackageContents } from '../../packages/package-contents.ts'
import type { EventFormat, Filters, IdentifierFilter, TransactionFormat, UpdateFormat } from './queries.ts'

type NamedFilter = Exclude<IdentifierFilter, { kind: 'wildcard' }>

export function checkUpdateFormat({ transactions, reassignments, topology }: UpdateFormat): void {
  if (transactions !== undefined) checkTransactionFormat(transactions)
  if (reassignments !== undefined) checkEventFormat(reassignments)
  for (const party of topology ?? []) refuseField('parties', partyProblem(party))
}

export function checkTransactionFormat({ eventFormat, shape }: TransactionFormat): void {
  if (shape === 'TRANSACTION_SHAPE_UNSPECIFIED') throw missingField('transaction_shape')
  if (eventFormat === undefined) throw missingField('event_format')
  checkEventFormat(eventFormat)
}

export function checkEventFormat({ filtersByParty, filtersForAnyParty }: EventFormat): void {
  if (filtersByParty.size === 0 && filtersForAnyParty === undefined) {
    throw invalidArgument('filtersByParty and filtersForAnyParty cannot be empty simultaneously')
  }
  for (const [party, filters] of filtersByParty) {
    const problem = partyProblem(party)
    if (problem !== undefined) throw invalidArgument(problem)
    checkFilters(filters)
  }
  checkFilters(filtersForAnyParty ?? [])
}

/** Checks the names for transactions before those for reassignments. */
export function checkNamesOfUpdates({ transactions, reassignments }: UpdateFormat, contents: PackageContents): void {
  if (transactions?.eventFormat !== undefined) checkNames(transactions.eventFormat, contents)
  if (reassignments !== undefined) checkNames(reassignments, contents)
}

export function checkNames(format: EventFormat, contents: PackageContents): void {
  const filters = filtersOf(format)
  const templates = namesOf(filters, 'template')
  const interfaces = namesOf(filters, 'interface')
  const packages = [...new Set([...templates, ...interfaces].map(packageOf))]
  refuseUnknown(
    { kind: 'packages' },
    packages.filter((name) => !contents.hasPackage(name)),
    (name) => name,
    'PACKAGE_NAMES_NOT_FOUND',
    'The following package names do not match upgradable packages uploaded on this participant',
  )
  refuseUnknown(
    { kind: 'types', wanted: 'template' },
    templates.filter((name) => !contents.hasTemplate(name)),
    pairText,
    'NO_TEMPLATES_FOR_PACKAGE_NAME_AND_QUALIFIED_NAME',
    'The following package-name/template qualified-name pairs do not reference any template-id uploaded on this ' +
      'participant',
  )
  refuseUnknown(
    { kind: 'types', wanted: 'interface' },
    interfaces.filter((name) => !contents.hasInterface(name)),
    pairText,
    'NO_INTERFACE_FOR_PACKAGE_NAME_AND_QUALIFIED_NAME',
    'The following package-name/interface qualified-name pairs do not reference any interface-id uploaded on this ' +
      'participant',
  )
}

/** Checks all templates before all interfaces, wherever they are in the list. */
function checkFilters(filters: Filters): void {
  for (const filter of filters) if (filter.kind === 'template') checkIdentifier(filter.templateId, 'template')
  for (const filter of filters) if (filter.kind === 'interface') checkIdentifier(filter.interfaceId, 'interface')
}

function checkIdentifier(text: string, wanted: NamedFilter['kind']): void {
  if (text === '') throw missingField(`${wanted}Id`)
  const [reference = '', module = '', entity = ''] = text.split(':')
  refuseField('module_name', dottedNameProblem(module))
  refuseField('entity_name', dottedNameProblem(entity))
  refuseField('package reference', packageReferenceProblem(reference))
  if (reference.startsWith('#')) return
  const reason = `Received an identifier with package ID ${reference}, but expected a package name.`
  throw invalidField('packageId', reason, { about: { kind: 'types', names: [text], wanted } })
}

function filtersOf({ filtersByParty, filtersForAnyParty = [] }: EventFormat): NamedFilter[] {
  return [...filtersByParty.values(), filtersForAnyParty].flat().filter((filter) => filter.kind !== 'wildcard')
}

function namesOf(filters: readonly NamedFilter[], kind: NamedFilter['kind']): string[] {
  const ofKind = filters.filter((filter) => filter.kind === kind)
  return [...new Set(ofKind.map((filter) => (filter.kind === 'template' ? filter.templateId : filter.interfaceId)))]
}

function packageOf(name: string): string {
  return name.slice(1, name.indexOf(':'))
}

function pairText(name: string): string {
  return `(${packageOf(name)},${name.slice(name.indexOf(':') + 1)})`
}

function refuseUnknown(
  subject: { readonly kind: 'packages' } | { readonly kind: 'types'; readonly wanted: NamedFilter['kind'] },
  names: readonly string[],
  shown: (name: string) => string,
  code: ErrorCode,
  words: string,
): void {
  if (names.length === 0) return
  throw new LedgerError(code, `${words}: [${names.map(shown).join(', ')}].`, { about: { ...subject, names } })
}

function refuseField(field: string, problem: NameProblem): void {
  if (problem !== undefined) throw invalidField(field, problem)
}
