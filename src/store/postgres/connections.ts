// A PostgreSQL connection pool that cannot hang: timeouts for connecting and for each answer, keep-alive on both sides,
// and a new pool after a failure, because its other connections are likely dead, too. A connection that this node drops
// may live on at the server, with its transaction and locks; such ghosts are ended before the next write. All
// connections go to one host of the list; when it does not answer, or is no primary any more, they move to one that is.
import { Socket } from 'node:net'
import pg from 'pg'
import { type Clock, wallClock } from '../../base/clock.ts'
import type { Log } from '../../base/log.ts'
import type { PostgresAddress } from '../../base/postgres-url.ts'
import { randomUuid, systemRandom } from '../../base/random.ts'
import { meaningOf, reasonOf } from './errors.ts'
import { connectClient, prepareSession } from './hosts.ts'

export type PostgresTimes = {
  /** For a new connection, and for the wait for a free one. */
  readonly connectTimeoutMs: number
  /** For the answer to a statement. */
  readonly queryTimeoutMs: number
  /** Interval between signs of life, at which the node also looks for what others have committed. */
  readonly watchMs: number
  /** For what is under way when it closes; half a second by default. */
  readonly closeTimeoutMs?: number
}

/** For the small queries that show whether a database works: one that takes longer counts as unreachable. */
export function signOfLifeTimeoutMs({ connectTimeoutMs, queryTimeoutMs }: PostgresTimes): number {
  return Math.min(queryTimeoutMs, Math.max(usualSignOfLifeMs, usualSignOfLifeShare * connectTimeoutMs))
}

export function closeTimeoutMs(times: PostgresTimes): number {
  return times.closeTimeoutMs ?? usualCloseMs
}

const usualCloseMs = 500
const usualSignOfLifeMs = 3_000
/** Where connecting may take longer than usual, a sign of life may, too. */
const usualSignOfLifeShare = 0.6

export const usualTimes: PostgresTimes = { connectTimeoutMs: 5_000, queryTimeoutMs: 10_000, watchMs: 1_000 }

export type Connections = AsyncDisposable & {
  /** Of this node's connections at the server; unique. */
  readonly name: string
  /** From the pool; release it, with `true` if it is broken. */
  take(): Promise<pg.PoolClient>
  /** A single statement, on any connection. */
  query<R extends pg.QueryResultRow>(sql: string | pg.QueryConfig, params?: unknown[]): Promise<pg.QueryResult<R>>
  /** A connection outside the pool. */
  open(): Promise<pg.Client>
  /** Reports a connection as broken; the pool is replaced, too, unless it is newer. */
  giveUp(client: pg.ClientBase): void
  /** Ends dropped connections at the server; usually there are none. */
  endGhosts(client: pg.ClientBase): Promise<void>
}

/** The server notices a vanished node after half a minute. */
const serverKeepAlive = ['tcp_keepalives_idle=10', 'tcp_keepalives_interval=5', 'tcp_keepalives_count=4']
const keepAliveDelayMs = 10_000
/** The server cancels a slow statement itself; the client times out this much later. */
const answerLeewayMs = 500
const ghostsMax = 100

/** A commit that waits for its synchronous standby would count as done if its session were ended. */
const endSessions = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
  WHERE application_name = $1 AND pid = ANY($2) AND wait_event IS DISTINCT FROM 'SyncRep'`

// All integers are bigint, as setReadBigInts makes them on SQLite.
const types = {
  getTypeParser(oid: number, format?: 'text' | 'binary') {
    const integers: number[] = [pg.types.builtins.INT2, pg.types.builtins.INT4, pg.types.builtins.INT8]
    return integers.includes(oid) ? BigInt : pg.types.getTypeParser(oid, format as 'text')
  },
} as pg.CustomTypesConfig

export function openConnections(
  { hosts, role }: PostgresAddress,
  log: Log,
  times: PostgresTimes,
  clock: Clock = wallClock,
): Connections {
  const { connectTimeoutMs, queryTimeoutMs } = times
  const name = `tallystick ${randomUuid(systemRandom)}`
  const sockets = new Set<Socket>()
  /** Process ids at each host. */
  const ghosts = hosts.map(() => new Set<number>())
  const options = {
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
  const optionsAt = (place: number) => ({ ...options, connectionString: hosts[place]!.url })
  /** The host that is used, by its place in the list. */
  let host = 0
  const poolOf = new WeakMap<pg.ClientBase, pg.Pool>()
  const hostOf = new WeakMap<pg.ClientBase, number>()
  let pool = createPool()
  let isClosed = false
  let searching: Promise<boolean> | undefined

  function createPool(): pg.Pool {
    const place = host
    const onConnect = async (client: pg.ClientBase) => {
      hostOf.set(client, place)
      await prepareSession(client, role)
    }
    const created = new pg.Pool({ ...optionsAt(place), onConnect } as pg.PoolConfig)
    // A broken connection fails its statement and is replaced; without a listener the event would end the process.
    created.on('error', (error) => log.warn({ reason: error.message }, 'a database connection broke'))
    created.on('connect', (client) => void client.on('error', () => undefined))
    return created
  }

  async function take(): Promise<pg.PoolClient> {
    const from = pool
    try {
      return await takeFrom(from)
    } catch (error) {
      if (isBusy(error) || (from === pool && !(await hasMoved(error)))) throw error
      return takeFrom(pool)
    }
  }

  async function takeFrom(from: pg.Pool): Promise<pg.PoolClient> {
    const client = await from.connect()
    poolOf.set(client, from)
    return client
  }

  /** Whether there is a host that answers and has the wanted role; it is used from now on. Searches are shared. */
  async function hasMoved(error: unknown): Promise<boolean> {
    if (hosts.length === 1 || isClosed) return false
    searching ??= search(error).finally(() => {
      searching = undefined
    })
    return searching
  }

  /** Beginning with the host after this one. */
  async function search(error: unknown): Promise<boolean> {
    const from = host
    for (let step = 1; step <= hosts.length && !isClosed; step += 1) {
      const place = (from + step) % hosts.length
      try {
        const client = await connectClient(optionsAt(place), role)
        void client.end().catch(() => undefined)
      } catch {
        continue
      }
      if (place !== from) {
        log.warn({ host: hosts[place]!.name, reason: reasonOf(error) }, 'the database is used at another host')
        host = place
        replacePool()
      }
      return true
    }
    return false
  }

  function replacePool(): void {
    const old = pool
    pool = createPool()
    retire(old)
  }

  function giveUp(client: pg.ClientBase): void {
    const { processID } = client as { processID?: number | null }
    const there = ghosts[hostOf.get(client) ?? host]!
    if (processID && there.size < ghostsMax) there.add(processID)
    const from = poolOf.get(client) ?? pool // What broke a connection outside the pool likely broke the pool's, too.
    if (from === pool && !pool.ending) replacePool()
  }

  async function openAt(place: number): Promise<pg.Client> {
    if (isClosed) throw new Error('Connection terminated')
    const client = await connectClient(optionsAt(place), role)
    hostOf.set(client, place)
    return client
  }

  return {
    name,
    take,
    async query<R extends pg.QueryResultRow>(sql: string | pg.QueryConfig, params?: unknown[]) {
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
      const from = host
      try {
        return await openAt(from)
      } catch (error) {
        if (from === host && !(await hasMoved(error))) throw error
        return openAt(host)
      }
    },
    giveUp,
    async endGhosts(client) {
      const there = ghosts[hostOf.get(client) ?? host]!
      if (there.size === 0) return
      const pids = [...there]
      await client.query(endSessions, [name, pids])
      for (const pid of pids) there.delete(pid)
    },
    // A hanging connection must not keep the node from stopping, nor the process from ending.
    async [Symbol.asyncDispose]() {
      isClosed = true
      await within(closeTimeoutMs(times), pool.end(), clock)
      for (const socket of sockets) socket.destroy()
    },
  }
}

/** Whether the pool had no free connection in time, which says nothing about the server. */
function isBusy(error: unknown): boolean {
  return (error as Error).message === 'timeout exceeded when trying to connect'
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
