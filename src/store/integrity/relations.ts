// Checks that tables fit together: offsets without gaps, and indexes that hold exactly what they must.
import { acceptedCondition, withoutCompletion } from '../../events/sql/decoding.ts'
import { isWhole } from '../core/checksum.ts'
import type { Param, Queries, Row } from '../core/database.ts'
import { scanRows } from '../core/row-scan.ts'
import { stateChecksum } from '../records/ledger-state.ts'
import { columns as pastColumns, pastFromRow, pastRows } from '../records/past-contracts.ts'
import { attempt, type IntegrityParts } from './parts.ts'

/** Problems listed of each kind. */
const namedMax = 100

/** `sql` selects the keys of broken rows; $1 is the ledger end, $2 the pruning offset. */
type Relation = { readonly problem: (key: Param) => string; readonly sql: string }

/** Every offset has a completion, or an update that no command of this participant caused. */
const isEmpty = (offset: string) => `NOT EXISTS (SELECT 1 FROM completions d WHERE d.completion_offset = ${offset})
      AND NOT EXISTS (SELECT 1 FROM updates t WHERE t.update_offset = ${offset} AND ${withoutCompletion('t.meta')})`

const relations: readonly Relation[] = [
  {
    problem: nothingAt,
    sql: `SELECT c.completion_offset + 1 AS key FROM completions c WHERE c.completion_offset >= $2 AND c.completion_offset < $1
      AND ${isEmpty('c.completion_offset + 1')}`,
  },
  {
    problem: nothingAt,
    sql: `SELECT u.update_offset + 1 AS key FROM updates u WHERE u.update_offset >= $2 AND u.update_offset < $1
      AND ${withoutCompletion('u.meta')} AND ${isEmpty('u.update_offset + 1')}`,
  },
  {
    problem: nothingAt,
    sql: `SELECT CAST($2 AS BIGINT) + 1 AS key WHERE CAST($2 AS BIGINT) < CAST($1 AS BIGINT)
      AND ${isEmpty('CAST($2 AS BIGINT) + 1')}`,
  },
  {
    problem: (offset) => `the completion at offset ${offset} is after the end of the ledger`,
    sql: 'SELECT completion_offset AS key FROM completions WHERE completion_offset > $1 AND $2 >= 0',
  },
  {
    problem: (offset) => `the update at offset ${offset} is after the end of the ledger`,
    sql: 'SELECT update_offset AS key FROM updates WHERE update_offset > $1 AND $2 >= 0',
  },
  {
    problem: (offset) => `the update at offset ${offset} has no completion`,
    sql: `SELECT u.update_offset AS key FROM updates u WHERE u.update_offset > $2 AND $1 >= 0 AND NOT ${withoutCompletion('u.meta')}
      AND NOT EXISTS (SELECT 1 FROM completions c WHERE c.completion_offset = u.update_offset)`,
  },
  {
    problem: (offset) => `the update at offset ${offset} is missing, and a completion says that it was accepted`,
    sql: `SELECT c.completion_offset AS key FROM completions c WHERE c.completion_offset > $2 AND $1 >= 0
      AND ${acceptedCondition('c.head', 'c.tail')}
      AND NOT EXISTS (SELECT 1 FROM updates u WHERE u.update_offset = c.completion_offset)`,
  },
  {
    problem: (number) => `the contract with number ${number} is archived at an offset that has no update`,
    sql: `SELECT a.contract AS key FROM archives a WHERE a.archived_offset > $2 AND $1 >= 0
      AND NOT EXISTS (SELECT 1 FROM updates u WHERE u.update_offset = a.archived_offset)`,
  },
  {
    problem: (number) => `the contract with number ${number} was archived, and is not there`,
    sql: `SELECT a.contract AS key FROM archives a WHERE $1 >= 0 AND $2 >= 0
      AND NOT EXISTS (SELECT 1 FROM contracts c WHERE c.number = a.contract)`,
  },
  {
    problem: (number) => `the contract with number ${number} was created at an offset that has no update`,
    sql: `SELECT c.number AS key FROM contracts c WHERE c.created_offset > $2 AND $1 >= 0
      AND NOT EXISTS (SELECT 1 FROM updates u WHERE u.update_offset = c.created_offset)`,
  },
  {
    problem: (number) => `the contract with number ${number} has a template that has no name`,
    sql: `SELECT c.number AS key FROM contracts c WHERE $1 >= 0 AND $2 >= 0
      AND NOT EXISTS (SELECT 1 FROM names n WHERE n.number = c.template)`,
  },
  {
    problem: (number) => `a move of the contract with number ${number} belongs to no reassignment`,
    sql: `SELECT m.contract AS key FROM contract_moves m WHERE $1 >= 0 AND $2 >= 0
      AND NOT EXISTS (SELECT 1 FROM reassignments r WHERE r.unassigned_offset = m.unassigned_offset)`,
  },
  {
    problem: (number) => `the last move of the contract with number ${number} is missing`,
    sql: `SELECT c.number AS key FROM contracts c WHERE c.counter > 0 AND $1 >= 0 AND $2 >= 0
      AND NOT EXISTS (SELECT 1 FROM contract_moves m WHERE m.contract = c.number AND m.counter = c.counter)`,
  },
]

function nothingAt(offset: Param): string {
  return `the completion at offset ${offset} is missing, or the allocation of a party`
}

export async function checkRelations(parts: IntegrityParts): Promise<void> {
  const { queries, problem } = parts
  await attempt("the ledger's state", problem, async () => {
    const state = await stateOf(parts)
    if (state === undefined) return
    for (const { sql, problem: named } of relations) {
      await attempt('a relation', problem, async () => {
        const rows = await queries.query(`${sql} LIMIT ${namedMax}`, state.end, state.prunedUpTo)
        for (const { key } of rows) problem(named(key!))
      })
    }
    await attempt('the index of active contracts', problem, () => checkContractIndexes(parts))
    await attempt('the index of updates by party', problem, () => checkUpdateIndex(parts, state.prunedUpTo))
  })
}

async function stateOf({ queries, problem }: IntegrityParts): Promise<{ end: bigint; prunedUpTo: bigint } | undefined> {
  const rows = await queries.query(
    `SELECT ledger_end, last_contract, last_name, published_at, pruned_up_to, forgotten_up_to, forgotten_at, checksum
      FROM ledger`,
  )
  const [row] = rows
  if (rows.length !== 1 || row === undefined) {
    problem(`the ledger's state has ${rows.length} rows`)
    return undefined
  }
  const { checksum, ...facts } = row
  if (!isWhole(checksum, () => stateChecksum(Object.values(facts)))) {
    problem("the ledger's state is not what was written")
  }
  const [highest] = await queries.query(
    `SELECT (SELECT max(number) FROM contracts) AS contract, (SELECT max(number) FROM names) AS name,
      (SELECT count(*) FROM names) AS names`,
  )
  if (((highest?.contract ?? 0n) as bigint) > (row.last_contract as bigint)) {
    problem('there are contracts with higher numbers than the last')
  }
  if (highest?.names !== row.last_name || (highest?.name ?? 0n) !== row.last_name) problem('names are missing')
  return { end: row.ledger_end as bigint, prunedUpTo: row.pruned_up_to as bigint }
}

/** They hold every contract that they must, and no other. */
async function checkContractIndexes({ queries, problem, progress }: IntegrityParts): Promise<void> {
  const table = {
    name: 'contracts',
    key: 'number',
    before: -1n,
    large: [],
    select: 't.number, t.template, t.stakeholders, t.created_offset, t.key_hash, t.synchronizer, t.moved_to',
    join: 'LEFT JOIN archives a ON a.contract = t.number',
  }
  let active = 0
  let keys = 0
  let past = 0
  for await (const rows of scanRows(queries, { ...table, select: `${table.select}, a.archived_offset` })) {
    const expected: bigint[][] = []
    const withKey: Param[][] = []
    for (const row of rows.filter(({ archived_offset }) => archived_offset === null)) {
      const number = row.number as bigint
      for (const party of ['0', ...String(row.stakeholders).split(',').filter(Boolean)]) {
        expected.push([BigInt(party), row.template as bigint, number])
      }
      if (row.key_hash !== null && row.moved_to !== 0n) withKey.push([row.key_hash!, number])
    }
    for (const [party, , number] of await missingOf(
      queries,
      'active_contracts',
      ['party', 'template', 'contract'],
      expected,
    )) {
      problem(`the contract with number ${number} is missing in the active contracts of party number ${party}`)
    }
    for (const [, number] of await missingOf(queries, 'contract_keys', ['key_hash', 'contract'], withKey)) {
      problem(`the contract with number ${number} is not found by its key`)
    }
    const once = rows
      .filter(({ archived_offset }) => archived_offset !== null)
      .map(pastFromRow)
      .flatMap(pastRows)
    for (const row of await missingOf(queries, 'past_contracts', pastColumns, once)) {
      problem(`the contract with number ${row.at(-1)} is missing in the past contracts of party number ${row[0]}`)
    }
    active += expected.length
    past += once.length
    keys += withKey.length
    progress('active_contracts', active, false)
  }
  progress('active_contracts', active, true)
  await compareCount(queries, 'active_contracts', active, problem)
  await compareCount(queries, 'contract_keys', keys, problem)
  await compareCount(queries, 'past_contracts', past, problem)
}

async function checkUpdateIndex({ queries, meaning, problem, progress }: IntegrityParts, after: bigint): Promise<void> {
  const table = { name: 'updates', key: 'update_offset', before: after, large: ['meta'] }
  let count = 0
  for await (const rows of scanRows(queries, { ...table, select: 't.update_offset, t.meta' })) {
    const seenBy = rows.map((row) => ({ offset: row.update_offset as bigint, parties: partiesOf(row, meaning) }))
    const numbers = await numbersOf(queries, [...new Set(seenBy.flatMap(({ parties }) => parties))])
    const expected = seenBy.flatMap(({ offset, parties }) =>
      parties.map((party) => [numbers.get(party) ?? -1n, offset]),
    )
    for (const [party, offset] of await missingOf(queries, 'update_parties', ['party', 'update_offset'], expected)) {
      problem(`the update at offset ${offset} is missing in the updates of party number ${party}`)
    }
    count += expected.length
    progress('update_parties', count, false)
  }
  progress('update_parties', count, true)
  const [row] = await queries.query('SELECT count(*) AS count FROM update_parties WHERE update_offset > $1', after)
  if (row?.count !== BigInt(count)) problem(`update_parties has ${row?.count} rows instead of ${count}`)
}

/** An unreadable update has been reported already. */
function partiesOf(row: Row, meaning: IntegrityParts['meaning']): readonly string[] {
  try {
    return meaning.readUpdate(row.meta as string).parties
  } catch {
    return []
  }
}

async function numbersOf({ query }: Queries, names: readonly string[]): Promise<Map<string, bigint>> {
  const numbers = new Map<string, bigint>()
  for (const name of names) {
    const [row] = await query('SELECT number FROM names WHERE name = $1', name)
    if (row !== undefined) numbers.set(name, row.number as bigint)
  }
  return numbers
}

/** Rows per statement; the last one is repeated to fill up, so that the statement is always the same. */
const perQuery = 100

async function missingOf<T extends Param>(
  { query }: Queries,
  table: string,
  columns: readonly string[],
  expected: readonly (readonly T[])[],
): Promise<(readonly T[])[]> {
  const missing: (readonly T[])[] = []
  const list = columns.join(', ')
  for (let from = 0; from < expected.length; from += perQuery) {
    const some = expected.slice(from, from + perQuery)
    const full = Array.from({ length: perQuery }, (_, index) => some[index] ?? some.at(-1)!)
    let number = 0
    const tuple = (row: readonly T[]) => `(${row.map((value) => `CAST($${++number} AS ${typeOf(value)})`).join(', ')})`
    const values = full.map(tuple).join(', ')
    const rows = await query(`SELECT ${list} FROM ${table} WHERE (${list}) IN (VALUES ${values})`, ...full.flat())
    const found = new Set(rows.map((row) => columns.map((column) => row[column]).join(' ')))
    missing.push(...some.filter((row) => !found.has(row.join(' '))))
  }
  return missing
}

function typeOf(value: Param): string {
  return typeof value === 'bigint' ? 'BIGINT' : 'TEXT'
}

async function compareCount(
  { query }: Queries,
  table: string,
  expected: number,
  problem: IntegrityParts['problem'],
): Promise<void> {
  const [row] = await query(`SELECT count(*) AS count FROM ${table}`)
  if (row?.count !== BigInt(expected)) problem(`${table} has ${row?.count} rows instead of ${expected}`)
}
