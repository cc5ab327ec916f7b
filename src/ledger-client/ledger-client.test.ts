import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { test } from 'node:test'
import { type WebSocket, WebSocketServer } from 'ws'
import { wallClock } from '../base/clock.ts'
import { createLedgerClient, LedgerAway, LedgerRefusal, readingPosts, readingStreams } from './ledger-client.ts'

/** A ledger whose streams do what `serve` says. */
async function openServer(serve: (socket: WebSocket) => void) {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1', handleProtocols: () => 'daml.ws.auth' })
  server.on('connection', (socket) => socket.once('message', () => serve(socket)))
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  const client = createLedgerClient(`http://127.0.0.1:${port}`, async () => undefined, wallClock)
  const stop = async () => {
    for (const socket of server.clients) socket.terminate()
    server.close()
  }
  return { client, [Symbol.asyncDispose]: stop }
}

async function read(client: ReturnType<typeof createLedgerClient>): Promise<unknown[]> {
  const elements: unknown[] = []
  for await (const { element } of client.stream('/v2/updates', {}, new AbortController().signal)) elements.push(element)
  return elements
}

test('a stream that closes normally has ended', async () => {
  await using server = await openServer((socket) => {
    socket.send('{"a":1}')
    socket.close(1000)
  })
  assert.deepEqual(await read(server.client), [{ a: 1 }])
})

test('any other end is a lost connection', async () => {
  await using server = await openServer((socket) => socket.close(1001))
  await assert.rejects(read(server.client), LedgerAway)
})

test('an error is the last element, and its status that of the gRPC code', async () => {
  const refusal = { code: 'NA', cause: 'A security-sensitive error has been received', grpcCodeValue: 7 }
  await using server = await openServer((socket) => socket.send(JSON.stringify(refusal)))
  await assert.rejects(read(server.client), (error) => error instanceof LedgerRefusal && error.status === 403)
})

test('a reader that is slower than the ledger gets everything, texts of many bytes included', async () => {
  const count = 60
  const text = JSON.stringify('€'.repeat(1024 * 1024))
  await using server = await openServer((socket) => {
    for (let index = 0; index < count; index += 1) socket.send(text)
    socket.close(1000)
  })
  let received = 0
  const stream = server.client.stream<string>('/v2/updates', {}, new AbortController().signal)
  for await (const { element, bytes } of stream) {
    assert.equal(element.length, 1024 * 1024)
    assert.equal(bytes, 3 * 1024 * 1024 + 2)
    received += 1
    await new Promise((resolve) => setImmediate(resolve))
  }
  assert.equal(received, count)
})

test('the client cannot submit: what does not read is refused before anything is sent', async () => {
  const requests: string[] = []
  const server = createServer((request, response) => {
    requests.push(request.url!)
    response.end('{}')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const client = createLedgerClient(
    `http://127.0.0.1:${(server.address() as { port: number }).port}`,
    async () => undefined,
    wallClock,
  )
  const { signal } = new AbortController()
  try {
    // @ts-expect-error: no type allows it.
    await assert.rejects(client.post('/v2/commands/submit-and-wait', {}), /only reads/)
    // @ts-expect-error: nor over a WebSocket.
    await assert.rejects(client.stream('/v2/commands/completions', {}, signal)[Symbol.asyncIterator]().next())
    assert.deepEqual(requests, [])
    assert.deepEqual(await client.post('/v2/package-vetting/list', {}), {})
    const changing = /submit|execute|prepare|allocate|upload|prune|update$|connect|users|parties|dars|time/
    assert.deepEqual(
      [...readingPosts, ...readingStreams].filter((path) => changing.test(path)),
      [],
    )
  } finally {
    server.close()
    server.closeAllConnections()
  }
})
