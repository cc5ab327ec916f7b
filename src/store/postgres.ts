// PostgreSQL, through node-postgres. Writers queue behind an advisory lock, as they do on SQLite.
import pg from 'pg'
import { LedgerError, StartError } from '../base/errors.ts'
import type { Log } from '../base/log.ts'
import { commitOrRollBack, type Database, type Queries, type Row } from './database.ts'

const writerLock = 7_575_001 // Any number that other users of the database are unlikely to choose.
const connectTimeoutMs = 5_000

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

export async function openPostgres(url: string, log: Log): Promise<Database> {
  const pool = new pg.Pool({ connectionString: url, types, connectionTimeoutMillis: connectTimeoutMs })
  // An idle connection that breaks is replaced at the next query; without a listener it would end the process.
  pool.on('error', (error) => log.warn({ reason: error.message }, 'a database connection broke'))
  try {
    const client = await pool.connect()
    await client.query(sortedText)
    client.release()
  } catch (error) {
    await pool.end()
    throw new StartError(`cannot reach the database at ${withoutPassword(url)}: ${reasonOf(error)}`)
  }
  const over = (client: pg.Pool | pg.PoolClient): Queries => ({
    query: (sql, ...params) => transient(async () => (await client.query<Row>(sql, params)).rows),
  })
  return {
    ...over(pool),
    async transaction(body) {
      const client = await transient(() => pool.connect())
      const tx = over(client)
      let failure: Error | undefined
      try {
        return await commitOrRollBack(tx, async () => {
          await tx.query(`SELECT pg_advisory_xact_lock(${writerLock})`)
          return body(tx)
        })
      } catch (error) {
        failure = error as Error
        throw error
      } finally {
        // A connection that broke must not be handed out again; a refusal of ours leaves it sound.
        const isBroken = failure instanceof LedgerError && failure.code === 'INDEX_DB_SQL_TRANSIENT_ERROR'
        client.release(isBroken)
      }
    },
    async script(tx, sql) {
      await tx.query(sql)
    },
    [Symbol.asyncDispose]: () => pool.end(),
  }
}

/** Failures of the connection or the server, as opposed to those of a statement, are worth a retry by the client. */
async function transient<T>(run: () => Promise<T>): Promise<T> {
  try {
    return await run()
  } catch (error) {
    if (!isTransient(error)) throw error
    throw new LedgerError(
      'INDEX_DB_SQL_TRANSIENT_ERROR',
      `Processing the request failed due to a transient database error: ${reasonOf(error)}`,
    )
  }
}

function isTransient(error: unknown): boolean {
  if (!(error instanceof pg.DatabaseError)) return true
  // Connection exceptions, resource shortage, operator intervention: https://www.postgresql.org/docs/current/errcodes-appendix.html
  return /^(08|53|57)/.test(error.code ?? '')
}

function reasonOf(error: unknown): string {
  const { message, code } = error as Error & { code?: string }
  return message || code || String(error)
}

function withoutPassword(url: string): string {
  return URL.canParse(url) ? url.replace(/:[^:@/]*@/, ':***@') : url
}
