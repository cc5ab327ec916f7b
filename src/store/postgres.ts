// PostgreSQL, through node-postgres. Writers queue behind an advisory lock, as they do on SQLite.
import type pg from 'pg'
import { StartError } from '../base/errors.ts'
import type { Health } from '../base/health.ts'
import type { Log } from '../base/log.ts'
import { parsePostgresUrl } from '../base/postgres-url.ts'
import { type Database, overwriting, type Param, type Queries, type Row } from './database.ts'
import { openConnections, type PostgresTimes, usualTimes } from './postgres-connections.ts'
import { reasonOf, refusing } from './postgres-errors.ts'
import { claimNodeLock, type NodeLock } from './postgres-node-lock.ts'
import { createTransactions, writerLock } from './postgres-transactions.ts'

export type PostgresOptions = {
  readonly times?: PostgresTimes
  /** Only reads, also a standby; is not connected before it is asked. */
  readonly isReplica?: boolean
  /** For exclusive use: a node caches what it read, and would not see another's writes. */
  readonly node?: {
    readonly health: Health
    /** Called once, when another node has taken over: nothing more is written. */
    readonly onLost: (reason: string) => void
  }
}

const untimed = 2 ** 31 - 1
/** Statements that need no transaction, or must not be in one. */
const noTransaction = /^\s*(SELECT|WITH|VACUUM)\b/i

// Names sort by bytes, as on SQLite, whatever the database's collation is.
const sortedText = `DO $$ BEGIN
  CREATE DOMAIN sorted_text AS text COLLATE "C";
EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL;
END $$`

export async function openPostgres(url: string, log: Log, options: PostgresOptions = {}): Promise<Database> {
  const { times = usualTimes, isReplica = false, node } = options
  const address = parsePostgresUrl(url, isReplica)
  const { place } = address
  const connections = openConnections(address, log, times)
  let lock: NodeLock | undefined
  try {
    if (!isReplica) await connections.query(sortedText)
    if (node !== undefined) lock = await claimNodeLock({ connections, times, log, ...node }, place, writerLock)
  } catch (error) {
    await connections[Symbol.asyncDispose]()
    if (error instanceof StartError) throw error
    throw new StartError(`cannot reach the database at ${place}: ${reasonOf(error)}`)
  }
  const transactions = createTransactions({ connections, lock })
  const clients = new WeakMap<Queries, pg.ClientBase>()

  const transaction = <T>(body: (tx: Queries) => Promise<T>): Promise<T> =>
    transactions.run((client) => {
      const tx = queriesOver((sql, params) => client.query<Row>(sql, params))
      clients.set(tx, client)
      return body(tx)
    })

  /** A write runs in its own transaction, so that it excludes other writers and other nodes. */
  const single: QueryRunner = (sql, params) => {
    if (noTransaction.test(sql)) return connections.query<Row>(sql, params)
    return transactions.run((client) => refusing(() => client.query<Row>(sql, params)))
  }

  const queries = queriesOver(single)
  return {
    ...queries,
    transaction,
    measures: {
      async sizeBytes() {
        const [row] = await queries.query('SELECT pg_database_size(current_database()) AS bytes')
        return Number(row!.bytes)
      },
    },
    async script(tx, sql) {
      const client = clients.get(tx)!
      await refusing(() => client.query('SET LOCAL statement_timeout = 0'))
      await refusing(() => client.query({ text: sql, query_timeout: untimed } as pg.QueryConfig))
    },
    async reclaim() {
      await refusing(async () => {
        const client = await connections.open()
        try {
          await client.query('SET statement_timeout = 0')
          await client.query({ text: 'VACUUM', query_timeout: untimed } as pg.QueryConfig)
        } finally {
          void client.end().catch(() => undefined)
        }
      })
    },
    giveUp: () => transactions.abort(),
    async [Symbol.asyncDispose]() {
      transactions.giveUp()
      lock?.[Symbol.dispose]()
      await connections[Symbol.asyncDispose]()
    },
  }
}

type QueryRunner = (sql: string, params: Param[]) => Promise<pg.QueryResult<Row>>

function queriesOver(run: QueryRunner): Queries {
  const query: Queries['query'] = async (sql, ...params) => (await refusing(() => run(sql, params))).rows
  return {
    query,
    async insert(table, columns, rows, key) {
      const into = `INSERT INTO ${table} (${columns.join(', ')})`
      for (const some of inStatements(rows)) {
        await query(`${into} VALUES ${placeholders(some)}${overwriting(columns, key)}`, ...some.flat())
      }
    },
    async delete(table, columns, rows) {
      for (const some of inStatements(rows)) {
        const list = `(VALUES ${placeholders(some)})`
        await query(`DELETE FROM ${table} WHERE (${columns.join(', ')}) IN ${list}`, ...some.flat())
      }
    },
  }
}

/** The protocol counts parameters in 16 bits. */
const paramsMax = 60_000

function inStatements(rows: readonly (readonly Param[])[]): (readonly Param[])[][] {
  const perStatement = Math.max(1, Math.floor(paramsMax / (rows[0]?.length ?? 1)))
  const statements: (readonly Param[])[][] = []
  for (let from = 0; from < rows.length; from += perStatement) statements.push(rows.slice(from, from + perStatement))
  return statements
}

/** ($1, $2), ($3, $4), … with casts in the first row, because PostgreSQL cannot infer types in a list of values. */
function placeholders(rows: readonly (readonly Param[])[]): string {
  let number = 0
  const tuple = (row: readonly Param[]) => `(${row.map((param) => `$${++number}${castOf(param)}`).join(', ')})`
  return rows.map(tuple).join(', ')
}

function castOf(param: Param): string {
  if (typeof param === 'bigint') return '::bigint'
  if (param === null) return ''
  return typeof param === 'string' ? '::text' : '::bytea'
}
