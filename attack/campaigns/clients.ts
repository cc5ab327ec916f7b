// Slow, silent, greedy and rude clients, one kind at a time, beside a well-behaved one.
import { connect, type Socket } from 'node:net'
import { WebSocket } from 'ws'
import { pick } from '../../test/fixtures/dice.ts'
import type { Campaign } from '../campaign.ts'
import { createWallet } from '../target/account.ts'
import { besiege, pause, type Siege } from '../target/besieged.ts'
import type { Target } from '../target/target.ts'

const holdMs = 1_000
const mebibyte = 1024 * 1024

/** Keeps sockets open for a while, whatever the node does with them. */
async function withSockets(
  { port }: Target,
  count: number,
  use: (socket: Socket, index: number) => void,
  forMs = holdMs,
): Promise<void> {
  const sockets = Array.from({ length: count }, (_, index) => {
    const socket = connect(port, '127.0.0.1')
    socket.on('error', () => undefined) // The node may close them.
    socket.on('connect', () => use(socket, index))
    return socket
  })
  await pause(forMs)
  for (const socket of sockets) socket.destroy()
}

/** Sends one byte now and then while the socket is open. */
function trickle(socket: Socket, text: string): void {
  const timer = setInterval(() => socket.write(text), 50)
  socket.on('close', () => clearInterval(timer))
}

const head = (method: string, path: string, ...lines: string[]) =>
  [`${method} ${path} HTTP/1.1`, 'Host: node', ...lines, '', ''].join('\r\n')
const bearer = (token: string) => `Authorization: Bearer ${token}`

const slow: Siege[] = [
  {
    name: 'heads that never end',
    attack: (target) =>
      withSockets(target, 300, (socket) => {
        socket.write('GET /v2/version HTTP/1.1\r\nX-Slow: ')
        trickle(socket, 'a')
      }),
  },
  {
    name: 'bodies that never end',
    attack: (target) =>
      withSockets(target, 300, (socket) => {
        socket.write(head('POST', '/v2/commands/submit-and-wait', `Content-Length: ${7 * mebibyte}`))
        trickle(socket, ' ')
      }),
  },
  {
    name: 'connections that say nothing',
    attack: (target) => withSockets(target, 1_000, () => undefined),
  },
  {
    name: 'clients that leave in the middle of a body',
    attack: (target) =>
      withSockets(
        target,
        100,
        (socket) => {
          socket.write(head('POST', '/v2/commands/submit-and-wait', 'Content-Length: 100000'))
          socket.write('{"commands":'.padEnd(50_000), () => socket.destroy())
        },
        100,
      ),
  },
  {
    name: 'answers that nobody reads',
    attack: (target, dice) =>
      withSockets(target, 50, (socket) => {
        socket.pause()
        const path = pick(dice, ['/docs', '/docs/openapi', '/metrics'])
        socket.write(head('GET', path, bearer(target.attacker.token)).repeat(20))
      }),
  },
  {
    name: 'streams that nobody reads',
    isLong: true,
    prepare: (target) => fillOwn(target, 200, 20_000),
    attack: (target) => withStreams(target, 40, ({ webSocket }) => webSocket.pause()),
  },
  {
    name: 'as many streams as one user may have, none of them read',
    isLong: true,
    growthMiBMax: 512, // What limits.readBytesMax counts, in all its forms, and garbage.
    prepare: (target) => fillOwn(target, 60, 100_000, 1),
    attack: (target) => withStreams(target, 250, ({ webSocket }) => webSocket.pause(), 5 * holdMs),
  },
]

/** Creates contracts of the attacker, each with a long text. */
async function fillOwn(
  { attacker: { party, userId, token }, call }: Target,
  count: number,
  bytes: number,
  perCommand = Math.min(count, Math.max(1, Math.floor((4 * mebibyte) / bytes))),
): Promise<void> {
  const createArguments = { issuer: party, owner: party, amount: '1', currency: 'x'.repeat(bytes), observers: [] }
  const create = { CreateCommand: { templateId: '#quickstart:Iou:Iou', createArguments } }
  for (let made = 0; made < count; made += perCommand) {
    const body = { commands: Array(perCommand).fill(create), commandId: `fill-${made}`, userId, actAs: [party] }
    const { status, text } = await call('POST', '/v2/commands/submit-and-wait', { token, body })
    if (status !== 200) throw new Error(`${status} ${text.slice(0, 300)}`)
  }
}

function ownUpdates({ attacker: { party } }: Target): string {
  const eventFormat = { filtersByParty: { [party]: { cumulative: [] } }, verbose: true }
  const updateFormat = { includeTransactions: { eventFormat, transactionShape: 'TRANSACTION_SHAPE_LEDGER_EFFECTS' } }
  return JSON.stringify({ beginExclusive: 0, updateFormat })
}

type Opened = { readonly webSocket: WebSocket }

async function withStreams(
  target: Target,
  count: number,
  use: (opened: Opened) => void,
  forMs = holdMs,
): Promise<void> {
  const { url, attacker } = target
  const sockets = Array.from({ length: count }, () => {
    const webSocket = new WebSocket(`${url.replace('http', 'ws')}/v2/updates`, ['daml.ws.auth'], {
      headers: { authorization: `Bearer ${attacker.token}` },
      perMessageDeflate: false,
    })
    webSocket.on('error', () => undefined) // Streams beyond the user's limit are refused.
    webSocket.on('open', () => {
      webSocket.send(ownUpdates(target))
      use({ webSocket })
    })
    return webSocket
  })
  await pause(forMs)
  for (const webSocket of sockets) webSocket.terminate()
}

const greedy: Siege[] = [
  {
    name: 'as many streams as there may be, of one user',
    async attack(target) {
      const held = withStreams(target, 1_200, () => undefined)
      await pause(holdMs / 2)
      await checkOthersMayStream(target)
      await held
    },
  },
  {
    name: 'frames that only ping',
    attack: (target) =>
      withStreams(target, 10, ({ webSocket }) => {
        for (let sent = 0; sent < 5_000; sent += 1) webSocket.ping()
      }),
  },
  {
    name: 'requests in a row on one connection',
    attack: (target) =>
      withSockets(
        target,
        4,
        (socket) => {
          socket.resume()
          socket.write(head('GET', '/v2/state/ledger-end', bearer(target.attacker.token)).repeat(500))
        },
        500,
      ),
  },
  {
    name: 'the documentation, again and again',
    attack: ({ call }, dice) =>
      together(20, async () => {
        await call('GET', pick(dice, ['/docs', '/docs/openapi', '/docs/asyncapi']), { token: null })
      }),
  },
  {
    name: 'tokens that are new each time',
    attack: ({ call, attacker }, dice) =>
      together(50, async () => {
        const [header, , signature] = attacker.token.split('.')
        const claims = Buffer.from(`{"sub":"${dice(1_000_000_000)}"}`).toString('base64url')
        await call('GET', '/v2/users', { token: `${header}.${claims}.${signature}` })
      }),
  },
  {
    name: 'large updates, page by page, six readers at once',
    isLong: true,
    prepare: (target) => fillOwn(target, 60, 3 * mebibyte),
    async attack(target) {
      const { attacker, call } = target
      const request = { body: ownUpdates(target), token: attacker.token }
      await together(6, async () => {
        const reply = await call('POST', '/v2/updates?limit=200', request)
        if (reply.status >= 500) throw new Error(`${reply.status} ${reply.text.slice(0, 300)}`)
      })
    },
  },
  {
    name: 'many commands of one user at once',
    attack: ({ call, attacker }, dice) =>
      together(100, async () => {
        const body = createWallet(attacker, `greedy-${dice(2 ** 31)}`)
        const reply = await call('POST', '/v2/commands/async/submit', { token: attacker.token, body })
        if (reply.status >= 500 && reply.status !== 503) throw new Error(`${reply.status} ${reply.text}`)
      }),
  },
  {
    name: 'commands of the largest size',
    isLong: true,
    attack: ({ call, attacker }, dice) =>
      together(2, async () => {
        const { party, userId, token } = attacker
        const createArguments = { owner: party }
        const create = { CreateCommand: { templateId: '#quickstart:Wallet:Wallet', createArguments } }
        const body = { commands: Array(5_000).fill(create), commandId: `big-${dice(2 ** 31)}`, userId, actAs: [party] }
        const reply = await call('POST', '/v2/commands/submit-and-wait', { token, body })
        if (reply.status >= 500 && reply.status !== 503) throw new Error(`${reply.status} ${reply.text.slice(0, 300)}`)
      }),
  },
]

async function together(count: number, run: () => Promise<void>): Promise<void> {
  await Promise.all(Array.from({ length: count }, run))
}

/** One user's limit must not affect other users. */
async function checkOthersMayStream({ url, bystander: { token, party } }: Target): Promise<void> {
  const filtersByParty = { [party]: { cumulative: [] } }
  const body = JSON.stringify({
    beginExclusive: 0,
    updateFormat: {
      includeTransactions: {
        eventFormat: { filtersByParty },
        transactionShape: 'TRANSACTION_SHAPE_ACS_DELTA',
      },
    },
  })
  const webSocket = new WebSocket(`${url.replace('http', 'ws')}/v2/updates`, ['daml.ws.auth'], {
    headers: { authorization: `Bearer ${token}` },
  })
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  webSocket.on('open', () => webSocket.send(body))
  webSocket.on('message', (data) => resolve(data.toString()))
  webSocket.on('error', reject)
  const timer = setTimeout(() => reject(new Error('the stream of another user brings nothing')), 10_000)
  try {
    const message = await promise
    if (!message.startsWith('{"update"')) throw new Error(`a stream of somebody else was refused: ${message}`)
  } finally {
    clearTimeout(timer)
    webSocket.terminate()
  }
}

const invariant = 'Nobody else is refused or waits over 250 ms; the node stays ready, without a bug in its log'

export const clients: Campaign[] = [
  {
    name: 'slow clients',
    attack: slow.map(({ name }) => name).join('; '),
    invariant,
    unit: 'sieges',
    full: 2 * slow.length,
    short: 1,
    run: (plan) => besiege(plan, slow),
  },
  {
    name: 'greedy clients',
    attack: greedy.map(({ name }) => name).join('; '),
    invariant,
    unit: 'sieges',
    full: 2 * greedy.length,
    short: 1,
    run: (plan) => besiege(plan, greedy),
  },
]
