// Snapshots of a SQLite ledger: files beside it.
import { constants, existsSync, statSync } from 'node:fs'
import fs from 'node:fs/promises'
import { join } from 'node:path'
import { UnusableSnapshot } from '../base/errors.ts'
import { makePrivateFolder, writePrivateStream } from '../base/private-files.ts'
import type { Database } from './database.ts'
import { checkHeader, damaged, endOf, headerBytes } from './snapshot-check.ts'
import { nothingToUndo, type SnapshotShelf, type Undo } from './snapshots.ts'
import { ledgerName, removeLedger, restoredName, shelfName, unfinished, wayBackName } from './sqlite-folder.ts'
import { damageIn } from './sqlite-trees.ts'
import type { Snapshot } from './store.ts'
import { openUnchanging } from './unchanging-file.ts'

const suffix = '.sqlite'

type Opening = {
  /** Opens the ledger in the folder. */
  readonly ledger: () => Database
  readonly file: (path: string) => Database
}

export function openFolderShelf(folder: string, open: Opening): SnapshotShelf {
  const shelf = join(folder, shelfName)
  const fileOf = (name: string) => join(shelf, `${name}${suffix}`)
  let received = 0

  return {
    async list() {
      const names = existsSync(shelf) ? await fs.readdir(shelf) : []
      const found = names.filter((name) => name.endsWith(suffix)).map((name) => name.slice(0, -suffix.length))
      return found.map((name) => describe(name, fileOf(name))).sort((a, b) => a.takenAtMs - b.takenAtMs)
    },
    has: (name) => existsSync(fileOf(name)),
    async take(database, name) {
      makePrivateFolder(shelf)
      const part = `${fileOf(name)}${unfinished}`
      await orNothing(part, async () => {
        await fs.rm(part, { force: true })
        await database.copyTo!(part)
        await flush(part)
        await fs.rename(part, fileOf(name)) // It appears under its name once it is complete.
      })
    },
    async delete(name) {
      if (!existsSync(fileOf(name))) return false
      await fs.rm(fileOf(name))
      return true
    },
    async prepare(name, check) {
      if (!existsSync(fileOf(name))) return undefined
      const waiting = join(folder, `${restoredName}${unfinished}`)
      await orNothing(waiting, async () => {
        await fs.rm(waiting, { force: true })
        await fs.copyFile(fileOf(name), waiting, constants.COPYFILE_FICLONE)
        await using copy = open.file(waiting)
        await check(copy)
      })
      await flush(waiting)
      return async () => {
        // Freeing a file of gigabytes takes a second. While it is open, that waits until it is closed in a thread.
        const old = await fs.open(join(folder, ledgerName))
        try {
          await fs.rename(waiting, join(folder, restoredName)) // From here on, a start completes it.
          return open.ledger()
        } finally {
          void old.close()
        }
      }
    },
    async edit(name, change) {
      await using database = open.file(fileOf(name))
      await change(database)
    },
    async read(name) {
      if (!existsSync(fileOf(name))) return undefined
      const file = await fs.open(fileOf(name)) // It stays readable if the snapshot is deleted meanwhile.
      const { size } = await file.stat()
      return { bytes: size, stream: file.createReadStream() }
    },
    async receive(chunks) {
      makePrivateFolder(shelf)
      received += 1
      const part = join(shelf, `received-${received}${unfinished}`)
      await orNothing(part, async () => {
        await writePrivateStream(part, chunks)
        await checkFile(part)
      })
      return {
        keep: (name) => fs.rename(part, fileOf(name)),
        [Symbol.asyncDispose]: () => fs.rm(part, { force: true }),
      }
    },
  }
}

/** A new ledger is deleted; any other becomes what it is now, also if the process is killed meanwhile. */
export async function undoableFolder(folder: string, database: Database, isNew: boolean): Promise<Undo> {
  if (isNew) return { ...nothingToUndo, undo: async () => removeLedger(folder) }
  const [part, copy] = [join(folder, `${wayBackName}${unfinished}`), join(folder, wayBackName)]
  await fs.rm(part, { force: true })
  await database.copyTo!(part)
  await flush(part)
  await fs.rename(part, copy)
  return {
    undo: async () => undefined, // The next start does it.
    keep: () => fs.rm(copy, { force: true }),
  }
}

/** If the work fails, its file is removed. */
async function orNothing(file: string, work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    await fs.rm(file, { force: true })
    throw error
  }
}

async function checkFile(path: string): Promise<void> {
  const file = await fs.open(path)
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(headerBytes), 0, headerBytes, 0)
    checkHeader(buffer.subarray(0, bytesRead), (await file.stat()).size)
  } finally {
    await file.close()
  }
  endOf(() => openUnchanging(path))
  const problem = await damageIn(path)
  if (problem !== undefined) throw damaged(problem)
}

/** One that cannot be read is listed, too: otherwise another would take its name, and nobody could delete it. */
function describe(name: string, file: string): Snapshot {
  const { mtimeMs, size } = statSync(file)
  const known = { name, takenAtMs: mtimeMs, bytes: size }
  try {
    return { ...known, offset: endOf(() => openUnchanging(file)) }
  } catch (error) {
    if (!(error instanceof UnusableSnapshot)) throw error
    return { ...known, offset: 0n, problem: error.message }
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
