// /v2/updates. Mirrors Canton's JsUpdateService, with the operations it keeps for older clients.
import type { TArray } from 'typebox'
import { LedgerError } from '../../base/errors.ts'
import type { TransactionForm } from '../../events/json/transaction-json.ts'
import type { RenderTransactions } from '../../events/protobuf/transaction-protobuf.ts'
import type { ReadHints } from '../../ledger/reading/reader.ts'
import type { TransactionFormat, UpdatesQuery } from '../../ledger/reading/requests/queries.ts'
import { RenderedJson, type Route, route } from '../route.ts'
import { streamRoute } from '../stream-route.ts'
import { decodeInt64Param } from '../wire/decode.ts'
import { checkOlderLookup, formatForParties, readersOf, readersOfUpdates } from '../wire/formats.ts'
import * as wire from '../wire/updates.ts'

const tag = 'Updates'

type UpdatesStream = {
  readonly path: string
  readonly summary: string
  readonly form: TransactionForm
  readonly body: typeof wire.updatesRequest | typeof wire.treesRequest
  readonly response: TArray
  readonly early: typeof wire.checkTreesRequest
}

const stream = ({ form, ...words }: UpdatesStream): Route =>
  streamRoute({
    ...words,
    tag,
    subject: (body) => readersOfUpdates(wire.updatesQueryFromJson(body, form).format),
    stream({ updates }, body) {
      const wanted = wire.updatesQueryFromJson(body, form)
      checkOrder(wanted)
      return {
        open: (signal, hints) => updates.stream(wanted, signal, hints),
        ...(form === 'transaction' && {
          rendered: (writer: RenderTransactions, signal: AbortSignal, hints?: ReadHints) =>
            updates.rendered(wanted, writer, signal, hints),
        }),
      }
    },
  })

const flat = (path: string, summary: string): Route =>
  stream({
    path,
    summary,
    form: 'transaction',
    body: wire.updatesRequest,
    response: wire.updatesResponse,
    early: wire.checkUpdatesRequest,
  })

export const updateRoutes: Route[] = [
  flat('/v2/updates', 'List updates, in order'),
  flat('/v2/updates/flats', 'List updates, as /v2/updates does; for older clients'),
  stream({
    path: '/v2/updates/trees',
    summary: 'List updates with transaction trees; for older clients',
    form: 'tree',
    body: wire.treesRequest,
    response: wire.treesResponse,
    early: wire.checkTreesRequest,
  }),

  route({
    method: 'POST',
    path: '/v2/updates/get-updates-page',
    tag,
    summary: 'List updates page by page, in either order',
    body: wire.pageRequest,
    response: wire.pageResponse,
    subject: ({ body }) => readersOfUpdates(wire.optionalFormat(body)),
    async call({ updates, compatibility }, { body }, _, { signal, account }) {
      const query = wire.pageQueryFromJson(body, compatibility)
      return new RenderedJson(await updates.page(query, signal, { account }))
    },
  }),

  route({
    method: 'POST',
    path: '/v2/updates/update-by-offset',
    tag,
    summary: 'Get the update at an offset',
    body: wire.updateByOffsetRequest,
    response: wire.singleUpdateResponse,
    subject: ({ body }) => readersOfUpdates(wire.optionalFormat(body)),
    async call({ updates }, { body }, _, context) {
      return new RenderedJson(`{"update":${await updates.updateAt(body.offset, wire.optionalFormat(body), context)}}`)
    },
  }),

  route({
    method: 'POST',
    path: '/v2/updates/update-by-id',
    tag,
    summary: 'Get an update',
    body: wire.updateByIdRequest,
    response: wire.singleUpdateResponse,
    subject: ({ body }) => readersOfUpdates(wire.optionalFormat(body)),
    async call({ updates }, { body }, _, context) {
      return new RenderedJson(
        `{"update":${await updates.updateWithId(body.updateId, wire.optionalFormat(body), context)}}`,
      )
    },
  }),

  route({
    method: 'POST',
    path: '/v2/updates/transaction-by-offset',
    tag,
    summary: 'Get the transaction at an offset; for older clients',
    body: wire.transactionByOffsetRequest,
    response: wire.transactionResponse,
    early: ({ body }) => checkOlderLookup(body),
    subject: ({ body }) => readersOf(wire.lookupFormat(body).eventFormat),
    async call({ updates }, { body }, _, context) {
      const transaction = await updates.transactionAt(body.offset, wire.lookupFormat(body), 'transaction', context)
      return new RenderedJson(`{"transaction":${transaction}}`)
    },
  }),

  route({
    method: 'POST',
    path: '/v2/updates/transaction-by-id',
    tag,
    summary: 'Get a transaction; for older clients',
    body: wire.transactionByIdRequest,
    response: wire.transactionResponse,
    early: ({ body }) => checkOlderLookup(body),
    subject: ({ body }) => readersOf(wire.lookupFormat(body).eventFormat),
    async call({ updates }, { body }, _, context) {
      const transaction = await updates.transactionWithId(
        body.updateId,
        wire.lookupFormat(body),
        'transaction',
        context,
      )
      return new RenderedJson(`{"transaction":${transaction}}`)
    },
  }),

  route({
    method: 'GET',
    path: '/v2/updates/transaction-tree-by-offset/{offset}',
    tag,
    summary: 'Get the transaction tree at an offset; for older clients',
    query: wire.treeQuery,
    response: wire.transactionTreeResponse,
    early: ({ params }) => void decodeInt64Param(params, 'offset'),
    subject: ({ query }) => ({ readAs: query.parties }),
    async call({ updates }, { params, query }, _, context) {
      const tree = await updates.transactionAt(
        decodeInt64Param(params, 'offset'),
        treeFormat(query.parties),
        'tree',
        context,
      )
      return new RenderedJson(`{"transaction":${tree}}`)
    },
  }),

  route({
    method: 'GET',
    path: '/v2/updates/transaction-tree-by-id/{update-id}',
    tag,
    summary: 'Get a transaction tree; for older clients',
    query: wire.treeQuery,
    response: wire.transactionTreeResponse,
    subject: ({ query }) => ({ readAs: query.parties }),
    async call({ updates }, { params, query }, _, context) {
      const tree = await updates.transactionWithId(params['update-id']!, treeFormat(query.parties), 'tree', context)
      return new RenderedJson(`{"transaction":${tree}}`)
    },
  }),
]

function treeFormat(parties: readonly string[]): TransactionFormat {
  return formatForParties(parties, 'TRANSACTION_SHAPE_LEDGER_EFFECTS')
}

/** Descending order needs an end. */
function checkOrder({ beginExclusive, endInclusive, descending }: UpdatesQuery): void {
  if (!descending || endInclusive !== undefined || beginExclusive < 0n) return
  throw new LedgerError('DESCENDING_ORDER_MISSING_END', 'end_inclusive is not provided when descending_order is true')
}
