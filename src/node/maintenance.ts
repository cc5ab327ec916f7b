// Operations on a ledger for the command line, without running a node: tokens, pruning, checking, moving the key.
import { existsSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { readLocalSecret, signCommandLineToken as sign, signToken } from '../auth/local-tokens.ts'
import { audienceOfParticipant } from '../auth/payload.ts'
import { wallClock } from '../base/clock.ts'
import { LedgerError, StartError, storedDataDamaged } from '../base/errors.ts'
import { createHealth } from '../base/health.ts'
import { createLog } from '../base/log.ts'
import { makePrivateFolder, writePrivateFile } from '../base/private-files.ts'
import type { Settings } from '../base/settings.ts'
import { ownVersion } from '../base/version.ts'
import type { PackageSet } from '../codegen/package-set.ts'
import {
  bodyBytes,
  metaFromText,
  type Outlines,
  partiesOf,
  updateIdKey,
  updateIdOf,
} from '../events/format/stored-update.ts'
import { createPruning, type Pruning } from '../ledger/commit/pruning.ts'
import { dropKey, identityName, moveKeyToFile, readIdentity } from '../ledger/model/identity.ts'
import { loadEnd } from '../ledger/model/ledger-end.ts'
import { createWallTime, loadStaticTime } from '../ledger/model/ledger-time.ts'
import { createNames } from '../ledger/model/name-numbers.ts'
import type { NodeRecords } from '../store/core/administration-records.ts'
import type { Queries } from '../store/core/database.ts'
import { inTablesOf, prefixOf, tablesOfParticipant } from '../store/core/participant-tables.ts'
import { attempt, type Findings } from '../store/integrity/parts.ts'
import { createStore } from '../store/records/create-store.ts'
import { nodeRecords } from '../store/records/node-records.ts'
import { migrate, newestSchema, versionOf } from '../store/schema/migrate.ts'
import type { SqlResult } from '../store/sql/session.ts'
import { ledgerName } from '../store/sqlite/data-folder.ts'
import { readFirstWorld } from './first-world.ts'
import { participantNames } from './network.ts'
import { type OpenedDatabase, openDatabase, openForReading, openSqlSession } from './open-database.ts'

const log = createLog('silent')
const quiet = { log, health: createHealth(wallClock, log) }

/** The secret of the development node over `folder`, if it keeps one there. */
export const localSecretIn = readLocalSecret

/** A token with which a command may do everything on the node with this secret, for a day by default. */
export function signCommandLineToken(secret: string, lifetimeMs?: number): Promise<string> {
  return sign(secret, wallClock.nowMs(), lifetimeMs)
}

export type UserTokenRequest = Omit<LocalTokenRequest, 'folder' | 'participant'> & {
  readonly secret: string
  readonly participantId: string
}

/** A token for a user of the running node with this secret. */
export function issueUserToken({ secret, participantId, userId, audience, lifetimeMs }: UserTokenRequest) {
  const to = audience ?? audienceOfParticipant(participantId)
  return signToken(secret, { userId, audience: to, lifetimeMs, nowMs: wallClock.nowMs() })
}

export type LocalTokenRequest = {
  readonly folder: string
  /** The one of a network whose user it is for, by its name; the first one if undefined. */
  readonly participant?: string | undefined
  readonly userId: string
  readonly audience: string | undefined
  readonly lifetimeMs: number
}

/** A token that the development node using `folder` accepts, whether it is running or not. */
export async function issueLocalToken(request: LocalTokenRequest): Promise<string> {
  const { folder, participant, userId, audience, lifetimeMs } = request
  const secret = readLocalSecret(folder)
  if (secret === undefined) {
    throw new StartError(`there is no token secret in ${folder}; a development node creates one at its first start`)
  }
  const sign = (to: string) => signToken(secret, { userId, audience: to, lifetimeMs, nowMs: wallClock.nowMs() })
  if (audience !== undefined) return sign(audience)
  await using database = openForReading(folder)
  const number = await numberOf(participant, createStore(database).node)
  const identity = await readIdentity(createStore(tablesOfParticipant(database, number)))
  if (identity === undefined) throw new StartError(`there is no ledger in ${folder}; start a node there first`)
  return sign(audienceOfParticipant(identity.participantId))
}

/** What is deleted. */
export type PruneBound = { readonly upTo: bigint } | { readonly olderThanMs: number }

export type PruneTarget = PruneBound & {
  /** The one of a network whose ledger it is, by its name; the first one if undefined. */
  readonly participant: string | undefined
}

/** Prunes a ledger that no node is using and returns the offset reached. `watch` waits for the end of pruning. */
export async function pruneLedger(
  settings: Settings,
  target: PruneTarget,
  watch: (pruning: Pick<Pruning, 'progress'>) => Promise<void>,
): Promise<bigint> {
  await using database = (await openExisting(settings)).database
  await migrate(database)
  const first = createStore(database)
  const number = await numberOf(target.participant, first.node)
  const tables = tablesOfParticipant(database, number)
  if (number > 1) await migrate(tables)
  const store = createStore(tables)
  const { end, publishedAt } = await loadEnd(store)
  const time = (await loadStaticTime(first, publishedAt)) ?? createWallTime(wallClock, publishedAt)
  const { limits } = settings
  const names = createNames(1000)
  await using pruning = createPruning({ store, end, names, time, limits, ...quiet, clock: wallClock })
  try {
    if ('upTo' in target) await pruning.prune(target.upTo)
    else await pruning.pruneOlderThan(BigInt(target.olderThanMs) * 1000n)
  } catch (error) {
    if (error instanceof LedgerError) throw new StartError(error.message)
    throw error
  }
  await watch(pruning)
  return end.prunedUpTo()
}

/** The place of a participant in the network of a ledger; of the first one without a name. */
async function numberOf(participant: string | undefined, records: Pick<NodeRecords, 'get'>): Promise<number> {
  if (participant === undefined) return 1
  const names = await participantNames(records)
  if (names.includes(participant)) return names.indexOf(participant) + 1
  const known = names.join(', ') || 'one that needs no name'
  throw new StartError(`there is no participant ${participant}; the ledger has ${known}`)
}

/**
 * Searches a ledger for damage without changing anything. An SQLite ledger may be in use: the check reads one snapshot.
 * With PostgreSQL no node may be running.
 */
export async function checkLedger(settings: Settings, findings: Findings): Promise<void> {
  const { kind, data } = settings.store
  if (kind === 'memory') throw new StartError('a ledger in memory cannot be checked: it is lost when its node stops')
  await using database = kind === 'sqlite' ? openForReading(data) : (await openExisting(settings)).database
  const checkWith = async (queries: Queries) => {
    await checkQueries(queries, kind, findings)
    const names = await participantNames(nodeRecords(queries, storedDataDamaged))
    for (const [index, name] of names.entries()) {
      if (index > 0) await checkQueries(inTablesOf(index + 1, queries), kind, findingsOf(name, findings))
    }
  }
  // A failure to read at the very beginning or end is a finding, too.
  await attempt('the ledger', findings.problem, () =>
    kind === 'sqlite' ? database.transaction(checkWith) : checkWith(database),
  )
}

/** Of another participant than the first. */
function findingsOf(name: string, { problem, progress }: Findings): Findings {
  return {
    problem: (text) => problem(`participant ${name}: ${text}`),
    progress: (table, rows, isDone) => progress(`${table} of ${name}`, rows, isDone),
  }
}

async function checkQueries(queries: Queries, kind: 'sqlite' | 'postgres', findings: Findings): Promise<void> {
  const { checkIntegrity } = await import('../store/integrity/integrity.ts')
  const { createContractCheck } = await import('../engine/requests/contract-check.ts')
  const { decodeArchive } = await import('../lf/archive/archive.ts')
  if ((await versionOf(queries)) !== newestSchema) {
    throw new StartError(
      'the ledger has the schema of another version of Tallystick; start a node of this version on it first',
    )
  }
  const dalfs = new Map<string, Uint8Array>()
  const isContract = createContractCheck({ package: (id) => dalfs.get(id) })
  const outlines: Outlines = new Map()
  const meaning = {
    readUpdate(meta: string) {
      const update = metaFromText(meta, outlines)
      return { idKey: updateIdKey(updateIdOf(update)), parties: partiesOf(update), bodyBytes: bodyBytes(update) }
    },
    isAuthentic: (id: string, blob: Uint8Array) => isContract({ id, blob }),
    isPackage(id: string, dalf: Uint8Array) {
      try {
        if (decodeArchive(dalf).package.id !== id) return false
        dalfs.set(id, dalf)
        return true
      } catch {
        return false
      }
    },
  }
  await checkIntegrity({ queries, meaning, ...findings }, kind)
  await attempt(identityName, findings.problem, async () => {
    await readIdentity({ node: nodeRecords(queries, storedDataDamaged) })
  })
}

export type Question = {
  readonly sql: string
  /** The one of a network that is asked, by its name; the first one if undefined. */
  readonly participant: string | undefined
}

/** Asks a ledger in SQL, through the views of store/sql/views.ts. A node may be using it. */
export async function queryLedger<T>(
  settings: Settings,
  { sql, participant }: Question,
  read: (result: SqlResult) => Promise<T>,
): Promise<T> {
  await using session = await openSqlSession(settings, async (get) => {
    const number = await numberOf(participant, { get })
    const isInNetwork = (await participantNames({ get })).length > 1
    return { prefix: number === 1 ? '' : prefixOf(number), isInNetwork }
  })
  return await read(await session.run(sql))
}

/** Moves the participant's key out of a database that no node is using; returns the participant's id. */
export async function moveKey(settings: Settings, file: string): Promise<string> {
  const { database: opened, snapshots } = await openExisting(settings)
  await using database = opened
  await migrate(database)
  if ((await participantNames(createStore(database).node)).length > 1) {
    throw new StartError('the ledger has several participants, and participant.keyFile is for the key of one')
  }
  const participantId = await moveKeyToFile(createStore(database), resolve(file), settings.participant.keyPassphrase)
  // PostgreSQL keeps the deleted row on disk until the table is rewritten.
  if (settings.store.kind === 'postgres') await database.query('CLUSTER node USING node_pkey')
  for (const { name } of (await snapshots?.list()) ?? []) {
    await snapshots!.edit(name, (copy) => dropKey(createStore(copy), participantId))
  }
  return participantId
}

/**
 * A database that no node is using. It must exist already, because opening a folder for writing would create a ledger
 * there.
 */
async function openExisting(settings: Settings): Promise<OpenedDatabase> {
  const { kind, data } = settings.store
  if (kind === 'sqlite') await openForReading(data)[Symbol.asyncDispose]()
  return openDatabase(settings, { ...quiet, clock: wallClock, isAlone: true })
}

/** Whether the world file of the settings says which participants there are. */
export async function namesParticipants(settings: Settings): Promise<boolean> {
  const world = await readFirstWorld(settings)
  return (world?.settings.network.participants.length ?? 0) > 0
}

/** The API description that a node serves for these packages, without a node. */
export async function apiDocument(packages: PackageSet): Promise<unknown> {
  const { openApiDocument } = await import('../api/descriptions/openapi.ts')
  const { allRoutes } = await import('../api/routes/all.ts')
  const { typedDocument } = await import('../codegen/typed-document.ts')
  return typedDocument(openApiDocument(allRoutes(ownVersion), ownVersion), packages)
}

/**
 * Puts the content of a snapshot into a new folder, for a node with `--data`. Returns the folder: a number is added to its
 * name if it exists.
 */
export function keepLedger(content: Uint8Array, folder: string): string {
  makePrivateFolder(dirname(folder))
  for (let number = 1; ; number += 1) {
    const candidate = number === 1 ? folder : `${folder}-${number}`
    if (existsSync(candidate)) continue
    makePrivateFolder(candidate)
    writePrivateFile(join(candidate, ledgerName), content)
    return candidate
  }
}
