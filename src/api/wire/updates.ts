// Requests for updates on the wire, and their translation for the ledger. Mirrors Canton's JsUpdateService.
import { type Static, Type } from 'typebox'
import { invalidArgument } from '../../base/errors.ts'
import type { Settings } from '../../base/settings.ts'
import type {
  TransactionFormat,
  UpdateFormat,
  UpdatesPageQuery,
  UpdatesQuery,
} from '../../ledger/reading/requests/queries.ts'
import { transaction, transactionTree } from './events.ts'
import {
  checkOlderRequest,
  formatForParties,
  hasTemplateFilters,
  olderRequest,
  requestingParties,
  tokenFromJson,
  transactionFormat,
  transactionFormatFromJson,
  updateFormat,
  updateFormatForTrees,
  updateFormatFromFilter,
  updateFormatFromJson,
} from './formats.ts'
import {
  bytes,
  flag,
  int32,
  int64,
  list,
  message,
  olderFlag,
  optional,
  optionalInt64,
  requiredInt64,
  text,
} from './schema.ts'
import { singleUpdate, treeElement, updateElement } from './update-elements.ts'

const begin = 'Only updates after this offset; 0 for the start of the ledger'
const range = {
  endInclusive: optionalInt64('Only updates up to this offset; without it, future ones as well'),
  ...olderRequest,
  updateFormat: optional(updateFormat),
  descendingOrder: olderFlag('Latest first; only with endInclusive'),
}

export const updatesRequest = message(
  'GetUpdatesRequest',
  { beginExclusive: int64(begin), ...range },
  { requires: ['beginExclusive'] },
)
export const treesRequest = message(
  'GetUpdatesRequest',
  { beginExclusive: requiredInt64(begin), ...range },
  { requires: ['beginExclusive'] },
)
export const updatesResponse = Type.Array(updateElement, { description: 'By offset' })
export const treesResponse = Type.Array(treeElement, { description: 'By offset' })

const lookup = { requestingParties, transactionFormat: optional(transactionFormat) }
export const updateId = text('The update: 68 hex digits')

export const transactionByOffsetRequest = message('GetTransactionByOffsetRequest', {
  offset: requiredInt64('The offset of the transaction, a positive number'),
  ...lookup,
})
export const transactionByIdRequest = message(
  'GetTransactionByIdRequest',
  { updateId, ...lookup },
  { requires: ['updateId'] },
)
export const transactionResponse = message('JsGetTransactionResponse', { transaction })
export const singleUpdateResponse = singleUpdate
export const transactionTreeResponse = message('JsGetTransactionTreeResponse', { transaction: transactionTree })
export const treeQuery = Type.Object({ parties: list(Type.String(), 'A requesting party; repeat it for several') })

export const updateByOffsetRequest = message(
  'GetUpdateByOffsetRequest',
  {
    offset: int64('The offset of the update, a positive number'),
    updateFormat: optional(updateFormat),
  },
  { requires: 'all' },
)
export const updateByIdRequest = message(
  'GetUpdateByIdRequest',
  { updateId, updateFormat: optional(updateFormat) },
  { requires: 'all' },
)

export const pageRequest = message(
  'GetUpdatesPageRequest',
  {
    beginOffsetExclusive: optionalInt64(
      'Only updates after this offset; without it, from the first that is not pruned',
    ),
    endOffsetInclusive: optionalInt64('Only updates up to this offset; without it, up to the ledger end'),
    maxPageSize: optional(int32("Updates per page; the node's default if absent")),
    updateFormat: optional(updateFormat),
    descendingOrder: flag('Latest first'),
    pageToken: optional(bytes('The nextPageToken of the previous page; absent for the first page')),
  },
  { requires: ['updateFormat'] },
)
export const pageResponse = message(
  'JsGetUpdatesPageResponse',
  {
    updates: list(singleUpdate, 'The updates of this page'),
    lowestPageOffsetExclusive: int64('The page starts after this offset'),
    highestPageOffsetInclusive: int64('The page ends at this offset'),
    nextPageToken: optional(bytes('The token of the next page; null if there is none')),
  },
  { requires: ['lowestPageOffsetExclusive', 'highestPageOffsetInclusive'] },
)

export type UpdatesJson = Static<typeof updatesRequest>

/** In both variants of the request, the format is given once. */
export function checkUpdatesRequest(json: UpdatesJson): void {
  checkOlderRequest(json, json.updateFormat, 'update_format')
}

/** Checks that the specification makes and Canton does not. */
export function checkTreesRequest(json: UpdatesJson, compatibility: Settings['compatibility']): void {
  checkUpdatesRequest(json)
  if (compatibility === 'canton-3.5') return
  if (json.updateFormat !== undefined) {
    throw invalidArgument(
      'update_format must be unset for update trees. Please use the backwards compatible arguments (filter and verbose).',
    )
  }
  if (hasTemplateFilters(json.filter!)) throw invalidArgument('template filters must be empty for update trees')
}

export function updatesQueryFromJson(json: UpdatesJson, form: UpdatesQuery['form']): UpdatesQuery {
  const { beginExclusive, endInclusive, descendingOrder, filter } = json
  const fromFilter = form === 'tree' ? updateFormatForTrees : updateFormatFromFilter
  const format = json.updateFormat ? updateFormatFromJson(json.updateFormat) : fromFilter(filter!)
  return { beginExclusive, endInclusive, descending: descendingOrder, format, form }
}

type Lookup = Pick<Static<typeof transactionByIdRequest>, 'requestingParties' | 'transactionFormat'>

export function lookupFormat({ requestingParties, transactionFormat }: Lookup): TransactionFormat {
  return transactionFormat === undefined
    ? formatForParties(requestingParties, 'TRANSACTION_SHAPE_ACS_DELTA')
    : transactionFormatFromJson(transactionFormat)
}

export function optionalFormat(json: {
  readonly updateFormat?: Static<typeof updateFormat>
}): UpdateFormat | undefined {
  return json.updateFormat && updateFormatFromJson(json.updateFormat)
}

export function pageQueryFromJson(
  json: Static<typeof pageRequest>,
  compatibility: Settings['compatibility'],
): UpdatesPageQuery {
  return {
    beginExclusive: json.beginOffsetExclusive,
    endInclusive: json.endOffsetInclusive,
    descending: json.descendingOrder,
    format: optionalFormat(json),
    maxPageSize: json.maxPageSize,
    pageToken: tokenFromJson(json.pageToken, compatibility),
  }
}
