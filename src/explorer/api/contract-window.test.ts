import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ContractQuery, ContractQueryPage } from './contract-query.ts'
import { readWindow, totalText } from './contract-window.ts'
import type { CreatedEvent } from './wire.ts'

const format = { filtersByParty: {}, verbose: true }
const filters = [{ field: 'amount', test: 'equals', value: '1' }] as const
/** As a node with 1,000 contracts answers that looks through a hundred for each request and finds one of them. */
const perRequest = 100
const contracts = 1_000

function nodeThatFindsOneInHundred() {
  const asked: ContractQuery[] = []
  const ask = async (query: ContractQuery, signal: AbortSignal): Promise<ContractQueryPage> => {
    signal.throwIfAborted()
    asked.push(query)
    const isFiltered = query.filters !== undefined
    const lookedBefore = Number(query.pageToken ?? 0)
    const isEnd = lookedBefore + perRequest >= contracts
    return {
      activeContracts: isFiltered ? [contractNumbered(lookedBefore)] : [],
      activeAtOffset: 7,
      total: isFiltered ? { count: 1, is: 'atLeast' } : { count: contracts, is: 'exact' },
      looked: perRequest,
      ...(isFiltered && !isEnd && { nextPageToken: String(lookedBefore + perRequest) }),
    }
  }
  return { asked, ask }
}

function contractNumbered(number: number): ContractQueryPage['activeContracts'][number] {
  const createdEvent = { contractId: `00${number}` } as CreatedEvent
  return {
    workflowId: '',
    contractEntry: { JsActiveContract: { createdEvent, synchronizerId: 's', reassignmentCounter: 0 } },
  }
}

const never = new AbortController().signal

test('a page is filled by several requests, and says how much was looked through', async () => {
  const { ask, asked } = nodeThatFindsOneInHundred()
  const reports: string[] = []
  const window = await readWindow(
    { format, filters, size: 3 },
    {
      ask,
      signal: never,
      stop: never,
      report: ({ rows, looked }) => reports.push(`${rows.length} in ${looked?.count} of ${looked?.outOf.count}`),
    },
  )
  assert.deepEqual(reports, ['1 in 100 of 1000', '2 in 200 of 1000'])
  assert.deepEqual(
    window?.rows.map(({ event }) => event.contractId),
    ['000', '00100', '00200'],
  )
  assert.equal(window?.next, '300')
  assert.deepEqual(
    asked.map(({ size, pageToken, at }) => [size, pageToken, at]),
    [
      [3, undefined, undefined],
      [1, undefined, 7], // How many there are at that offset.
      [2, '100', undefined],
      [1, '200', undefined],
    ],
  )
})

test('a stop keeps what is found, and the reader can go on from there', async () => {
  const { ask } = nodeThatFindsOneInHundred()
  const stop = new AbortController()
  const query = { format, filters, size: 20 }
  const stopped = await readWindow(query, { ask, signal: never, stop: stop.signal, report: () => stop.abort() })
  assert.deepEqual([stopped?.rows.length, stopped?.next], [1, '100'])
  const whole = await readWindow(query, { ask, signal: never, stop: never, report: () => undefined, from: stopped })
  assert.deepEqual([whole?.rows.length, whole?.next, whole?.looked?.count], [10, undefined, 1000])
})

test('a stop before the first answer finds nothing, and a page that is left fails', async () => {
  const { ask } = nodeThatFindsOneInHundred()
  const query = { format, filters, size: 20 }
  const over = AbortSignal.abort()
  assert.equal(await readWindow(query, { ask, signal: never, stop: over, report: () => undefined }), undefined)
  await assert.rejects(readWindow(query, { ask, signal: over, stop: never, report: () => undefined }))
})

test('totals are told with their certainty', () => {
  assert.equal(totalText({ count: 200_000, is: 'exact' }), '200,000')
  assert.equal(totalText({ count: 10_000, is: 'atLeast' }), 'at least 10,000')
  assert.equal(totalText({ count: 5, is: 'about' }), 'about 5')
})
