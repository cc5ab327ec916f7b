// The exporter keeps, repeats or drops spans while the collector is away, is slow, or refuses them.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { test } from 'node:test'
import { until } from '../../test/fixtures/until.ts'
import { createTestClock } from '../base/clock.ts'
import { createLog } from '../base/log.ts'
import type { Span } from '../base/tracer.ts'
import { openOtlpExporter } from './otlp-exporter.ts'

const named = (name: string): Span => ({
  ...{ traceId: '0'.repeat(32), spanId: '0'.repeat(16), parentSpanId: undefined, name, kind: 'server' },
  ...{ startMs: 0, endMs: 1, attributes: {}, error: undefined },
})

/** A collector, and an exporter whose time only moves when the test says so. */
async function openBench({ spansMax = 100 } = {}) {
  const server = createServer()
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const clock = createTestClock(0)
  const endpoint = `http://127.0.0.1:${(server.address() as { port: number }).port}`
  const exporter = openOtlpExporter({
    ...{ endpoint, headers: undefined, serviceName: 'mine', spansMax, clock, log: createLog('silent') },
  })
  /** Advances the clock until a request arrives, answers it, and returns the names of its spans. */
  async function answer(status: number, headers: Record<string, string> = {}): Promise<string[]> {
    let exchange: [IncomingMessage, ServerResponse] | undefined
    server.once('request', (...asked) => {
      exchange = asked
    })
    while (exchange === undefined) {
      clock.advance(500)
      await new Promise(setImmediate)
    }
    const [request, response] = exchange
    const body = Buffer.concat(await request.toArray()).toString()
    response.writeHead(status, headers).end('{}')
    return JSON.parse(body).resourceSpans[0].scopeSpans[0].spans.map(({ name }: Span) => name)
  }
  return {
    ...{ exporter, clock, answer, counts: exporter.counts, server },
    async [Symbol.asyncDispose]() {
      const closing = exporter[Symbol.asyncDispose]()
      server.closeAllConnections()
      server.close()
      clock.advance(60_000)
      await closing
    },
  }
}

for (const status of [429, 502, 503, 504]) {
  test(`spans wait for a collector that answers ${status}, and are sent again in the same order`, async () => {
    await using bench = await openBench()
    const { exporter, answer, counts } = bench
    exporter.add(named('one'))
    assert.deepEqual(await answer(status), ['one'])
    exporter.add(named('two'))
    assert.deepEqual(await answer(200), ['one', 'two'])
    await until(() => counts.exported === 2)
    assert.equal(counts.dropped, 0)
  })
}

test('spans wait for a collector that breaks the connection', async () => {
  await using bench = await openBench()
  const { exporter, server, clock, answer, counts } = bench
  let isBroken = false
  server.once('connection', (socket) => {
    socket.resetAndDestroy()
    isBroken = true
  })
  exporter.add(named('one'))
  clock.advance(1_000)
  await until(() => isBroken)
  assert.deepEqual(await answer(200), ['one'])
  await until(() => counts.exported === 1)
  assert.equal(counts.dropped, 0)
})

test('the exporter pauses for as long as the collector says', async () => {
  await using bench = await openBench()
  const { exporter, clock, answer, counts } = bench
  exporter.add(named('one'))
  await answer(429, { 'retry-after': '20' })
  const beganMs = clock.nowMs()
  await answer(200)
  await until(() => counts.exported === 1)
  assert.ok(clock.nowMs() - beganMs >= 20_000)
})

test('only spansMax spans wait, and later ones are dropped', async () => {
  await using bench = await openBench({ spansMax: 3 })
  const { exporter, answer, counts } = bench
  exporter.add(named('0'))
  await answer(503)
  for (const name of ['1', '2', '3', '4']) exporter.add(named(name))
  assert.equal(counts.dropped, 2)
  assert.deepEqual(await answer(200), ['0', '1', '2'])
  await until(() => counts.exported === 3)
})

test('the bytes of waiting spans are bounded', async () => {
  await using bench = await openBench({ spansMax: 1_000_000 })
  const { exporter, counts } = bench
  const bytes = 1024 * 1024
  for (let count = 0; count < 40; count += 1) exporter.add(named('x'.repeat(bytes)))
  assert.ok(counts.dropped >= 24, `${counts.dropped} of 40 MiB are dropped`)
  assert.ok(counts.dropped < 40)
})

test('spans that a collector refuses for good are dropped and counted', async () => {
  await using bench = await openBench()
  const { exporter, answer, counts } = bench
  exporter.add(named('bad'))
  await answer(400)
  await until(() => counts.dropped === 1)
  exporter.add(named('good'))
  assert.deepEqual(await answer(200), ['good'])
})
