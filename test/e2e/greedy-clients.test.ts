// Clients that send much, slowly, or bodies that are expensive to parse: their cost for others is bounded, and the
// memory they hold is counted.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { describe, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { startTestLedger } from '../fixtures/ledger.ts'
import { longestStretchMs } from '../fixtures/longest-stretch.ts'
import { nextRequest } from '../fixtures/next-request.ts'
import { startTestNode, type TestNode } from '../fixtures/node.ts'

const size = 8 * 1024 * 1024 - 1024
const fill = (piece: string, rest = 0) => piece.repeat(Math.floor((size - rest) / piece.length))

/** The worst cases for JSON.parse, and bodies that once caused a separate look at each number. */
const dearBodies: Readonly<Record<string, string>> = {
  'one long number': `[1234567890123456,${fill('0,', 30)}0]`,
  'empty lists': `[${fill('[],', 10)}[]]`,
  'deep lists': '['.repeat(size / 2) + ']'.repeat(size / 2),
  'deep objects': fill('{"a":'),
  'many names': `{${Array.from({ length: 700_000 }, (_, n) => `"${n.toString(36)}":0`).join(',')}}`,
  'many names in a Daml value': `{"commands":[{"CreateCommand":{"templateId":"#quickstart:Iou:Iou","createArguments":{${Array.from(
    { length: 600_000 },
    (_, n) => `"${n.toString(36)}":0`,
  ).join(',')}}}}],"commandId":"c","actAs":["alice"]}`,
  'a text without an end': `"${fill('\\"')}`,
}

/** Much less than the seconds that such bodies once took, and more than a slow machine needs for a slice. */
const stretchMaxMs = 400

describe('a large body', () => {
  for (const [title, body] of Object.entries(dearBodies)) {
    test(`of ${title} delays nobody, with or without a token`, async () => {
      await using node = await startTestNode()
      for (const token of [null, node.adminToken]) {
        const path = '/v2/commands/async/submit'
        const sent = [1, 2, 3].map(() => node.call('POST', path, { body, token }))
        const stretchMs = await longestStretchMs(Promise.all(sent))
        assert.ok(stretchMs < stretchMaxMs, `${Math.round(stretchMs)} ms`)
        for (const answer of await Promise.all(sent)) {
          if (token === null) assert.equal(answer.status, 401)
          else assert.ok([400, 403, 404, 413].includes(answer.status), `${answer.status} ${answer.text}`)
        }
      }
    })
  }

  test('needs a token before it is read, a small one after', async () => {
    await using node = await startTestNode()
    const path = '/v2/users'
    const withLength = (length: number) => '{'.padEnd(length)
    assert.equal((await node.call('POST', path, { body: withLength(16 * 1024), token: null })).status, 400)
    for (const token of [null, 'nonsense']) {
      assert.equal((await node.call('POST', path, { body: withLength(16 * 1024 + 1), token })).status, 401)
    }
    assert.equal((await node.call('POST', path, { body: withLength(16 * 1024 + 1) })).status, 400)
    const upload = { body: new Uint8Array(1_000_000), token: null }
    assert.equal((await node.call('POST', '/v2/dars', upload)).status, 401)
    assert.equal((await node.call('POST', '/v2/nowhere', upload)).status, 404)
  })

  test('needs a token also without a Content-Length', async () => {
    await using node = await startTestNode()
    const socket = await begin(node, 'Transfer-Encoding: chunked')
    const chunk = 'x'.repeat(1000)
    for (let sent = 0; sent < 80; sent += 1) socket.write(`3e8\r\n${chunk}\r\n`)
    assert.match(await answerOn(socket), /^HTTP\/1\.1 401 /)
  })

  test('creates a contract, with all digits of its numbers', async () => {
    await using ledger = await startTestLedger()
    const observers = Array.from({ length: 400 }, () => ledger.bob)
    const create = ledger.createIou({ observers, amount: 'AMOUNT' })
    const body = JSON.stringify({ commands: ledger.commandsOf([create]) }).replace('"AMOUNT"', '1234567.1234567891')
    assert.ok(body.length > 20_000)
    const answer = await ledger.post('/v2/commands/submit-and-wait-for-transaction', body)
    assert.equal(answer.status, 200, answer.text)
    const { createArgument } = answer.json.transaction.events[0].CreatedEvent
    assert.equal(createArgument.amount, '1234567.1234567891')
  })
})

describe('bodies that wait', () => {
  test('are counted, and one user cannot take all the room', async () => {
    const limits = { bodiesBytesMax: 1_000_000, bodyBytesMax: 200_000, grpcMessageBytesMax: 200_000 }
    await using node = await startTestNode({ settings: { limits } })
    await node.call('POST', '/v2/users', { body: { user: { id: 'greedy' } } })
    const greedy = await node.token('greedy')
    const body = '{'.padEnd(100_000)
    const send = () => node.call('POST', '/v2/users', { body, token: greedy })
    assert.equal((await send()).status, 400, 'there is room, and the token is known from now on')

    const headers = `Authorization: Bearer ${greedy}\r\nContent-Length: 100000`
    const responses = []
    for (const _ of ['a first body', 'a second one']) {
      const arrived = nextRequest()
      const socket = await begin(node, headers)
      responses.push({ socket, response: await arrived })
    }
    const refused = await send()
    assert.deepEqual([refused.status, refused.json.code], [409, 'PARTICIPANT_BACKPRESSURE'])
    assert.equal((await node.call('POST', '/v2/users', { body })).status, 400, 'others are served')
    for (const { socket, response } of responses) {
      socket.destroy()
      await once(response, 'close')
    }
    assert.equal((await send()).status, 400, 'an abandoned body is no longer held')
  })

  test('are abandoned if they arrive too slowly', async () => {
    await using node = await startTestNode({ settings: { limits: { requestTimeoutMs: 300 } } })
    const socket = await begin(node, 'Content-Length: 100')
    socket.write('{')
    assert.match(await answerOn(socket), /^HTTP\/1\.1 408 /)
  })
})

/** Sends the head of a request; its body follows later. */
async function begin(node: TestNode, headers: string): Promise<Socket> {
  const { hostname, port } = new URL(node.url)
  const socket = connect(Number(port), hostname)
  await once(socket, 'connect')
  socket.on('error', () => undefined)
  socket.write(`POST /v2/users HTTP/1.1\r\nHost: ${hostname}:${port}\r\n${headers}\r\n\r\n`)
  return socket
}

async function answerOn(socket: Socket): Promise<string> {
  const [answer] = await once(socket, 'data')
  socket.destroy()
  return String(answer)
}

test('requests in a row on one connection yield to others after each', async () => {
  await using node = await startTestNode()
  const { hostname, port } = new URL(node.url)
  const socket = connect(Number(port), hostname)
  await once(socket, 'connect')
  const count = 300
  let answers = 0
  socket.setEncoding('latin1')
  socket.on('data', (text: string) => {
    answers += text.match(/HTTP\/1\.1 200/g)?.length ?? 0
  })
  socket.write(`GET /v2/version HTTP/1.1\r\nHost: ${hostname}\r\n\r\n`.repeat(count))
  let turns = 0
  for (; answers < count; turns += 1) await setImmediate()
  assert.ok(turns > count / 2, `${count} requests were answered in ${turns} turns of the event loop`)
  socket.destroy()
})
