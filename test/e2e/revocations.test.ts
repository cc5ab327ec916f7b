// A reader that loses its rights is cut off at once, however long its stream has been open and over every transport:
// each change is followed by an update that must not reach the reader. Timers do not help here: all are set to an hour.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { freeBytes } from '../../src/ledger/reading/reader.ts'
import { startIssuer } from '../fixtures/issuer.ts'
import { type Json, right, startTestLedger, type TestLedger, updateFormat } from '../fixtures/ledger.ts'
import type { Answer } from '../fixtures/node.ts'
import { until } from '../fixtures/until.ts'
import { openSocket } from '../fixtures/websocket.ts'

const hourMs = 3_600_000
const limits = { authorizationCacheMs: hourMs, offsetCheckpointMs: hourMs }
const scope = 'daml_ledger_api'

type Setting = {
  readonly ledger: TestLedger
  readonly call: (method: string, path: string, body?: object) => Promise<Answer>
}

/** Elements one by one, over either transport. */
type Reader = AsyncDisposable & { next(): Promise<Json> }

async function openWebSocket(url: string, token: string, request: object): Promise<Reader> {
  return openSocket(url, { protocols: [`jwt.token.${token}`, 'daml.ws.auth'], request })
}

async function openLines(url: string, token: string, request: object): Promise<Reader> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, accept: 'application/x-ndjson' },
    body: JSON.stringify(request),
  })
  assert.equal(response.status, 200)
  async function* lines() {
    let rest = ''
    for await (const text of response.body!.pipeThrough(new TextDecoderStream())) {
      const pieces = (rest + text).split('\n')
      rest = pieces.pop()!
      for (const piece of pieces) yield JSON.parse(piece)
    }
  }
  const iterator = lines()
  return {
    next: async () => (await iterator.next()).value,
    async [Symbol.asyncDispose]() {
      await iterator.return(undefined)
    },
  }
}

const transports = { WebSocket: openWebSocket, lines: openLines }

const user = (fields: object, path: string) => ({
  user: { id: 'reader', identityProviderId: 'acme', ...fields },
  updateMask: { paths: [path] },
})
const provider = (fields: object, path: string) => ({
  identityProviderConfig: { identityProviderId: 'acme', ...fields },
  updateMask: { paths: [path] },
})
const move = (source: string, target: string) => ({
  userId: 'reader',
  sourceIdentityProviderId: source,
  targetIdentityProviderId: target,
})

const changes: [title: string, change: (setting: Setting) => Promise<Answer>][] = [
  ['is deactivated', ({ call }) => call('PATCH', '/v2/users/reader', user({ isDeactivated: true }, 'is_deactivated'))],
  [
    'loses a right',
    ({ call, ledger }) =>
      call('PATCH', '/v2/users/reader/rights', {
        userId: 'reader',
        identityProviderId: 'acme',
        rights: [right('CanReadAs', ledger.alice)],
      }),
  ],
  ['moves to another provider', ({ call }) => call('PATCH', '/v2/users/reader/identity-provider-id', move('acme', ''))],
  [
    'is deleted',
    async ({ call }) => {
      await call('PATCH', '/v2/users/reader/identity-provider-id', move('acme', ''))
      return call('DELETE', '/v2/users/reader')
    },
  ],
  [
    'has a provider that is deactivated',
    ({ call }) => call('PATCH', '/v2/idps/acme', provider({ isDeactivated: true }, 'is_deactivated')),
  ],
  [
    'has a provider with other keys',
    ({ call }) => call('PATCH', '/v2/idps/acme', provider({ jwksUrl: 'http://127.0.0.1:9/keys' }, 'jwks_url')),
  ],
  [
    'has a provider with another issuer',
    ({ call }) => call('PATCH', '/v2/idps/acme', provider({ issuer: 'http://other.example' }, 'issuer')),
  ],
  [
    'has a provider with another audience',
    ({ call }) => call('PATCH', '/v2/idps/acme', provider({ audience: 'other' }, 'audience')),
  ],
  [
    'has a provider that is deleted',
    async ({ call }) => {
      await call('PATCH', '/v2/users/reader/identity-provider-id', move('acme', ''))
      return call('DELETE', '/v2/idps/acme')
    },
  ],
]

/** A user of a stored identity provider that may read as alice. */
async function openSetting() {
  await using stack = new AsyncDisposableStack()
  const issuer = stack.use(await startIssuer())
  const ledger = stack.use(await startTestLedger({ settings: { limits } }))
  const call = async (method: string, path: string, body?: object) => {
    const answer = await ledger.node.call(method, path, body && { body })
    assert.equal(answer.status, 200, answer.text)
    return answer
  }
  const identityProviderConfig = { identityProviderId: 'acme', issuer: issuer.issuer, jwksUrl: issuer.jwksUrl }
  await call('POST', '/v2/idps', { identityProviderConfig })
  const rights = [right('CanReadAs', ledger.alice)]
  await call('POST', '/v2/users', { user: { id: 'reader', identityProviderId: 'acme' }, rights })
  const request = { beginExclusive: 0, updateFormat: updateFormat({ filtersByParty: { [ledger.alice]: {} } }) }
  const token = await issuer.sign({ sub: 'reader', scope })
  const opened = stack.move()
  return { ledger, issuer, call, request, token, [Symbol.asyncDispose]: () => opened.disposeAsync() }
}

for (const [transport, open] of Object.entries(transports)) {
  describe(`a stream (${transport}) ends at once when its user`, () => {
    for (const [title, change] of changes) {
      test(title, async () => {
        await using setting = await openSetting()
        const { ledger, call, request, token } = setting
        await ledger.submit([ledger.createIou()])
        const url = `${ledger.node.url}/v2/updates?stream_idle_timeout_ms=15000`
        await using reader = await open(url, token, request)
        assert.ok((await reader.next()).update.Transaction)
        await call('PATCH', '/v2/users/reader', user({ metadata: { annotations: { a: 'b' } } }, 'metadata.annotations'))
        await ledger.submit([ledger.createIou()])
        assert.ok((await reader.next()).update.Transaction, 'what changes no right ends no stream')
        await change({ ledger, call })
        await ledger.submit([ledger.createIou()])
        const told = await reader.next()
        assert.equal(told.code, 'STALE_STREAM_AUTHORIZATION', JSON.stringify(told))
        assert.equal(await reader.next(), undefined)
      })
    }
  })
}

describe('a list that waits for more ends at once when its user', { concurrency: 3 }, () => {
  /** More than a reader holds without asking, so the metric shows when the list has it. */
  const currency = 'x'.repeat(freeBytes + 1)

  for (const [title, change] of changes) {
    test(title, async () => {
      await using setting = await openSetting()
      const { ledger, call, request, token } = setting
      await ledger.submit([ledger.createIou({ currency })])
      const list = ledger.node.call('POST', '/v2/updates?stream_idle_timeout_ms=240000&limit=3', {
        token,
        body: request,
      })
      const metrics = async () => (await ledger.node.call('GET', '/metrics')).text
      await until(async () => /^tallystick_read_budget_bytes [1-9]/m.test(await metrics()))
      await call('PATCH', '/v2/users/reader', user({ metadata: { annotations: { a: 'b' } } }, 'metadata.annotations'))
      await ledger.submit([ledger.createIou()])
      await change({ ledger, call })
      await ledger.submit([ledger.createIou()])
      const told = await list
      assert.deepEqual([told.status, told.json.code], [409, 'STALE_STREAM_AUTHORIZATION'], told.text)
    })
  }
})

test('a WebSocket that has not sent its request is subject to the rights of its user at that time', async () => {
  await using ledger = await startTestLedger({ settings: { limits } })
  const token = await ledger.userWith('reader', right('CanReadAs', ledger.alice))
  const url = `${ledger.node.url}/v2/updates`
  await using socket = await openSocket(url, { protocols: [`jwt.token.${token}`, 'daml.ws.auth'] })
  assert.equal((await ledger.node.call('DELETE', '/v2/users/reader')).status, 200)
  socket.send({ beginExclusive: 0, updateFormat: updateFormat({ filtersByParty: { [ledger.alice]: {} } }) })
  const told = await socket.next()
  assert.equal(told.grpcCodeValue, 7, JSON.stringify(told))
})
