// PostgreSQL, through node-postgres. Writers queue behind an advisory lock, as they do on SQLite.
import pg from 'pg'
import { wallClock } from '../base/clock.ts'
import { LedgerError, StartError } from '../base/errors.ts'
import type { Log } from '../base/log.ts'
import { createQueue } from '../base/queue.ts'
import { commitOrRollBack, type Database, overwriting, type Param, type Queries, type Row } from './database.ts'

const writerLock = 7_575_001 // Any number that other users of the database are unlikely to choose.
const nodeLock = 7_575_002
const claimAttempts = 10
const claimPauseMs = 100
const connectTimeoutMs = 5_000
const statementTimeoutMs = 20_000
const closeTimeoutMs = 500

// Names sort by their bytes, as on SQLite, whatever the database's own collation is.
const sortedText = `DO $$ BEGIN
  CREATE DOMAIN sorted_text AS text COLLATE "C";
EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL;
END $$`

// All integers are bigint, as setReadBigInts makes them on SQLite.
const types = {
  getTypeParser(oid: number, format?: 'text' | 'binary') {
    const integers: number[] = [pg.types.builtins.INT2, pg.types.builtins.INT4, pg.types.builtins.INT8]
    return integers.includes(oid) ? BigInt : pg.types.getTypeParser(oid, format as 'text')
  },
} as pg.CustomTypesConfig

/** With `isNode` for one process alone: a node remembers what it read, and would not see what another writes. */
export async function openPostgres(url: string, log: Log, isNode = false): Promise<Database> {
  const pool = new pg.Pool({
    connectionString: url,
    types,
    connectionTimeoutMillis: connectTimeoutMs,
    statement_timeout: statementTimeoutMs,
  })
  let claimed: pg.PoolClient | undefined
  const alone = createQueue() // Writers that wait here leave the pool's connections to readers.
  // An idle connection that breaks is replaced at the next query; without a listener it would end the process.
  pool.on('error', (error) => log.warn({ reason: error.message }, 'a database connection broke'))
  try {
    const client = await pool.connect()
    await client.query(sortedText)
    if (isNode) {
      await claim(client, url)
      claimed = client // The connection holds the lock.
    } else client.release()
  } catch (error) {
    await endWithin(pool)
    if (error instanceof StartError) throw error
    throw new StartError(`cannot reach the database at ${placeOf(url)}: ${reasonOf(error)}`)
  }
  const over = (client: pg.Pool | pg.PoolClient): Queries => {
    const query: Queries['query'] = (sql, ...params) =>
      transient(async () => {
        const { rows, command } = await client.query<Row>(sql, params)
        // PostgreSQL answers COMMIT with ROLLBACK when an earlier statement of the transaction failed.
        if (sql === 'COMMIT' && command !== 'COMMIT') throw new Error('the transaction could not be committed')
        return rows
      })
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
  return {
    ...over(pool),
    transaction: (body) =>
      alone(async () => {
        const client = await transient(() => pool.connect())
        let isBroken = false
        const onError = () => {
          isBroken = true // The statement under way fails with it; unheard, the event would end the process.
        }
        client.on('error', onError)
        const tx = over(client)
        try {
          return await commitOrRollBack(tx, async () => {
            await tx.query(`SELECT pg_advisory_xact_lock(${writerLock})`)
            return body(tx)
          })
        } catch (error) {
          isBroken ||= error instanceof LedgerError && error.code === transientCode
          throw error
        } finally {
          client.off('error', onError)
          client.release(isBroken) // A broken connection is not handed out again.
        }
      }),
    async script(tx, sql) {
      await tx.query(sql)
    },
    async reclaim() {
      await over(pool).query('VACUUM')
    },
    // A statement that hangs must not keep the node from stopping.
    [Symbol.asyncDispose]: () => endWithin(pool, claimed),
  }
}

async function claim(client: pg.PoolClient, url: string): Promise<void> {
  client.on('error', () => undefined) // The server takes the lock back; the pool tells of the connection.
  // A server may need a moment to notice that a node was killed.
  for (let attempt = 0; attempt < claimAttempts; attempt += 1) {
    const { rows } = await client.query<{ is_free: boolean }>(`SELECT pg_try_advisory_lock(${nodeLock}) AS is_free`)
    if (rows[0]!.is_free) return
    await new Promise<void>((resolve) => wallClock.after(claimPauseMs, resolve))
  }
  client.release(true)
  throw new StartError(`another node is already running over the database at ${placeOf(url)}; stop it first`)
}

async function endWithin(pool: pg.Pool, claimed?: pg.PoolClient): Promise<void> {
  claimed?.release(true)
  await Promise.race([pool.end(), new Promise<void>((resolve) => wallClock.after(closeTimeoutMs, resolve))])
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

const transientCode = 'INDEX_DB_SQL_TRANSIENT_ERROR'

/** Failures of the connection or the server, as opposed to those of a statement, are worth a retry by the client. */
async function transient<T>(run: () => Promise<T>): Promise<T> {
  try {
    return await run()
  } catch (error) {
    if (!isTransient(error)) throw error
    throw new LedgerError(
      transientCode,
      `Processing the request failed due to a transient database error: ${reasonOf(error)}`,
    )
  }
}

function isTransient(error: unknown): boolean {
  if (!(error instanceof pg.DatabaseError)) return true
  // Connections, authentication, a missing or closed database, resources, operator intervention: the classes of
  // https://www.postgresql.org/docs/current/errcodes-appendix.html that say nothing about the statement.
  return /^(08|28|3D|53|55|57)/.test(error.code ?? '')
}

function reasonOf(error: unknown): string {
  const { message, code } = error as Error & { code?: string }
  return message || code || String(error)
}

/** The place of a database without what opens it. */
function placeOf(url: string): string {
  if (!URL.canParse(url)) return 'the given URL'
  const { protocol, host, pathname } = new URL(url)
  return `${protocol}//${host}${pathname}`
}
