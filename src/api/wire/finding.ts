// What the explorer asks the node to find, on the wire. Canton has nothing like it.
import { type Static, Type } from 'typebox'
import type { ContractQuery } from '../../ledger/finding/contract-query.ts'
import type { FieldTest } from '../../ledger/finding/contract-tests.ts'
import { eventFormat } from './formats.ts'
import { choiceOf, flag, int32, int64, list, message, nullable, optional, optionalInt64, text } from './schema.ts'
import { activeContractsPageResponse, optionalEventFormat } from './state.ts'

const fieldTests: readonly FieldTest[] = ['equals', 'contains', 'less', 'greater']
const field = text('A field, with dots between its parts: amount.currency')

const fieldFilter = message(
  'FieldFilter',
  {
    field,
    test: choiceOf(fieldTests, 'Numbers are compared as numbers, everything else as text'),
    value: text('What it is compared with'),
  },
  { description: 'A condition on a field of the create argument, or of the view if the format asks for one' },
)

export const findContractsRequest = message(
  'FindContractsRequest',
  {
    eventFormat: optional(eventFormat),
    activeAtOffset: optionalInt64('The offset at which they are active; the ledger end if absent'),
    oldestFirst: flag('Oldest first; otherwise newest first'),
    sortBy: optional(
      message(
        'FieldOrder',
        { field, descending: flag('The largest first') },
        { description: 'Sort by a field, the newest first where it is equal; only on development nodes' },
      ),
    ),
    filters: list(fieldFilter, 'All of them have to hold; only on development nodes'),
    text: text('What their fields, ids and parties contain; only on development nodes'),
    pageSize: optional(int32('Contracts per page, up to 1000; 50 if absent')),
    pageToken: text('The nextPageToken of the page before'),
  },
  { requires: ['eventFormat'] },
)

export const findContractsResponse = message('FindContractsResponse', {
  activeContracts: activeContractsPageResponse.properties.activeContracts,
  activeAtOffset: int64('The offset at which they are active'),
  total: message(
    'FoundTotal',
    {
      count: int64('How many there are'),
      is: choiceOf(
        ['exact', 'atLeast', 'about'],
        'atLeast if there may be more, about if the ledger changed meanwhile',
      ),
    },
    { description: 'How many contracts pass the query, on all pages' },
  ),
  looked: int64('How many contracts were looked through for this page'),
  nextPageToken: nullable(Type.String({ description: 'Where the next page begins; null if there is none' })),
})

export function contractQueryFromJson(json: Static<typeof findContractsRequest>): ContractQuery {
  const { activeAtOffset, oldestFirst, sortBy, filters, text, pageSize, pageToken } = json
  const format = optionalEventFormat(json)
  return { format, activeAtOffset, oldestFirst, sortBy, filters, text, pageSize, pageToken }
}
