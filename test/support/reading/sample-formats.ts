// Formats as tests write them, and the packages that the sample ledger knows.
import { LedgerError } from '../../../src/base/errors.ts'
import type { PackageContents } from '../../../src/ledger/packages/package-contents.ts'
import type {
  EventFormat,
  Filters,
  TransactionFormat,
  UpdateFormat,
} from '../../../src/ledger/reading/requests/queries.ts'
import { samplePackageId } from './sample-ledger.ts'

export const template = (name: string, includeCreatedEventBlob = false) =>
  ({ kind: 'template', templateId: `#sample:Main:${name}`, includeCreatedEventBlob }) as const

export const viewOf = (name: string, includeInterfaceView = true, includeCreatedEventBlob = false) =>
  ({ kind: 'interface', interfaceId: `#sample:Main:${name}`, includeInterfaceView, includeCreatedEventBlob }) as const

export const wildcard = (includeCreatedEventBlob = false) => ({ kind: 'wildcard', includeCreatedEventBlob }) as const

/** Parties see everything of theirs, unless filters are given. */
export function forParties(...parties: readonly (string | [party: string, ...Filters])[]): EventFormat {
  const entries = parties.map((entry): [string, Filters] =>
    typeof entry === 'string' ? [entry, []] : [entry[0], entry.slice(1) as unknown as Filters],
  )
  return { filtersByParty: new Map(entries), filtersForAnyParty: undefined }
}

export function forAnybody(...filters: Filters): EventFormat {
  return { filtersByParty: new Map(), filtersForAnyParty: filters }
}

export function delta(eventFormat: EventFormat): TransactionFormat {
  return { eventFormat, shape: 'TRANSACTION_SHAPE_ACS_DELTA' }
}

export function effects(eventFormat: EventFormat): TransactionFormat {
  return { eventFormat, shape: 'TRANSACTION_SHAPE_LEDGER_EFFECTS' }
}

export function updates(transactions: TransactionFormat | undefined): UpdateFormat {
  return { transactions, reassignments: undefined, topology: undefined }
}

/** Templates `Iou` and `Asset` implement `Token`; none implements `Lonely`; `Rare` only in an unvetted version. */
export const sampleContents: PackageContents = {
  version: () => 0,
  hasPackage: (name) => name === 'sample',
  hasTemplate: (name) => ['#sample:Main:Iou', '#sample:Main:Asset'].includes(name),
  hasInterface: (name) => ['#sample:Main:Token', '#sample:Main:Lonely', '#sample:Main:Rare'].includes(name),
  packageNames: () => ['sample'],
  nameOfPackage: (packageId) => (packageId === samplePackageId ? 'sample' : undefined),
  typeNames: () => ['#sample:Main:Iou', '#sample:Main:Asset', '#sample:Main:Token'],
  implementersOf(name) {
    if (name === '#sample:Main:Token') return ['#sample:Main:Iou', '#sample:Main:Asset']
    return name === '#sample:Main:Rare' ? ['#sample:Main:Iou'] : []
  },
  implementation(templateName, interfaceName) {
    if (interfaceName === '#sample:Main:Rare') {
      const problem = new LedgerError('NO_VETTED_INTERFACE_IMPLEMENTATION_PACKAGE', 'it is not vetted')
      return { interfaceId: `${samplePackageId}:Main:Rare`, problem }
    }
    if (interfaceName !== '#sample:Main:Token') return undefined
    return {
      interfaceId: `${samplePackageId}:Main:Token`,
      templateId: `${samplePackageId}:${templateName.slice('#sample:'.length)}`,
    }
  },
}
