// Values whose type changed on disk, which in SQLite takes one bit of a row's header: a text that became a blob keeps
// its checksum. And a schema with a changed letter. All of it is reported as damage, never as a bug.
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { archiveIou, move, startTestLedger, type TestLedger } from '../fixtures/ledger.ts'

type Column = { readonly table: string; readonly name: string; readonly kind: string }

test('a value of another type is reported as damage, in every column', async () => {
  await using ledger = await startTestLedger({ store: 'sqlite' })
  const archived = await ledger.submit([ledger.createIou()])
  await ledger.submit([archiveIou(archived.contractId)])
  const { contractId } = await ledger.submit([ledger.createIou()])
  await move(ledger, (await ledger.submit([ledger.createIou()])).contractId, true)
  await move(ledger, (await ledger.submit([ledger.createIou()])).contractId, false)
  const offset = await ledger.end()
  using db = new DatabaseSync(join(ledger.node.folder, 'ledger.sqlite'))
  const bugs: string[] = []
  for (const { table, name, kind } of columnsOf(db)) {
    const [change, undo] = kind === 'blob' ? ['TEXT', 'BLOB'] : ['BLOB', kind]
    const where = `WHERE typeof(${name}) = '${kind.toLowerCase()}'`
    try {
      db.exec(`PRAGMA foreign_keys = OFF; UPDATE ${table} SET ${name} = CAST(${name} AS ${change}) ${where}`)
    } catch {
      continue // A rowid has no other type.
    }
    const back = kind === 'integer' ? `CAST(CAST(${name} AS TEXT) AS INTEGER)` : `CAST(${name} AS ${undo})`
    for (const [path, answer] of await askAll(ledger, contractId, offset)) {
      if (/internal error/.test(answer)) bugs.push(`${table}.${name}: ${path}`)
    }
    db.exec(`UPDATE ${table} SET ${name} = ${back} WHERE typeof(${name}) = '${change!.toLowerCase()}'`)
  }
  assert.deepEqual(bugs, [])
  await ledger.node.restart() // After the first damage nothing more is written.
  await ledger.submit([ledger.createIou()])
})

const letters: [table: string, from: string, to: string][] = [
  ['packages', 'is_upgradable', 'is_upfradable'],
  ['updates', 'meta', 'mete'],
  ['contracts', 'moved_to', 'moved_tn'],
  ['users', 'annotations', 'annotationr'],
  ['synchronizers', 'alias', 'alibs'],
  ['names', 'name ', 'nbme '],
  ['ledger', 'ledger_end', 'ledger_enf'],
  ['node', 'value', 'valud'],
]

for (const [table, from, to] of letters) {
  test(`a changed letter in the schema of ${table} is reported as damage`, async () => {
    await using ledger = await startTestLedger({ store: 'sqlite' })
    const { contractId } = await ledger.submit([ledger.createIou()])
    const offset = await ledger.end()
    const failure = await ledger.node
      .restart(() => {
        using db = new DatabaseSync(join(ledger.node.folder, 'ledger.sqlite'), { defensive: false })
        db.exec('PRAGMA writable_schema = ON')
        db.exec(`UPDATE sqlite_schema SET sql = replace(sql, '${from}', '${to}') WHERE name = '${table}'`)
      })
      .catch((error: Error) => error)
    if (failure instanceof Error) {
      assert.match(failure.message, /damaged|malformed/)
      return
    }
    const answers = await askAll(ledger, contractId, offset)
    assert.ok(answers.some(([, answer]) => /What is stored is damaged: /.test(answer)))
    for (const [path, answer] of answers) assert.doesNotMatch(answer, /internal error/, path)
  })
}

/** Columns of all tables with rows, with the type of their values. */
function columnsOf(db: DatabaseSync): Column[] {
  const tables = db.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all() as { name: string }[]
  return tables.flatMap(({ name: table }) => {
    const columns = db.prepare(`PRAGMA table_info(${table})`).all() as { name: string }[]
    return columns.flatMap(({ name }) => {
      const sql = `SELECT typeof(${name}) AS kind FROM ${table} WHERE ${name} IS NOT NULL LIMIT 1`
      const row = db.prepare(sql).get() as { kind: string } | undefined
      return row === undefined ? [] : [{ table, name, kind: row.kind }]
    })
  })
}

async function askAll(
  ledger: TestLedger,
  contractId: string,
  offset: number,
): Promise<[path: string, answer: string][]> {
  const eventFormat = { filtersForAnyParty: {} }
  const includeTransactions = { eventFormat, transactionShape: 'TRANSACTION_SHAPE_LEDGER_EFFECTS' }
  const updateFormat = { includeTransactions, includeReassignments: eventFormat }
  const requests: [path: string, body?: object][] = [
    ['/v2/updates?stream_idle_timeout_ms=10', { beginExclusive: 0, updateFormat }],
    ['/v2/updates/update-by-offset', { offset: 2, updateFormat }],
    ['/v2/state/active-contracts', { activeAtOffset: 1, eventFormat }],
    ['/v2/state/active-contracts', { activeAtOffset: offset, eventFormat }],
    ['/v2/commands/completions?stream_idle_timeout_ms=10', { userId: 'app', parties: [ledger.alice] }],
    ['/v2/events/events-by-contract-id', { contractId, eventFormat }],
    ['/v2/commands/submit-and-wait', ledger.commandsOf([archiveIou(contractId), { CreateCommand: {} }])],
    ['/v2/users'],
    ['/v2/parties'],
    [`/v2/state/connected-synchronizers?party=${ledger.alice}`],
    ['/v2/packages'],
    ['/v2/package-vetting'],
  ]
  const answers: [string, string][] = []
  for (const [path, body] of requests) {
    const given = { token: ledger.token, ...(body && { body }) }
    const { text } = await ledger.node.call(body === undefined ? 'GET' : 'POST', path, given)
    answers.push([path, text])
  }
  return answers
}
