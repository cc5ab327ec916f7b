// The statements about members: the nodes over a database, each with an epoch, and when each was last seen by the
// database's clock. One of them holds the duty: it does the work that only one may do.
import type pg from 'pg'
import type { Sharing } from '../core/sharing.ts'
import { newestSchema } from '../schema/migrate.ts'
import { channel, membersChanged, schemaColumn } from './shared-state.ts'

export type Me = {
  readonly id: string
  readonly epoch: bigint
  readonly url: string
  readonly isAlone: boolean
  readonly leaseMs: number
}

/** Why a claim was refused. */
export type Refusal = 'others run' | 'another is alone'

const duty = 'work'
/** One claim at a time. Not the writers' lock: a paused node may hold that, and only members take it away. */
const claimLock = `INSERT INTO duties (name, holder, held_until) VALUES ('claim', '', clock_timestamp()) ON CONFLICT DO NOTHING;
  SELECT 1 FROM duties WHERE name = 'claim' FOR UPDATE`

const isMe = ({ id, epoch }: Me) => `id = '${id}' AND epoch = ${epoch}`
const lease = ({ leaseMs }: Me) => `interval '${leaseMs} milliseconds'`

/** Inside every transaction: whether the node still is the member that it was, and knows the schema. */
export const epochOf = ({ id }: Me): string => `SELECT epoch, ${schemaColumn} FROM members WHERE id = '${id}'`

/**
 * Of a member. One without a connection is gone, even if its lease is not over. Behind a pooler, connections do not tell:
 * they bear the name of the client that used them last.
 */
const isGone = (me: Me) => `(seen_at < clock_timestamp() - ${lease(me)} OR is_direct
  AND NOT EXISTS (SELECT 1 FROM pg_stat_activity WHERE application_name = members.id))`

/** Adds the node. Which members are gone matters to a program that wants the database alone, and to those after it. */
export async function claim(client: pg.ClientBase, me: Me): Promise<Refusal | undefined> {
  const gone = isGone(me)
  await client.query(`BEGIN; ${claimLock}`)
  try {
    const others = `SELECT is_alone FROM members WHERE id <> '${me.id}' AND NOT ${gone}`
    const { rows } = await client.query<{ is_alone: boolean }>(others)
    const refusal = rows.some(({ is_alone }) => is_alone)
      ? 'another is alone'
      : me.isAlone && rows.length > 0
        ? 'others run'
        : undefined
    if (refusal === undefined) {
      // One that was alone and comes back must not go on beside others.
      const old = `DELETE FROM members WHERE id = '${me.id}' OR ${gone} AND (is_alone OR ${me.isAlone})`
      await client.query(`${old}; DELETE FROM last_writes WHERE written_at < clock_timestamp() - interval '1 day'`)
      await client.query(
        `INSERT INTO members (id, epoch, url, is_alone, is_direct, schema_version, started_at, seen_at)
          VALUES ($1, $2, $3, $4, pg_backend_pid() = $5, $6, clock_timestamp(), clock_timestamp())`,
        [me.id, me.epoch, me.url, me.isAlone, processIdOf(client), newestSchema],
      )
    }
    await client.query('COMMIT')
    return refusal
  } catch (error) {
    await client.query('ROLLBACK').catch(() => undefined)
    throw error
  }
}

/** Living nodes of a version that does not know this one's schema, each with its URL. */
export async function olderThan(me: Me, query: Parameters<Sharing['olderNodes']>[0]): Promise<readonly string[]> {
  const older = `id <> '${me.id}' AND schema_version < ${newestSchema} AND NOT ${isGone(me)}`
  const rows = await query(`SELECT id, url FROM members WHERE ${older} ORDER BY started_at`)
  return rows.map(({ id, url }) => (url === '' ? String(id) : `${id} at ${url}`))
}

/** As the connection was told at its start; poolers tell a number of their own. */
function processIdOf(client: pg.ClientBase): number {
  return (client as { processID?: number | null }).processID ?? 0
}

/** Has the others count anew. */
export async function tellMembers(client: pg.ClientBase): Promise<void> {
  await client.query(`NOTIFY ${channel}, '${membersChanged}'`)
}

export type Beat = {
  /** False if others have taken the node for dead. */
  readonly isMember: boolean
  readonly hasDuty: boolean
  /** Nodes that were taken for dead just now. */
  readonly expired: readonly string[]
  /** Without those that are known to be gone. */
  readonly nodes: number
}

/** Shows that the node lives, takes or keeps the duty if nobody else has it, and removes the dead. */
export async function beat(client: pg.ClientBase, me: Me, timeoutMs: number): Promise<Beat> {
  const text = `
    UPDATE members SET seen_at = clock_timestamp() WHERE ${isMe(me)} RETURNING id;
    INSERT INTO duties (name, holder, held_until)
      SELECT '${duty}', id, clock_timestamp() + ${lease(me)} FROM members WHERE ${isMe(me)}
      ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, held_until = excluded.held_until
        WHERE duties.holder = excluded.holder OR duties.held_until < clock_timestamp() RETURNING holder;
    DELETE FROM members WHERE id IN (
      SELECT id FROM members WHERE seen_at < clock_timestamp() - ${lease(me)} AND id <> '${me.id}'
        FOR UPDATE SKIP LOCKED) RETURNING id;
    SELECT count(*) AS nodes FROM members WHERE NOT ${isGone(me)}`
  const config = { text, query_timeout: timeoutMs } as pg.QueryConfig
  const results = (await client.query(config)) as unknown as pg.QueryResult[]
  return {
    isMember: results[0]!.rows.length === 1,
    hasDuty: results[1]!.rows.length === 1,
    expired: results[2]!.rows.map(({ id }) => id as string),
    nodes: Number(results[3]!.rows[0]!.nodes),
  }
}

/**
 * Ends what a node that was taken for dead still runs: it may hold the writers' lock. A commit that waits for its
 * synchronous standby would count as done if its session were ended.
 */
export async function endConnectionsOf(client: pg.ClientBase, ids: readonly string[]): Promise<void> {
  const theirs = `application_name = ANY($1) AND wait_event IS DISTINCT FROM 'SyncRep'`
  await client.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE ${theirs}`, [ids])
}

export async function update(client: pg.ClientBase, me: Me): Promise<void> {
  await client.query(`UPDATE members SET url = $1, is_alone = $2 WHERE ${isMe(me)}`, [me.url, me.isAlone])
}

export async function leave(client: pg.ClientBase, me: Me): Promise<void> {
  await client.query(
    `DELETE FROM members WHERE ${isMe(me)}; DELETE FROM duties WHERE holder = '${me.id}';
      DELETE FROM last_writes WHERE writer = '${me.id}'`,
  )
}
