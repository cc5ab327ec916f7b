// tallystick sql: the views over both stores say what the API says, and nothing can be changed through them.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { leaveNodeRecord } from '../../src/cli/node-record.ts'
import { type CallOptions, call } from '../fixtures/command.ts'
import {
  archiveIou,
  effectsDar,
  exercise,
  iouType,
  type Json,
  quickstart,
  startTestLedger,
  updateFormat,
} from '../fixtures/ledger.ts'
import { startTestNode, stores } from '../fixtures/node.ts'
import { createTestDatabase } from '../fixtures/postgres.ts'
import { temporaryFolder } from '../fixtures/process.ts'

/** Runs `tallystick sql` on the ledger of these options. */
function askingAt(place: readonly string[]) {
  const run = async (statement: string, flags: readonly string[] = [], options: CallOptions = {}): Promise<string> =>
    (await call(['sql', statement, ...place, ...flags], options)).output
  const ask = async (statement: string): Promise<Json[]> => JSON.parse(await run(statement, ['--json']))
  return { run, ask }
}

/** A ledger with a transaction that splits one Iou, creates another and archives a third; and what the API says of it. */
async function startStory(store: (typeof stores)[number]) {
  await using stack = new AsyncDisposableStack()
  const database = store === 'postgres' ? stack.use(await createTestDatabase()) : undefined
  const options = database === undefined ? {} : { postgresUrl: database.url }
  const ledger = stack.use(await startTestLedger({ store, ...options, settings: { dars: [effectsDar] } }))
  const { contractId: split, transaction: first } = await ledger.submit(
    [ledger.createIou({ currency: 'Zürich, "100"\n€' }), ledger.createIou()],
    { workflowId: 'flow' },
  )
  const { transaction } = await ledger.submit([
    exercise(iouType, split, 'Iou_Split', { amount: '30' }),
    ledger.createIou({ amount: '5' }),
    archiveIou(first.events[1].CreatedEvent.contractId),
  ])
  const updates = await ledger.post('/v2/updates', {
    beginExclusive: 0,
    endInclusive: await ledger.end(),
    updateFormat: updateFormat({ filtersForAnyParty: {} }, 'LEDGER_EFFECTS'),
  })
  const served: Json[] = updates.json.map(({ update }: Json) => update.Transaction?.value).filter(Boolean)
  const held = stack.move()
  return {
    ...askingAt(database === undefined ? ['--data', ledger.node.folder] : ['--postgres', database.url]),
    ledger,
    split,
    transaction,
    served,
    events: served.flatMap(({ events }) => events),
    [Symbol.asyncDispose]: () => held.disposeAsync(),
  }
}

for (const store of stores) {
  describe(`the views on ${store}`, () => {
    let story: Awaited<ReturnType<typeof startStory>>
    before(async () => {
      story = await startStory(store)
    })
    after(() => story[Symbol.asyncDispose]())

    test('show contracts as the API does', async () => {
      const { ask, ledger, served, events, split, transaction } = story
      const contracts = await ask('SELECT * FROM contracts ORDER BY number')
      const created = events.map(({ CreatedEvent }: Json) => CreatedEvent).filter(Boolean)
      assert.equal(contracts.length, 5)
      assert.deepEqual(
        contracts.map((row) => [
          row.contract_id,
          row.template_id,
          row.payload,
          row.signatories,
          row.observers,
          row.stakeholders,
        ]),
        created.map((event: Json) => [
          event.contractId,
          event.templateId,
          event.createArgument,
          event.signatories,
          event.observers,
          [...new Set([...event.signatories, ...event.observers])].sort(),
        ]),
      )
      const row = contracts.find((row) => row.contract_id === split)!
      const { offset } = transaction
      assert.deepEqual(
        [row.template, row.package_id, row.package_name, row.created_offset, row.archived_offset],
        ['#quickstart:Iou:Iou', quickstart, 'quickstart', offset - 1, offset],
      )
      assert.deepEqual(
        [row.created_at, row.archived_at, row.is_active, row.synchronizer, row.workflow_id],
        [served[0].effectiveAt, transaction.effectiveAt, 0, 'global', 'flow'],
      )
      const byId = `SELECT number FROM contracts WHERE contract_id = '${split}'`
      assert.deepEqual(await ask(byId), [{ number: row.number }])
      assert.equal((await ask(byId.replace('=', '<>'))).length, 4)
      assert.equal(await ledger.end(), offset, 'the views change nothing')
    })

    test('show active contracts and their stakeholders', async () => {
      const { ask, run, ledger } = story
      const active = await ask('SELECT archived_offset, archived_at, contract_key FROM contracts WHERE is_active = 1')
      assert.deepEqual(active, Array(3).fill({ archived_offset: null, archived_at: null, contract_key: null }))
      const columns = ['archived_offset', 'archived_at', 'is_active']
      const contracts = await ask('SELECT * FROM contracts WHERE is_active = 1 ORDER BY number')
      const without = contracts.map((row) =>
        Object.fromEntries(Object.entries(row).filter(([name]) => !columns.includes(name))),
      )
      assert.deepEqual(await ask('SELECT * FROM active_contracts ORDER BY number'), without)
      assert.deepEqual(
        await ask(`SELECT number, template FROM stakeholders WHERE party = '${ledger.alice}' ORDER BY number`),
        without.map(({ number, template }) => ({ number, template })),
      )
      const amounts = "SELECT payload ->> 'amount' AS amount FROM contracts WHERE is_active = 1 ORDER BY number"
      assert.equal(await run(amounts), 'amount\n-------------\n30.0000000000\n70.0000000000\n5.0000000000\n(3 rows)')
    })

    test('show exercises as the API does', async () => {
      const { ask, events, transaction } = story
      const exercises = events.filter(({ ExercisedEvent }: Json) => ExercisedEvent)
      assert.equal(exercises.length, 2)
      assert.deepEqual(
        await ask(`SELECT * FROM exercises WHERE update_offset = ${transaction.offset} ORDER BY node_id`),
        exercises.map(({ ExercisedEvent: event }: Json) => ({
          update_offset: transaction.offset,
          node_id: event.nodeId,
          contract_id: event.contractId,
          template: '#quickstart:Iou:Iou',
          template_id: event.templateId,
          package_name: 'quickstart',
          interface_id: event.interfaceId ?? null,
          choice: event.choice,
          argument: event.choiceArgument,
          result: event.exerciseResult ?? null,
          acting_parties: event.actingParties,
          is_consuming: 1,
          last_descendant_node_id: event.lastDescendantNodeId,
        })),
      )
    })

    test('show transactions as the API does', async () => {
      const { ask, ledger, served } = story
      assert.deepEqual(
        await ask('SELECT * FROM transactions ORDER BY update_offset'),
        served.map((one: Json, index: number) => ({
          ...{ update_offset: one.offset, ix: one.offset, offset: one.offset },
          ...{ update_id: one.updateId, transaction_id: one.updateId },
          command_id: one.commandId,
          workflow_id: one.workflowId,
          user_id: 'app',
          act_as: [ledger.alice, ledger.bank],
          effective_at: one.effectiveAt,
          record_time: one.recordTime,
          synchronizer: 'global',
          events: [2, 5][index],
        })),
      )
    })

    test('refuse what would change the ledger', async () => {
      const refused: [string, RegExp][] = [
        ['DELETE FROM updates', /the statement is refused: tallystick sql only reads/],
        ['DELETE FROM contracts', /only reads/],
        ['DROP VIEW contracts', /only reads/],
        ['UPDATE ledger SET ledger_end = 0', /only reads/],
        ['WITH gone AS (DELETE FROM updates RETURNING 1) SELECT * FROM gone', /only reads|syntax error/],
        ['CREATE TABLE mine (a BIGINT)', /only reads/],
        ['CREATE TEMP TABLE mine (a BIGINT)', /only reads/],
        ['INSERT INTO names VALUES (99, 99)', /only reads/],
        [' -- SELECT\nDELETE FROM updates', /only reads/],
        ['/* SELECT */ DROP TABLE updates', /only reads/],
        ['EXPLAIN ANALYZE DELETE FROM updates', /only reads|syntax error/],
        ['SELECT 1; DELETE FROM updates', /one statement at a time/],
        ['BEGIN', /only reads/],
        ['', /only reads|statement/],
        ['COMMIT', /only reads/],
        ["VACUUM INTO 'copy.sqlite'", /only reads/],
        ["ATTACH 'copy.sqlite' AS mine", /only reads/],
        ['PRAGMA journal_mode = DELETE', /only reads/],
        ['SELECT nothing FROM contracts', /the statement failed: .*nothing/],
      ]
      for (const [statement, message] of refused) await assert.rejects(story.ask(statement), message, statement)
    })
  })

  test(`the views on ${store} answer beside the node, and while no node is running`, async () => {
    await using story = await startStory(store)
    const { ask, ledger } = story
    await ledger.submit([ledger.createIou()])
    assert.equal((await ask('SELECT COUNT(*) AS n FROM contracts'))[0].n, 6)
    let alone: Json
    await ledger.node.restart(() => {
      alone = ask('SELECT COUNT(*) AS n FROM contracts')
    })
    assert.equal((await alone)[0].n, 6)
  })

  test(`the views on ${store} tell where contracts are, and what pruning left`, async () => {
    await using database = store === 'postgres' ? await createTestDatabase() : undefined
    const given = database === undefined ? {} : { postgresUrl: database.url }
    await using ledger = await startTestLedger({ store, ...given })
    const { ask } = askingAt(database === undefined ? ['--data', ledger.node.folder] : ['--postgres', database.url])
    const { contractId: archived } = await ledger.submit([ledger.createIou()])
    const { contractId: kept } = await ledger.submit([ledger.createIou()])
    const { contractId: moved } = await ledger.submit([ledger.createIou()])
    await ledger.submit([archiveIou(archived)])
    const { json } = await ledger.node.call('GET', '/v2/state/connected-synchronizers')
    const [source, target] = json.connectedSynchronizers.map(({ synchronizerId }: Json) => synchronizerId)
    const reassign = async (command: object) => {
      const body = { commandId: Object.keys(command)[0], submitter: ledger.alice, commands: [{ command }] }
      const path = '/v2/commands/submit-and-wait-for-reassignment'
      const answer = await ledger.post(path, {
        reassignmentCommands: body,
        eventFormat: { filtersForAnyParty: {} },
      })
      assert.equal(answer.status, 200, answer.text)
      return answer.json.reassignment.events[0]
    }
    const places = async () =>
      (await ask('SELECT contract_id, synchronizer FROM active_contracts ORDER BY number')).map(Object.values)
    const left = await reassign({ UnassignCommand: { value: { contractId: moved, source, target } } })
    assert.deepEqual(await places(), [
      [kept, 'global'],
      [moved, null],
    ])
    const { reassignmentId } = left.JsUnassignedEvent.value
    await reassign({ AssignCommand: { value: { reassignmentId, source, target } } })
    assert.deepEqual(await places(), [
      [kept, 'global'],
      [moved, 'private'],
    ])
    assert.equal((await ask('SELECT * FROM transactions')).length, 4) // Reassignments are none.

    const end = await ledger.end()
    const pruned = await ledger.node.call('POST', '/v2/pruning', { body: { pruneUpTo: end - 1 } })
    assert.equal(pruned.status, 200, pruned.text)
    while ((await ledger.node.call('GET', '/v2/pruning')).json.isRunning);
    assert.deepEqual(await ask('SELECT * FROM transactions UNION ALL SELECT * FROM transactions'), [])
    assert.deepEqual(await ask('SELECT * FROM exercises'), [])
    const rest = await ask('SELECT contract_id, is_active, created_at, archived_at FROM contracts ORDER BY number')
    assert.deepEqual(
      rest.map((row) => [row.contract_id, row.is_active, Date.parse(row.created_at) > 0, row.archived_at]),
      [kept, moved].map((id) => [id, 1, true, null]),
    )
  })
}

describe('lookups use the indexes of the ledger', () => {
  const id = `00${'ab'.repeat(68)}`
  // SQLite names the index; PostgreSQL is told not to scan small tables, and scans if it has no other way.
  const lookups: [where: string, sqlite: RegExp, postgres: RegExp | undefined][] = [
    [`contracts WHERE contract_id = '${id}'`, /SEARCH c USING INDEX contracts_by_id \(id_key=\?\)/, undefined],
    [`contracts x WHERE '${id}' = x.contract_id`, /SEARCH c USING INDEX contracts_by_id \(id_key=\?\)/, undefined],
    ['contracts WHERE number = 7', /SEARCH c USING INTEGER PRIMARY KEY/, /Index Scan using contracts_pkey/],
    ['contracts WHERE archived_offset > 7', /SEARCH a USING .*INDEX archives_by_offset/, /archives_by_offset/],
    [
      "active_contracts WHERE template = '#quickstart:Iou:Iou'",
      /SEARCH p USING PRIMARY KEY \(party=\? AND template=\?\)/,
      /Index.* Scan using active_contracts_pkey[\s\S]*party = 0\) AND \(template = n\.number/,
    ],
    [
      "stakeholders WHERE party = 'alice' AND template = '#quickstart:Iou:Iou'",
      /SEARCH p USING PRIMARY KEY \(party=\? AND template=\?\)/,
      /active_contracts_pkey/,
    ],
    ['transactions WHERE update_offset = 7', /SEARCH main.updates USING INTEGER PRIMARY KEY/, /updates_pkey/],
    ['exercises WHERE update_offset = 7', /SEARCH main.updates USING INTEGER PRIMARY KEY/, /updates_pkey/],
  ]

  for (const store of stores) {
    test(`on ${store}`, async () => {
      await using database = store === 'postgres' ? await createTestDatabase() : undefined
      const given = database === undefined ? {} : { postgresUrl: database.url }
      await using node = await startTestNode({ store, ...given })
      const unscanned = `${database?.url}?options=${encodeURIComponent('-c enable_seqscan=off -c enable_bitmapscan=off')}`
      const { run } = askingAt(database === undefined ? ['--data', node.folder] : ['--postgres', unscanned])
      for (const [where, sqlite, postgres] of lookups) {
        const wanted = store === 'postgres' ? postgres : sqlite
        if (wanted === undefined) continue
        const plan = await run(`EXPLAIN ${store === 'postgres' ? '' : 'QUERY PLAN '}SELECT * FROM ${where}`)
        assert.match(plan, wanted, where)
        if (store !== 'postgres') assert.doesNotMatch(plan, /SCAN (c|p|main.updates)\b/, where)
      }
    })
  }
})

describe('tallystick sql', () => {
  test('says why it cannot ask', async () => {
    const run = (...place: string[]) => call(['sql', 'SELECT 1', ...place])
    await assert.rejects(run('--data', '/nowhere'), /there is no ledger in \/nowhere/)
    await using empty = await createTestDatabase()
    await assert.rejects(run('--postgres', empty.url), /there is no ledger in this database/)
    await assert.rejects(run('--postgres', 'postgres://127.0.0.1:1/x'), /cannot reach the database/)
    using folder = temporaryFolder()
    for (const [kind, message] of [
      ['memory', /^Error: the node at http:\S+ keeps its ledger in memory, .*start it without --memory$/],
      ['postgres', /keeps its ledger in PostgreSQL; give its database with --postgres$/],
    ] as const) {
      using _record = leaveNodeRecord(folder.path, { url: 'http://127.0.0.1:1', pid: process.pid, store: kind })
      await assert.rejects(run('--data', folder.path), message)
    }
  })

  const numbers = (count: number) =>
    `WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${count})
      SELECT n, 'x' AS text FROM numbers`
  for (const store of stores) {
    test(`prints a large result of ${store} as it is read, as a table and as JSON`, async () => {
      await using database = store === 'postgres' ? await createTestDatabase() : undefined
      const given = database === undefined ? {} : { postgresUrl: database.url }
      await using node = await startTestNode({ store, ...given })
      const { run, ask } = askingAt(database === undefined ? ['--data', node.folder] : ['--postgres', database.url])
      const rows = await ask(numbers(3_000))
      assert.deepEqual([rows.length, rows.at(-1)], [3_000, { n: 3_000, text: 'x' }])
      assert.deepEqual(await ask('SELECT 1 AS one WHERE 1 = 0'), [])
      const table = (await run(numbers(2_000))).split('\n')
      assert.deepEqual(
        [table.length, table[2], table.at(-2), table.at(-1)],
        [2_003, '1    x', '2000  x', '(2000 rows)'],
      )
      let printed = 0
      const { promise: outputClosed, resolve: close } = Promise.withResolvers<void>()
      const onPrint = () => {
        printed += 1
        if (printed === 2) close() // As `| head` does.
      }
      await run(numbers(1_000_000), ['--json'], { outputClosed, onPrint })
      assert.ok(printed < 3_000, String(printed))
      const long = "SELECT replace('aaaaaaaaaa', 'a', '0123456789') AS text"
      assert.match(await run(long), /\n[0-9]{100}\n/)
      const narrow = (await run(long, [], { width: 40 })).split('\n')
      assert.ok(narrow.every((line) => line.length <= 40) && narrow[2]!.endsWith('…'), narrow.join('\n'))
    })
  }
})
