// The database of a query store: one connection, which one follower holds. The watermark moves in the transaction that
// writes the rows, and only from where the follower believes it to be, so nothing is lost and nothing is written twice.
import pg from 'pg'
import { StartError } from '../base/errors.ts'
import type { PostgresAddress } from '../base/postgres-url.ts'
import { meaningOf, reasonOf } from '../store/postgres/errors.ts'
import { connectClient } from '../store/postgres/hosts.ts'
import {
  type Batch,
  contractCopyColumns,
  exerciseCopyColumns,
  type MissingName,
  type Position,
  transactionCopyColumns,
} from './batch.ts'
import { type Catalog, writeChoice, writeType } from './catalog.ts'
import { copyRows } from './copy-rows.ts'
import { quoted } from './schema/apply-schema.ts'

/** The database does not answer, or the connection to it broke: it is waited for. */
export class StoreAway extends Error {}

/** Another program has moved the watermark: what is in the store has to be read again. */
export class WatermarkMoved extends StoreAway {}

/** Another follower has claimed the store, or somebody has reset it. */
export class StoreTaken extends StartError {}

export type Source = {
  readonly participantId: string
  /** Undefined for every party that the user may read as. */
  readonly parties: readonly string[] | undefined
  readonly dataSource: string
  /** The filter of templates and interfaces. */
  readonly contracts: string
}

export type LastTransaction = { readonly offset: number; readonly transactionId: string }

type Write = (batch: Batch) => Promise<void>

export type Store = AsyncDisposable & {
  readonly client: pg.Client
  /** Undefined for a new store. */
  position(): Promise<Position | undefined>
  source(): Promise<Source | undefined>
  /** The last transaction that came as such from the ledger. */
  lastTransaction(): Promise<LastTransaction | undefined>
  /** Forgets everything but names, for a store that begins anew. Indexes stay. */
  empty(): Promise<void>
  /** Takes the store over; the follower that had it finds out with its next write. */
  claim(): Promise<void>
  write(batch: Batch, catalog: Catalog): Promise<void>
  /** The first rows: `fill` writes as many batches as it needs; all of it is one transaction. */
  begin(source: Source, fill: (write: Write) => Promise<Position>, catalog: Catalog): Promise<void>
  /** Adds what more parties see, at the position that the store has; those rows are one transaction, too. */
  widen(source: Source, before: Position, fill: (write: Write) => Promise<Position>, catalog: Catalog): Promise<void>
  /** Names that only events tell. */
  learnNames(names: readonly MissingName[]): Promise<void>
}

const connectTimeoutMs = 10_000
const answerTimeoutMs = 120_000

/** The first host of the list that takes the connection. */
export async function openStore(address: PostgresAddress, schema: string, instanceId: string): Promise<Store> {
  const client = await connect(address)
  try {
    await client.query(`SET search_path TO ${quoted(schema)}`)
    await client.query("SET standard_conforming_strings = on; SET datestyle = 'ISO'; SET timezone = 'UTC'")
  } catch (error) {
    void client.end().catch(() => undefined)
    throw asStoreError(error)
  }
  return createStore(client, instanceId)
}

async function connect({ hosts, role, place }: PostgresAddress): Promise<pg.Client> {
  let last: unknown
  for (const { url } of hosts) {
    const options = {
      ...{ connectionString: url, application_name: 'tallystick query-store', keepAlive: true },
      ...{ connectionTimeoutMillis: connectTimeoutMs, query_timeout: answerTimeoutMs },
    }
    try {
      return await connectClient(options, role)
    } catch (error) {
      last = error
    }
  }
  const meaning = meaningOf(last)
  const words = `cannot use the database at ${place}: ${meaning?.words ?? ''}${meaning ? '; ' : ''}${reasonOf(last)}`
  throw meaning?.kind === 'operator' ? new StartError(words) : new StoreAway(words)
}

/** What the database refuses for good is the operator's to solve; everything else passes. */
export function asStoreError(error: unknown): unknown {
  if (error instanceof StoreAway || error instanceof StartError || !isOfDriver(error)) return error
  const meaning = meaningOf(error)
  if (meaning === undefined) return error
  const isRefusal = ['42501', '28000', '28P01', '3D000'].includes((error as { code?: string }).code ?? '')
  const words = `${meaning.words}: ${reasonOf(error)}`
  if (!isRefusal) return new StoreAway(words)
  return new StartError(`${words}; its user needs the right to create and use the tables of the store`)
}

function isOfDriver(error: unknown): boolean {
  const { code, message } = error as { code?: unknown; message?: string }
  return error instanceof pg.DatabaseError || typeof code === 'string' || /connection|time-?out/i.test(message ?? '')
}

function createStore(client: pg.Client, instanceId: string): Store {
  const query = async (sql: string, params: unknown[] = []) => {
    try {
      return await client.query(sql, params)
    } catch (error) {
      throw asStoreError(error)
    }
  }

  async function position(): Promise<Position | undefined> {
    const [row] = (await query('SELECT ix, "offset", event_pk FROM __watermark')).rows
    if (row?.offset === null || row === undefined) return undefined
    return { ix: Number(row.ix), offset: Number(row.offset), eventPk: Number(row.event_pk) }
  }

  /** Everything or nothing. */
  async function inTransaction(work: () => Promise<void>): Promise<void> {
    try {
      await client.query('BEGIN')
      await work()
      await client.query('COMMIT')
    } catch (error) {
      await client.query('ROLLBACK').catch(() => undefined)
      throw asStoreError(error)
    }
  }

  /** First of all, because it makes others wait who would write, too. */
  async function moveWatermark(before: Position | undefined, { ix, offset, eventPk }: Position): Promise<void> {
    const { rowCount } = await client.query(
      `UPDATE __watermark SET ix = $1, "offset" = $2, event_pk = $3
       WHERE instance_id = $4 AND "offset" IS NOT DISTINCT FROM $5 AND ix IS NOT DISTINCT FROM $6`,
      [ix, offset, eventPk, instanceId, before?.offset ?? null, before?.ix ?? null],
    )
    if (rowCount === 1) return
    const [{ instance_id: holder }] = (await client.query('SELECT instance_id FROM __watermark')).rows
    if (holder === instanceId) throw new WatermarkMoved('an earlier transaction was committed after all')
    throw new StoreTaken('another follower, or reset_to_offset, has taken the store over; this one stops')
  }

  async function writeRows(batch: Batch, catalog: Catalog): Promise<void> {
    for (const type of [...batch.partitions].filter((one) => !catalog.partitions.has(one)).sort((a, b) => a - b)) {
      await client.query('CALL __ensure_partition($1)', [type])
      catalog.partitions.add(type)
    }
    const known = await knownOf(batch.assigned)
    if (batch.transactions.length > 0) await copyRows(client, transactionCopyColumns, batch.transactions)
    const contracts = batch.contractLines(known)
    if (contracts.length > 0) await copyRows(client, contractCopyColumns, contracts)
    for (const [type, archivals] of batch.archivals) {
      if (!catalog.partitions.has(type)) continue
      await client.query(
        `UPDATE __contracts_${type} c SET archive_event_pk = a.pk, archive_node_id = a.node_id, archived_at_ix = a.ix,
           archived_at_offset = a."offset", archived_effective_at = a.effective_at
         FROM unnest($1::text[], $2::bigint[], $3::integer[], $4::bigint[], $5::bigint[], $6::timestamptz[])
           AS a (contract_id, pk, node_id, ix, "offset", effective_at)
         WHERE c.tpe_pk = ${type} AND c.contract_id = a.contract_id`,
        [
          archivals.map(({ contractId }) => contractId),
          archivals.map(({ eventPk }) => eventPk),
          archivals.map(({ nodeId }) => nodeId),
          archivals.map(({ ix }) => ix),
          archivals.map(({ offset }) => offset),
          archivals.map(({ effectiveAt }) => effectiveAt),
        ],
      )
    }
    if (batch.exercises.length > 0) await copyRows(client, exerciseCopyColumns, batch.exercises)
  }

  async function knownOf(contractIds: readonly string[]): Promise<ReadonlySet<string>> {
    if (contractIds.length === 0) return new Set()
    const { rows } = await client.query('SELECT DISTINCT contract_id FROM __contracts WHERE contract_id = ANY ($1)', [
      contractIds,
    ])
    return new Set(rows.map(({ contract_id }) => contract_id))
  }

  return {
    client,
    position,
    async source() {
      const [row] = (await query('SELECT participant_id, parties, data_source, contracts FROM __source')).rows
      if (row === undefined) return undefined
      const { participant_id: participantId, data_source: dataSource, contracts } = row
      return { participantId, parties: row.parties ?? undefined, dataSource, contracts }
    },
    async lastTransaction() {
      const [row] = (
        await query(
          'SELECT "offset", transaction_id FROM __transactions WHERE transaction_id IS NOT NULL ORDER BY ix DESC LIMIT 1',
        )
      ).rows
      return row && { offset: Number(row.offset), transactionId: row.transaction_id }
    },
    async claim() {
      await query('UPDATE __watermark SET instance_id = $1', [instanceId])
    },
    empty: () =>
      inTransaction(async () => {
        const { rowCount } = await client.query(
          'UPDATE __watermark SET ix = NULL, "offset" = NULL, event_pk = 0 WHERE instance_id = $1',
          [instanceId],
        )
        if (rowCount !== 1) throw new StoreTaken('another follower has taken the store over; this one stops')
        await client.query('TRUNCATE __contracts, __exercises, __transactions, __source')
        await client.query('UPDATE __pruning_metadata SET pruned_offset = NULL')
      }),
    write: (batch, catalog) =>
      inTransaction(async () => {
        await moveWatermark(batch.before, batch.after)
        await writeRows(batch, catalog)
      }),
    begin: (source, fill, catalog) =>
      inTransaction(async () => {
        await client.query('SELECT FROM __watermark FOR UPDATE')
        await client.query(
          'INSERT INTO __source (participant_id, parties, data_source, contracts) VALUES ($1, $2, $3, $4)',
          [source.participantId, source.parties ?? null, source.dataSource, source.contracts],
        )
        const reached = await fill((batch) => writeRows(batch, catalog))
        await moveWatermark(undefined, reached)
      }),
    widen: (source, before, fill, catalog) =>
      inTransaction(async () => {
        await client.query('SELECT FROM __watermark FOR UPDATE')
        await client.query('UPDATE __source SET parties = $1', [source.parties ?? null])
        const reached = await fill(async (batch) => {
          // Somebody who only saw it may be a stakeholder for the parties there are now.
          await client.query(
            'UPDATE __contracts SET divulged_only = false WHERE divulged_only AND contract_id = ANY ($1)',
            [batch.assigned],
          )
          await writeRows(batch, catalog)
        })
        await moveWatermark(before, reached)
      }),
    learnNames: (names) =>
      inTransaction(async () => {
        for (const { kind, packageId, choice, ...name } of names) {
          await client.query(
            `INSERT INTO __packages (name, version, id, is_read) VALUES ($1, '', $2, false)
             ON CONFLICT (id) DO UPDATE SET name = $1 WHERE __packages.name = ''`,
            [name.package, packageId],
          )
          await writeType(client, { kind, ...name })
          if (choice !== undefined) {
            await writeChoice(client, { ...name, choice: choice.name, isConsuming: choice.isConsuming })
          }
        }
      }),
    async [Symbol.asyncDispose]() {
      void client.end().catch(() => undefined) // A server that is gone would never answer.
    },
  }
}
