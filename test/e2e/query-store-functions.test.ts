// The SQL functions of a query store, one by one, over a short story: two IOUs are created, the first is split, the second
// is shown to somebody, and half of the first is redeemed through its interface.
import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import type pg from 'pg'
import { exercise, holdingType, iouType, startTestLedger, type TestLedger } from '../fixtures/ledger.ts'
import { createTestDatabase, type TestDatabase } from '../fixtures/postgres.ts'
import { fillStore, openSession } from '../fixtures/query-store.ts'

type Story = {
  readonly ledger: TestLedger
  /** Contract ids by what they are worth. */
  readonly ious: Readonly<Record<'100' | '200' | '30' | '70', string>>
  /** Of the four transactions. */
  readonly offsets: readonly number[]
}

async function tell(): Promise<Story> {
  const ledger = await startTestLedger()
  const created = await ledger.submit([ledger.createIou(), ledger.createIou({ amount: '200', currency: 'CHF' })], {
    workflowId: 'flow',
  })
  const [first, second] = created.transaction.events.map(
    ({ CreatedEvent: one }: { CreatedEvent: { contractId: string } }) => one.contractId,
  )
  const split = await ledger.submit([exercise(iouType, first, 'Iou_Split', { amount: '30' })])
  const [, thirty, seventy] = split.transaction.events
  const shown = await ledger.submit([exercise(iouType, second, 'Iou_Show', { viewers: [ledger.carol] })])
  const redeemed = await ledger.submit([exercise(holdingType, thirty.CreatedEvent.contractId, 'Holding_Redeem')])
  return {
    ledger,
    ious: { '100': first, '200': second, '30': thirty.CreatedEvent.contractId, '70': seventy.CreatedEvent.contractId },
    offsets: [created, split, shown, redeemed].map(({ transaction }) => transaction.offset),
  }
}

let story: Story
let database: TestDatabase
let session: pg.Client & AsyncDisposable
before(async () => {
  story = await tell()
})
after(() => story.ledger[Symbol.asyncDispose]())

const open = async () => {
  database = await createTestDatabase()
  await fillStore(story.ledger, database.url)
  session = await openSession(database.url)
}
const close = async () => {
  await session.end()
  await database[Symbol.asyncDispose]()
}

/** `@1` is the offset of the first transaction, `#100` the id of the contract worth 100. */
const filled = (sql: string) =>
  sql
    .replaceAll(/@(\d)/g, (_, index) => String(story.offsets[Number(index) - 1]))
    .replaceAll(/#(\d+)/g, (_, amount: keyof Story['ious']) => `'${story.ious[amount]}'`)

/** The rows as texts: values with a bar between them. */
async function ask(sql: string): Promise<string[]> {
  const { rows } = await session.query({ text: filled(sql), rowMode: 'array' })
  return rows.map((row: unknown[]) => row.map((value) => (value === null ? '' : plain(value))).join('|'))
}

function plain(value: unknown): string {
  if (value instanceof Date) return value.toISOString()
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

const amounts = (call: string, order = "created_at_ix, (payload->>'amount')::numeric") =>
  `SELECT trunc((payload->>'amount')::numeric)::text FROM ${call} ORDER BY ${order}`
const iou = 'quickstart:Iou:Iou'
const holding = 'quickstart:Holding:Holding'

const answers: readonly [sql: string, rows: readonly string[]][] = [
  // Contracts
  [amounts("active('Iou:Iou')"), ['200', '70']],
  [amounts("active('quickstart:Iou:Iou')"), ['200', '70']],
  [amounts("active('Iou')"), ['200', '70']],
  [amounts("active('Holding:Holding')"), ['200', '70']],
  [amounts("active('Iou:Iou', @1)"), ['100', '200']],
  [amounts("active('Iou:Iou', @2)"), ['200', '30', '70']],
  ['SELECT count(*) FROM active()', ['4']],
  ["SELECT count(*) FROM active('IouProposal')", ['0']],
  [amounts("creates('Iou')"), ['100', '200', '30', '70']],
  [amounts("creates('Iou', @2)"), ['30', '70']],
  [amounts("creates('Iou', @1, @1)"), ['100', '200']],
  [amounts("archives('Iou')"), ['100', '30']],
  [amounts("archives('Iou', @3, @4)"), ['30']],
  ["SELECT DISTINCT witnesses::text FROM archives('Iou')", ['{}']],
  [
    'SELECT template_fqn, payload_type FROM lookup_contract(#30) ORDER BY 2',
    [`${iou}|template`, `${holding}|interface`],
  ],
  ["SELECT payload_type FROM lookup_contract(#30, 'Holding:Holding')", ['interface']],
  ["SELECT count(*) FROM lookup_contract('none')", ['0']],
  ["SELECT life_ix::text FROM lookup_contract(#100, 'Iou')", ['[1,2)']],
  ["SELECT life_ix::text FROM lookup_contract(#200, 'Iou')", ['[1,)']],
  [
    "SELECT package_name, package_version, package_id = creation_package_id, divulged_only FROM lookup_contract(#70, 'Iou')",
    ['quickstart|1.0.0|true|false'],
  ],
  [
    'SELECT created_at_offset = @1, archived_at_offset = @2, (create_event_id)."offset" = @1 FROM lookup_contract(#100, \'Iou\')',
    ['true|true|true'],
  ],
  ["SELECT cardinality(stakeholders(c)), c.stakeholders = stakeholders(c) FROM active('Iou') c", ['2|true', '2|true']],
  // Exercises
  [
    'SELECT choice, consuming FROM exercises() ORDER BY exercised_at_ix',
    ['Iou_Split|true', 'Iou_Show|false', 'Holding_Redeem|true'],
  ],
  ["SELECT choice_fqn FROM exercises('quickstart:Holding:Holding:Holding_Redeem')", [`${holding}:Holding_Redeem`]],
  ["SELECT choice_fqn FROM exercises('Holding:Holding:Holding_Redeem')", [`${holding}:Holding_Redeem`]],
  ["SELECT choice_fqn FROM exercises('Iou:Iou_Split')", [`${iou}:Iou_Split`]],
  ["SELECT trunc((argument->>'amount')::numeric)::text, result ? 'split' FROM exercises('Iou_Split')", ['30|true']],
  ['SELECT choice FROM exercises(NULL, @3, @3)', ['Iou_Show']],
  [
    'SELECT choice, cardinality(signatories), cardinality(stakeholders(e)) FROM lookup_exercises(#30) e',
    ['Holding_Redeem|2|2'],
  ],
  ["SELECT count(*) FROM lookup_exercises(#30, 'Iou_Split')", ['0']],
  ["SELECT last_descendant_node_id > (exercise_event_id).node_id FROM exercises('Iou_Split')", ['true']],
  // Summaries
  ['SELECT * FROM summary_active() ORDER BY 2', [`${iou}|template|2`, `${holding}|interface|2`]],
  ['SELECT count FROM summary_active(@2) ORDER BY payload_type', ['3', '3']],
  ["SELECT count FROM summary_creates() WHERE payload_type = 'template'", ['4']],
  ["SELECT count FROM summary_creates(@2, @2) WHERE payload_type = 'template'", ['2']],
  ["SELECT count FROM summary_archives() WHERE payload_type = 'template'", ['2']],
  ["SELECT count FROM summary_transients() WHERE payload_type = 'template'", ['2']],
  ["SELECT count FROM summary_transients(@2, @4) WHERE payload_type = 'template'", ['1']],
  ["SELECT creates, archives FROM summary_updates() WHERE payload_type = 'template'", ['4|2']],
  ["SELECT creates, archives FROM summary_updates(@4, @4) WHERE payload_type = 'template'", ['0|1']],
  [
    'SELECT choice, consuming, count FROM summary_exercises() ORDER BY 1',
    ['Holding_Redeem|true|1', 'Iou_Show|false|1', 'Iou_Split|true|1'],
  ],
  // Offsets
  ['SELECT latest_offset() >= @4, oldest_offset() = @1, pruned_offset()', ['true|true|']],
  ['SELECT ix, "offset" = latest_offset() FROM latest_checkpoint()', ['4|true']],
  ['SELECT ix, "offset" = @1 FROM oldest_checkpoint()', ['1|true']],
  ['SELECT validate_offset_exists(@2) = @2, validate_offset_exists(NULL) IS NULL', ['true|true']],
  [
    "SELECT nearest_offset(now() + interval '1 day') = @4, nearest_offset('2000-01-01'::timestamptz) IS NULL",
    ['true|true'],
  ],
  ["SELECT nearest_offset(interval '-1 day') = @4, nearest_offset(interval '10 years') IS NULL", ['true|true']],
  ['SELECT nearest_offset(effective_at) = "offset" FROM transactions WHERE "offset" = @2', ['true']],
  // Transactions
  ['SELECT ix, "offset" = @1, workflow_id, external_transaction_hash FROM transactions WHERE ix = 1', ['1|true|flow|']],
  ['SELECT count(*), count(DISTINCT transaction_id), count(effective_at) FROM transactions', ['4|4|4']],
  [
    "SELECT count(*) FROM creates('Iou') c JOIN transactions t ON t.ix = c.created_at_ix AND t.effective_at = c.created_effective_at",
    ['4'],
  ],
  ['SELECT type, count(*) FROM __events GROUP BY 1 ORDER BY 1', ['create|4', 'archive|2', 'exercise|3']],
]

const refusals: readonly [sql: string, message: string | RegExp][] = [
  ["SELECT * FROM active('Nothing')", 'Identifier not found: Nothing'],
  ["SELECT * FROM exercises('Nothing')", 'Identifier not found: Nothing'],
  ["SELECT * FROM exercises('Archive')", 'Ambiguous identifier: Archive'],
  ["SELECT * FROM active('Iou', 999999)", /^Offset 999999 is after the latest known offset \d+$/],
  ["SELECT * FROM active('Iou', 0)", /^Offset 0 is before the oldest known offset \d+$/],
  ['SELECT set_latest(999999)', 'Illegal offset 999999 is beyond upper bounds of contiguous history'],
  ['SELECT set_oldest(0)', 'Illegal offset 0 is outside lower bounds of contiguous history'],
  ['SELECT validate_offset_exists(999999)', 'Illegal offset 999999 is beyond upper bounds of contiguous history'],
  ['SELECT prune_archived_to_offset(0)', 'Illegal pruning offset 0 is outside lower bounds of contiguous history'],
  [
    'SELECT prune_archived_to_offset(999999)',
    'Illegal pruning offset 999999 is beyond upper bounds of contiguous history',
  ],
  ['SELECT prune_archived_to_offset(@4)', /^Illegal pruning offset \d+ coincides with latest consistent checkpoint/],
  ['SELECT prune_to_offset(0)', 'Illegal pruning offset 0 is outside lower bounds of contiguous history'],
  ['SELECT reset_to_offset(0)', 'Illegal reset offset 0 is outside lower bounds of contiguous history'],
  ['SELECT validate_reset_offset(999999)', 'Illegal reset offset 999999 is beyond upper bounds of contiguous history'],
  ["SELECT redact_contract(#70, 'r')", /^Cannot redact contract \w+ because it is active$/],
  ["SELECT redact_contract('none', 'r')", 'Cannot find contract none'],
  ["SELECT redact_exercise((1,1)::event_id, 'r')", 'Cannot find exercise with event ID (1,1)'],
]

describe('reading', () => {
  before(open)
  after(close)

  for (const [sql, rows] of answers) {
    test(sql, async () => assert.deepEqual(await ask(sql), rows))
  }

  for (const [sql, message] of refusals) {
    test(`the query store refuses ${sql}`, () => assert.rejects(session.query(filled(sql)), { message }))
  }

  test('a session sees the ledger as of an offset of its choice', async () => {
    await using own = await openSession(database.url)
    const one = async (sql: string) => (await own.query({ text: filled(sql), rowMode: 'array' })).rows[0]![0]
    assert.equal(await one('SELECT set_latest(@2)'), story.offsets[1])
    assert.equal(await one('SELECT set_oldest(@2)'), story.offsets[1])
    assert.equal(await one("SELECT count(*) FROM active('Iou')"), 3)
    assert.equal(await one("SELECT count(*) FROM creates('Iou')"), 2)
    assert.equal(await one('SELECT count(*) FROM transactions'), 1)
    await assert.rejects(own.query(filled("SELECT * FROM active('Iou', @3)")), /is after the latest known offset/)
    assert.ok((await one('SELECT set_latest(NULL)')) >= story.offsets[3]!)
    assert.equal(await one('SELECT set_oldest(NULL)'), story.offsets[0])
    assert.equal(await one("SELECT count(*) FROM active('Iou')"), 2)
  })

  test('the composite types have the columns of the Participant Query Store, in its order', async () => {
    const columns = async (type: string) =>
      (
        await ask(
          `SELECT attname || ' ' || format_type(atttypid, atttypmod) FROM pg_attribute WHERE attrelid = '${type}'::regclass ORDER BY attnum`,
        )
      ).join(', ')
    assert.equal(
      await columns('contract'),
      'template_fqn text, payload_type __payload_type, create_event_pk bigint, create_event_id event_id, created_at_ix bigint, created_at_offset bigint, archive_event_pk bigint, archive_event_id event_id, archived_at_ix bigint, archived_at_offset bigint, life_ix int8range, contract_id text, payload jsonb, contract_key jsonb, metadata bytea, created_effective_at timestamp with time zone, archived_effective_at timestamp with time zone, redaction_id text, package_name text, package_version text, package_id text, signatories text[], observers text[], witnesses text[], divulged_only boolean, creation_package_id text, contract_key_hash bytea',
    )
    assert.equal(
      await columns('exercise'),
      'template_fqn text, choice_fqn text, choice text, consuming boolean, exercise_event_pk bigint, exercise_event_id event_id, exercised_at_ix bigint, exercised_at_offset bigint, contract_id text, argument jsonb, result jsonb, exercised_effective_at timestamp with time zone, redaction_id text, package_name text, package_version text, package_id text, signatories text[], observers text[], controllers text[], last_descendant_node_id integer, witnesses text[]',
    )
    const { fields } = await session.query('SELECT * FROM transactions LIMIT 0')
    assert.equal(
      fields.map(({ name }) => name).join(),
      'ix,offset,transaction_id,effective_at,workflow_id,trace_context,external_transaction_hash,paid_traffic_cost',
    )
  })

  test("a user's index answers a condition on the payload", async () => {
    await session.query("CALL create_index_for_contract('amount', 'Iou', '(payload->>''amount'')', 'btree')")
    await session.query("CALL create_index_for_contract('amount', 'Iou', '(payload->>''amount'')', 'btree')")
    await session.query('SET enable_seqscan = off')
    const plan = await ask("EXPLAIN SELECT contract_id FROM active('Iou') WHERE payload->>'amount' = '70.0000000000'")
    assert.match(plan.join('\n'), /__contracts_\d+_amount_idx/)
    assert.doesNotMatch(plan.join('\n'), /Function Scan/)
    assert.deepEqual(
      await ask(
        "SELECT print_create_index_for_contract('currency', 'Iou', '(payload->>''currency'')', 'hash') ~ '^create index concurrently if not exists __contracts_\\d+_currency_idx on __contracts_\\d+ using hash'",
      ),
      ['true'],
    )
  })
})

describe('looking after a store', () => {
  beforeEach(open)
  const cleanly = (name: string, body: () => Promise<void>) => test(name, () => body().finally(close))

  cleanly('pruning takes what was archived up to an offset, and says so before', async () => {
    const row = [`${story.offsets[2]}|2|1|3|0`]
    assert.deepEqual(await ask('SELECT * FROM prune_archived_to_offset_dry_run(@2)'), row)
    assert.deepEqual(await ask("SELECT count(*) FROM creates('Iou')"), ['4'])
    assert.deepEqual(await ask('SELECT * FROM prune_archived_to_offset(@2)'), row)
    assert.deepEqual(await ask('SELECT pruned_offset() = @2'), ['true'])
    assert.deepEqual(await ask(amounts("creates('Iou')")), ['200', '30', '70'])
    assert.deepEqual(await ask(amounts("active('Iou')")), ['200', '70'])
    assert.deepEqual(await ask('SELECT choice FROM exercises() ORDER BY exercised_at_ix'), [
      'Iou_Show',
      'Holding_Redeem',
    ])
    assert.deepEqual(await ask('SELECT * FROM prune_archived_to_offset(@1)'), ['|0|0|0|0'])
  })

  cleanly('the older pruning moves the creation of what is left', async () => {
    assert.deepEqual(await ask('SELECT * FROM validate_pruning_offset(@2)'), [
      `${story.offsets[1]}|${story.offsets[2]}|2`,
    ])
    assert.deepEqual(await ask('SELECT * FROM prune_to_offset(@2)'), [`${story.offsets[1]}|${story.offsets[2]}|2`])
    assert.deepEqual(await ask("SELECT DISTINCT created_at_offset = @3 FROM creates('Iou')"), ['true'])
    assert.deepEqual(await ask('SELECT oldest_offset() = @3'), ['true'])
    assert.deepEqual(await ask(amounts("active('Iou', @3)")), ['30', '70', '200'])
  })

  cleanly('a reset forgets what came later, and the follower brings it back', async () => {
    const before = await ask('SELECT * FROM active() ORDER BY create_event_id, payload_type')
    assert.deepEqual(await ask('SELECT * FROM validate_reset_offset(@2)'), [`${story.offsets[1]}|2`])
    assert.deepEqual(await ask('SELECT * FROM reset_to_offset(@2)'), [`${story.offsets[1]}|2`])
    assert.deepEqual(await ask('SELECT latest_offset() = @2'), ['true'])
    assert.deepEqual(await ask(amounts("active('Iou')")), ['200', '30', '70'])
    await fillStore(story.ledger, database.url)
    assert.deepEqual(await ask('SELECT * FROM active() ORDER BY create_event_id, payload_type'), before)
    assert.deepEqual(await ask('SELECT count(*) FROM exercises()'), ['3'])
  })

  cleanly('redaction takes payloads, arguments and results', async () => {
    assert.deepEqual(await ask("SELECT redact_contract(#30, 'gdpr')"), ['2'])
    assert.deepEqual(await ask('SELECT payload, redaction_id FROM lookup_contract(#30)'), ['|gdpr', '|gdpr'])
    await assert.rejects(
      session.query(filled("SELECT redact_contract(#30, 'again')")),
      /because it is already redacted/,
    )
    const redact = "SELECT redact_exercise(exercise_event_id, 'gdpr') FROM exercises('Iou_Split')"
    await session.query(redact)
    assert.deepEqual(await ask("SELECT argument, result, redaction_id FROM exercises('Iou_Split')"), ['||gdpr'])
    await assert.rejects(session.query(redact), /because it is already redacted/)
  })
})
