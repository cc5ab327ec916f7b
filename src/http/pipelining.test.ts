import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { createInterface } from 'node:readline'
import { test } from 'node:test'
import { createTurns } from '../base/turns.ts'
import { createPipelining } from './pipelining.ts'

type Handle = (request: IncomingMessage, response: ServerResponse) => void

/** Sends a text in one piece, to a server that handles requests in turn; returns the first `count` answers. */
async function exchange(sent: string, count: number, handle: Handle): Promise<string[]> {
  const pipelining = createPipelining(createTurns())
  const server = createServer((request, response) =>
    pipelining(request.socket, response, () => handle(request, response)),
  )
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
  try {
    socket.write(sent)
    const lines: string[] = []
    for await (const line of createInterface({ input: socket })) {
      if (line.startsWith('answer ')) lines.push(line.slice('answer '.length))
      if (lines.length === count) break
    }
    return lines
  } finally {
    socket.destroy()
    server.close()
  }
}

const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: node\r\n\r\n`
const paths = (count: number) => Array.from({ length: count }, (_, index) => `/${index}`)

test('one request per connection is handled at a time, and other connections get a turn in between', async () => {
  const asked = paths(3_000) // More than one read from a socket.
  let turns = 0
  let isOver = false
  const count = () => {
    turns += 1
    if (!isOver) setImmediate(count)
  }
  setImmediate(count)
  let underWay = 0
  let most = 0
  const answered = await exchange(asked.map(get).join(''), asked.length, ({ url }, response) => {
    underWay += 1
    most = Math.max(most, underWay)
    response.on('close', () => {
      underWay -= 1
    })
    response.end(`answer ${url}\n`)
  })
  isOver = true
  assert.deepEqual(answered, asked)
  assert.equal(most, 1)
  assert.ok(turns >= asked.length, `${turns} turns`)
})

test('a pending request holds back the next ones', async () => {
  const begun: string[] = []
  let begunMeanwhile: string[] = []
  const answered = await exchange(['/first', '/second', '/third'].map(get).join(''), 3, ({ url }, response) => {
    begun.push(url!)
    if (url !== '/first') {
      response.end(`answer ${url}\n`)
      return
    }
    setTimeout(() => {
      begunMeanwhile = [...begun]
      response.end(`answer ${url}\n`)
    }, 50)
  })
  assert.deepEqual(answered, ['/first', '/second', '/third'])
  assert.deepEqual(begunMeanwhile, ['/first'])
})

test('a body that arrives later is read when its request has its turn', async () => {
  const body = 'x'.repeat(1_000_000)
  const post = `POST /large HTTP/1.1\r\nHost: node\r\nContent-Length: ${body.length}\r\n\r\n${body}`
  const answered = await exchange(`${get('/first')}${post}${get('/last')}`, 3, async (request, response) => {
    let bytes = 0
    for await (const chunk of request) bytes += (chunk as Buffer).length
    response.end(`answer ${request.url}:${bytes}\n`)
  })
  assert.deepEqual(answered, ['/first:0', '/large:1000000', '/last:0'])
})
