// Lists as NDJSON: Accept: application/x-ndjson on the operations that list. Our own extension, without the limits of a
// list.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { after, before, describe, test } from 'node:test'
import { createTestClock } from '../../src/base/clock.ts'
import { LedgerError } from '../../src/base/errors.ts'
import type { Hints } from '../../src/ledger/inspection/hints.ts'
import type { Ledger } from '../../src/ledger/ledger.ts'
import type { ReadHints } from '../../src/ledger/reading/reader.ts'
import type { Elements } from '../../src/ledger/reading/requests/queries.ts'
import { startTestService, type TestService } from '../fixtures/http-service.ts'
import { type Json, startTestLedger, type TestLedger, updateFormat } from '../fixtures/ledger.ts'
import { until } from '../fixtures/until.ts'

const lines = 'application/x-ndjson'
const parsed = (text: string): Json[] =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))

describe('a list as lines', () => {
  let ledger: TestLedger
  let end: number
  before(async () => {
    ledger = await startTestLedger({ settings: { limits: { listElementsMax: 5 } } })
    await ledger.submit(Array.from({ length: 8 }, () => ledger.createIou()))
    for (let turn = 0; turn < 8; turn += 1) await ledger.submit([ledger.createIou()], { userId: 'app' })
    end = await ledger.end()
  })
  after(() => ledger[Symbol.asyncDispose]())

  const eventFormat = () => ({ filtersByParty: { [ledger.alice]: {} } })
  const updates = (fields: object = {}) => ({
    beginExclusive: 0,
    endInclusive: end,
    updateFormat: updateFormat(eventFormat()),
    ...fields,
  })
  const ask = (path: string, body: unknown, accept: string = lines, options: object = {}) =>
    ledger.post(path, body, { headers: { accept }, ...options })

  const isCheckpoint = ({ update, completionResponse }: Json) =>
    update?.OffsetCheckpoint !== undefined || completionResponse?.OffsetCheckpoint !== undefined

  const paths: [path: string, body: () => object, count: number][] = [
    ['/v2/updates', updates, 9],
    ['/v2/updates?limit=7', updates, 7],
    ['/v2/updates?limit=1000', updates, 9],
    ['/v2/updates?limit=0', updates, 0],
    ['/v2/updates?limit=-1', updates, 0],
    ['/v2/updates?stream_idle_timeout_ms=50', () => updates({ endInclusive: undefined }), 9],
    ['/v2/updates', () => updates({ endInclusive: undefined }), 9],
    ['/v2/updates/flats', updates, 9],
    ['/v2/updates/trees', () => ({ beginExclusive: 0, endInclusive: end, filter: eventFormat() }), 9],
    ['/v2/state/active-contracts', () => ({ activeAtOffset: end, eventFormat: eventFormat() }), 16],
    ['/v2/commands/completions', () => ({ userId: 'app', parties: [ledger.alice], beginExclusive: 0 }), 9],
    ['/v2/commands/command-completions', () => ({ parties: [ledger.alice], beginExclusive: 0 }), 9],
  ]
  for (const [path, body, count] of paths) {
    test(`of ${path} has all ${count}, where a list is limited to five`, async () => {
      const answer = await ask(path, body())
      assert.deepEqual([answer.status, answer.type], [200, lines])
      assert.equal(parsed(answer.text).filter((element) => !isCheckpoint(element)).length, count)
      assert.ok(answer.text === '' || answer.text.endsWith('}\n'))
    })
  }

  test('has the same elements as the list', async () => {
    const body = updates({ endInclusive: end - 5 })
    assert.deepEqual(parsed((await ask('/v2/updates', body)).text), (await ledger.post('/v2/updates', body)).json)
  })

  describe('must be requested by the client', () => {
    const rows: [accept: string, type: string, status?: number][] = [
      ['application/x-ndjson', lines],
      ['Application/X-NDJSON', lines],
      ['application/x-ndjson, */*;q=0.1', lines],
      ['application/json;q=0.5, application/x-ndjson', lines],
      ['application/json, application/x-ndjson;q=0.9', 'application/json'],
      ['application/json, application/x-ndjson', 'application/json'],
      ['application/x-ndjson;q=0, application/json', 'application/json'],
      ['*/*', 'application/json'],
      ['application/*', 'application/json'],
      ['application/x-ndjson;q=0', 'text/plain; charset=UTF-8', 406],
      ['text/html', 'text/plain; charset=UTF-8', 406],
    ]
    for (const [accept, type, status = 200] of rows) {
      test(accept, async () => {
        const answer = await ask('/v2/updates', updates({ endInclusive: end - 6 }), accept)
        assert.deepEqual([answer.status, answer.type], [status, type])
      })
    }

    test('is not available for operations without a list', async () => {
      const answer = await ledger.node.call('GET', '/v2/version', { headers: { accept: lines } })
      assert.equal(answer.status, 406)
    })
  })

  describe('is refused like the list', () => {
    const rows: [title: string, body: () => unknown, options: object, status: number, code: string | undefined][] = [
      ['no JSON', () => 'hello', {}, 400, undefined],
      ['no token', updates, { token: null }, 401, 'NA'],
      ['a start after the end', () => updates({ beginExclusive: 99_999 }), {}, 400, 'OFFSET_AFTER_LEDGER_END'],
      [
        'latest first without an end',
        () => updates({ endInclusive: undefined, descendingOrder: true }),
        {},
        400,
        'DESCENDING_ORDER_MISSING_END',
      ],
    ]
    for (const [title, body, options, status, code] of rows) {
      test(title, async () => {
        const answer = await ask('/v2/updates', body(), lines, options)
        assert.deepEqual([answer.status, answer.json?.code], [status, code])
      })
    }
  })
})

describe('lines', () => {
  const request = JSON.stringify({ beginExclusive: 0, endInclusive: 10, filter: { filtersByParty: { alice: {} } } })
  const updatesFrom = (stream: (signal: AbortSignal, hints?: ReadHints) => Elements): Partial<Ledger> => ({
    updates: {
      stream: (_query: unknown, signal: AbortSignal, hints?: ReadHints) => stream(signal, hints),
    } as Ledger['updates'],
  })
  const batch = Array.from({ length: 64 }, () => JSON.stringify('x'.repeat(1000)))
  const one = ['{"n":1}']

  /** Returns once the headers are there; the caller reads the body. */
  function post(service: TestService, query = ''): Promise<IncomingMessage> {
    return new Promise((resolve, reject) => {
      const headers = { authorization: 'Bearer both', accept: lines }
      const sent = httpRequest(`${service.url}/v2/updates${query}`, { method: 'POST', headers }, resolve)
      sent.on('error', reject)
      sent.end(request)
    })
  }
  const textOf = async (answer: IncomingMessage) => Buffer.concat(await answer.toArray()).toString()

  test('are sent as they arrive, and not cut off by the request timeout', async () => {
    const gate = Promise.withResolvers<void>()
    async function* stream(): Elements {
      yield one
      await gate.promise
      yield one
    }
    const clock = createTestClock(0)
    const limits = { requestTimeoutMs: 100 }
    await using service = await startTestService({ ledger: updatesFrom(stream), clock, limits })
    const answer = await post(service)
    const reader = answer[Symbol.asyncIterator]()
    assert.equal((await reader.next()).value.toString(), '{"n":1}\n')
    clock.advance(1500)
    gate.resolve()
    assert.equal((await reader.next()).value.toString(), '{"n":1}\n')
    assert.equal((await reader.next()).done, true)
  })

  test('start soon, even before the first element', async () => {
    const waits = Promise.withResolvers<void>()
    async function* stream(signal: AbortSignal, { onWaiting }: ReadHints = {}): Elements {
      onWaiting?.()
      waits.resolve()
      await new Promise((resolve) => signal.addEventListener('abort', resolve))
      yield* []
    }
    const limits = { listWaitMs: 20, requestTimeoutMs: 200 }
    const clock = createTestClock(0)
    await using service = await startTestService({ ledger: updatesFrom(stream), clock, limits })
    const asked = post(service, '?stream_idle_timeout_ms=1500')
    await waits.promise
    clock.advance(limits.listWaitMs)
    const answer = await asked
    assert.equal(answer.statusCode, 200)
    clock.advance(1500)
    assert.equal(await textOf(answer), '')
  })

  test('end with the error', async () => {
    async function* stream(): Elements {
      yield one
      throw new TypeError('the secret reason')
    }
    await using service = await startTestService({ ledger: updatesFrom(stream) })
    const text = await textOf(await post(service))
    const [first, last, ...more] = parsed(text)
    assert.deepEqual([first, last.code, last.grpcCodeValue, more], [{ n: 1 }, 'NA', 13, []])
    assert.doesNotMatch(text, /secret/)
  })

  test('end with the hint of an error, as a list does', async () => {
    async function* stream(): Elements {
      yield one
      throw new LedgerError('CONTRACT_NOT_FOUND', 'Contract could not be found with id 00')
    }
    const hints: Hints = { for: async (_error, { reads }) => `it went away${reads('alice') ? ', alice' : ''}` }
    await using service = await startTestService({ ledger: updatesFrom(stream), hints })
    const { code, context } = parsed(await textOf(await post(service))).at(-1)
    assert.deepEqual([code, context.hint], ['CONTRACT_NOT_FOUND', 'it went away, alice'])
  })

  test('are not produced for a client that does not read, and end when it disconnects', async () => {
    const pulled: number[] = []
    async function* stream(signal: AbortSignal): Elements {
      const place = pulled.push(0) - 1
      while (!signal.aborted) {
        pulled[place]! += 1
        await new Promise(setImmediate)
        yield batch
      }
    }
    await using service = await startTestService({ ledger: updatesFrom(stream) })
    const idle = await post(service)
    const reading = await post(service)
    reading.resume()
    // Until the client that reads got a hundred batches and the other one nothing.
    for (let before = -1; pulled[0] !== before; ) {
      before = pulled[0]!
      assert.ok(before * batch.length * 1003 < 16 * 1024 * 1024, `${before} batches wait`)
      for (const end = pulled[1]! + 100; pulled[1]! < end; ) await once(reading, 'data')
    }
    for (const answer of [idle, reading]) answer.destroy()
    const isOver = /tallystick_open_streams\{operation="POST \/v2\/updates",transport="ndjson"\} 0\n/
    await until(async () => isOver.test((await service.call('GET', '/metrics')).text))
  })

  test('count as a stream', async () => {
    async function* stream(signal: AbortSignal): Elements {
      yield one
      await new Promise((resolve) => signal.addEventListener('abort', resolve))
    }
    await using service = await startTestService({ ledger: updatesFrom(stream), limits: { streamsMax: 1 } })
    const first = await post(service)
    const second = await post(service)
    assert.equal(second.statusCode, 409)
    assert.equal(JSON.parse(await textOf(second)).code, 'MAXIMUM_NUMBER_OF_STREAMS')
    first.destroy()
  })

  test('end with an error when the node stops', async () => {
    async function* stream(signal: AbortSignal): Elements {
      yield one
      await new Promise((resolve) => signal.addEventListener('abort', resolve))
    }
    const service = await startTestService({ ledger: updatesFrom(stream) })
    const answer = await post(service)
    const reader = answer[Symbol.asyncIterator]()
    assert.equal((await reader.next()).value.toString(), '{"n":1}\n')
    const stopped = service[Symbol.asyncDispose]()
    assert.equal(JSON.parse((await reader.next()).value).code, 'SERVICE_NOT_RUNNING')
    assert.equal((await reader.next()).done, true)
    await stopped
  })

  test('are available to CORS pages, too', async () => {
    async function* stream(): Elements {
      yield one
    }
    const http = { corsOrigins: ['https://app.example'] }
    await using service = await startTestService({ ledger: updatesFrom(stream), http })
    const response = await fetch(`${service.url}/v2/updates`, {
      method: 'POST',
      headers: { authorization: 'Bearer both', accept: lines, origin: 'https://app.example' },
      body: request,
    })
    assert.equal(response.headers.get('access-control-allow-origin'), 'https://app.example')
    assert.equal(await response.text(), '{"n":1}\n')
  })
})
