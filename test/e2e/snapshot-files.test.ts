// Snapshots as files: they are carried elsewhere at any size, refused if they are anything else, and leave nothing
// behind.
import assert from 'node:assert/strict'
import { readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { request as httpRequest } from 'node:http'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, test } from 'node:test'
import { startTestLedger } from '../fixtures/ledger.ts'
import { refusalOf, startTestNode, type TestNode } from '../fixtures/node.ts'
import { temporaryFolder } from '../fixtures/process.ts'
import { until } from '../fixtures/until.ts'

const kinds = ['memory', 'sqlite'] as const
const pathOf = (name: string) => `/dev/snapshots/${name}/content`

async function download({ url, adminToken }: TestNode, name: string): Promise<Buffer> {
  const answer = await fetch(`${url}${pathOf(name)}`, { headers: { authorization: `Bearer ${adminToken}` } })
  assert.equal(answer.status, 200)
  const bytes = Buffer.from(await answer.arrayBuffer())
  assert.equal(answer.headers.get('content-length'), String(bytes.length))
  return bytes
}

const upload = (node: TestNode, name: string, body: Uint8Array) => node.call('POST', pathOf(name), { body })
const restore = (node: TestNode, name: string) => node.call('POST', `/dev/snapshots/${name}/restore`)
const take = (node: TestNode, name: string) => node.call('POST', '/dev/snapshots', { body: { name } })

async function namesOn(node: TestNode): Promise<string[]> {
  const { json } = await node.call('GET', '/dev/snapshots')
  return json.snapshots.map(({ name }: { name: string }) => name)
}

/** Everything in the data folder that is not the ledger's or the node's own. */
function leftIn({ folder }: TestNode): string[] {
  const known = /^(ledger\.sqlite(-wal|-shm)?|lock\.sqlite|token-secret|snapshots|node-\d+\.json)$/
  return (readdirSync(folder, { recursive: true }) as string[]).filter((name) => !known.test(name)).sort()
}

const firstStart = join('snapshots', '@first-start.sqlite')

/** A snapshot with something changed in it. */
function changed(bytes: Uint8Array, sql: string): Uint8Array {
  using db = new DatabaseSync(':memory:')
  db.deserialize(bytes.map((byte, at) => (at === 18 || at === 19 ? 1 : byte))) // Without a log.
  db.exec(sql)
  return db.serialize()
}

/** With noise in the middle, where the rows of tables are. */
function damaged(bytes: Uint8Array): Uint8Array {
  const copy = Uint8Array.from(bytes)
  const pageBytes = 4096
  for (let page = 4; page < copy.length / pageBytes; page += 2) copy.fill(0x5a, page * pageBytes, page * pageBytes + 40)
  return copy
}

function foreign(): Uint8Array {
  using db = new DatabaseSync(':memory:')
  db.exec('CREATE TABLE people (name TEXT)')
  return db.serialize()
}

for (const store of kinds) {
  describe(`the files of snapshots on ${store}`, () => {
    test('may be larger than a request', async () => {
      const limits = { bodyBytesMax: 20_000, bodiesBytesMax: 40_000 }
      await using node = await startTestNode({ store, settings: { limits } })
      await node.call('POST', '/v2/parties', { body: { partyIdHint: 'kept' } })
      await take(node, 'here')
      const bytes = await download(node, 'here')
      assert.ok(bytes.length > limits.bodyBytesMax)
      assert.equal((await upload(node, 'copy', bytes)).status, 200)
      assert.deepEqual(await download(node, 'copy'), bytes)
      await node.call('POST', '/v2/parties', { body: { partyIdHint: 'lost' } })
      assert.equal((await restore(node, 'copy')).status, 200)
      assert.equal((await node.call('GET', '/v2/parties')).json.partyDetails.length, 1 + 1)
      const head = await fetch(`${node.url}${pathOf('copy')}`, {
        method: 'HEAD',
        headers: { authorization: `Bearer ${node.adminToken}` },
      })
      assert.equal(head.headers.get('content-length'), String(bytes.length))
    })

    test('have a limit of their own', async () => {
      await using node = await startTestNode({ store, settings: { limits: { snapshotBytesMax: 100_000 } } })
      await take(node, 'here')
      const bytes = await download(node, 'here')
      const words = 'The request body is larger than 100000 bytes, which limits.snapshotBytesMax allows'
      assert.deepEqual(refusalOf(await upload(node, 'copy', bytes)), [413, words])
      const unannounced = await fetch(`${node.url}${pathOf('copy')}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${node.adminToken}` },
        body: ReadableStream.from([bytes]),
        duplex: 'half',
      } as RequestInit)
      assert.deepEqual([unannounced.status, await unannounced.text()], [413, words])
      assert.deepEqual(await namesOn(node), ['here'])
      if (store === 'sqlite') assert.deepEqual(leftIn(node), [firstStart, join('snapshots', 'here.sqlite')])
    })

    test('that are anything else are refused with one error, and change nothing', async () => {
      await using ledger = await startTestLedger({ store })
      const { node } = ledger
      await ledger.submit([ledger.createIou()])
      await take(node, 'here')
      const bytes = await download(node, 'here')
      const end = await ledger.end()
      const incomplete = /^it is damaged or incomplete: it has \d+ bytes, and should have \d+$/
      const cases: [name: string, bytes: Uint8Array, problem: RegExp][] = [
        ['empty', new Uint8Array(), /^it is not a snapshot$/],
        ['noise', new TextEncoder().encode('no database'), /^it is not a snapshot$/],
        ['long-noise', Buffer.alloc(50_000, 'noise'), /^it is not a snapshot$/],
        ['foreign', foreign(), /^it is a database, but not the ledger of a node$/],
        ['truncated', bytes.subarray(0, bytes.length - 5_000), incomplete],
        ['halved', bytes.subarray(0, Math.floor(bytes.length / 2)), incomplete],
        ['longer', Buffer.concat([bytes, Buffer.alloc(10)]), incomplete],
        ['damaged', damaged(bytes), /^it is damaged or incomplete: /],
        [
          'newer',
          changed(bytes, 'UPDATE schema_version SET version = 999'),
          /^a newer version of Tallystick wrote it$/,
        ],
      ]
      for (const [name, body, problem] of cases) {
        const [status, code, cause] = refusalOf(await upload(node, name, body))
        assert.deepEqual([status, code], [400, 'SNAPSHOT_UNUSABLE'], `${name}: ${cause}`)
        const words = `The snapshot '${name}' cannot be used: `
        assert.ok(String(cause).startsWith(words), String(cause))
        assert.match(String(cause).slice(words.length), problem, name)
      }
      assert.equal(refusalOf(await upload(node, 'here', bytes))[1], 'SNAPSHOT_ALREADY_EXISTS')
      assert.equal(refusalOf(await upload(node, 'No.Name', bytes))[1], 'INVALID_FIELD')
      assert.deepEqual(await namesOn(node), ['here'])
      assert.equal(await ledger.end(), end)
      if (store === 'sqlite') assert.deepEqual(leftIn(node), [firstStart, join('snapshots', 'here.sqlite')])
    })

    test('need the right to administer, before they are sent', async () => {
      await using node = await startTestNode({ store })
      await node.call('POST', '/v2/users', { body: { user: { id: 'somebody' }, rights: [] } })
      const body = Buffer.alloc(3_000_000)
      assert.equal((await node.call('POST', pathOf('any'), { body, token: null })).status, 401)
      assert.equal((await node.call('POST', pathOf('any'), { body, token: await node.token('somebody') })).status, 403)
      assert.equal((await node.call('GET', pathOf('any'), { token: null })).status, 401)
      if (store === 'sqlite') assert.deepEqual(leftIn(node), [firstStart])
    })

    test('of which only a part arrives leave nothing behind', async () => {
      await using node = await startTestNode({ store })
      await take(node, 'here')
      const bytes = await download(node, 'here')
      const request = httpRequest(`${node.url}${pathOf('half')}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${node.adminToken}`, 'content-length': bytes.length },
      })
      const closed = new Promise((resolve) => request.on('error', () => undefined).on('close', resolve))
      request.write(bytes.subarray(0, bytes.length / 2))
      const isThere = () => leftIn(node).some((name) => name.endsWith('.part'))
      if (store === 'sqlite') await until(isThere)
      request.destroy()
      await closed
      await until(() => !isThere())
      assert.deepEqual(await namesOn(node), ['here'])
    })
  })
}

describe('a snapshot over a slow line', () => {
  const requestTimeoutMs = 3_000
  /** Longer than the limit and the interval in which Node looks for late requests. */
  const longMs = requestTimeoutMs + 1_600

  /** Sends a snapshot in so many equal parts, of which the last may never come; settles with the answer. */
  async function sendSlowly(node: TestNode, parts: number, sent: number): Promise<[status: number, text: string]> {
    await take(node, 'here')
    const bytes = await download(node, 'here')
    const { promise, resolve, reject } = Promise.withResolvers<[status: number, text: string]>()
    const headers = { authorization: `Bearer ${node.adminToken}`, 'content-length': bytes.length }
    const request = httpRequest(`${node.url}${pathOf('slow')}`, { method: 'POST', headers }, async (response) => {
      resolve([response.statusCode!, Buffer.concat(await response.toArray()).toString()])
    })
    request.on('error', reject)
    const partBytes = Math.ceil(bytes.length / parts)
    for (let part = 0; part < sent; part += 1) {
      request.write(bytes.subarray(part * partBytes, (part + 1) * partBytes))
      await new Promise((done) => setTimeout(done, longMs / parts))
    }
    return promise.finally(() => request.destroy())
  }

  test('may take as long as it takes', async () => {
    await using node = await startTestNode({ settings: { limits: { requestTimeoutMs } } })
    const [status, text] = await sendSlowly(node, 23, 23)
    assert.equal(status, 200, text)
    assert.deepEqual(await namesOn(node), ['here', 'slow'])
  })

  test('is refused when no more of it comes', async () => {
    await using node = await startTestNode({ settings: { limits: { requestTimeoutMs } } })
    const words = 'No more of the request body arrived for 3 seconds, which limits.requestTimeoutMs allows'
    const [status, text] = await sendSlowly(node, 23, 2)
    const { code, cause } = JSON.parse(text)
    assert.deepEqual([status, code, cause], [408, 'REQUEST_BODY_INCOMPLETE', words])
    assert.deepEqual(await namesOn(node), ['here'])
  })
})

test('a snapshot that can no longer be read is listed with the reason, cannot be restored, and can be deleted', async () => {
  await using node = await startTestNode({ store: 'sqlite' })
  await take(node, 'good')
  await take(node, 'bad')
  writeFileSync(join(node.folder, 'snapshots', 'bad.sqlite'), 'noise')
  const { json } = await node.call('GET', '/dev/snapshots')
  const problems = new Map(json.snapshots.map(({ name, problem }: Record<string, string>) => [name, problem]))
  assert.deepEqual(problems.get('good'), '')
  assert.match(String(problems.get('bad')), /^it is damaged or incomplete: file is not a database$/)
  assert.equal(refusalOf(await restore(node, 'bad'))[1], 'SNAPSHOT_UNUSABLE')
  assert.equal((await restore(node, 'good')).status, 200)
  assert.equal((await node.call('DELETE', '/dev/snapshots/bad')).status, 200)
  assert.deepEqual(await namesOn(node), ['good'])
})

test('a deleted snapshot frees its space, and no operation leaves a file', async () => {
  await using node = await startTestNode({ store: 'sqlite' })
  const shelf = join(node.folder, 'snapshots')
  const used = () => readdirSync(shelf).reduce((sum, name) => sum + statSync(join(shelf, name)).size, 0)
  const before = used()
  const { json } = await take(node, 'large')
  assert.equal(used(), before + json.snapshot.bytes)
  await restore(node, 'large')
  await upload(node, 'copy', await download(node, 'large'))
  await node.call('DELETE', '/dev/snapshots/large')
  await node.call('DELETE', '/dev/snapshots/copy')
  await node.call('POST', '/dev/reset')
  assert.equal(used(), before)
  assert.deepEqual(leftIn(node), [firstStart])
})

test('what a killed node has not finished to write is gone after the next start', async () => {
  await using node = await startTestNode({ store: 'sqlite' })
  await take(node, 'kept')
  const unfinished = ['restored.sqlite.part', 'restored.sqlite.part-wal', 'before-world.sqlite.part']
  await node.restart(() => {
    for (const name of unfinished) writeFileSync(join(node.folder, name), 'half')
    writeFileSync(join(node.folder, 'snapshots', 'received-1.part'), 'half')
    writeFileSync(join(node.folder, 'snapshots', 'other.sqlite.part'), 'half')
  })
  assert.deepEqual(leftIn(node), [firstStart, join('snapshots', 'kept.sqlite')])
  assert.deepEqual(await namesOn(node), ['kept'])
})

test('a snapshot of another participant is refused by a node whose key is in a file, which goes on', async () => {
  using folder = temporaryFolder()
  const keyFile = join(folder.path, 'key.pem')
  await using other = await startTestNode()
  await take(other, 'theirs')
  const bytes = await download(other, 'theirs')
  await using node = await startTestNode({ store: 'sqlite', settings: { participant: { keyFile } } })
  await take(node, 'ours')
  const added = await upload(node, 'theirs', bytes)
  assert.equal(added.status, 200, added.text)
  await node.call('POST', '/v2/parties', { body: { partyIdHint: 'alice' } })
  const [, code, cause] = refusalOf(await restore(node, 'theirs'))
  assert.equal(code, 'SNAPSHOT_UNUSABLE')
  assert.match(
    String(cause),
    /^The snapshot 'theirs' cannot be used: the key has the fingerprint 1220[0-9a-f]{64}, and this ledger belongs to 1220/,
  )
  assert.equal((await node.call('GET', '/v2/parties')).json.partyDetails.length, 1 + 1)
  assert.equal((await restore(node, 'ours')).status, 200)
  assert.equal((await node.call('GET', '/v2/parties')).json.partyDetails.length, 0 + 1, 'its own')
  assert.deepEqual(
    leftIn(node),
    ['@first-start', 'ours', 'theirs'].map((name) => join('snapshots', `${name}.sqlite`)),
  )
  // And the other way: a snapshot without its key is of no use to a node that does not have it.
  await upload(other, 'keyless', await download(node, 'ours'))
  assert.match(String(refusalOf(await restore(other, 'keyless'))[2]), /the key of this ledger is kept outside of it/)
  assert.equal((await node.call('GET', '/livez')).status, 200)
  rmSync(keyFile)
})
