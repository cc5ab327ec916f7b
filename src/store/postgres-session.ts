// Asks a PostgreSQL ledger in SQL, beside a running node or without one: one statement at a time, in transactions that
// only read.
import pg from 'pg'
import { StartError } from '../base/errors.ts'
import { reasonOf } from './postgres-errors.ts'
import { checkSchema, readsOnly, type SqlSession } from './sql-session.ts'
import { type Dialect, viewsIn } from './sql-views.ts'

const dialectIn = (schema: string): Dialect => ({
  schema,
  line: (number) => `split_part(meta, E'\\n', ${number})`,
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
})

/** PostgreSQL's code for a write in a transaction that only reads. */
const readOnlyTransaction = '25006'

/** Values stay texts, except numbers: JSON keeps its digits. */
const types = {
  getTypeParser(oid: number) {
    const { INT2, INT4, INT8 } = pg.types.builtins
    if (([INT2, INT4, INT8] as number[]).includes(oid)) return BigInt
    return (text: string) => text
  },
} as pg.CustomTypesConfig

export async function openPostgresSession(url: string, connectTimeoutMs: number): Promise<SqlSession> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: connectTimeoutMs, types })
  client.on('error', () => undefined) // The statement under way fails with it.
  try {
    await client.connect()
  } catch (error) {
    throw new StartError(`cannot reach the database: ${reasonOf(error)}`)
  }
  try {
    const { rows } = await client.query(
      "SELECT to_regclass('schema_version') AS found, quote_ident(current_schema()) AS name",
    )
    if (rows[0].found === null) throw new StartError('there is no ledger in this database; start a node there first')
    checkSchema((await client.query('SELECT version FROM schema_version')).rows[0]?.version ?? 0n)
    for (const { name, select } of viewsIn(dialectIn(rows[0].name))) {
      await client.query(`CREATE TEMP VIEW ${name} AS ${select}`)
    }
    await client.query('SET SESSION CHARACTERISTICS AS TRANSACTION READ ONLY')
  } catch (error) {
    await client.end()
    throw error instanceof StartError ? error : new StartError(`cannot ask the database: ${reasonOf(error)}`)
  }
  return {
    async run(sql) {
      if (!/^[\s(]*(SELECT|WITH|VALUES|TABLE)\b/i.test(sql.replaceAll(/--.*$|\/\*[\s\S]*?\*\//gm, '')))
        throw readsOnly()
      try {
        // The extended protocol takes one statement.
        const query = { text: sql, rowMode: 'array', queryMode: 'extended' } as unknown as pg.QueryArrayConfig
        const { fields, rows } = await client.query(query)
        return { columns: fields.map(({ name }) => name), rows }
      } catch (error) {
        const { code, message } = error as pg.DatabaseError
        if (code === readOnlyTransaction) throw readsOnly()
        if (/multiple commands/.test(message)) throw new StartError('one statement at a time')
        throw new StartError(`the statement failed: ${message}`)
      }
    },
    [Symbol.asyncDispose]: () => client.end(),
  }
}
