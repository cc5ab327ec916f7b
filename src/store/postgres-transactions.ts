// Transactions that are committed or not, and never unknown. Each takes the writers' lock with its first statement and
// holds it to the end, so there is one writer at a time. If the answer to COMMIT is lost, the server is asked for the
// status of the transaction id until it answers, however long that takes. A transaction counts as committed when a
// synchronous standby, if there is one, has it, too.
import type pg from 'pg'
import { backoffMs } from '../base/backoff.ts'
import { type Clock, wallClock } from '../base/clock.ts'
import { isStoreUnavailable, storeUnavailable } from '../base/errors.ts'
import { createQueue } from '../base/queue.ts'
import type { Connections } from './postgres-connections.ts'
import { meaningOf, NotCommitted, refusing } from './postgres-errors.ts'
import type { NodeLock } from './postgres-node-lock.ts'

export type Transactions = {
  run<T>(body: (client: pg.ClientBase) => Promise<T>): Promise<T>
  /** Ends the wait for the outcome of a transaction. */
  giveUp(): void
  /** Ends the transaction that is running, too: its statement, which may wait for a lock, fails at once. */
  abort(): void
}

type Parts = {
  readonly connections: Connections
  readonly lock: NodeLock | undefined
  readonly clock?: Clock
}

export const writerLock = 7_575_001 // A number that other users of the database are unlikely to choose.
const takeLock = `SELECT pg_advisory_xact_lock(${writerLock})`
const writeNothing = "SELECT pg_logical_emit_message(true, 'tallystick', '')"

export function createTransactions({ connections, lock, clock = wallClock }: Parts): Transactions {
  const alone = createQueue() // Waiting writers leave the pool's connections to readers.
  let isSettling = false
  let isGivenUp = false
  let wake: (() => void) | undefined
  let running: pg.Client | undefined

  /** Returns the transaction id. */
  async function begin(client: pg.ClientBase): Promise<string> {
    await connections.endGhosts(client)
    // One message, but a snapshot for each statement: the epoch is read after the lock is taken.
    const statements = ['BEGIN', takeLock, 'SELECT pg_current_xact_id()::text AS id']
    if (lock !== undefined) statements.push(lock.epochQuery)
    const results = (await client.query(statements.join('; '))) as unknown as pg.QueryResult[]
    lock?.check(results[3]!.rows[0]?.epoch)
    return results[2]!.rows[0]!.id
  }

  async function attempt<T>(body: (client: pg.ClientBase) => Promise<T>): Promise<T> {
    const client = await refusing(() => connections.take())
    running = client as unknown as pg.Client
    let sent: { readonly id: string; readonly result: T } | undefined
    try {
      const id = await refusing(() => begin(client))
      const result = await body(client)
      sent = { id, result }
      const { command } = await refusing(() => client.query('COMMIT'))
      // PostgreSQL answers COMMIT with ROLLBACK if an earlier statement of the transaction failed.
      if (command !== 'COMMIT') throw new NotCommitted('the transaction could not be committed')
      client.release()
      return result
    } catch (error) {
      const isBroken = isStoreUnavailable(error) || !(await isRolledBack(client))
      if (isBroken) connections.giveUp(client)
      client.release(isBroken)
      if (sent !== undefined && isBroken && (await wasCommitted(sent.id))) return sent.result
      throw error
    }
  }

  async function wasCommitted(id: string): Promise<boolean> {
    isSettling = true
    try {
      for (let failures = 1; !isGivenUp; failures += 1) {
        const status = await statusOf(id).catch((error) => {
          if (meaningOf(error) === undefined) throw error
          return 'unknown'
        })
        if (status === 'committed') return true
        if (status === 'aborted' || status === null) return false
        await pause(backoffMs(failures))
      }
      return false
    } finally {
      isSettling = false
    }
  }

  /**
   * Takes the writers' lock, which the transaction held, so it cannot be running any more. A commit may be on the disk of
   * the primary alone, so another write follows it, whose commit waits until a synchronous standby has both.
   */
  async function statusOf(id: string): Promise<string | null> {
    const client = await connections.take()
    try {
      await connections.endGhosts(client)
      await client.query(`BEGIN; ${takeLock}`)
      const { rows } = await client.query<{ status: string | null }>('SELECT pg_xact_status($1::xid8) AS status', [id])
      const { status } = rows[0]!
      await client.query(status === 'committed' ? `${writeNothing}; COMMIT` : 'ROLLBACK')
      client.release()
      return status
    } catch (error) {
      connections.giveUp(client)
      client.release(true)
      if ((error as { code?: string }).code === neverBegun) return 'aborted'
      throw error
    }
  }

  async function pause(delayMs: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const timer = clock.after(delayMs, resolve)
    wake = resolve
    await promise
    timer.cancel()
    wake = undefined
  }

  return {
    async run(body) {
      if (isSettling) throw storeUnavailable('the database does not answer') // No need to queue.
      return alone(() =>
        attempt(body).finally(() => {
          running = undefined
        }),
      )
    },
    giveUp() {
      isGivenUp = true
      wake?.()
    },
    abort() {
      this.giveUp()
      running?.end().catch(() => undefined)
    },
  }
}

/** invalid_parameter_value: after a failover, the id is in the future of the new server. */
const neverBegun = '22023'

async function isRolledBack(client: pg.ClientBase): Promise<boolean> {
  return client.query('ROLLBACK').then(
    () => true,
    () => false,
  )
}
