// Readers of updates of the maximum size: every answer is right, and its cost does not grow with the ledger.
import assert from 'node:assert/strict'
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, type TestContext, test } from 'node:test'
import { WebSocket } from 'ws'
import type { Json } from '../fixtures/ledger.ts'

const mebibyte = 1024 * 1024
const updates = 10
const updateBytes = 7 * mebibyte
const offsets = Array.from({ length: updates }, (_, index) => index + 1)

/** Beyond the initial memory: the bytes of a few updates at a time, in all their forms. */
const growthMax = 600 * mebibyte

describe('a ledger of updates of seven megabytes', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tallystick-test-'))
  let server: ChildProcess
  let url: string
  let idleBytes: number
  before(async () => {
    const program = new URL('../fixtures/large-ledger.ts', import.meta.url)
    // A small heap, so that what was read and is no longer needed is not counted, however much memory the machine has.
    const execArgv = ['--max-old-space-size=256']
    server = fork(program, [folder, String(updates), String(updateBytes)], { execArgv })
    const [told] = (await once(server, 'message')) as [{ url: string; peakBytes: number }]
    url = told.url
    idleBytes = told.peakBytes
  })
  after(() => {
    server.kill()
    rmSync(folder, { recursive: true, force: true })
  })

  const headers = { authorization: 'Bearer actor' }
  const eventFormat = { filtersByParty: { alice: {} } }
  const updateFormat = {
    includeTransactions: { eventFormat, transactionShape: 'TRANSACTION_SHAPE_ACS_DELTA' },
  }
  const range = { beginExclusive: 0, endInclusive: updates, updateFormat }
  const active = { activeAtOffset: updates, eventFormat }
  const completionsOf = { userId: 'actor', parties: ['alice'], beginExclusive: 0 }

  async function post(path: string, body: object, accept = 'application/json') {
    const response = await fetch(`${url}${path}`, {
      method: 'POST',
      headers: { ...headers, accept },
      body: JSON.stringify(body),
    })
    return { status: response.status, text: await response.text() }
  }
  async function answered(path: string, body: object): Promise<Json> {
    const { status, text } = await post(path, body)
    assert.equal(status, 200, text.slice(0, 500))
    return JSON.parse(text)
  }
  const offsetOf = ({ update }: Json): number => update.Transaction.value.offset
  const createdOffset = ({ contractEntry }: Json): number => contractEntry.JsActiveContract.createdEvent.offset

  async function checkMemory(t: TestContext): Promise<void> {
    server.send('peak')
    const [{ peakBytes }] = (await once(server, 'message')) as [{ peakBytes: number }]
    const growth = peakBytes - idleBytes
    t.diagnostic(`largest growth so far: ${Math.round(growth / mebibyte)} MiB`)
    assert.ok(growth <= growthMax, `it grew by ${Math.round(growth / mebibyte)} MiB`)
  }

  test('returns the first few of a list at their cost alone', async (t) => {
    for (const [limit, count] of [
      [1, 1],
      [3, 3],
    ]) {
      assert.equal((await answered(`/v2/updates?limit=${limit}`, range)).length, count)
      assert.equal((await answered(`/v2/updates?limit=${limit}`, { ...range, endInclusive: undefined })).length, count)
      assert.equal((await answered(`/v2/state/active-contracts?limit=${limit}`, active)).length, count)
      assert.equal((await answered(`/v2/commands/completions?limit=${limit}`, completionsOf)).length, count)
    }
    await checkMemory(t)
  })

  test('refuses a list that is too large', async (t) => {
    for (const [path, body] of [
      ['/v2/updates', range],
      ['/v2/state/active-contracts', active],
      ['/v2/commands/completions', completionsOf],
    ] as const) {
      const { status, text } = await post(path, body)
      assert.deepEqual([status, JSON.parse(text).code], [413, 'JSON_API_MAXIMUM_LIST_ELEMENTS_NUMBER_REACHED'])
    }
    await checkMemory(t)
  })

  test('ends pages early, and continues where they ended', async (t) => {
    for (const descendingOrder of [false, true]) {
      const found: number[] = []
      let pageToken: string | null = ''
      while (pageToken !== null) {
        const asked = { ...range, beginOffsetExclusive: 0, endOffsetInclusive: updates, descendingOrder, pageToken }
        const page: Json = await answered('/v2/updates/get-updates-page', asked)
        assert.ok(page.updates.length <= 2, `${page.updates.length} on a page`)
        found.push(...page.updates.map(offsetOf))
        pageToken = page.nextPageToken
      }
      assert.deepEqual(found, descendingOrder ? offsets.toReversed() : offsets)
    }
    const found: number[] = []
    let pageToken: string | null = ''
    while (pageToken !== null) {
      const page: Json = await answered('/v2/state/active-contracts-page', { ...active, pageToken })
      found.push(...page.activeContracts.map(createdOffset))
      pageToken = page.nextPageToken
    }
    assert.deepEqual(found, offsets)
    await checkMemory(t)
  })

  test('can be read as NDJSON and over WebSockets, to the end', async (t) => {
    const lines = async (path: string, body: object) => {
      const { status, text } = await post(path, body, 'application/x-ndjson')
      assert.equal(status, 200)
      return text
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line))
    }
    assert.deepEqual((await lines('/v2/updates', range)).map(offsetOf), offsets)
    assert.deepEqual((await lines('/v2/state/active-contracts', active)).map(createdOffset), offsets)
    const socket = new WebSocket(`${url.replace('http', 'ws')}/v2/updates`, ['daml.ws.auth'], { headers })
    const found: number[] = []
    socket.on('open', () => socket.send(JSON.stringify(range)))
    socket.on('message', (data) => found.push(offsetOf(JSON.parse(String(data)))))
    await once(socket, 'close')
    assert.deepEqual(found, offsets)
    await checkMemory(t)
  })

  test('serves many readers at once, who wait in turn', async (t) => {
    const statuses = await Promise.all([
      ...offsets.slice(0, 4).map(() => post('/v2/updates/get-updates-page', { updateFormat })),
      ...offsets.slice(0, 4).map(() => post('/v2/updates?limit=6', range)),
      ...offsets.slice(0, 4).map(() => post('/v2/state/active-contracts-page', active)),
    ])
    assert.deepEqual(new Set(statuses.map(({ status }) => status)), new Set([200]))
    await checkMemory(t)
  })

  test('is not blocked by clients of another user that do not read', async (t) => {
    const idle = Array.from({ length: 12 }, () => {
      const socket = new WebSocket(`${url.replace('http', 'ws')}/v2/updates`, ['daml.ws.auth'], {
        headers: { authorization: 'Bearer reader' },
      })
      socket.on('error', () => undefined)
      socket.on('open', () => {
        socket.pause()
        socket.send(JSON.stringify(range))
      })
      return socket
    })
    await Promise.all(idle.map((socket) => once(socket, 'open')))
    assert.equal((await answered('/v2/updates?limit=2', range)).length, 2)
    await checkMemory(t)
    for (const socket of idle) socket.terminate()
  })
})
