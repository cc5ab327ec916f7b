import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { createInterface } from 'node:readline'
import { test } from 'node:test'
import { createStrangers } from '../api/strangers.ts'
import { wallClock } from '../base/clock.ts'
import { createTurns } from '../base/turns.ts'
import { createPipelining } from './pipelining.ts'

type Handle = (request: IncomingMessage, response: ServerResponse) => void

const limits = { strangersPerSecondMax: 100_000 }

type Serving = Disposable & {
  readonly server: Server
  /** A new connection. */
  open(): Socket
}

/** A server that handles requests in turn. */
async function serve(handle: Handle, strangers = createStrangers(limits, wallClock, 1)): Promise<Serving> {
  const pipelining = createPipelining({
    turns: createTurns(),
    strangers,
    refuse: (socket) => socket.end('answer refused\n'),
  })
  const server = createServer((request, response) =>
    pipelining.request(request, response, () => handle(request, response)),
  )
  server.on('connection', pipelining.accept)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    server,
    open: () => connect((server.address() as AddressInfo).port, '127.0.0.1'),
    [Symbol.dispose]() {
      server.closeAllConnections()
      server.close()
    },
  }
}

/** Sends a text in one piece; returns the first `count` answers. */
async function exchange(sent: string, count: number, handle: Handle): Promise<string[]> {
  using serving = await serve(handle)
  return await answersTo(serving.open(), sent, count)
}

async function answersTo(socket: Socket, sent: string, count: number): Promise<string[]> {
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
  let inFlight = 0
  let most = 0
  const answered = await exchange(asked.map(get).join(''), asked.length, ({ url }, response) => {
    inFlight += 1
    most = Math.max(most, inFlight)
    response.on('close', () => {
      inFlight -= 1
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

test('eighty thousand requests in a row are parsed one at a time, each when the one before is answered', async () => {
  let parsed = 0
  const first = Promise.withResolvers<ServerResponse>()
  using serving = await serve((_, response) => first.resolve(response))
  serving.server.on('request', () => {
    parsed += 1
  })
  const socket = serving.open()
  socket.write(get('/livez').repeat(80_000))
  const response = await first.promise
  const second = once(serving.server, 'request')
  assert.equal(parsed, 1)
  response.end()
  await second
  assert.equal(parsed, 2)
  const [connection] = [response.req.socket]
  const closed = once(connection, 'close')
  socket.resetAndDestroy()
  connection.destroy() // It is paused, and does not notice.
  await closed
  assert.equal(parsed, 2)
})

test('a body in chunks, with whatever in it, is followed by the next request', async () => {
  const body = `${'x'.repeat(50)}\r\n\r\n${get('/inside')}\r\n\r\n`
  const chunks = `${body.length.toString(16)}\r\n${body}\r\n0\r\nTrailer: t\r\n\r\n`
  const post = `POST /chunked HTTP/1.1\r\nHost: node\r\nTransfer-Encoding: chunked\r\n\r\n${chunks}`
  const answered = await exchange(`${post}\r\n${post}${get('/last')}`, 3, async (request, response) => {
    let bytes = 0
    for await (const chunk of request) bytes += (chunk as Buffer).length
    response.end(`answer ${request.url}:${bytes}\n`)
  })
  assert.deepEqual(answered, [`/chunked:${body.length}`, `/chunked:${body.length}`, '/last:0'])
})

test('requests cut at any place are answered', async () => {
  using serving = await serve((request, response) => response.end(`answer ${request.url}\n`))
  const sent = `\r\n${get('/first')}${get('/second')}`
  for (let cut = 1; cut < sent.length; cut += 1) {
    const socket = serving.open()
    socket.setNoDelay(true)
    socket.write(sent.slice(0, cut))
    await once(socket, 'ready')
    assert.deepEqual(await answersTo(socket, sent.slice(cut), 2), ['/first', '/second'], `cut at ${cut}`)
  }
})

test('a request of a stranger waits unparsed for its turn, and beyond those that may wait it is refused', async () => {
  const admissions: (() => void)[] = []
  const strangers = {
    ...createStrangers(limits, wallClock, 1),
    admit: (_: string | undefined, begin: () => void) => admissions.length < 2 && admissions.push(begin) > 0,
  }
  const answering: string[] = []
  using serving = await serve((request, response) => {
    answering.push(request.url!)
    response.end(`answer ${request.url}\n`)
  }, strangers)
  const [one, two] = [serving.open(), serving.open()]
  const [first, second] = [answersTo(one, get('/one'), 1), answersTo(two, get('/two'), 1)]
  while (admissions.length < 2) await new Promise((resolve) => setImmediate(resolve))
  assert.deepEqual(await answersTo(serving.open(), get('/three'), 1), ['refused'])
  assert.deepEqual(answering, [])
  admissions[1]!()
  assert.deepEqual(await second, ['/two'])
  admissions[0]!()
  assert.deepEqual(await first, ['/one'])
})
