// The functions of a query store that `tallystick sql` has over SQLite: two IOUs are created; then one is split, the other is
// archived, and a third is created.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { call } from '../fixtures/command.ts'
import { archiveIou, exercise, iouType, type Json, startTestLedger } from '../fixtures/ledger.ts'

async function tell() {
  const ledger = await startTestLedger({ store: 'sqlite' })
  const { contractId: split, transaction: first } = await ledger.submit([ledger.createIou(), ledger.createIou()])
  const { transaction: second } = await ledger.submit([
    exercise(iouType, split, 'Iou_Split', { amount: '30' }),
    ledger.createIou({ amount: '5' }),
    archiveIou(first.events[1].CreatedEvent.contractId),
  ])
  const run = async (sql: string, ...flags: string[]) =>
    (await call(['sql', sql, '--data', ledger.node.folder, ...flags])).output
  return { ledger, split, run, offsets: [first, second].map(({ offset }) => String(offset)) }
}

describe('the functions of a query store over SQLite', () => {
  let story: Awaited<ReturnType<typeof tell>>
  before(async () => {
    story = await tell()
  })
  after(() => story.ledger[Symbol.asyncDispose]())

  /** Rows as texts; @1 and @2 are the offsets of the two transactions, # is the contract that was split. */
  const rowsOf = async (sql: string): Promise<string[]> => {
    const [first, second] = story.offsets
    const filled = sql.replaceAll('@1', first!).replaceAll('@2', second!).replaceAll('#', `'${story.split}'`)
    return (JSON.parse(await story.run(filled, '--json')) as Json[]).map((row) => Object.values(row).join('|'))
  }
  const amounts = (source: string) => `SELECT CAST(payload ->> 'amount' AS INTEGER) FROM ${source} ORDER BY 1`

  const answers: readonly [sql: string, rows: readonly string[]][] = [
    [amounts("active('quickstart:Iou:Iou')"), ['5', '30', '70']],
    [amounts("active('Iou:Iou') c"), ['5', '30', '70']],
    [amounts("ACTIVE ( 'Iou' )"), ['5', '30', '70']],
    [amounts("active('Iou', @1)"), ['100', '100']],
    [amounts("active('Iou', latest_offset())"), ['5', '30', '70']],
    [amounts('active()'), ['5', '30', '70']],
    [amounts("active('IouProposal')"), []],
    [amounts("creates('Iou')"), ['5', '30', '70', '100', '100']],
    [amounts("creates('Iou', @2, @2)"), ['5', '30', '70']],
    [amounts("archives('Iou')"), ['100', '100']],
    [amounts("archives('Iou', @1, @1)"), []],
    [
      'SELECT template_fqn, payload_type, created_at_offset = @1, archived_at_ix = @2, package_name, package_version, divulged_only FROM lookup_contract(#)',
      ['quickstart:Iou:Iou|template|1|1|quickstart|1.0.0|0'],
    ],
    [
      "SELECT julianday(archived_effective_at) >= julianday(created_effective_at), creation_package_id = package_id FROM lookup_contract(#, 'Iou')",
      ['1|1'],
    ],
    [
      'SELECT template_fqn, choice_fqn, consuming, exercised_at_ix = @2 FROM exercises() ORDER BY choice',
      ['quickstart:Iou:Iou|quickstart:Iou:Iou:Archive|1|1', 'quickstart:Iou:Iou|quickstart:Iou:Iou:Iou_Split|1|1'],
    ],
    ["SELECT argument ->> 'amount', json_array_length(controllers) FROM exercises('Iou_Split')", ['30.0000000000|1']],
    ['SELECT choice FROM lookup_exercises(#)', ['Iou_Split']],
    ['SELECT * FROM summary_active()', ['quickstart:Iou:Iou|template|3']],
    ['SELECT * FROM summary_active(@1)', ['quickstart:Iou:Iou|template|2']],
    ['SELECT * FROM summary_creates(@2)', ['quickstart:Iou:Iou|template|3']],
    ['SELECT * FROM summary_archives()', ['quickstart:Iou:Iou|template|2']],
    ['SELECT choice, count FROM summary_exercises() ORDER BY 1', ['Archive|1', 'Iou_Split|1']],
    ['SELECT * FROM summary_transients(@2)', []],
    ['SELECT * FROM summary_updates()', ['quickstart:Iou:Iou|template|5|2']],
    ['SELECT latest_offset() >= @2, oldest_offset() = @1, pruned_offset()', ['1|1|']],
    ['SELECT "offset" = latest_offset(), ix = "offset" FROM latest_checkpoint()', ['1|1']],
    [
      "SELECT nearest_offset((SELECT substr(effective_at, 1, 23) || '000Z' FROM transactions WHERE update_offset = @1)) = @1",
      ['1'], // The same time with more digits.
    ],
    ["SELECT nearest_offset('9999-01-01') = @2, nearest_offset('2000-01-01T00:00:00Z')", ['1|']],
    [
      "SELECT count(*) FROM creates('Iou') c JOIN transactions t ON t.ix = c.created_at_ix AND t.transaction_id <> ''",
      ['5'],
    ],
    ["WITH active (n) AS (VALUES (1)) SELECT n, 'active(' AS text FROM active -- active(", ['1|active(']],
  ]
  for (const [sql, rows] of answers) {
    test(sql, async () => assert.deepEqual(await rowsOf(sql), rows))
  }

  const refusals: readonly [sql: string, message: RegExp][] = [
    ["SELECT * FROM active('Nothing')", /^Error: Identifier not found: Nothing$/],
    ["SELECT * FROM exercises('Archive')", /^Error: Ambiguous identifier: Archive$/],
    ["SELECT * FROM active('Holding')", /quickstart:Holding:Holding is an interface/],
    ['SELECT set_latest(1)', /set_latest is not for a ledger in SQLite: give the offset as an argument/],
    ["SELECT redact_contract('00', 'r')", /tallystick sql only reads/],
    ["SELECT witnesses FROM active('Iou')", /no such column: witnesses/],
    ["SELECT * FROM active('Iou'", /a \) is missing/],
  ]
  for (const [sql, message] of refusals) {
    test(`${sql} is refused`, () => assert.rejects(story.run(sql), message))
  }
})
