// A PostgreSQL connection pool that cannot hang: timeouts for connecting and for each answer, keep-alive on both sides,
// and a new pool after a failure, because its other connections are likely dead, too. A connection that this node drops
// may live on at the server, with its transaction and locks; such ghosts are ended before the next write.
import { Socket } from 'node:net'
import pg from 'pg'
import { type Clock, wallClock } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import { randomUuid, systemRandom } from '../base/random.ts'
import { meaningOf } from './postgres-errors.ts'

export type PostgresTimes = {
  /** For a new connection, and for the wait for a free one. */
  readonly connectTimeoutMs: number
  /** For the answer to a statement. */
  readonly queryTimeoutMs: number
  /** Interval between signs of life, at which the node also looks for what others have committed. */
  readonly watchMs: number
}

export const usualTimes: PostgresTimes = { connectTimeoutMs: 5_000, queryTimeoutMs: 10_000, watchMs: 1_000 }

export type Connections = AsyncDisposable & {
  /** Of this node's connections at the server; unique. */
  readonly name: string
  /** From the pool; release it, with `true` if it is broken. */
  take(): Promise<pg.PoolClient>
  /** A single statement, on any connection. */
  query<R extends pg.QueryResultRow>(sql: string, params?: unknown[]): Promise<pg.QueryResult<R>>
  /** A connection outside the pool. */
  open(): Promise<pg.Client>
  /** Reports a connection as broken; the rest of its pool is replaced, too. */
  giveUp(client: pg.ClientBase): void
  /** Ends dropped connections at the server; usually there are none. */
  endGhosts(client: pg.ClientBase): Promise<void>
}

/** The server notices a vanished node after half a minute. */
const serverKeepAlive = ['tcp_keepalives_idle=10', 'tcp_keepalives_interval=5', 'tcp_keepalives_count=4']
const keepAliveDelayMs = 10_000
/** The server cancels a slow statement itself; the client times out this much later. */
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
    // A broken connection fails its statement and is replaced; without a listener the event would end the process.
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
    name,
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
    // A hanging connection must not keep the node from stopping, nor the process from ending.
    async [Symbol.asyncDispose]() {
      isClosed = true
      await within(closeTimeoutMs, pool.end(), clock)
      for (const socket of sockets) socket.destroy()
    },
  }
}

/** Serves those that wait for a connection of the pool, then ends it. */
function retire(old: pg.Pool): void {
  if (old.waitingCount === 0) void old.end().catch(() => undefined)
  else old.once('release', () => setImmediate(retire, old))
}

async function within(delayMs: number, work: Promise<void>, clock: Clock): Promise<void> {
  const { promise: late, resolve } = Promise.withResolvers<void>()
  const timer = clock.after(delayMs, resolve)
  await Promise.race([work, late]).finally(() => timer.cancel())
}
