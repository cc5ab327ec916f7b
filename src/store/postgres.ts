// PostgreSQL, through node-postgres. Writers queue behind an advisory lock, as they do on SQLite.
import type pg from 'pg'
import { isStoreUnavailable, StartError } from '../base/errors.ts'
import type { Health } from '../base/health.ts'
import type { Log } from '../base/log.ts'
import { createQueue } from '../base/queue.ts'
import { type Database, overwriting, type Param, type Queries, type Row } from './database.ts'
import { type Connections, openConnections, type PostgresTimes, usualTimes } from './postgres-connections.ts'
import { asRefusal, reasonOf } from './postgres-errors.ts'
import { claimNodeLock, type NodeLock } from './postgres-node-lock.ts'

export type PostgresOptions = {
  readonly times?: PostgresTimes
  /** For one process alone: a node remembers what it read, and would not see what another writes. */
  readonly node?: {
    readonly health: Health
    /** Called once, when another node has taken over: nothing is written any more. */
    readonly onLost: (reason: string) => void
  }
}

const writerLock = 7_575_001 // Any number that other users of the database are unlikely to choose.
const untimed = 2 ** 31 - 1

// Names sort by their bytes, as on SQLite, whatever the database's own collation is.
const sortedText = `DO $$ BEGIN
  CREATE DOMAIN sorted_text AS text COLLATE "C";
EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL;
END $$`

export async function openPostgres(url: string, log: Log, options: PostgresOptions = {}): Promise<Database> {
  const { times = usualTimes, node } = options
  const connections = openConnections(url, log, times)
  let lock: NodeLock | undefined
  try {
    await connections.query(sortedText)
    if (node !== undefined) lock = await claimNodeLock({ connections, times, log, ...node }, placeOf(url), writerLock)
  } catch (error) {
    await connections[Symbol.asyncDispose]()
    if (error instanceof StartError) throw error
    throw new StartError(`cannot reach the database at ${placeOf(url)}: ${reasonOf(error)}`)
  }
  const alone = createQueue() // Writers that wait here leave the pool's connections to readers.
  const clients = new WeakMap<Queries, pg.PoolClient>()

  const transaction = <T>(body: (tx: Queries) => Promise<T>): Promise<T> =>
    alone(async () => {
      const client = await refusing(() => connections.take())
      const tx = queriesOver((sql, params) => client.query<Row>(sql, params))
      clients.set(tx, client)
      try {
        await refusing(() => begin(client, connections, lock))
        const result = await body(tx)
        const { command } = await refusing(() => client.query('COMMIT'))
        // PostgreSQL answers COMMIT with ROLLBACK when an earlier statement of the transaction failed.
        if (command !== 'COMMIT') throw new Error('the transaction could not be committed')
        client.release()
        return result
      } catch (error) {
        const isBroken = isStoreUnavailable(error) || !(await isRolledBack(client))
        if (isBroken) connections.giveUp(client) // The server rolls back by itself, or has committed.
        client.release(isBroken)
        throw error
      }
    })

  /** What writes is a transaction of its own, so that no other writer and no other node is beside it. */
  const single: QueryRunner = (sql, params) => {
    if (/^\s*(SELECT|WITH)\b/i.test(sql)) return connections.query<Row>(sql, params)
    return transaction(async (tx) => clients.get(tx)!.query<Row>(sql, params))
  }

  return {
    ...queriesOver(single),
    transaction,
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
    async [Symbol.asyncDispose]() {
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

/**
 * The writers' lock is held from the first statement to the end, also where the connection was lost meanwhile: who holds
 * it next finds the transaction written or not, and not still under way.
 */
async function begin(client: pg.PoolClient, connections: Connections, lock: NodeLock | undefined): Promise<void> {
  await connections.endGhosts(client)
  // In one message, each with a snapshot of its own: the epoch is read after the lock is held.
  const statements = ['BEGIN', `SELECT pg_advisory_xact_lock(${writerLock})`]
  if (lock !== undefined) statements.push(lock.epochQuery)
  const results = (await client.query(statements.join('; '))) as unknown as pg.QueryResult[]
  lock?.check(results.at(-1)!.rows[0]?.epoch)
}

async function isRolledBack(client: pg.PoolClient): Promise<boolean> {
  return client.query('ROLLBACK').then(
    () => true,
    () => false,
  )
}

/** Failures of the connection or the server, as opposed to those of a statement, are worth a retry by the client. */
async function refusing<T>(run: () => Promise<T>): Promise<T> {
  try {
    return await run()
  } catch (error) {
    throw asRefusal(error) ?? error
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

/** ($1, $2), ($3, $4), … with the types of the first row, which PostgreSQL cannot guess in a list of values. */
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

/** The place of a database without what opens it. */
function placeOf(url: string): string {
  if (!URL.canParse(url)) return 'the given URL'
  const { protocol, host, pathname } = new URL(url)
  return `${protocol}//${host}${pathname}`
}
