// Asks a PostgreSQL ledger in SQL, beside a running node or without one: one statement at a time, in transactions that
// only read.
import pg from 'pg'
import { StartError } from '../../base/errors.ts'
import { parsePostgresUrl, type ServerRole } from '../../base/postgres-url.ts'
import type { Dialect } from '../../events/sql/decoding.ts'
import { reasonOf } from '../postgres/errors.ts'
import { connectClient } from '../postgres/hosts.ts'
import {
  bytesAtOnce,
  type ChooseTables,
  checkSchema,
  readsOnly,
  rowsAtOnce,
  type SqlResult,
  type SqlSession,
  sizeOf,
} from './session.ts'
import { viewsIn } from './views.ts'

const dialect: Dialect = {
  line: (text, number) => `split_part(${text}, E'\\n', ${number})`,
  part: (bytes, start, length) =>
    `convert_from(substring(${bytes} FROM (${start})::int + 1 FOR (${length})::int), 'UTF8')`,
  json: (text) => `(${text})::json`,
  numberAt: (list, index) => `(${list} ->> (${index})::int)::bigint`,
  elements: (list) => `json_array_elements(${list}) WITH ORDINALITY AS element (value, place)`,
  place: 'element.place',
  listOf: (subquery) => `(SELECT COALESCE(json_agg(item ORDER BY place), '[]') FROM (${subquery}) items)`,
  text: (value) => `(${value} #>> '{}')`,
  isNumber: (value) => `json_typeof(${value}) = 'number'`,
  memberAt: (list, index) => `(${list} ->> (${index})::int)`,
  int: 'bigint',
  trueTexts: "'true'",
}

/** PostgreSQL's code for a write in a transaction that only reads. */
const readOnlyTransaction = '25006'
/** Fetched before it is known how large rows are. */
const rowsAtFirst = 20

/** Values stay texts, except numbers: JSON keeps its digits. */
const types = {
  getTypeParser(oid: number) {
    const { INT2, INT4, INT8 } = pg.types.builtins
    if (([INT2, INT4, INT8] as number[]).includes(oid)) return BigInt
    return (text: string) => text
  },
} as pg.CustomTypesConfig

export async function openPostgresSession(
  url: string,
  connectTimeoutMs: number,
  choose: ChooseTables,
): Promise<SqlSession> {
  const { hosts, role } = parsePostgresUrl(url)
  const client = await connectFirst(
    hosts.map((host) => ({ connectionString: host.url, connectionTimeoutMillis: connectTimeoutMs, types })),
    role,
  )
  try {
    const { rows } = await client.query(
      "SELECT to_regclass('schema_version') AS found, quote_ident(current_schema()) AS name",
    )
    if (rows[0].found === null) throw new StartError('there is no ledger in this database; start a node there first')
    checkSchema((await client.query('SELECT version FROM schema_version')).rows[0]?.version ?? 0n)
    const fact = async (name: string) => {
      const found = await client.query("SELECT convert_from(value, 'UTF8') AS text FROM node WHERE name = $1", [name])
      return found.rows.length === 0 ? undefined : Buffer.from(found.rows[0].text)
    }
    const tables = await choose(fact)
    for (const { name, select } of viewsIn(rows[0].name, tables, dialect)) {
      await client.query(`CREATE TEMP VIEW ${name} AS ${select}`)
    }
    await client.query('SET SESSION CHARACTERISTICS AS TRANSACTION READ ONLY')
  } catch (error) {
    await client.end()
    throw error instanceof StartError ? error : new StartError(`cannot ask the database: ${reasonOf(error)}`)
  }
  return {
    async run(sql) {
      const kind = /^[\s(]*(SELECT|WITH|VALUES|TABLE|EXPLAIN)\b/i.exec(withoutComments(sql))?.[1]
      if (kind === undefined) throw readsOnly()
      return /EXPLAIN/i.test(kind) ? explain(client, sql) : readByCursor(client, sql)
    },
    [Symbol.asyncDispose]: () => client.end(),
  }
}

async function connectFirst(hosts: readonly pg.ClientConfig[], role: ServerRole): Promise<pg.Client> {
  let failure: unknown
  for (const host of hosts) {
    try {
      return await connectClient(host, role)
    } catch (error) {
      failure ??= error
    }
  }
  throw new StartError(`cannot reach the database: ${reasonOf(failure)}`)
}

function withoutComments(sql: string): string {
  return sql.replaceAll(/--.*$|\/\*[\s\S]*?\*\//gm, '')
}

/** The extended protocol takes one statement. */
async function one(client: pg.Client, text: string): Promise<pg.QueryArrayResult<unknown[]>> {
  const query = { text, rowMode: 'array', queryMode: 'extended' } as unknown as pg.QueryArrayConfig
  try {
    return await client.query<unknown[]>(query)
  } catch (error) {
    throw told(error)
  }
}

async function explain(client: pg.Client, sql: string): Promise<SqlResult> {
  const { fields, rows } = await one(client, sql)
  return { columns: fields.map(({ name }) => name), rows: inBatches([rows]) }
}

async function* inBatches<T>(batches: readonly T[]): AsyncIterable<T> {
  yield* batches
}

/** A cursor, because the driver would hold the whole result. */
async function readByCursor(client: pg.Client, sql: string): Promise<SqlResult> {
  await client.query('ROLLBACK') // The last one was perhaps not read to its end.
  await client.query('BEGIN')
  await one(client, `DECLARE asked NO SCROLL CURSOR FOR ${sql}`)
  const next = (count: number) => one(client, `FETCH ${count} FROM asked`)
  const first = await next(rowsAtFirst)

  async function* batches(): AsyncIterable<readonly (readonly unknown[])[]> {
    let { rows } = first
    while (rows.length > 0) {
      yield rows
      const rowBytes = rows.reduce((sum, row) => sum + sizeOf(row), 1) / rows.length
      rows = (await next(Math.max(1, Math.min(rowsAtOnce, Math.floor(bytesAtOnce / rowBytes))))).rows
    }
  }
  return { columns: first.fields.map(({ name }) => name), rows: batches() }
}

function told(error: unknown): StartError {
  const { code, message } = error as pg.DatabaseError
  if (code === readOnlyTransaction || /data-modifying/.test(message)) return readsOnly()
  if (/multiple commands/.test(message)) return new StartError('one statement at a time')
  return new StartError(`the statement failed: ${message}`)
}
