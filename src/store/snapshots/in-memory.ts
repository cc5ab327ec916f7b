// Snapshots of a ledger in memory: the bytes of SQLite files.
import { DatabaseSync } from 'node:sqlite'
import { Readable } from 'node:stream'
import type { Database } from '../core/database.ts'
import type { Snapshot } from '../core/store.ts'
import { checkHeader, damaged, endOf } from './check.ts'
import type { SnapshotShelf } from './snapshots.ts'

type Held = Snapshot & {
  readonly content: Uint8Array
  /** Opens a copy. */
  readonly open: () => Database
  /** Taken of the ledger that this node has served, so this node can serve it. */
  readonly isOwn: boolean
}

/** Read in pieces, so that a slow reader does not hold a second copy. */
const pieceBytes = 256 * 1024

/** `copiesOf` a content opens one at each call. */
export function openMemoryShelf(copiesOf: (content: Uint8Array) => () => Database, nowMs: () => number): SnapshotShelf {
  const snapshots = new Map<string, Held>()

  async function keep(name: string, database: Database): Promise<void> {
    const [row] = await database.query('SELECT ledger_end FROM ledger')
    add(name, await database.content!(), row!.ledger_end as bigint, true)
  }

  function add(name: string, content: Uint8Array, offset: bigint, isOwn: boolean): void {
    snapshots.delete(name) // The newest is the last.
    const open = copiesOf(content)
    snapshots.set(name, { name, takenAtMs: nowMs(), bytes: content.length, offset, content, open, isOwn })
  }

  return {
    list: async () => [...snapshots.values()],
    has: (name) => snapshots.has(name),
    take: (database, name) => keep(name, database),
    delete: async (name) => snapshots.delete(name),
    async prepare(name, check) {
      const held = snapshots.get(name)
      if (held === undefined) return undefined
      const database = held.open()
      try {
        if (!held.isOwn) await check(database)
      } catch (error) {
        await database[Symbol.asyncDispose]()
        throw error
      }
      return async () => database
    },
    async read(name) {
      const content = snapshots.get(name)?.content
      return content && { bytes: content.length, stream: Readable.from(piecesOf(content)) }
    },
    async edit(name, change) {
      await using database = snapshots.get(name)!.open()
      await change(database)
      await keep(name, database)
    },
    async receive(chunks) {
      const content = withoutLog(Buffer.concat(await Array.fromAsync(chunks)))
      checkHeader(content, content.length)
      const offset = endOf(() => databaseOf(content))
      checkTrees(content)
      return { keep: async (name) => add(name, content, offset, false), [Symbol.asyncDispose]: async () => undefined }
    },
  }
}

function databaseOf(content: Uint8Array): DatabaseSync {
  const db = new DatabaseSync(':memory:')
  db.deserialize(content)
  return db
}

function checkTrees(content: Uint8Array): void {
  using db = databaseOf(content)
  const [first] = db.prepare('PRAGMA integrity_check(1)').all()
  if (first?.integrity_check !== 'ok') throw damaged(String(first?.integrity_check).replaceAll(/\s*\n\s*/g, '; '))
}

function* piecesOf(content: Uint8Array): Iterable<Uint8Array> {
  for (let at = 0; at < content.length; at += pieceBytes) yield content.subarray(at, at + pieceBytes)
}

/** The places in the header of a file that say whether it has a log, which a database in memory cannot have. */
const logMarks = [18, 19]
const noLogMark = 1

export function withoutLog<Content extends Uint8Array>(content: Content): Content {
  for (const at of logMarks) if (at < content.length) content[at] = noLogMark
  return content
}
