// Opens the database that the settings name and checks the rights of its files. No other file knows which databases
// exist.
import { resolve } from 'node:path'
import type { Clock } from '../base/clock.ts'
import { StartError } from '../base/errors.ts'
import type { Health } from '../base/health.ts'
import type { Log } from '../base/log.ts'
import { parsePostgresUrl } from '../base/postgres-url.ts'
import { filesOpenToOthers, isOpenToOthers } from '../base/private-files.ts'
import { isDevelopment, type Settings } from '../base/settings.ts'
import type { Database } from '../store/core/database.ts'
import { dropSchema } from '../store/schema/migrate.ts'
import { openFolderShelf, undoableFolder } from '../store/snapshots/in-files.ts'
import { openMemoryShelf, withoutLog } from '../store/snapshots/in-memory.ts'
import { nothingToUndo, type SnapshotShelf, type Undo } from '../store/snapshots/snapshots.ts'
import type { ChooseTables, SqlSession } from '../store/sql/session.ts'
import { removeLedger, removeUnfinished } from '../store/sqlite/data-folder.ts'
import { type Flushing, systemFlushing } from '../store/sqlite/flushing.ts'
import { memoryCopies } from '../store/sqlite/memory-copies.ts'
import {
  openSqlite,
  openSqliteFile,
  openSqliteForReading,
  openSqliteInMemory,
  openSqliteUnchanging,
} from '../store/sqlite/sqlite.ts'

type Surroundings = {
  readonly health: Health
  /** Refuses to share a database with other nodes. */
  readonly isAlone: boolean
  /** Called with the reason if the node can no longer use the database. */
  readonly onLost?: (reason: string) => void
  readonly flushing?: Flushing | undefined
  /** Whether existing data is scanned in the background. */
  readonly looksThrough?: boolean
  /** What a database in memory begins with. */
  readonly content?: Uint8Array | undefined
  readonly clock: Clock
  readonly log: Log
}

export type OpenedDatabase = {
  readonly database: Database
  readonly storeName: string
  /** Undefined if this database has no snapshots. */
  readonly snapshots?: SnapshotShelf
  /** Prepares to undo what follows; if `isNew`, that leaves no ledger behind. */
  undoable(database: Database, isNew: boolean): Promise<Undo>
  /** Opens an empty database in the place of this one, which is closed. */
  openAnew(): Promise<Database>
}

export async function openDatabase(settings: Settings, surroundings: Surroundings): Promise<OpenedDatabase> {
  keepFilesPrivate(settings, surroundings.log)
  if (settings.scriptLedger && settings.store.kind !== 'memory') {
    throw new StartError(
      'scriptLedger is for ledgers in memory: its time may go back, and its parties have no namespace',
    )
  }
  switch (settings.store.kind) {
    case 'memory':
      return openInMemory(settings, surroundings)
    case 'sqlite':
      return openInFolder(settings, surroundings)
    case 'postgres':
      return openInPostgres(settings, surroundings)
  }
}

function openInMemory({ scriptLedger }: Settings, { content, clock }: Surroundings): OpenedDatabase {
  // A ledger of scripts returns to its beginning all the time; elsewhere, the memory is worth more.
  const copiesOf = scriptLedger ? memoryCopies : (copied: Uint8Array) => () => openSqliteInMemory(copied)
  return {
    database: openSqliteInMemory(content && withoutLog(content)),
    storeName: 'memory (lost when the node stops)',
    snapshots: openMemoryShelf(copiesOf, clock.nowMs),
    undoable: async () => nothingToUndo, // It is lost anyway.
    openAnew: async () => openSqliteInMemory(),
  }
}

function openInFolder({ store, limits }: Settings, surroundings: Surroundings): OpenedDatabase {
  const { health, flushing = systemFlushing, looksThrough = false, log } = surroundings
  const folder = resolve(store.data)
  const parts = {
    health: health.part('store', { stopsCommands: true }),
    flushing,
    abandon: (reason: string) => abandon(reason, log),
    warn: (reason: string) => log.warn({ reason }, 'the ledger still shares its file with a snapshot'),
  }
  const database = openSqlite(folder, { ...parts, looksThrough })
  removeUnfinished(folder)
  return {
    database,
    storeName: `SQLite in ${folder}`,
    snapshots: openFolderShelf(folder, {
      openLedger: () => openSqlite(folder, parts),
      openFile: openSqliteFile,
      openUnchanging: openSqliteUnchanging,
      copiedBytesMax: limits.snapshotCopyBytesMax,
    }),
    undoable: (opened, isNew) => undoableFolder(folder, opened, isNew),
    async openAnew() {
      removeLedger(folder)
      return openSqlite(folder, parts)
    },
  }
}

async function openInPostgres({ store }: Settings, surroundings: Surroundings): Promise<OpenedDatabase> {
  const { health, isAlone, onLost = () => undefined, log } = surroundings
  const { openPostgres } = await import('../store/postgres/postgres.ts')
  const { place } = parsePostgresUrl(store.postgresUrl!)
  const times = {
    connectTimeoutMs: store.postgresConnectTimeoutMs,
    queryTimeoutMs: store.postgresQueryTimeoutMs,
    watchMs: store.postgresWatchMs,
  }

  async function open(): Promise<Database> {
    const node = { health, leaseMs: store.postgresLeaseMs, isAlone, onLost }
    const database = await openPostgres(store.postgresUrl!, log, { times, node })
    if (store.postgresReplicaUrl === undefined) return database
    return withReplica(database, await openPostgres(store.postgresReplicaUrl, log, { times, isReplica: true }))
  }

  async function clear(): Promise<void> {
    await using database = await openPostgres(store.postgresUrl!, log, { times })
    await dropSchema(database)
  }

  return {
    database: await open(),
    storeName: `PostgreSQL at ${place.replace(/^.*?:\/\//, '')}`,
    async openAnew() {
      await clear()
      return open()
    },
    async undoable(_database, isNew) {
      if (!isNew) {
        throw new StartError(
          'a ledger in PostgreSQL takes a world file only at its first start, because a failure could not be undone',
        )
      }
      return { ...nothingToUndo, undo: clear }
    },
  }
}

function withReplica(database: Database, replica: Database): Database {
  return {
    ...database,
    replica,
    async [Symbol.asyncDispose]() {
      await replica[Symbol.asyncDispose]()
      await database[Symbol.asyncDispose]()
    },
  }
}

/** The SQLite ledger in `folder`; a node may be using it. */
export function openForReading(folder: string): Database {
  return openSqliteForReading(resolve(folder))
}

/** Asks the ledger of a participant in SQL; a node may be using it. */
export async function openSqlSession({ store }: Settings, choose: ChooseTables): Promise<SqlSession> {
  if (store.kind === 'memory') throw new StartError('a ledger in memory cannot be asked in SQL: only its node has it')
  if (store.kind === 'sqlite') {
    const { openSqliteSession } = await import('../store/sql/sqlite-session.ts')
    return openSqliteSession(resolve(store.data), choose)
  }
  const { openPostgresSession } = await import('../store/sql/postgres-session.ts')
  return openPostgresSession(store.postgresUrl!, store.postgresConnectTimeoutMs, choose)
}

/** Ends as a crash does, because an orderly shutdown would write data that is in doubt. The next start recovers. */
function abandon(reason: string, log: Log): void {
  log.error({ reason }, 'the process ends because the data on disk is in doubt; start the node again')
  process.kill(process.pid, 'SIGKILL')
}

/** A data folder may also hold other files. */
function isLedgerFile(name: string): boolean {
  return /^(ledger\.sqlite|lock\.sqlite|restored\.(sqlite|base|log)|held\.sqlite|own\.|before-world\.sqlite|snapshots|token-secret|oidc-key\.pem|node-\d+\.json$)/.test(
    name,
  )
}

/** Read access to the ledger's files exposes its data, its token secret and, unless kept elsewhere, its key. */
function keepFilesPrivate(settings: Settings, log: Log): void {
  const { keyFile } = settings.participant
  const files = [
    ...(settings.store.kind === 'memory' ? [] : filesOpenToOthers(resolve(settings.store.data), isLedgerFile)),
    ...(keyFile !== undefined && isOpenToOthers(keyFile) ? [resolve(keyFile)] : []),
  ]
  if (files.length === 0) return
  const reaction = settings.store.filesOpenToOthers ?? (isDevelopment(settings) ? 'warn' : 'refuse')
  const problem = `other accounts of this machine can read or change ${files.join(', ')}`
  if (reaction === 'warn') log.warn({ fix: 'chmod go= FILE' }, problem)
  else throw new StartError(`${problem}; remove their rights with chmod go=, or set store.filesOpenToOthers to warn`)
}
