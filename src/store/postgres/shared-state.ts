// The tables through which nodes over one PostgreSQL database agree. `shared_state` is one row: locking it admits one
// writer at a time, and it holds the version of everything that nodes remember. A row lock works behind poolers and in
// compatible databases, where session locks do not. These tables are no part of the ledger's schema: the lock is needed
// to migrate that. `schema_version` is read with the versions, so that no node writes to a schema that it does not know.
import type pg from 'pg'
import { prefixOf } from '../core/participant-tables.ts'
import { type Kind, kinds, type Versions } from '../core/sharing.ts'
import type { Connections } from './connections.ts'

const columnOf = (kind: Kind): string => `${kind.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)}_version`

// Names sort by bytes, as on SQLite, whatever the database's collation is.
const sortedText = `DO $$ BEGIN
  CREATE DOMAIN sorted_text AS text COLLATE "C";
EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL;
END $$`

const tables = `
  CREATE TABLE IF NOT EXISTS schema_version (version BIGINT NOT NULL);
  CREATE TABLE IF NOT EXISTS shared_state (
    only_row INT PRIMARY KEY,
    ${kinds.map((kind) => `${columnOf(kind)} BIGINT NOT NULL DEFAULT 0`).join(',\n    ')}
  );
  INSERT INTO shared_state (only_row) VALUES (1) ON CONFLICT DO NOTHING;
  CREATE TABLE IF NOT EXISTS members (
    id TEXT PRIMARY KEY,
    epoch BIGINT NOT NULL,
    url TEXT NOT NULL,
    is_alone BOOLEAN NOT NULL,
    is_direct BOOLEAN NOT NULL DEFAULT false,
    schema_version BIGINT NOT NULL DEFAULT 0,
    started_at TIMESTAMPTZ NOT NULL,
    seen_at TIMESTAMPTZ NOT NULL
  );
  CREATE TABLE IF NOT EXISTS duties (
    name TEXT PRIMARY KEY,
    holder TEXT NOT NULL,
    held_until TIMESTAMPTZ NOT NULL
  );
  CREATE TABLE IF NOT EXISTS last_writes (
    writer TEXT PRIMARY KEY,
    token BIGINT NOT NULL,
    written_at TIMESTAMPTZ NOT NULL
  );
  ${columnAdded('members', 'is_direct', 'BOOLEAN NOT NULL DEFAULT false')};
  ${columnAdded('members', 'schema_version', 'BIGINT NOT NULL DEFAULT 0')}`

export const agreementTables = ['shared_state', 'members', 'duties', 'last_writes'] as const

/** To a table of an older version. Not IF NOT EXISTS, which waits for all transactions even if the column is there. */
function columnAdded(table: string, column: string, type: string): string {
  const found = `SELECT 1 FROM pg_attribute WHERE attrelid = '${table}'::regclass AND attname = '${column}'`
  return `DO $$ BEGIN
    IF NOT EXISTS (${found}) THEN ALTER TABLE ${table} ADD COLUMN ${column} ${type}; END IF;
  END $$`
}

/** Two nodes that start at once may create a table at the same time: one of them fails, and finds it the next time. */
const raced: ReadonlySet<string> = new Set(['23505', '42P07', '42701', '42710', '40001'])
const attemptsMax = 10

export async function createSharedTables(connections: Connections): Promise<void> {
  await connections.query(sortedText)
  for (let attempt = 1; ; attempt += 1) {
    try {
      await connections.query(tables)
      return
    } catch (error) {
      if (attempt === attemptsMax || !raced.has((error as { code?: string }).code ?? '')) throw error
    }
  }
}

const versionColumns = kinds.map((kind) => `s.${columnOf(kind)}`).join(', ')
/** Not while waiting for a lock: it is read as of the beginning of its statement. */
export const schemaColumn = '(SELECT max(version) FROM schema_version) AS schema_version'

/** Locks the row, and with it all writers of all nodes, until the transaction ends; reads the versions. */
export const takeWriterLock = `SELECT ${versionColumns} FROM shared_state s WHERE s.only_row = 1 FOR NO KEY UPDATE`
/** For a transaction beside the writers: they pass, and one that changes the schema waits. */
export const passWriters = 'SELECT 1 FROM shared_state s WHERE s.only_row = 1 FOR KEY SHARE'
/** For the writer that changes the schema. It holds the writers' lock, and waits for transactions beside it. */
export const keepOthersOut = 'SELECT 1 FROM shared_state s WHERE s.only_row = 1 FOR UPDATE'

export const selectVersions = `SELECT ${versionColumns} FROM shared_state s`

/** The versions, the state of the ledger, the record times of its synchronizers and the time, of one moment. */
export const selectPresent = `SELECT ${versionColumns}, ${schemaColumn}, l.*, ${presentIn('')}
  FROM shared_state s LEFT JOIN ledger l ON true`

function presentIn(prefix: string): string {
  return `(SELECT string_agg(number || ':' || record_time, ',') FROM ${prefix}synchronizers WHERE record_time > 0) AS record_times,
    (extract(epoch FROM clock_timestamp()) * 1000000)::bigint AS now_micros`
}

/** The same of the ledgers of further participants, without versions. */
export function selectPresentOf(participants: readonly number[]): string {
  const parts = participants.map((participant) => {
    const prefix = prefixOf(participant)
    return `SELECT ${participant}::bigint AS participant, l.*, ${presentIn(prefix)} FROM ${prefix}ledger l`
  })
  return parts.join(' UNION ALL ')
}

export function versionsFrom(row: pg.QueryResultRow): Versions {
  return Object.fromEntries(kinds.map((kind) => [kind, row[columnOf(kind)] as bigint])) as Versions
}

/** 0 before the first migration. */
export function schemaFrom(row: pg.QueryResultRow): bigint {
  return row.schema_version ?? 0n
}

/** Raises the versions of what a transaction changed, and returns them. */
export function raiseVersions(changed: Iterable<Kind>): string {
  const raised = [...changed].map((kind) => `${columnOf(kind)} = s.${columnOf(kind)} + 1`).join(', ')
  return `UPDATE shared_state s SET ${raised} WHERE s.only_row = 1 RETURNING ${versionColumns}`
}

export function recordTimesFrom(text: unknown): Map<bigint, bigint> {
  if (typeof text !== 'string' || text === '') return new Map()
  return new Map(
    text.split(',').map((pair) => {
      const [number, recordTime] = pair.split(':')
      return [BigInt(number!), BigInt(recordTime!)]
    }),
  )
}

/** Nodes listen here; the message is who wrote, or that members came or went. */
export const channel = 'tallystick'
export const membersChanged = 'members'
