// PostgreSQL, through node-postgres. Writers queue behind the lock of one row, as they do on SQLite; several nodes may
// share a database.
import type pg from 'pg'
import { wallClock } from '../../base/clock.ts'
import { NotYetError, StartError } from '../../base/errors.ts'
import type { Health } from '../../base/health.ts'
import type { Log } from '../../base/log.ts'
import { parsePostgresUrl } from '../../base/postgres-url.ts'
import type { Database, Param, Queries, Row } from '../core/database.ts'
import { openConnections, type PostgresTimes, usualTimes } from './connections.ts'
import { isPassing, reasonOf, refusing } from './errors.ts'
import { joinMembers, type Membership } from './membership.ts'
import type { Pipeline } from './pipeline.ts'
import { createLook, type Look } from './poll-shared-state.ts'
import { change, deletion, insertion, type Statement } from './rows.ts'
import { createSharedTables, keepOthersOut } from './shared-state.ts'
import { createTransactions, type Written } from './transactions.ts'
import { vacuum } from './vacuum.ts'

export type PostgresOptions = {
  readonly times?: PostgresTimes
  /** Only reads, also a standby; is not connected before it is asked. */
  readonly isReplica?: boolean
  /** For a node, which remembers what it read: it is told what others write. */
  readonly node?: {
    readonly health: Health
    /** Others take a node for dead that shows no sign of life for so long. */
    readonly leaseMs?: number
    /** Refuses to open the database beside other nodes, and keeps them away. */
    readonly isAlone?: boolean
    /** Called with the reason if the node can no longer use the database. */
    readonly onLost?: (reason: string) => void
  }
}

const usualLeaseMs = 10_000
const untimed = 2 ** 31 - 1
/** Statements that need no transaction, or must not be in one. */
const noTransaction = /^\s*(SELECT|WITH|VACUUM)\b/i
/** Writes that return no rows. */
const answersNothing = /^\s*(INSERT|UPDATE|DELETE)\b(?![\s\S]*\bRETURNING\b)/i

export async function openPostgres(url: string, log: Log, options: PostgresOptions = {}): Promise<Database> {
  const { times = usualTimes, isReplica = false, node } = options
  const address = parsePostgresUrl(url, isReplica)
  const { place } = address
  const connections = openConnections(address, log, times)
  let look: Look | undefined
  let membership: Membership | undefined
  try {
    if (!isReplica) await createSharedTables(connections)
    if (node !== undefined) {
      look = await createLook({ connections, times, clock: wallClock, onLost: node.onLost ?? (() => undefined) })
      const { health, leaseMs = usualLeaseMs, isAlone = false } = node
      membership = await joinMembers({ connections, look, times, leaseMs, isAlone, health, log }, place)
    }
  } catch (error) {
    await connections[Symbol.asyncDispose]()
    if (error instanceof StartError) throw error
    const problem = `cannot reach the database at ${place}: ${reasonOf(error)}`
    throw isPassing(error) ? new NotYetError(problem) : new StartError(problem)
  }
  const transactions = createTransactions({ connections, membership, look })
  const pipelines = new WeakMap<Queries, { readonly pipeline: Pipeline; readonly written: Written }>()

  const over = <T>(body: (tx: Queries) => Promise<T>) => {
    return (pipeline: Pipeline, written: Written) => {
      const tx = queriesOver(async (sql, params) => {
        written.statement(sql)
        if (!answersNothing.test(sql)) return (await pipeline.query<Row>(sql, params)).rows
        await pipeline.write(sql, params)
        return []
      })
      pipelines.set(tx, { pipeline, written })
      return body(tx)
    }
  }

  /** A write runs in its own transaction, so that it excludes other writers and other nodes. */
  const single: QueryRunner = async (sql, params) => {
    if (noTransaction.test(sql)) return (await connections.query<Row>(sql, params)).rows
    return transactions.run(async (pipeline, written) => {
      written.statement(sql)
      return refusing(async () => (await pipeline.query<Row>(sql, params)).rows)
    })
  }

  const queries = queriesOver(single)
  return {
    ...queries,
    transaction: (body) => transactions.run(over(body)),
    beside: (body) => transactions.beside(over(body)),
    measures: {
      async sizeBytes() {
        const [row] = await queries.query('SELECT pg_database_size(current_database()) AS bytes')
        return Number(row!.bytes)
      },
    },
    ...(membership && { sharing: membership.sharing }),
    async script(tx, sql) {
      const { pipeline, written } = pipelines.get(tx)!
      written.everything()
      await refusing(() => pipeline.query(keepOthersOut))
      await refusing(() => pipeline.query('SET LOCAL statement_timeout = 0'))
      await refusing(() => pipeline.query({ text: sql, query_timeout: untimed } as pg.QueryConfig))
    },
    async reclaim() {
      await refusing(async () => {
        const client = await connections.open()
        try {
          await vacuum(client)
        } finally {
          void client.end().catch(() => undefined)
        }
      })
    },
    giveUp: () => transactions.abort(),
    async [Symbol.asyncDispose]() {
      transactions.giveUp()
      await membership?.[Symbol.asyncDispose]()
      await connections[Symbol.asyncDispose]()
    },
  }
}

type QueryRunner = (sql: string, params: Param[]) => Promise<Row[]>

function queriesOver(run: QueryRunner): Queries {
  const query: Queries['query'] = (sql, ...params) => refusing(() => run(sql, params))
  return {
    query,
    insert: (table, columns, rows, key) => write(rows, () => insertion(table, columns, rows, key)),
    update: (table, key, columns, rows) => write(rows, () => change(table, key, columns, rows)),
    delete: (table, columns, rows) => write(rows, () => deletion(table, columns, rows)),
  }

  async function write(rows: readonly unknown[], statement: () => Statement): Promise<void> {
    if (rows.length === 0) return
    const { text, values } = statement()
    await query(text, ...values)
  }
}
