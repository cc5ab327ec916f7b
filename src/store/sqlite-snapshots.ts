// Snapshots of a SQLite ledger: files beside it, or buffers for a ledger in memory.
import { constants, existsSync, statSync } from 'node:fs'
import fs from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { makePrivateFolder, privateFile } from '../base/private-files.ts'
import type { Database } from './database.ts'
import { newestSchema } from './migrate.ts'
import { nothingToUndo, type SnapshotShelf, type Undo } from './snapshots.ts'
import { ledgerFiles, restoredName } from './sqlite-folder.ts'
import type { Snapshot } from './store.ts'

const suffix = '.sqlite'

type Opening = {
  /** Opens the ledger in the folder. */
  readonly ledger: () => Database
  readonly file: (path: string) => Database
}

export function openFolderShelf(folder: string, open: Opening): SnapshotShelf {
  const shelf = join(folder, 'snapshots')
  const fileOf = (name: string) => join(shelf, `${name}${suffix}`)

  /** A file appears under its name once it is complete. */
  async function complete(path: string, write: (part: string) => Promise<void>): Promise<void> {
    const part = `${path}.part`
    try {
      await fs.rm(part, { force: true })
      await write(part)
      await flush(part)
      await fs.rename(part, path)
    } catch (error) {
      await fs.rm(part, { force: true })
      throw error
    }
  }

  return {
    async list() {
      const names = existsSync(shelf) ? await fs.readdir(shelf) : []
      const found = names.filter((name) => name.endsWith(suffix)).map((name) => name.slice(0, -suffix.length))
      return found.map((name) => describe(name, fileOf(name))).sort((a, b) => a.takenAtMs - b.takenAtMs)
    },
    async take(database, name) {
      makePrivateFolder(shelf)
      await complete(fileOf(name), (part) => database.copyTo!(part))
    },
    async delete(name) {
      if (!existsSync(fileOf(name))) return false
      await fs.rm(fileOf(name))
      return true
    },
    async prepare(name) {
      if (!existsSync(fileOf(name))) return undefined
      const waiting = join(folder, `${restoredName}.part`)
      await fs.rm(waiting, { force: true })
      await fs.copyFile(fileOf(name), waiting, constants.COPYFILE_FICLONE)
      await flush(waiting)
      return async () => {
        await fs.rename(waiting, join(folder, restoredName)) // From here on, a start completes it.
        return open.ledger()
      }
    },
    async edit(name, change) {
      await using database = open.file(fileOf(name))
      await change(database)
    },
    read: async (name) => (existsSync(fileOf(name)) ? fs.readFile(fileOf(name)) : undefined),
    async add(name, bytes) {
      makePrivateFolder(shelf)
      await complete(fileOf(name), async (part) => {
        await fs.writeFile(part, bytes, { mode: privateFile })
        endOf(new DatabaseSync(part, { readOnly: true }))
      })
    },
  }
}

/** A new ledger is deleted; any other becomes what it is now. */
export async function undoableFolder(folder: string, database: Database, isNew: boolean): Promise<Undo> {
  const remove = async (name: string) => fs.rm(join(folder, name), { force: true })
  if (isNew) return { ...nothingToUndo, undo: async () => void (await Promise.all(ledgerFiles.map(remove))) }
  const copy = `${restoredName}.part`
  await remove(copy)
  await database.copyTo!(join(folder, copy))
  await flush(join(folder, copy))
  return {
    undo: () => fs.rename(join(folder, copy), join(folder, restoredName)), // The next start completes it.
    keep: () => remove(copy),
  }
}

export function openMemoryShelf(open: (bytes: Uint8Array) => Database, nowMs: () => number): SnapshotShelf {
  const snapshots = new Map<string, Snapshot & { readonly content: Uint8Array }>()

  function add(name: string, given: Uint8Array): void {
    const content = withoutLog(given)
    const db = new DatabaseSync(':memory:')
    db.deserialize(content)
    snapshots.set(name, { name, takenAtMs: nowMs(), bytes: content.length, offset: endOf(db), content })
  }

  return {
    list: async () => [...snapshots.values()],
    async take(database, name) {
      snapshots.delete(name) // The newest is the last.
      add(name, await database.content!())
    },
    delete: async (name) => snapshots.delete(name),
    async prepare(name) {
      const content = snapshots.get(name)?.content
      return content && (async () => open(content))
    },
    read: async (name) => snapshots.get(name)?.content,
    async edit(name, change) {
      await using database = open(snapshots.get(name)!.content)
      await change(database)
      add(name, await database.content!())
    },
    add: async (name, bytes) => add(name, bytes),
  }
}

/** The places in the header of a file that say whether it has a log, which a database in memory cannot have. */
const logMarks = [18, 19]
const noLogMark = 1

function withoutLog(content: Uint8Array): Uint8Array {
  const copy = new Uint8Array(content)
  for (const at of logMarks) if (at < copy.length) copy[at] = noLogMark
  return copy
}

function describe(name: string, file: string): Snapshot {
  const { mtimeMs, size } = statSync(file)
  return { name, takenAtMs: mtimeMs, bytes: size, offset: endOf(new DatabaseSync(file, { readOnly: true })) }
}

/** The end of the ledger in this database. Closes it. Throws if it is no ledger that this version can open. */
function endOf(db: DatabaseSync): bigint {
  try {
    const { version } = db.prepare('SELECT version FROM schema_version').get()!
    if (BigInt(version as number) > newestSchema) throw new Error('a newer version of Tallystick wrote it')
    const row = db.prepare('SELECT ledger_end FROM ledger').get()
    return BigInt(row!.ledger_end as number)
  } finally {
    db.close()
  }
}

async function flush(path: string): Promise<void> {
  const file = await fs.open(path, 'r+')
  try {
    await file.datasync()
  } finally {
    await file.close()
  }
}
