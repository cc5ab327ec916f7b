// tallystick query-store: what its functions say is what the ledger's API says, exactly once, whatever breaks meanwhile.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { createDice } from '../fixtures/dice.ts'
import { openFlakyProxy } from '../fixtures/flaky-proxy.ts'
import { startTestLedger, type TestLedger } from '../fixtures/ledger.ts'
import { createTestDatabase, cutConnections, type TestDatabase } from '../fixtures/postgres.ts'
import {
  byContract,
  compareActive,
  compareUpdates,
  contractOfEvent,
  contractOfRow,
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
  await randomCommands(ledger, testSeed, 60)
})
after(() => ledger[Symbol.asyncDispose]())

describe('a store says what the ledger says', () => {
  test('a store that begins with the ledger, with exercises, says what the ledger says at random offsets', async () => {
    await using database = await createTestDatabase()
    await fillStore(ledger, database.url)
    await using session = await openSession(database.url)
    await compareActive(ledger, session, testSeed, 15)
    await compareUpdates(ledger, session)
  })

  test('a store that begins at an offset, without exercises, has the contracts of then and what changed since', async () => {
    await using database = await createTestDatabase()
    const transactions = await transactionsOf(ledger, 'ACS_DELTA')
    const { offset } = transactions[20]
    await fillStore(ledger, database.url, { start: offset, dataSource: 'TransactionStream' })
    await using session = await openSession(database.url)
    await compareActive(ledger, session, testSeed + 1, 10)
    const later = transactions.slice(21).flatMap(({ events }) => events)
    const created = await session.query("SELECT * FROM creates(NULL, $1) WHERE payload_type = 'template'", [offset + 1])
    assert.deepEqual(
      created.rows.map(contractOfRow).sort(byContract),
      later.flatMap(({ CreatedEvent: event }) => (event ? [contractOfEvent(event)] : [])).sort(byContract),
    )
    const archived = await session.query("SELECT contract_id FROM archives() WHERE payload_type = 'template'")
    assert.deepEqual(
      archived.rows.map((row) => row.contract_id).sort(),
      later.flatMap(({ ArchivedEvent: event }) => event?.contractId ?? []).sort(),
    )
    const { rows } = await session.query('SELECT count(*) FROM exercises()')
    assert.equal(rows[0].count, 0)
  })

  test('a store says what the ledger says while commands run', async () => {
    await using database = await createTestDatabase()
    await using follower = startFollower(ledger, database.url, { start: 'Latest' })
    await until(() => follower.state.isStreaming)
    await randomCommands(ledger, testSeed + 2, 15)
    await follower.reached(await ledger.end())
    assert.deepEqual({ ...follower.state }, { isLedgerUp: true, isStoreUp: true, isStreaming: true })
    await using session = await openSession(database.url)
    await compareActive(ledger, session, testSeed + 2, 5)
  })

  test('a store for named parties says what the ledger says to them', async () => {
    await using database = await createTestDatabase()
    await fillStore(ledger, database.url, { parties: [ledger.carol], dataSource: 'TransactionTreeStream' })
    await using session = await openSession(database.url)
    const { rows } = await session.query("SELECT * FROM creates() WHERE payload_type = 'template'")
    assert.ok(rows.length > 0)
    assert.ok(rows.every((row) => row.witnesses.join() === ledger.carol))
    const active = await session.query("SELECT * FROM active() WHERE payload_type = 'template'")
    assert.ok(active.rows.every((row) => [...row.signatories, ...row.observers].includes(ledger.carol)))
  })
})

describe('exactly once', () => {
  /** In the order in which a batch is written. */
  const steps = [
    'INSERT INTO __packages',
    'INSERT INTO __source',
    'UPDATE __watermark SET ix',
    '__ensure_partition',
    'COPY __transactions',
    'COPY __contracts',
    'UPDATE __contracts_',
    'COPY __exercises',
    'COMMIT',
  ]

  for (const step of steps) {
    test(`each update is stored once when the connection to the database breaks after "${step}"`, async () => {
      await using database = await createTestDatabase()
      await using proxy = await openFlakyProxy(database.url)
      const broken = proxy.loseAnswer(step, 'cut')
      await using follower = startFollower(ledger, proxy.url, {
        start: step === 'UPDATE __contracts_' ? 'Oldest' : 'Genesis',
      })
      await broken
      await follower.reached(await ledger.end())
      await using session = await openSession(database.url)
      await compareActive(ledger, session, testSeed, 2)
      await compareUpdates(ledger, session)
    })
  }

  test('each update is stored once when connections break on both sides and followers are replaced', async () => {
    await using database = await createTestDatabase()
    await using wire = await openFlakyProxy(ledger.node.url)
    const dice = createDice(testSeed)
    let follower = startFollower(ledger, database.url, { url: wire.url })
    for (let round = 0; round < 12; round += 1) {
      await randomCommands(ledger, testSeed + round, 2)
      if (round % 3 === 0) wire.cut()
      if (round % 3 === 1) await cutConnections(database.url)
      if (round % 3 === 2) {
        await follower.reached(0) // It has claimed the store, so that the claim of the next one comes later.
        const next = startFollower(ledger, database.url, { url: wire.url })
        if (dice(2) === 0) await next.reached(0)
        await follower[Symbol.asyncDispose]()
        follower = next
      }
    }
    await follower.reached(await ledger.end())
    await follower[Symbol.asyncDispose]()
    await using session = await openSession(database.url)
    await compareActive(ledger, session, testSeed, 4)
    await compareUpdates(ledger, session)
  })

  test('a second follower takes the store over, and the first one says so', async () => {
    await using database = await createTestDatabase()
    await using first = startFollower(ledger, database.url)
    await first.reached(await ledger.end())
    await using second = startFollower(ledger, database.url)
    await second.reached(0)
    await randomCommands(ledger, testSeed, 1)
    await assert.rejects(first.ended, /another follower, or reset_to_offset, has taken the store over/)
    await second.reached(await ledger.end())
  })
})

describe('a mistake is named, and nothing is written', () => {
  async function refusal(database: TestDatabase, options: Parameters<typeof startFollower>[2], expected: RegExp) {
    await assert.rejects(startFollower(ledger, database.url, options).ended, (error: Error) => {
      assert.match(error.message, expected)
      return true
    })
    await using session = await openSession(database.url)
    const { rows } = await session.query("SELECT to_regclass('__transactions') AS there")
    if (rows[0].there === null) return
    assert.equal((await session.query('SELECT count(*) FROM __transactions')).rows[0].count, 0)
  }

  test('a follower with a token without rights is refused, and writes nothing', async () => {
    await using database = await createTestDatabase()
    const token = await ledger.userWith('reader-of-nothing')
    await refusal(database, { token }, /may read as no party; grant it CanReadAsAnyParty, or CanReadAs/)
  })

  test('a follower whose token may not read the named parties is refused, and writes nothing', async () => {
    await using database = await createTestDatabase()
    const right = { kind: { CanReadAs: { value: { party: ledger.carol } } } }
    const token = await ledger.userWith('reader-of-carol', right)
    await refusal(database, { token, parties: [ledger.alice] }, /may not read what was asked for.*--party/)
  })

  test('a follower with a token that the ledger does not accept writes nothing', async () => {
    await using database = await createTestDatabase()
    await refusal(database, { token: 'nonsense' }, /the ledger does not accept the token/)
  })

  test('a follower for a party that is hosted elsewhere is refused, and writes nothing', async () => {
    await using database = await createTestDatabase()
    const party = `nobody::1220${'0'.repeat(64)}`
    await refusal(database, { token: ledger.node.adminToken, parties: [party] }, /is not hosted by the participant at/)
  })

  test('a follower that begins after the ledger end is refused, and writes nothing', async () => {
    await using database = await createTestDatabase()
    await refusal(database, { start: 1_000_000 }, /ends at offset \d+; it cannot be followed from 1000000/)
  })
})
