// Traces for OpenTelemetry: what a collector gets, over HTTP and gRPC, and what happens without one.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { describe, test } from 'node:test'
import { type Clock, createTestClock, wallClock } from '../../src/base/clock.ts'
import { openGrpc } from '../fixtures/grpc.ts'
import { startTestNode, type TestNode } from '../fixtures/node.ts'
import { patientLimits } from '../fixtures/patience.ts'
import { until } from '../fixtures/until.ts'
import { openSocket } from '../fixtures/websocket.ts'

type SpanJson = {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly name: string
  readonly kind: number
  readonly startTimeUnixNano: string
  readonly endTimeUnixNano: string
  readonly attributes: readonly { readonly key: string; readonly value: Record<string, string> }[]
  readonly status?: { readonly code: number; readonly message: string }
}

type Collector = AsyncDisposable & {
  readonly url: string
  readonly spans: SpanJson[]
  readonly headers: Record<string, unknown>[]
  readonly resources: string[]
  status: number
}

async function openCollector(): Promise<Collector> {
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    collector.headers.push({ ...request.headers, url: request.url })
    if (collector.status === 200) {
      const { resource, scopeSpans } = JSON.parse(body).resourceSpans[0]
      collector.resources.push(JSON.stringify(resource.attributes))
      collector.spans.push(...scopeSpans[0].spans)
    }
    response.writeHead(collector.status, { 'content-type': 'application/json' }).end('{}')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const collector: Collector = {
    url: `http://127.0.0.1:${(server.address() as { port: number }).port}`,
    ...{ spans: [], headers: [], resources: [], status: 200 },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
    },
  }
  return collector
}

const traceId = '0af7651916cd43dd8448eb211c80319c'
const caller = 'b7ad6b7169203331'
const transactionShape = 'TRANSACTION_SHAPE_ACS_DELTA'
const settings = { auth: { mode: 'off', userId: 'app' }, limits: patientLimits() } as const

/** A node that stops waits a second for its collector, which here is busy with the node itself: seconds do not pass. */
const clock = (): Clock => {
  const still = createTestClock(Date.now())
  return { ...wallClock, after: (delayMs, action) => (delayMs < 1_000 ? wallClock : still).after(delayMs, action) }
}

async function create(node: TestNode, commandId: string, flags: string, amount = '1') {
  const { json } = await node.call('POST', '/v2/parties', {
    body: { partyIdHint: commandId },
    headers: { traceparent: `00-${traceId}-${caller}-00` },
  })
  const { party } = json.partyDetails
  const createArguments = { issuer: party, owner: party, amount, currency: 'EUR', observers: [] }
  const commands = [{ CreateCommand: { templateId: '#quickstart:Iou:Iou', createArguments } }]
  return node.call('POST', '/v2/commands/submit-and-wait', {
    body: { commandId, actAs: [party], commands },
    headers: { traceparent: `00-${traceId}-${caller}-${flags}` },
  })
}

describe('a node with a collector', () => {
  test('sends the spans of a command and its stages, within the trace of the caller', async () => {
    await using collector = await openCollector()
    const traces = {
      otlpEndpoint: `${collector.url}/base/`,
      otlpHeaders: 'x-key=s3cret,other=a=b',
      serviceName: 'mine',
    }
    {
      await using node = await startTestNode({ clock: clock(), settings: { ...settings, traces } })
      assert.equal((await create(node, 'unsampled', '00')).status, 200)
      assert.equal((await create(node, 'good', '01')).status, 200)
      assert.equal((await create(node, 'bad', '01', 'no number')).status, 400)
    } // Stopping sends what waits.
    assert.equal(collector.headers[0]!.url, '/base/v1/traces')
    assert.deepEqual([collector.headers[0]!['x-key'], collector.headers[0]!.other], ['s3cret', 'a=b'])
    assert.match(collector.resources[0]!, /"service.name","value":{"stringValue":"mine"}/)
    const spans = collector.spans.filter((span) => span.traceId === traceId)
    const described = spans.map((span) => [span.name, span.kind, span.status?.message])
    assert.deepEqual(described, [
      ['interpret', 1, undefined],
      ['commit', 1, undefined],
      ['POST /v2/commands/submit-and-wait', 2, undefined],
      ['interpret', 1, 'INVALID_ARGUMENT'],
      ['POST /v2/commands/submit-and-wait', 2, undefined],
    ])
    const [interpret, commit, request] = spans
    assert.equal(request!.parentSpanId, caller)
    assert.deepEqual([interpret!.parentSpanId, commit!.parentSpanId], [request!.spanId, request!.spanId])
    assert.match(attribute(commit!, 'tallystick.update_id')!, /^1220/)
    assert.equal(attribute(request!, 'http.response.status_code'), '200')
    assert.equal(attribute(request!, 'http.route'), '/v2/commands/submit-and-wait')
    const times = [request, interpret, commit].map((span) =>
      [span!.startTimeUnixNano, span!.endTimeUnixNano].map(BigInt),
    )
    for (const [start, end] of times) assert.ok(start! <= end! && start! >= times[0]![0]! && end! <= times[0]![1]!)
    const text = JSON.stringify(collector.spans)
    assert.doesNotMatch(text, /good::|"EUR"|no number/)
  })

  test('begins a trace for callers without one', async () => {
    await using collector = await openCollector()
    {
      const given = { ...settings, traces: { otlpEndpoint: collector.url } }
      await using node = await startTestNode({ clock: clock(), settings: given })
      await node.call('GET', '/v2/state/ledger-end')
    }
    const [span] = collector.spans
    assert.match(`${span!.traceId} ${span!.spanId}`, /^[0-9a-f]{32} [0-9a-f]{16}$/)
    assert.deepEqual([span!.name, span!.parentSpanId], ['GET /v2/state/ledger-end', undefined])
  })

  test('sends the spans of gRPC calls', async () => {
    await using collector = await openCollector()
    {
      const given = { ...settings, grpc: { port: 0 }, traces: { otlpEndpoint: collector.url } }
      await using node = await startTestNode({ clock: clock(), settings: given })
      await using grpc = openGrpc(node.node.grpcUrl!)
      const headers = { traceparent: `00-${traceId}-${caller}-01` }
      await grpc.call('/com.daml.ledger.api.v2.StateService/GetLedgerEnd', new Uint8Array(), { headers })
      await grpc.call('/com.daml.ledger.api.v2.CommandService/SubmitAndWait', new Uint8Array(), { headers })
    }
    const described = collector.spans.map((span) => [
      ...[span.name.split('.').at(-1), span.parentSpanId, span.kind, span.status],
      attribute(span, 'rpc.grpc.status_code'),
    ])
    assert.deepEqual(described, [
      ['StateService/GetLedgerEnd', caller, 2, undefined, '0'],
      ['CommandService/SubmitAndWait', caller, 2, undefined, '3'],
    ])
  })

  test('sends the span of a WebSocket when it ends', async () => {
    await using collector = await openCollector()
    const headers = { traceparent: `00-${traceId}-${caller}-01` }
    {
      const given = { ...settings, traces: { otlpEndpoint: collector.url } }
      await using node = await startTestNode({ clock: clock(), settings: given })
      const empty = { filtersByParty: {}, filtersForAnyParty: {} }
      const request = { activeAtOffset: 0, eventFormat: empty }
      await using contracts = await openSocket(`${node.url}/v2/state/active-contracts`, { headers, request })
      await contracts.ended
      const wrong = { beginExclusive: 'x' }
      await using refused = await openSocket(`${node.url}/v2/updates`, { headers, request: wrong })
      await refused.ended
      const begin = {
        beginExclusive: 0,
        updateFormat: { includeTransactions: { eventFormat: empty, transactionShape } },
      }
      await using stopped = await openSocket(`${node.url}/v2/updates`, { headers, request: begin })
      await until(async () => /^tallystick_open_streams.* 1$/m.test((await node.call('GET', '/metrics')).text))
      assert.equal(stopped.webSocket.readyState, 1)
    }
    const spans = collector.spans.filter((span) => span.traceId === traceId)
    const described = spans.map((span) => [
      ...[span.name, span.parentSpanId, span.kind, span.status?.message],
      attribute(span, 'http.response.status_code'),
    ])
    assert.deepEqual(described, [
      ['WebSocket /v2/state/active-contracts', caller, 2, undefined, '101'],
      ['WebSocket /v2/updates', caller, 2, undefined, '101'],
      ['WebSocket /v2/updates', caller, 2, undefined, '101'],
    ])
  })

  test('keeps spans while it is away, drops what it refuses, counts them, and answers as ever', async () => {
    const collector = await openCollector()
    collector.status = 503
    await using node = await startTestNode({ settings: { ...settings, traces: { otlpEndpoint: collector.url } } })
    const counts = async () => {
      const { text } = await node.call('GET', '/metrics')
      const read = (name: string) => Number(new RegExp(`^tallystick_spans_${name}_total (\\d+)$`, 'm').exec(text)![1])
      return { exported: read('exported'), dropped: read('dropped') }
    }
    await node.call('GET', '/v2/state/ledger-end')
    await until(async () => collector.headers.length > 0)
    assert.deepEqual(await counts(), { exported: 0, dropped: 0 })
    collector.status = 200
    await until(async () => (await counts()).exported === 1)
    collector.status = 400
    await node.call('GET', '/v2/state/ledger-end')
    await until(async () => (await counts()).dropped === 1)
    await collector[Symbol.asyncDispose]()
    await node.call('GET', '/v2/state/ledger-end')
    assert.equal((await node.call('GET', '/readyz')).status, 200)
    assert.deepEqual(await counts(), { exported: 1, dropped: 1 })
  })
})

function attribute({ attributes }: SpanJson, name: string): string | undefined {
  const value = attributes.find(({ key }) => key === name)?.value
  return value && Object.values(value)[0]
}
