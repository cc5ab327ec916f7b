// Connections to PostgreSQL that cannot hang for ever: a limit for connecting and for each answer, keep-alive on both
// sides, and a new pool after a failure, because the other connections of the old one are likely to be as dead.
//
// A connection that this node gives up may live on at the server, with its transaction and its locks. Such ghosts are
// remembered, and the server is told to end them before anything else is written.
import { Socket } from 'node:net'
import pg from 'pg'
import { type Clock, wallClock } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import { randomUuid, systemRandom } from '../base/random.ts'
import { meaningOf } from './postgres-errors.ts'

export type PostgresTimes = {
  /** For a new connection, and to wait for a free one. */
  readonly connectTimeoutMs: number
  /** For the answer to a statement. */
  readonly queryTimeoutMs: number
  /** Between two looks at the lock that keeps other nodes away. */
  readonly watchMs: number
}

export const usualTimes: PostgresTimes = { connectTimeoutMs: 5_000, queryTimeoutMs: 10_000, watchMs: 1_000 }

export type Connections = AsyncDisposable & {
  /** Of the pool; to be released, with `true` when it is of no use any more. */
  take(): Promise<pg.PoolClient>
  /** A statement of its own, on any connection. */
  query<R extends pg.QueryResultRow>(sql: string, params?: unknown[]): Promise<pg.QueryResult<R>>
  /** A connection outside the pool. */
  open(): Promise<pg.Client>
  /** Says that a connection is of no use any more, and that others are likely to be as dead. */
  giveUp(client: pg.ClientBase): void
  /** Ends at the server what was given up here; most often there is nothing to do. */
  endGhosts(client: pg.ClientBase): Promise<void>
}

/** The server notices a node that is gone without a word after half a minute. */
const serverKeepAlive = ['tcp_keepalives_idle=10', 'tcp_keepalives_interval=5', 'tcp_keepalives_count=4']
const keepAliveDelayMs = 10_000
/** The server ends a slow statement itself; the client gives up a little later, on an answer that does not come. */
const answerLeewayMs = 500
const closeTimeoutMs = 500
const ghostsMax = 100

// All integers are bigint, as setReadBigInts makes them on SQLite.
const types = {
  getTypeParser(oid: number, format?: 'text' | 'binary') {
    const integers: number[] = [pg.types.builtins.INT2, pg.types.builtins.INT4, pg.types.builtins.INT8]
    return integers.includes(oid) ? BigInt : pg.types.getTypeParser(oid, format as 'text')
  },
} as pg.CustomTypesConfig

export function openConnections(url: string, log: Log, times: PostgresTimes, clock: Clock = wallClock): Connections {
  const { connectTimeoutMs, queryTimeoutMs } = times
  const name = `tallystick ${randomUuid(systemRandom)}`
  const sockets = new Set<Socket>()
  const ghosts = new Set<number>()
  const options = {
    connectionString: url,
    types,
    application_name: name,
    keepAlive: true,
    keepAliveInitialDelayMillis: keepAliveDelayMs,
    connectionTimeoutMillis: connectTimeoutMs,
    statement_timeout: queryTimeoutMs,
    query_timeout: queryTimeoutMs + answerLeewayMs,
    idle_in_transaction_session_timeout: 2 * queryTimeoutMs,
    options: serverKeepAlive.map((setting) => `-c ${setting}`).join(' '),
    stream: () => {
      const socket = new Socket()
      sockets.add(socket)
      socket.once('close', () => sockets.delete(socket))
      return socket
    },
  }
  let pool = createPool()
  let isClosed = false
  const poolOf = new WeakMap<pg.ClientBase, pg.Pool>()

  function createPool(): pg.Pool {
    const created = new pg.Pool(options)
    // A connection that breaks fails the statement under way and is replaced; unheard, the event would end the process.
    created.on('error', (error) => log.warn({ reason: error.message }, 'a database connection broke'))
    created.on('connect', (client) => void client.on('error', () => undefined))
    return created
  }

  async function take(): Promise<pg.PoolClient> {
    const from = pool
    const client = await from.connect()
    poolOf.set(client, from)
    return client
  }

  function giveUp(client: pg.ClientBase): void {
    const { processID } = client as { processID?: number | null }
    if (processID && ghosts.size < ghostsMax) ghosts.add(processID)
    if (poolOf.get(client) !== pool || pool.ending) return
    const old = pool
    pool = createPool()
    retire(old)
  }

  return {
    take,
    async query<R extends pg.QueryResultRow>(sql: string, params?: unknown[]) {
      const client = await take()
      try {
        const result = await client.query<R>(sql, params)
        client.release()
        return result
      } catch (error) {
        const isBroken = meaningOf(error) !== undefined
        if (isBroken) giveUp(client)
        client.release(isBroken)
        throw error
      }
    },
    async open() {
      if (isClosed) throw new Error('Connection terminated')
      const client = new pg.Client(options)
      client.on('error', () => undefined)
      try {
        await client.connect()
      } catch (error) {
        void client.end().catch(() => undefined)
        throw error
      }
      return client
    },
    giveUp,
    async endGhosts(client) {
      if (ghosts.size === 0) return
      const pids = [...ghosts]
      await client.query(
        'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = $1 AND pid = ANY($2)',
        [name, pids],
      )
      for (const pid of pids) ghosts.delete(pid)
    },
    // What hangs must not keep the node from stopping, nor the process from ending.
    async [Symbol.asyncDispose]() {
      isClosed = true
      await within(closeTimeoutMs, pool.end(), clock)
      for (const socket of sockets) socket.destroy()
    },
  }
}

/** Those who wait for one of its connections get it; then it ends. */
function retire(old: pg.Pool): void {
  if (old.waitingCount === 0) void old.end().catch(() => undefined)
  else old.once('release', () => setImmediate(retire, old))
}

async function within(delayMs: number, work: Promise<void>, clock: Clock): Promise<void> {
  const { promise: late, resolve } = Promise.withResolvers<void>()
  const timer = clock.after(delayMs, resolve)
  await Promise.race([work, late]).finally(() => timer.cancel())
}
