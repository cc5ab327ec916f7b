// Transactions that are committed or not, and never unknown. Each locks the row of the shared state with its first
// statement and holds it to the end, so there is one writer at a time among all nodes. Each also writes a random token to
// its node's row: if the answer to COMMIT is lost, the database is asked for the token until it answers, however long
// that takes. Unlike a transaction id, a token means the same after a failover. A transaction counts as committed when a
// synchronous standby, if there is one, has it, too.
import type pg from 'pg'
import { backoffMs } from '../../base/backoff.ts'
import { type Clock, wallClock } from '../../base/clock.ts'
import { isStoreUnavailable, storeUnavailable } from '../../base/errors.ts'
import { createQueue } from '../../base/queue.ts'
import { systemRandom } from '../../base/random.ts'
import { changedBy, type Kind, kinds } from '../core/sharing.ts'
import type { Connections } from './connections.ts'
import { meaningOf, NotCommitted, refusing } from './errors.ts'
import type { Membership } from './membership.ts'
import { type Pipeline, type PipelinedClient, pipelineOver } from './pipeline.ts'
import type { Look } from './poll-shared-state.ts'
import { channel, passWriters, raiseVersions, takeWriterLock, versionsFrom } from './shared-state.ts'

export type Transactions = {
  run<T>(body: Body<T>): Promise<T>
  /** Beside other writers, for work that may be done twice. */
  beside<T>(body: Body<T>): Promise<T>
  /** Ends the wait for the outcome of a transaction. */
  giveUp(): void
  /** Ends the transaction that is running, too: its statement, which may wait for a lock, fails at once. */
  abort(): void
}

type Body<T> = (pipeline: Pipeline, written: Written) => Promise<T>

/** What a transaction writes, for other nodes. */
export type Written = {
  statement(sql: string): void
  everything(): void
}

type Parts = {
  readonly connections: Connections
  /** Undefined unless this is a node. */
  readonly membership: Membership | undefined
  readonly look: Look | undefined
  readonly clock?: Clock
}

/** What runs beside writers changes nothing that others remember. */
const unknownToOthers: Written = { statement: () => undefined, everything: () => undefined }

const writeNothing = "SELECT pg_logical_emit_message(true, 'tallystick', '')"

export function createTransactions({ connections, membership, look, clock = wallClock }: Parts): Transactions {
  const writer = connections.name
  const alone = createQueue() // Waiting writers leave the pool's connections to readers.
  let isSettling = false
  let isGivenUp = false
  let wake: (() => void) | undefined
  const running = new Set<PipelinedClient & pg.PoolClient>()

  async function begin(client: pg.ClientBase, token: bigint): Promise<void> {
    await connections.endGhosts(client)
    // One message, but a snapshot for each statement: the epoch is read after the lock is taken.
    const statements = ['BEGIN', takeWriterLock, keepToken(writer, token)]
    if (membership !== undefined) statements.push(membership.epochQuery())
    const results = (await client.query(statements.join('; '))) as unknown as pg.QueryResult[]
    membership?.check(results[3]!.rows[0])
    await look?.catchUp(versionsFrom(results[1]!.rows[0]!))
  }

  async function commit(pipeline: Pipeline, changed: ReadonlySet<Kind>, hasWritten: boolean): Promise<void> {
    const statements = ['COMMIT']
    if (hasWritten && membership?.notifies() !== false) statements.unshift(`NOTIFY ${channel}, '${writer}'`)
    if (changed.size > 0) statements.unshift(raiseVersions(changed))
    const results = [await pipeline.query(statements.join('; '))].flat()
    // PostgreSQL answers COMMIT with ROLLBACK if an earlier statement of the transaction failed.
    if (results.at(-1)!.command !== 'COMMIT') throw new NotCommitted('the transaction could not be committed')
    if (changed.size > 0) look?.raised(changed, versionsFrom(results[0]!.rows[0]!))
  }

  async function attempt<T>(body: Body<T>): Promise<T> {
    const client = await take()
    const token = systemRandom.bytes(8).readBigInt64BE()
    const changed = new Set<Kind>()
    let hasWritten = false
    const written: Written = {
      statement(sql) {
        const kind = changedBy(sql)
        if (kind === undefined) return
        hasWritten = true
        if (kind !== 'none') changed.add(kind)
      },
      everything() {
        hasWritten = true
        for (const kind of kinds) changed.add(kind)
      },
    }
    const pipeline = pipelineOver(client)
    let sent: { readonly result: T } | undefined
    try {
      await refusing(() => begin(client, token))
      const result = await body(pipeline, written)
      await refusing(() => pipeline.settle())
      sent = { result }
      await refusing(() => commit(pipeline, changed, hasWritten)).catch(explained)
      release(client)
      return result
    } catch (error) {
      const isBroken = await undo(client, error)
      if (sent !== undefined && isBroken && (await wasCommitted(token))) return sent.result
      throw error
    }
  }

  async function beside<T>(body: Body<T>): Promise<T> {
    const client = await take()
    try {
      const result = await refusing(async () => {
        await connections.endGhosts(client)
        const statements = ['BEGIN', passWriters]
        if (membership !== undefined) statements.push(membership.epochQuery())
        const results = (await client.query(statements.join('; '))) as unknown as pg.QueryResult[]
        membership?.check(results[2]!.rows[0])
        const pipeline = pipelineOver(client)
        const done = await body(pipeline, unknownToOthers)
        await pipeline.settle()
        const { command } = await pipeline.query('COMMIT')
        if (command !== 'COMMIT') throw new NotCommitted('the transaction could not be committed')
        return done
      })
      release(client)
      return result
    } catch (error) {
      await undo(client, error)
      throw error
    }
  }

  async function take(): Promise<PipelinedClient & pg.PoolClient> {
    const client = (await refusing(() => connections.take())) as PipelinedClient & pg.PoolClient
    client.pipeline = true
    running.add(client)
    return client
  }

  function release(client: PipelinedClient & pg.PoolClient, isBroken = false): void {
    running.delete(client)
    client.pipeline = false
    client.release(isBroken)
  }

  /** Returns whether the connection is broken. */
  async function undo(client: PipelinedClient & pg.PoolClient, error: unknown): Promise<boolean> {
    const isBroken = isStoreUnavailable(error) || !(await isRolledBack(client))
    if (isBroken) connections.giveUp(client)
    release(client, isBroken)
    return isBroken
  }

  async function wasCommitted(token: bigint): Promise<boolean> {
    isSettling = true
    try {
      for (let failures = 1; !isGivenUp; failures += 1) {
        const isWritten = await isLastWrite(token).catch((error) => {
          if (meaningOf(error) === undefined) throw error
          return undefined
        })
        if (isWritten !== undefined) return isWritten
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
  async function isLastWrite(token: bigint): Promise<boolean> {
    const client = await connections.take()
    try {
      await connections.endGhosts(client)
      await client.query(`BEGIN; ${takeWriterLock}`)
      const { rows } = await client.query('SELECT token FROM last_writes WHERE writer = $1', [writer])
      const isCommitted = rows[0]?.token === token
      await client.query(isCommitted ? `${writeNothing}; COMMIT` : 'ROLLBACK')
      client.release()
      return isCommitted
    } catch (error) {
      connections.giveUp(client)
      client.release(true)
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
      return alone(() => attempt(body))
    },
    beside,
    giveUp() {
      isGivenUp = true
      wake?.()
    },
    abort() {
      this.giveUp()
      for (const client of running) client.connection.stream.destroy()
    },
  }
}

function keepToken(writer: string, token: bigint): string {
  return `INSERT INTO last_writes (writer, token, written_at) VALUES ('${writer}', ${token}, clock_timestamp())
    ON CONFLICT (writer) DO UPDATE SET token = excluded.token, written_at = excluded.written_at`
}

/** in_failed_sql_transaction: an earlier statement failed, and its error was ignored. */
function explained(error: unknown): never {
  if ((error as { code?: string }).code === '25P02') throw new NotCommitted('the transaction could not be committed')
  throw error
}

async function isRolledBack(client: pg.ClientBase): Promise<boolean> {
  return client.query('ROLLBACK').then(
    () => true,
    () => false,
  )
}
