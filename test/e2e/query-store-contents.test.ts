// What arrives in a query store: packages that come later, every type, keys, texts that databases stumble over, and
// contracts that move between synchronizers.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { everything } from '../../src/query-store/name-filter.ts'
import {
  createTarget,
  effects,
  effectsDar,
  keys,
  keysDar,
  move,
  startTestLedger,
  type TestLedger,
} from '../fixtures/ledger.ts'
import { createTestDatabase } from '../fixtures/postgres.ts'
import { activeAt, fillStore, openSession, startFollower } from '../fixtures/query-store.ts'
import { mixedCommands } from '../fixtures/random-commands.ts'
import { until } from '../fixtures/until.ts'

/** A follower of a new ledger, which is streaming before anything happens there. */
async function open() {
  await using parts = new AsyncDisposableStack()
  const ledger = parts.use(await startTestLedger({ settings: { grpc: { port: 0 } } }))
  const database = parts.use(await createTestDatabase())
  const follower = parts.use(startFollower(ledger, database.url))
  await until(() => follower.state.isStreaming)
  const session = parts.use(await openSession(database.url))
  const rowsOf = async (sql: string, ...params: unknown[]) => (await session.query(sql, params)).rows
  const caughtUp = async () => follower.reached(await ledger.end())
  const owned = parts.move()
  return { ledger, database, session, rowsOf, caughtUp, [Symbol.asyncDispose]: () => owned.disposeAsync() }
}

async function upload(file: string, ledger: TestLedger): Promise<void> {
  const answer = await ledger.node.call('POST', '/v2/packages', { body: readFileSync(file) })
  assert.equal(answer.status, 200, answer.text)
}

test('a package that comes later brings its names and its views, without a restart', async () => {
  await using opened = await open()
  const { ledger, session, rowsOf, caughtUp } = opened
  await assert.rejects(session.query("SELECT * FROM active('Effects:Target')"), /Identifier not found/)
  await upload(effectsDar, ledger)
  const { contractId } = await ledger.submit([createTarget([ledger.alice], { note: 'new' })], { actAs: [ledger.alice] })
  await caughtUp()
  const rows = await rowsOf('SELECT template_fqn, payload_type FROM lookup_contract($1) ORDER BY 2, 1', contractId)
  const [template, ...views] = rows.map((row) => row.template_fqn.split(':').slice(1).join(':'))
  assert.equal(template, 'Effects:Target')
  assert.ok(views.includes('Effects:Asset'), views.join())
  assert.equal((await rowsOf("SELECT payload->>'note' AS note FROM active('Effects:Target')"))[0].note, 'new')
  assert.deepEqual(await rowsOf("SELECT * FROM active('Effects:Deep')"), [])
})

test('types, keys and awkward texts are as the API has them', async () => {
  await using opened = await open()
  const { ledger, rowsOf, caughtUp } = opened
  await upload(effectsDar, ledger)
  await upload(keysDar, ledger)
  const awkward = ['\\', '\\u0000', 'a\\\\nb', '"quoted"\t\n\r', "';--", '\u{1f4b0}\u2028', '{}', '\\N', '$1']
  for (const note of awkward) {
    await ledger.submit([createTarget([ledger.alice], { note })], { actAs: [ledger.alice] })
  }
  await caughtUp()
  const notes = await rowsOf("SELECT payload->>'note' AS note FROM active('Effects:Target') ORDER BY created_at_ix")
  assert.deepEqual(notes.map(({ note }) => note).slice(-awkward.length), awkward)
  const values = {
    ...{ party: ledger.alice, unit: {}, bool: true, int: '9223372036854775807', numeric: '0.0000000001', text: '' },
    ...{ date: '1970-01-01', timestamp: '2020-02-29T12:00:00.123456Z', optional: null, optional2: [], list: ['1'] },
    ...{ textMap: { a: '1' }, genMap: [['1', 'x']], fault: 'Fine', ref: { tag: 'Made', value: '0' } },
    faults: { precondition: 'Fine', signatories: 'Fine', observers: 'Fine', view: 'Fine' },
    ...{ maybe: null, last: {} },
  }
  const templateId = `${effects}:Effects:Everything`
  const created = await ledger.submit([{ CreateCommand: { templateId, createArguments: values } }], {
    actAs: [ledger.alice],
  })
  await caughtUp()
  const [kept] = await rowsOf('SELECT payload FROM lookup_contract($1)', created.contractId)
  assert.deepEqual(kept.payload, created.transaction.events[0].CreatedEvent.createArgument)

  const key = { maintainers: [ledger.alice], name: 'k', maintainersFault: 'Fine', last: null }
  const createArguments = { signatories: [ledger.alice], observers: [], key, keyFault: 'Fine', note: '' }
  const { contractId, transaction } = await ledger.submit(
    [{ CreateCommand: { templateId: `${keys}:Keys:Keyed`, createArguments } }],
    { actAs: [ledger.alice] },
  )
  await caughtUp()
  const [row] = await rowsOf('SELECT contract_key, contract_key_hash FROM lookup_contract($1)', contractId)
  const { contractKey, contractKeyHash } = transaction.events[0].CreatedEvent
  assert.deepEqual(row.contract_key, contractKey)
  assert.equal(row.contract_key_hash.toString('base64'), contractKeyHash)
})

test('a store that is filled over gRPC equals one that is filled over JSON', async () => {
  await using opened = await open()
  const { ledger, session, rowsOf, caughtUp } = opened
  await upload(effectsDar, ledger)
  await upload(keysDar, ledger)
  await mixedCommands(ledger, 5, 20)
  const { contractId } = await ledger.submit([ledger.createIou()])
  await move(ledger, contractId, true)
  const key = { maintainers: [ledger.alice], name: 'k', maintainersFault: 'Fine', last: null }
  const createArguments = { signatories: [ledger.alice], observers: [], key, keyFault: 'Fine', note: '\\ €' }
  const templateId = `${keys}:Keys:Keyed`
  await ledger.submit([{ CreateCommand: { templateId, createArguments } }], { actAs: [ledger.alice] })
  await caughtUp()
  const url = ledger.node.node.grpcUrl!
  const either = { url: url.replace('http', 'ledger'), schema: 'either', metadata: everything }
  await fillStore(ledger, opened.database.url, {
    url: url.replace('http', 'grpc'),
    schema: 'over_grpc',
    start: 'Genesis',
  })
  await fillStore(ledger, opened.database.url, { ...either, start: 'Latest' })
  const tables = ['creates()', 'archives()', 'exercises()', 'transactions', 'active()']
  for (const table of tables) {
    const sql = `SELECT to_jsonb(t) AS row FROM ${table} t ORDER BY 1`
    const theirs = await rowsOf(sql)
    await session.query('SET search_path TO over_grpc')
    assert.deepEqual(await rowsOf(sql), theirs, table)
    await session.query('SET search_path TO public')
  }
  const ids = 'SELECT contract_id, payload_type, payload FROM active() ORDER BY 1, template_fqn'
  const theirs = await rowsOf(ids)
  await session.query('SET search_path TO either')
  assert.deepEqual(await rowsOf(ids), theirs)
  assert.equal((await rowsOf('SELECT count(*) FROM active() WHERE metadata IS NULL'))[0].count, 0)
})

test('a store has a contract that moves to another synchronizer once', async () => {
  await using opened = await open()
  const { ledger, rowsOf, caughtUp } = opened
  const { contractId } = await ledger.submit([ledger.createIou()])
  await move(ledger, contractId, true)
  await caughtUp()
  const rows = await rowsOf('SELECT payload_type, archived_at_ix FROM lookup_contract($1) ORDER BY 1', contractId)
  assert.deepEqual(rows, [
    { payload_type: 'template', archived_at_ix: null },
    { payload_type: 'interface', archived_at_ix: null },
  ])
  const active = await rowsOf("SELECT contract_id FROM active() WHERE payload_type = 'template'")
  const served = await activeAt(ledger, await ledger.end())
  assert.deepEqual(active.map((row) => row.contract_id).sort(), served.map((event) => event.contractId).sort())
})
