// Formats and filters on the wire, and their older equivalents `filter`, `verbose` and `requestingParties`. Mirrors
// Canton's TransactionFormat and related types, LegacyDTOs and JsUpdateServiceConverters.
import { type Static, Type } from 'typebox'
import type { Subject } from '../../auth/authorization.ts'
import { invalidArgument } from '../../base/errors.ts'
import type { Settings } from '../../base/settings.ts'
import type {
  EventFormat,
  Filters,
  TransactionFormat,
  TransactionShape,
  UpdateFormat,
} from '../../ledger/reading/requests/queries.ts'
import { nobodysToken } from '../../ledger/reading/requests/read-tokens.ts'
import {
  boxed,
  choiceOf,
  emptyVariant,
  flag,
  identifier,
  list,
  mapOf,
  message,
  olderFlag,
  oneOf,
  optional,
} from './schema.ts'

const includeCreatedEventBlob = flag('Include the createdEventBlob, for disclosure')

const identifierFilter = oneOf(
  'IdentifierFilter',
  [
    emptyVariant('Empty1'),
    boxed(
      'InterfaceFilter',
      message(
        'InterfaceFilter1',
        {
          interfaceId: optional(identifier('The interface: #package-name:Module:Interface')),
          includeInterfaceView: flag('Include the view of the interface'),
          includeCreatedEventBlob,
        },
        { description: 'Contracts whose template implements an interface', requires: ['interfaceId'] },
      ),
    ),
    boxed(
      'TemplateFilter',
      message(
        'TemplateFilter1',
        { templateId: optional(identifier('The template: #package-name:Module:Template')), includeCreatedEventBlob },
        { description: 'Contracts of one template, in any version of its package', requires: ['templateId'] },
      ),
    ),
    boxed(
      'WildcardFilter',
      message('WildcardFilter1', { includeCreatedEventBlob }, { description: 'Contracts of all templates' }),
    ),
  ],
  { description: 'The contracts to match' },
)

const cumulativeFilter = message('CumulativeFilter', { identifierFilter }, { description: 'One condition' })

const filters = message(
  'Filters',
  { cumulative: list(cumulativeFilter, 'Contracts that meet any of these; none means all contracts') },
  { description: 'The contracts to return' },
)

const filterProperties = {
  filtersByParty: mapOf('Map_Filters', filters, 'The filters of each party'),
  filtersForAnyParty: optional(filters),
}
const verbose = flag('Has no effect in JSON, which always has field names')

export const transactionFilter = message('TransactionFilter', filterProperties, {
  description: 'The event filter of older requests',
})

export const eventFormat = message(
  'EventFormat',
  { ...filterProperties, verbose },
  { description: 'The events to return: for which parties, and of which contracts' },
)

const shapes: readonly TransactionShape[] = [
  'TRANSACTION_SHAPE_UNSPECIFIED',
  'TRANSACTION_SHAPE_ACS_DELTA',
  'TRANSACTION_SHAPE_LEDGER_EFFECTS',
]

export const transactionFormat = message(
  'TransactionFormat',
  {
    eventFormat: optional(eventFormat),
    transactionShape: choiceOf(shapes, 'Only changes to active contracts, or all events'),
  },
  { description: 'The parts of a transaction to return', requires: 'all' },
)

const topologyFormat = message(
  'TopologyFormat',
  {
    includeParticipantAuthorizationEvents: optional(
      message(
        'ParticipantAuthorizationTopologyFormat',
        { parties: list(Type.String(), 'The parties; none means all') },
        { description: 'Changes in the hosting of parties' },
      ),
    ),
  },
  { description: 'The topology changes to return' },
)

export const updateFormat = message(
  'UpdateFormat',
  {
    includeTransactions: optional(transactionFormat),
    includeReassignments: optional(eventFormat),
    includeTopologyEvents: optional(topologyFormat),
  },
  { description: 'The updates to return; kinds that are left out are not returned' },
)

export const olderRequest = {
  filter: optional(transactionFilter),
  verbose: olderFlag('Only with filter. Has no effect in JSON, which always has field names'),
}
export const requestingParties = list(Type.String(), 'The requesting parties of older requests, instead of a format')

type FilterJson = Static<typeof transactionFilter>
type FiltersJson = Static<typeof filters>
type TransactionFormatJson = Static<typeof transactionFormat>
export type UpdateFormatJson = Static<typeof updateFormat>

export function eventFormatFromJson({ filtersByParty, filtersForAnyParty }: FilterJson): EventFormat {
  return {
    filtersByParty: new Map(Object.entries(filtersByParty).map(([party, json]) => [party, filtersFromJson(json)])),
    filtersForAnyParty: filtersForAnyParty && filtersFromJson(filtersForAnyParty),
  }
}

function filtersFromJson({ cumulative }: FiltersJson): Filters {
  return cumulative.flatMap(({ identifierFilter: json }): Filters => {
    if ('WildcardFilter' in json) return [{ kind: 'wildcard', ...json.WildcardFilter.value }]
    if ('TemplateFilter' in json) return [{ kind: 'template', templateId: '', ...json.TemplateFilter.value }]
    if ('InterfaceFilter' in json) return [{ kind: 'interface', interfaceId: '', ...json.InterfaceFilter.value }]
    return []
  })
}

export function transactionFormatFromJson(json: TransactionFormatJson): TransactionFormat {
  return { eventFormat: json.eventFormat && eventFormatFromJson(json.eventFormat), shape: json.transactionShape }
}

export function updateFormatFromJson(json: UpdateFormatJson): UpdateFormat {
  const { includeTransactions, includeReassignments, includeTopologyEvents } = json
  return {
    transactions: includeTransactions && transactionFormatFromJson(includeTransactions),
    reassignments: includeReassignments && eventFormatFromJson(includeReassignments),
    topology: includeTopologyEvents?.includeParticipantAuthorizationEvents?.parties,
  }
}

const byNode = { foundBy: 'node' } as const

type OlderRequest = { readonly filter?: FilterJson; readonly verbose: boolean }

/** A request uses the old fields or the new one (`field`), not both. */
export function checkOlderRequest({ filter, verbose }: OlderRequest, format: object | undefined, field: string): void {
  const older = 'Please use either backwards compatible arguments (filter and verbose) or'
  const both = (other: string) =>
    invalidArgument(`Both ${field} and ${other} are set. ${older} ${field}, but not both.`, byNode)
  if (format !== undefined && filter !== undefined) throw both('filter')
  if (format !== undefined && verbose) throw both('verbose')
  if (format === undefined && filter === undefined) {
    throw invalidArgument(`Either filter/verbose or ${field} is required. ${older} ${field}.`, byNode)
  }
}

/** The format of an older request for updates. */
export function updateFormatFromFilter(filter: FilterJson): UpdateFormat {
  const eventFormat = eventFormatFromJson(filter)
  return {
    transactions: { eventFormat, shape: 'TRANSACTION_SHAPE_ACS_DELTA' },
    reassignments: eventFormat,
    topology: undefined,
  }
}

/** The format of an older request for trees: its filters add to created events, and select no events. */
export function updateFormatForTrees(filter: FilterJson): UpdateFormat {
  const { filtersByParty, filtersForAnyParty } = eventFormatFromJson(filter)
  const eventFormat: EventFormat = {
    filtersByParty: new Map([...filtersByParty].map(([party, filters]) => [party, withWildcard(filters)])),
    filtersForAnyParty: filtersForAnyParty && withWildcard(filtersForAnyParty),
  }
  return {
    transactions: { eventFormat, shape: 'TRANSACTION_SHAPE_LEDGER_EFFECTS' },
    reassignments: eventFormat,
    topology: undefined,
  }
}

function withWildcard(filters: Filters): Filters {
  const isThere = filters.some(({ kind }) => kind === 'wildcard')
  return isThere ? filters : [...filters, { kind: 'wildcard', includeCreatedEventBlob: false }]
}

/** Whether any filter is about a template or an interface. */
export function hasTemplateFilters({ filtersByParty, filtersForAnyParty }: FilterJson): boolean {
  const all = [...Object.values(filtersByParty), ...(filtersForAnyParty ? [filtersForAnyParty] : [])]
  return all.some((json) => filtersFromJson(json).some(({ kind }) => kind !== 'wildcard'))
}

type TransactionLookup = { readonly requestingParties: readonly string[]; readonly transactionFormat?: object }

/** Like checkOlderRequest, for the lookup of one transaction. */
export function checkOlderLookup({ requestingParties, transactionFormat }: TransactionLookup): void {
  const older = 'Please use either backwards compatible arguments (requesting_parties) or transaction_format'
  const [hasParties, hasFormat] = [requestingParties.length > 0, transactionFormat !== undefined]
  if (hasParties && hasFormat) {
    throw invalidArgument(`Both transaction_format and requesting_parties are set. ${older} but not both.`, byNode)
  }
  if (!hasParties && !hasFormat) {
    throw invalidArgument(`Either transaction_format or requesting_parties is required. ${older}.`, byNode)
  }
}

/** Everything the parties see, in one shape. */
export function formatForParties(parties: readonly string[], shape: TransactionShape): TransactionFormat {
  const wildcard: Filters = [{ kind: 'wildcard', includeCreatedEventBlob: false }]
  return {
    eventFormat: {
      filtersByParty: new Map(parties.map((party) => [party, wildcard])),
      filtersForAnyParty: undefined,
    },
    shape,
  }
}

/** The rights that formats require. */
export function readersOf(...formats: readonly (EventFormat | undefined)[]): Subject {
  return {
    readAs: formats.flatMap((format) => [...(format?.filtersByParty.keys() ?? [])]),
    readsAsAnyParty: formats.some((format) => format?.filtersForAnyParty !== undefined),
  }
}

export function readersOfUpdates(format: UpdateFormat | undefined): Subject {
  const { readAs, readsAsAnyParty } = readersOf(format?.transactions?.eventFormat, format?.reassignments)
  const topology = format?.topology
  return {
    readAs: [...readAs!, ...(topology ?? [])],
    readsAsAnyParty: readsAsAnyParty! || topology?.length === 0,
  }
}

/** Tokens stay Base64; "" if there is none. An empty one is nobody's in Canton, and none by the specification. */
export function tokenFromJson(token: Uint8Array | undefined, compatibility: Settings['compatibility']): string {
  if (token?.length === 0 && compatibility === 'canton-3.5') return nobodysToken
  return token === undefined ? '' : Buffer.from(token).toString('base64')
}
