// tallystick query-store as people and containers run it: options, variables, health, kills, and stores and ledgers that
// somebody has changed.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { trustCertificates } from '../../src/cli/trusted-certificates.ts'
import { parseNameFilter } from '../../src/query-store/name-filter.ts'
import { createIdentity } from '../fixtures/certificate.ts'
import { call } from '../fixtures/command.ts'
import { right, startTestLedger, type TestLedger } from '../fixtures/ledger.ts'
import { startTestNode } from '../fixtures/node.ts'
import { createTestDatabase, databaseOf, onDatabase, onServer } from '../fixtures/postgres.ts'
import { launch, temporaryFolder } from '../fixtures/process.ts'
import {
  activeAt,
  compareActive,
  compareUpdates,
  fillStore,
  openSession,
  startFollower,
  transactionsOf,
} from '../fixtures/query-store.ts'
import { randomCommands } from '../fixtures/random-commands.ts'
import { testSeed } from '../fixtures/seed.ts'
import { until } from '../fixtures/until.ts'

let ledger: TestLedger
before(async () => {
  ledger = await startTestLedger()
  await randomCommands(ledger, testSeed, 12)
})
after(() => ledger[Symbol.asyncDispose]())

const quiet = ['--health-port', '0', '--log-level', 'silent']

describe('filters', () => {
  const filter = (text: string) => parseNameFilter(text, 'filter')

  test('filters of contracts keep the templates, views and choices that they select, and their transactions', async () => {
    await using database = await createTestDatabase()
    await fillStore(ledger, database.url, { contracts: filter('quickstart:Iou.*'), metadata: filter('*:IouProposal') })
    await fillStore(ledger, database.url, { contracts: filter('Holding:*'), schema: 'views' })
    await using session = await openSession(database.url)
    const one = async (sql: string) =>
      (await session.query({ text: sql, rowMode: 'array' })).rows.map((row) => row.join())
    assert.deepEqual(await one('SELECT DISTINCT payload_type FROM creates()'), ['template'])
    const events = (await transactionsOf(ledger, 'LEDGER_EFFECTS')).flatMap((transaction) => transaction.events)
    const created = events.filter(({ CreatedEvent: event }) => event !== undefined)
    assert.deepEqual(await one('SELECT count(*) FROM creates()'), [String(created.length)])
    assert.deepEqual(await one("SELECT count(*) FROM creates('Iou') WHERE metadata IS NOT NULL"), ['0'])
    assert.deepEqual(await one("SELECT count(*) FROM creates('IouProposal') WHERE metadata IS NULL"), ['0'])
    const active = await one("SELECT contract_id FROM active('Iou') ORDER BY 1")
    await session.query('SET search_path TO views')
    assert.deepEqual(await one("SELECT contract_id FROM active('Holding:Holding') ORDER BY 1"), active)
    assert.deepEqual(await one("SELECT count(*) FROM creates() WHERE payload_type = 'template'"), ['0'])
    assert.deepEqual(await one('SELECT DISTINCT template_fqn FROM exercises()'), ['quickstart:Holding:Holding'])
    const other = fillStore(ledger, database.url, { contracts: filter('*'), schema: 'views' })
    await assert.rejects(other, /the store has the contracts of Holding:\*, not \*; fill another schema/)
  })

  test('filters of parties read as the parties that they select', async () => {
    await using database = await createTestDatabase()
    const parties = filter('carol::* | (bank* & !*)')
    await assert.rejects(fillStore(ledger, database.url, { parties }), /a filter of parties needs to know them/)
    const token = await ledger.userWith('lister', right('ParticipantAdmin'), right('CanReadAsAnyParty'))
    await fillStore(ledger, database.url, { parties, token })
    await fillStore(ledger, database.url, { parties: [ledger.carol], schema: 'named' })
    await using session = await openSession(database.url)
    const rows = async (schema: string) =>
      (await session.query(`SELECT contract_id, witnesses, payload_type FROM ${schema}.creates() ORDER BY 1, 3`)).rows
    assert.deepEqual(await rows('public'), await rows('named'))
    const nobody = fillStore(ledger, database.url, { parties: filter('nobody*'), schema: 'nobody', token })
    await assert.rejects(nobody, /the filter nobody\* selects no party that may be read at/)
  })
})

describe('the command', () => {
  test('the command query-store fills a store and ends where it should stop', async () => {
    await using database = await createTestDatabase()
    const words = ['--start', 'genesis', '--stop', 'latest', '--data-source', 'transactiontreestream', ...quiet]
    const from = ['--from', ledger.node.url, '--token', ledger.token, '--to', database.url]
    const { output } = await call(['query-store', ...from, ...words])
    assert.match(
      output,
      /^following http:\S+ into postgres:\S+, schema public\nhealth +http:\S+\/livez and \/readyz\nready at offset \d+$/,
    )
    await using session = await openSession(database.url)
    await compareUpdates(ledger, session)
    // Once more changes nothing.
    await call(['query-store', ...from, ...words])
    await compareUpdates(ledger, session)
  })

  test('the command query-store reads the variables of the Participant Query Store', async () => {
    await using database = await createTestDatabase()
    const [source, target] = [new URL(ledger.node.url), new URL(database.url)]
    const environment = {
      SCRIBE_SOURCE_LEDGER_HOST: source.hostname,
      SCRIBE_SOURCE_LEDGER_PORT: source.port,
      SCRIBE_SOURCE_LEDGER_AUTH: 'OAuth',
      SCRIBE_PIPELINE_OAUTH_ACCESSTOKEN: ledger.token,
      SCRIBE_PIPELINE_LEDGER_START: 'Genesis',
      SCRIBE_PIPELINE_LEDGER_STOP: 'Latest',
      SCRIBE_PIPELINE_DATASOURCE: 'TransactionTreeStream',
      SCRIBE_PIPELINE_FILTER_PARTIES: '*',
      SCRIBE_PIPELINE_FILTER_METADATA: '*',
      SCRIBE_TARGET_POSTGRES_HOST: target.hostname,
      SCRIBE_TARGET_POSTGRES_PORT: target.port,
      SCRIBE_TARGET_POSTGRES_USERNAME: 'test',
      SCRIBE_TARGET_POSTGRES_PASSWORD: 'any',
      SCRIBE_TARGET_POSTGRES_DATABASE: databaseOf(database.url),
      SCRIBE_TARGET_POSTGRES_SCHEMA: 'pqs',
      SCRIBE_HEALTH_PORT: '0',
    }
    await call(['query-store', '--log-level', 'silent'], { environment })
    await using session = await openSession(database.url)
    await session.query('SET search_path TO pqs')
    await compareUpdates(ledger, session)
    const { rows } = await session.query("SELECT metadata FROM active('Iou')")
    assert.ok(rows.every(({ metadata }) => metadata.length > 100))
    // The functions do not depend on the search path.
    await session.query('SET search_path TO public')
    const { rows: counts } = await session.query("SELECT count(*) FROM pqs.active('Iou')")
    assert.equal(counts[0].count, rows.length)
  })

  const mistakes: readonly [words: readonly string[], environment: Record<string, string>, message: RegExp][] = [
    [[], {}, /--to is missing/],
    [['--to', 'nonsense'], {}, /the URL of the database is not a URL/],
    [['--to', 'postgres://h/d', '--start', 'Never'], {}, /--start is one of Genesis, Oldest, Latest, an offset/],
    [['--to', 'postgres://h/d', '--data-source', 'x'], {}, /--data-source is one of/],
    [[], { SCRIBE_CONFIG: '/nowhere.conf' }, /cannot read SCRIBE_CONFIG: .*nowhere/],
    [['--to', 'postgres://h/d', '--filter-contracts', 'a |'], {}, /--filter-contracts=a \| is no filter/],
    [['--to', 'postgres://h/d'], { SCRIBE_PIPELINE_FILTER_PARTIES: '(Alice*' }, /is no filter: a \) is missing/],
  ]
  for (const [words, environment, message] of mistakes) {
    test(`the command query-store refuses ${[...words, ...Object.keys(environment)].join(' ') || 'no arguments'}`, () =>
      assert.rejects(call(['query-store', ...words], { environment }), { message }))
  }

  test('the command query-store starts as images of the Participant Query Store do, with their options and a file', async () => {
    await using database = await createTestDatabase()
    using folder = temporaryFolder()
    const [source, target] = [new URL(ledger.node.url), new URL(database.url)]
    const file = join(folder.path, 'pqs.conf')
    writeFileSync(
      file,
      `pipeline { oauth.accessToken = "${ledger.token}"\n ledger { start = Genesis, stop = Latest } }\n`,
    )
    await call(
      [
        ...['pipeline', 'ledger', 'postgres-document', '--source-ledger-port', source.port, '--health-port', '0'],
        ...['--pipeline-datasource', 'TransactionTreeStream', '--target-postgres-host', target.hostname],
        ...['--target-postgres-port', target.port, '--target-postgres-database', databaseOf(database.url)],
        ...['--target-postgres-username', 'test', '--source-ledger-host', source.hostname, '--logger-level', 'Info'],
      ],
      { environment: { SCRIBE_CONFIG: file } },
    )
    await using session = await openSession(database.url)
    await compareUpdates(ledger, session)
    await assert.rejects(call(['pipeline', 'ledger', 'oracle']), { message: /the target postgres-document/ })
  })

  test('the command query-store says how it is, survives a kill, and stops on a signal', async () => {
    await using database = await createTestDatabase()
    const from = ['--from', ledger.node.url, '--token', ledger.token, '--to', database.url, '--start', 'Genesis']
    const words = ['query-store', ...from, '--data-source', 'TransactionTreeStream', ...quiet]
    await using session = await openSession(database.url)
    const follow = async () => {
      const child = launch(words, {})
      const url = await until(() => /health +(\S+)\/livez/.exec(child.output())?.[1])
      return { ...child, url }
    }
    const killed = await follow()
    await until(async () => (await session.query("SELECT to_regclass('__watermark') AS there")).rows[0].there !== null)
    await randomCommands(ledger, testSeed + 1, 3)
    killed.process.kill('SIGKILL')
    await once(killed.process, 'close')
    const next = await follow()
    const end = await ledger.end()
    await until(async () => (await session.query('SELECT latest_offset() AS latest')).rows[0].latest >= end)
    assert.deepEqual(await (await fetch(`${next.url}/livez`)).json(), { status: 'ok' })
    const ready = await until(async () => {
      const answer = await fetch(`${next.url}/readyz`)
      return answer.status === 200 && answer
    })
    const state = { grpc_up: true, jdbc_connection_pool_up: true, stream_up: true }
    assert.deepEqual(await ready.json(), { status: 'ok', ...state })
    assert.equal((await fetch(`${next.url}/else`)).status, 404)
    next.process.kill('SIGTERM')
    await once(next.process, 'close')
    assert.equal(next.process.exitCode, 0)
    await compareActive(ledger, session, testSeed, 3)
    await compareUpdates(ledger, session)
  })
})

describe('over TLS', () => {
  const folder = temporaryFolder()
  after(() => folder[Symbol.dispose]())
  const identity = (name: string) => createIdentity(folder.path, name, '127.0.0.1')
  const whole = ['--start', 'Genesis', '--stop', 'Latest', '--data-source', 'TransactionTreeStream', ...quiet]

  test('the authority of --ca-file is trusted, and nobody unknown', async () => {
    await using database = await createTestDatabase()
    const own = identity('own')
    const settings = { http: { tls: own }, grpc: { port: 0 }, auth: { mode: 'off' as const } }
    await using node = await startTestNode({ settings })
    const grpc = node.node.grpcUrl!.replace('https', 'grpcs')
    const follow = (from: string, ...more: string[]) =>
      call(['query-store', '--from', from, '--to', database.url, ...whole, ...more])
    const refusal = /the certificate of https:\S+ is not trusted: .*; name the file of its authority/
    for (const from of [grpc, node.url]) await assert.rejects(follow(from), { message: refusal })
    await assert.rejects(follow(grpc, '--ca-file', '/nowhere.pem'), { message: /cannot use \/nowhere.pem/ })
    for (const from of [grpc, node.url]) {
      assert.match((await follow(from, '--ca-file', own.certificateFile)).output, /ready at offset/)
    }
  })

  test('the variables of the Participant Query Store name the files, with those of a client', async () => {
    await using database = await createTestDatabase()
    const [own, client] = [identity('server'), identity('client')]
    trustCertificates(own.certificateFile) // For the commands of this test.
    const grpc = { port: 0, clientCaFile: client.certificateFile }
    await using behind = await startTestLedger({ settings: { http: { tls: own }, grpc } })
    await randomCommands(behind, testSeed, 6)
    const files = {
      SCRIBE_SOURCE_LEDGER_TLS_CERT: client.certificateFile,
      SCRIBE_SOURCE_LEDGER_TLS_KEY: client.keyFile,
    }
    const follow = (url: string, more: Record<string, string>) => {
      const environment = {
        SCRIBE_SOURCE_LEDGER_HOST: '127.0.0.1',
        SCRIBE_SOURCE_LEDGER_PORT: new URL(url).port,
        SCRIBE_SOURCE_LEDGER_TLS_CAFILE: own.certificateFile,
        SCRIBE_PIPELINE_OAUTH_ACCESSTOKEN: behind.token,
        ...more,
      }
      return call(['query-store', '--to', database.url, ...whole], { environment })
    }
    await assert.rejects(follow(behind.node.node.grpcUrl!, {}), {
      message: /does not accept the certificate of this client, or wants one: .*certificate required$/,
    })
    await using session = await openSession(database.url)
    for (const url of [behind.node.node.grpcUrl!, behind.node.url]) {
      await follow(url, files)
      await compareUpdates(behind, session)
      await session.query('DROP SCHEMA public CASCADE; CREATE SCHEMA public')
    }
  })
})

describe('what somebody has changed is named', () => {
  const refused = (url: string, message: RegExp, options: Parameters<typeof fillStore>[2] = {}) =>
    assert.rejects(fillStore(ledger, url, options), { message })

  test('a function and a table of the schema that somebody has changed are named', async () => {
    await using database = await createTestDatabase()
    await fillStore(ledger, database.url)
    await onDatabase(
      database.url,
      'CREATE VIEW mine AS SELECT 1; CREATE INDEX mine_too ON __transactions (workflow_id)',
    )
    await fillStore(ledger, database.url)
    await onDatabase(database.url, 'ALTER TABLE __exercises ADD COLUMN note text')
    await refused(database.url, /somebody has changed schema public: table __exercises was changed; restore it/)
    await onDatabase(database.url, 'ALTER TABLE __exercises DROP COLUMN note; DROP FUNCTION nearest_offset(interval)')
    await refused(database.url, /function nearest_offset\(interval\) is missing/)
  })

  test('a schema with tables of another query store, or with a function of the same name, is named', async () => {
    await using database = await createTestDatabase()
    await onDatabase(database.url, 'CREATE TABLE __contract_tpe (pk bigint)')
    await refused(database.url, /has the tables of another query store; give another schema/)
    await onDatabase(database.url, 'DROP TABLE __contract_tpe; CREATE TYPE contract AS (a text)')
    await refused(database.url, /schema public has something of the same name: .*contract/)
    const { rows } = await onDatabase(database.url, "SELECT to_regclass('__packages') AS there")
    assert.equal(rows[0].there, null)
  })

  test('a database that refuses the follower, or does not exist, is named', async () => {
    await using database = await createTestDatabase()
    await onServer(database.url, 'DROP ROLE IF EXISTS store_reader')
    await onServer(database.url, 'CREATE ROLE store_reader LOGIN')
    const url = new URL(database.url)
    url.username = 'store_reader'
    await refused(url.href, /the database does not permit it: permission denied.*needs the right to create/)
    const missing = new URL(database.url)
    missing.pathname = '/nowhere'
    await refused(missing.href, /the database does not exist/)
    await onServer(database.url, 'DROP ROLE store_reader')
  })

  test('a port of the ledger that does not speak HTTP is named', async () => {
    await using database = await createTestDatabase()
    // The first bytes of a gRPC server: its settings.
    const server = createServer((socket) => socket.end(Buffer.from([0, 0, 0, 4, 0, 0, 0, 0, 0]))).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as { port: number }
    await refused(
      database.url,
      /does not speak HTTP: give the port of the JSON Ledger API, or grpc:\/\/ for that of gRPC/,
      {
        url: `http://127.0.0.1:${port}`,
      },
    )
    server.close()
  })

  test('a user who may read as more parties than before gets their contracts, too', async () => {
    await using database = await createTestDatabase()
    const reading = (party: string) => ({ kind: { CanReadAs: { value: { party } } } })
    const token = await ledger.userWith('reader', reading(ledger.carol))
    await fillStore(ledger, database.url, { token })
    const granted = await ledger.node.call('POST', '/v2/users/reader/rights', {
      body: { userId: 'reader', rights: [reading(ledger.alice)] },
    })
    assert.equal(granted.status, 200, granted.text)
    await fillStore(ledger, database.url, { token })
    await using session = await openSession(database.url)
    const { rows } = await session.query("SELECT contract_id FROM active() WHERE payload_type = 'template'")
    const expected = (await activeAt(ledger, await ledger.end())).filter(({ signatories, observers }) =>
      [...signatories, ...observers].some((party) => [ledger.alice, ledger.carol].includes(party)),
    )
    assert.deepEqual(rows.map((row) => row.contract_id).sort(), expected.map((event) => event.contractId).sort())
    await randomCommands(ledger, testSeed + 5, 4)
    await fillStore(ledger, database.url, { token })
  })

  test('other parties or another kind of data than the store has are refused by name', async () => {
    await using database = await createTestDatabase()
    await fillStore(ledger, database.url)
    await refused(database.url, /the store has what any party can see, not alice::/, { parties: [ledger.alice] })
    await refused(database.url, /was filled from TransactionTreeStream, not TransactionStream/, {
      dataSource: 'TransactionStream',
    })
  })

  test('a ledger that was replaced, restored or pruned is named', async () => {
    await using own = await startTestLedger()
    await using database = await createTestDatabase()
    await randomCommands(own, testSeed, 3)
    const snapshot = await own.node.call('POST', '/dev/snapshots', { body: { name: 'before' } })
    assert.equal(snapshot.status, 200, snapshot.text)
    await randomCommands(own, testSeed, 3)
    await fillStore(own, database.url)
    await refused(database.url, /was filled from participant \S+, and this is/)
    await own.node.call('POST', '/dev/snapshots/before/restore')
    const failing = (message: RegExp, options = {}) =>
      assert.rejects(fillStore(own, database.url, options), { message })
    await failing(/ends at offset \d+, and the store is at \d+: it was reset, restored or replaced/)
    await randomCommands(own, testSeed + 1, 12)
    await failing(/has another update at offset \d+ than the store: it was reset, restored or replaced/)
    await using other = await createTestDatabase()
    const at = await own.end()
    await fillStore(own, other.url)
    await randomCommands(own, testSeed + 2, 3)
    const pruned = await own.node.call('POST', '/v2/pruning', { body: { pruneUpTo: String(at + 1) } })
    assert.equal(pruned.status, 200, pruned.text)
    await assert.rejects(fillStore(own, other.url), { message: /is pruned up to offset \d+, and the store is at/ })
    await using fresh = await createTestDatabase()
    await assert.rejects(fillStore(own, fresh.url), { message: /so it cannot be followed from 0; start at Oldest/ })
    await fillStore(own, fresh.url, { start: 'Oldest' })
    await using session = await openSession(fresh.url)
    await compareActive(own, session, testSeed, 3)
  })
})

test('the SQL of docs/query-store.md runs', async () => {
  await using database = await createTestDatabase()
  await fillStore(ledger, database.url)
  await using session = await openSession(database.url)
  const text = readFileSync(new URL('../../docs/query-store.md', import.meta.url), 'utf8')
  const blocks = [...text.matchAll(/```sql\n([\s\S]*?)```/g)].map(([, sql]) => sql!)
  assert.ok(blocks.length >= 3)
  for (const sql of blocks) await session.query(sql)
})

test('a store that nobody feeds any more says so at /readyz', async () => {
  await using database = await createTestDatabase()
  await using follower = startFollower(ledger, database.url, { url: 'http://127.0.0.1:1' })
  await until(() => follower.state.isStoreUp)
  assert.equal(follower.state.isLedgerUp, false)
})
