// Reading from a replica of PostgreSQL: only what it has replayed, and never something else. Here it is a copy of the
// database that follows no more: the furthest behind that a replica can be. In failover.test.ts it is a hot standby.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { createLedgerClient, type LedgerClient, partyNamed, readHistory, userId } from '../fixtures/ledger-client.ts'
import { startTestNode, type TestNode } from '../fixtures/node.ts'
import { createTestDatabase, databaseOf, onServer } from '../fixtures/postgres.ts'
import { until } from '../fixtures/until.ts'

const settings = { auth: { mode: 'off' }, store: { postgresWatchMs: 50 } } as const

test('a replica that is behind serves what it has, and the primary the rest', async () => {
  await using database = await createTestDatabase()
  await using copy = await createTestDatabase()
  const over = (postgresReplicaUrl?: string) =>
    startTestNode({
      store: 'postgres',
      postgresUrl: database.url,
      settings: { ...settings, store: { ...settings.store, ...(postgresReplicaUrl && { postgresReplicaUrl }) } },
    })
  {
    await using node = await over()
    await submit(node, 30)
  }
  await onServer(database.url, `DROP DATABASE ${databaseOf(copy.url)}`)
  await onServer(database.url, `CREATE DATABASE ${databaseOf(copy.url)} TEMPLATE ${databaseOf(database.url)}`)
  await using node = await over(`${copy.url}?target_session_attrs=any`)
  await submit(node, 20)
  await until(async () => (await metric(node, 'replica_in_use')) === 1)
  assert.equal(await metric(node, 'replica_lag_offsets'), 20)
  const client = createLedgerClient(node.url)
  const { updates, completions } = await readHistory(client)
  assert.deepEqual([updates.size, completions.size], [50, 50])
  const early = [...updates.keys()].sort((a, b) => a - b).slice(0, 10)
  assert.ok((await metric(node, 'replica_reads_total{by="primary"}'))! > 0) // Pages of 200 reach beyond what it has.
  const before = (await metric(node, 'replica_reads_total{by="replica"}'))!
  assert.deepEqual(await offsetsUpTo(client, early.at(-1)!), early)
  assert.ok((await metric(node, 'replica_reads_total{by="replica"}'))! > before)

  await onServer(database.url, `DROP DATABASE ${databaseOf(copy.url)} WITH (FORCE)`)
  assert.deepEqual((await readHistory(client)).updates, updates)
  await until(async () => (await metric(node, 'replica_in_use')) === 0)
  assert.deepEqual(await offsetsUpTo(client, early.at(-1)!), early)
  assert.equal((await node.call('GET', '/readyz')).status, 200)
})

test('a database with another ledger is no replica', async () => {
  await using other = await createTestDatabase()
  {
    await using node = await startTestNode({ store: 'postgres', postgresUrl: other.url, settings })
    await submit(node, 3)
  }
  const store = { ...settings.store, postgresReplicaUrl: `${other.url}?target_session_attrs=any` }
  await using node = await startTestNode({ store: 'postgres', settings: { ...settings, store } })
  await submit(node, 5)
  await setTimeout(200) // Several looks.
  assert.equal(await metric(node, 'replica_in_use'), 0)
  assert.equal((await readHistory(createLedgerClient(node.url))).updates.size, 5)
})

async function submit(node: TestNode, count: number): Promise<void> {
  const client = createLedgerClient(node.url)
  const owner = await partyNamed(client, 'owner')
  for (let number = 0; number < count; number += 1) {
    const createArguments = { issuer: owner, owner, amount: '1', currency: 'EUR', observers: [] }
    const commands = [{ CreateCommand: { templateId: '#quickstart:Iou:Iou', createArguments } }]
    const commandId = `${count}-${number}`
    const reply = await client.post('/v2/commands/submit-and-wait', { commandId, userId, actAs: [owner], commands })
    assert.equal(reply?.status, 200)
  }
}

async function offsetsUpTo(client: LedgerClient, endInclusive: number): Promise<number[]> {
  const eventFormat = { filtersByParty: {}, filtersForAnyParty: {} }
  const updateFormat = { includeTransactions: { eventFormat, transactionShape: 'TRANSACTION_SHAPE_ACS_DELTA' } }
  const reply = await client.post('/v2/updates', { beginExclusive: 0, endInclusive, updateFormat })
  return reply!.json.map(({ update }: { update: { Transaction: { value: { offset: number } } } }) => {
    return update.Transaction.value.offset
  })
}

async function metric(node: TestNode, name: string): Promise<number | undefined> {
  const { text } = await node.call('GET', '/metrics')
  const line = text.split('\n').find((one) => one.startsWith(`tallystick_${name} `))
  return line === undefined ? undefined : Number(line.split(' ').at(-1))
}
