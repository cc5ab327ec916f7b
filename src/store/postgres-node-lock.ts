// Keeps a PostgreSQL database to one node. A session lock refuses a second node at its start; it is lost with its
// connection, so it is watched and taken again. An epoch, which each node writes when it takes the lock, is compared
// inside every transaction: a node that was taken over never writes again, however late its transaction arrives.
import type pg from 'pg'
import { backoffMs } from '../base/backoff.ts'
import { type Clock, wallClock } from '../base/clock.ts'
import { StartError } from '../base/errors.ts'
import type { Health } from '../base/health.ts'
import type { Log } from '../base/log.ts'
import { systemRandom } from '../base/random.ts'
import type { Connections, PostgresTimes } from './postgres-connections.ts'
import { DatabaseUnfit, meaningOf, reasonOf } from './postgres-errors.ts'

export type NodeLock = Disposable & {
  /** SQL whose last column is the epoch; run it while holding the writers' lock. */
  readonly epochQuery: string
  /** Throws, and gives up for good, if another node has taken over. */
  check(epoch: unknown): void
}

type Parts = {
  readonly connections: Connections
  readonly times: PostgresTimes
  readonly health: Health
  /** Called once, when another node has taken over. */
  readonly onLost: (reason: string) => void
  readonly log: Log
  readonly clock?: Clock
}

const nodeLock = 7_575_002
const claimAttempts = 10
const claimPauseMs = 100
/** A database that takes longer counts as unreachable. */
const lookTimeoutMs = 3_000
const takenOver = 'another node has taken over the database'

const epochQuery = 'SELECT epoch FROM node_epoch'
const lookQuery = `SELECT epoch, pg_is_in_recovery() OR current_setting('transaction_read_only')::boolean AS is_read_only
  FROM node_epoch`

/** Takes the lock or throws a StartError, in which `place` names the database. */
export async function claimNodeLock(parts: Parts, place: string, writerLock: number): Promise<NodeLock> {
  const { connections, times, health, onLost, log, clock = wallClock } = parts
  const part = health.part('database', { stopsCommands: true })
  const epoch = systemRandom.bytes(8).readBigInt64BE()
  const stopped = new AbortController()
  let isLost = false
  let holder: pg.Client | undefined = await connections.open()
  try {
    await claim(holder)
    await writeEpoch(holder)
  } catch (error) {
    void holder.end().catch(() => undefined)
    throw error
  }

  async function claim(client: pg.Client): Promise<void> {
    // The server may need a moment to notice that a node was killed.
    for (let attempt = 0; attempt < claimAttempts; attempt += 1) {
      if (await tryLock(client)) return
      await pause(claimPauseMs)
    }
    throw new StartError(`another node is already running over the database at ${place}; stop it first`)
  }

  async function tryLock(client: pg.Client): Promise<boolean> {
    const { rows } = await client.query<{ is_free: boolean }>(`SELECT pg_try_advisory_lock(${nodeLock}) AS is_free`)
    return rows[0]!.is_free
  }

  /** Waits for the transactions of earlier nodes to end. */
  async function writeEpoch(client: pg.Client): Promise<void> {
    await client.query('CREATE TABLE IF NOT EXISTS node_epoch (epoch BIGINT NOT NULL)')
    await client.query(
      `BEGIN; SELECT pg_advisory_xact_lock(${writerLock}); DELETE FROM node_epoch;
        INSERT INTO node_epoch VALUES (${epoch}); COMMIT`,
    )
  }

  function check(found: unknown): void {
    if (found === epoch) return
    if (found === undefined) throw new DatabaseUnfit('the database has lost the mark of this node')
    if (!isLost) {
      isLost = true
      part.fail(takenOver)
      log.error({}, `${takenOver}; this node stops`)
      onLost(takenOver)
    }
    throw new DatabaseUnfit(takenOver)
  }

  /** One check: connects if necessary, takes the lock, and verifies that the database is this node's and writable. */
  async function look(): Promise<void> {
    if (holder === undefined) {
      const client = await connections.open()
      try {
        if (stopped.signal.aborted) throw new DatabaseUnfit('the node stops')
        await connections.endGhosts(client)
        const isHeld = await tryLock(client)
        // Another holder of the lock has written an epoch, or is about to.
        check((await client.query(epochQuery)).rows[0]?.epoch)
        if (!isHeld) throw new DatabaseUnfit('another node holds the lock of the database')
      } catch (error) {
        void client.end().catch(() => undefined)
        throw error
      }
      holder = client
      log.info({}, 'the lock of the database is held again')
    }
    const query = { text: lookQuery, query_timeout: Math.min(times.queryTimeoutMs, lookTimeoutMs) }
    const { rows } = await holder.query<{ epoch: bigint; is_read_only: boolean }>(query)
    check(rows[0]?.epoch)
    if (rows[0]!.is_read_only) throw new DatabaseUnfit('the database is read-only')
  }

  async function watch(): Promise<void> {
    let failures = 0
    while (!stopped.signal.aborted && !isLost) {
      try {
        await look()
        failures = 0
        part.work()
      } catch (error) {
        failures += 1
        if (!isLost && !stopped.signal.aborted) fail(error)
        drop()
      }
      const isBroken = await pause(failures === 0 ? times.watchMs : backoffMs(failures))
      if (isBroken) drop() // Reconnecting usually works at once.
    }
  }

  function fail(error: unknown): void {
    part.fail(meaningOf(error)?.words ?? 'the database does not work', reasonOf(error))
  }

  /** A session keeps the settings of its start, such as being read-only, so it is replaced. */
  function drop(): void {
    if (holder === undefined) return
    connections.giveUp(holder)
    void holder.end().catch(() => undefined)
    holder = undefined
  }

  /** Ends early if the node stops or the connection breaks; returns whether it broke. */
  async function pause(delayMs: number): Promise<boolean> {
    if (stopped.signal.aborted) return false
    const { promise, resolve } = Promise.withResolvers<boolean>()
    const timer = clock.after(delayMs, () => resolve(false))
    const [onEnd, onStop] = [() => resolve(true), () => resolve(false)]
    const watched = holder
    watched?.once('end', onEnd)
    stopped.signal.addEventListener('abort', onStop)
    try {
      return await promise
    } finally {
      timer.cancel()
      watched?.off('end', onEnd)
      stopped.signal.removeEventListener('abort', onStop)
    }
  }

  void watch()
  return {
    epochQuery,
    check,
    [Symbol.dispose]() {
      stopped.abort()
      void holder?.end().catch(() => undefined)
    },
  }
}
