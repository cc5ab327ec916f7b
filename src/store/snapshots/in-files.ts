// Snapshots of a SQLite ledger: files beside it. A small one is a copy. A large one shares the ledger's file until the
// ledger needs it for itself (sqlite/shared-file.ts), so that its size does not matter.
import { existsSync, statSync } from 'node:fs'
import { open, readdir, rename, rm, stat, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { UnusableSnapshot } from '../../base/errors.ts'
import { makePrivateFolder, writePrivateStream } from '../../base/private-files.ts'
import type { Database } from '../core/database.ts'
import type { Snapshot } from '../core/store.ts'
import { openUnchanging } from '../sqlite/connection.ts'
import { copyLedger } from '../sqlite/copy.ts'
import { damageIn } from '../sqlite/damaged-trees.ts'
import {
  baseEnding,
  changesEnding,
  ledgerName,
  removeLedger,
  shelfName,
  unfinished,
  wayBackName,
  wholeEnding,
} from '../sqlite/data-folder.ts'
import { withoutDisk } from '../sqlite/errors.ts'
import { flushFolder, quickCopyIn } from '../sqlite/file-copies.ts'
import { openToRead } from '../sqlite/held-files.ts'
import { isShared } from '../sqlite/shared-file.ts'
import { checkHeader, damaged, endOf, headerBytes } from './check.ts'
import { type Pair, readChanges, readPair, readWhole, writeChanges } from './pairs.ts'
import { type Put, prepareCopy, prepareLink } from './restoring.ts'
import { nothingToUndo, type SnapshotShelf, type Undo } from './snapshots.ts'

type Parts = {
  /** Opens the ledger in the folder. */
  readonly openLedger: () => Database
  readonly openFile: (path: string) => Database
  readonly openUnchanging: (path: string) => Database
  /** A larger one shares the ledger's file. */
  readonly copiedBytesMax: number
}

const zerosBytes = 1024 * 1024

/** The files of a snapshot. If there is a whole one, a pair is what is left of an older state. */
type Places = Pair & { readonly whole: string }

export function openFolderShelf(folder: string, parts: Parts): SnapshotShelf {
  const shelf = join(folder, shelfName)
  const placesOf = (name: string): Places => ({
    whole: join(shelf, `${name}${wholeEnding}`),
    base: join(shelf, `${name}${baseEnding}`),
    changes: join(shelf, `${name}${changesEnding}`),
  })
  let received = 0

  /** Whether a file of this size is shared. */
  async function isSharing(file: string): Promise<boolean> {
    return (await stat(file)).size > parts.copiedBytesMax && (await quickCopyIn(folder, unfinished)) === 'link'
  }

  async function takeWhole(database: Database, { whole, base, changes }: Places): Promise<void> {
    const part = `${whole}${unfinished}`
    await orNothing([part], async () => {
      await rm(part, { force: true })
      await database.copyTo!(part)
      await rename(part, whole) // It appears under its name once it is complete.
    })
    for (const path of [base, changes]) await rm(path, { force: true })
  }

  async function takePair(database: Database, places: Places): Promise<void> {
    await deleteSnapshot(places)
    const part = `${places.base}${unfinished}`
    await orNothing([part, places.changes], async () => {
      await rm(part, { force: true })
      await database.shareAs!(part, async (log, queries) => {
        const [state] = await queries.query('SELECT ledger_end FROM ledger')
        const bytes = await database.measures!.sizeBytes()
        const description = { offset: state!.ledger_end as bigint, bytes }
        await writeChanges({ base: part, changes: places.changes }, log, description)
      })
      await rename(part, places.base) // It appears under its name once it is complete.
    })
    await flushFolder(shelf)
  }

  /** So that a change of the file would be noticed while the ledger has it, too. */
  async function wholeToPair(places: Places): Promise<void> {
    const { whole, base, changes } = places
    const { size: bytes, mtimeMs } = statSync(whole)
    for (const path of [base, changes]) await rm(path, { force: true })
    const offset = endOf(() => openUnchanging(whole))
    await writeChanges({ base: whole, changes }, { path: whole, bytes: 0 }, { offset, bytes })
    await utimes(changes, mtimeMs / 1000, mtimeMs / 1000) // When it was taken.
    await rename(whole, base)
    await flushFolder(shelf)
  }

  async function preparePut(places: Places, check: (copy: Database) => Promise<void>): Promise<Put> {
    const isWhole = existsSync(places.whole)
    const isLinked = await isSharing(isWhole ? places.whole : places.base)
    if (isWhole && isLinked) await wholeToPair(places)
    const isCopy = isWhole && !isLinked
    const [base, log] = isCopy ? [places.whole, undefined] : [places.base, readChanges(places).log]
    const source = { folder, base, log, check, ...parts }
    return (isLinked && (await prepareLink(source))) || (await prepareCopy(source))
  }

  /** One file with everything; the log that a pair has is written into it. */
  async function copySnapshot(places: Places, target: string): Promise<void> {
    if (existsSync(places.whole)) await copyLedger({ base: places.whole, log: undefined, target })
    else await copyLedger({ base: places.base, log: readChanges(places).log, target })
  }

  return {
    async list() {
      const names = existsSync(shelf) ? await readdir(shelf) : []
      const endings = [wholeEnding, baseEnding]
      const found = names.flatMap((name) =>
        endings.filter((end) => name.endsWith(end)).map((end) => name.slice(0, -end.length)),
      )
      const described = [...new Set(found)].map((name) => describe(name, placesOf(name)))
      return described.sort((a, b) => a.takenAtMs - b.takenAtMs)
    },
    has: (name) => exists(placesOf(name)),
    async take(database, name) {
      await orRefused(async () => {
        makePrivateFolder(shelf)
        const take = (await isSharing(join(folder, ledgerName))) ? takePair : takeWhole
        await take(database, placesOf(name))
      })
    },
    async delete(name) {
      const places = placesOf(name)
      if (!exists(places)) return false
      await deleteSnapshot(places)
      return true
    },
    async prepare(name, check) {
      const places = placesOf(name)
      if (!exists(places)) return undefined
      const put = await orRefused(() => preparePut(places, check))
      return async () => {
        // Freeing a file of gigabytes takes a second. While it is open, that waits until it is closed in a thread.
        await using _ = await openToRead(join(folder, ledgerName))
        put() // From here on, a start completes it.
        return await parts.openLedger()
      }
    },
    async edit(name, change) {
      const places = placesOf(name)
      const edited = async (file: string) => {
        await using database = parts.openFile(file)
        await change(database)
      }
      if (existsSync(places.whole) && !isShared(places.whole)) return edited(places.whole)
      const part = `${places.whole}${unfinished}`
      await orNothing([part], async () => {
        await rm(part, { force: true })
        await copySnapshot(places, part)
        await edited(part)
        await flush(part)
        await rename(part, places.whole)
      })
      for (const path of [places.base, places.changes]) await overwriteAndRemove(path)
    },
    async read(name) {
      const places = placesOf(name)
      if (existsSync(places.whole)) return readWhole(places.whole)
      return existsSync(places.base) ? readPair(places) : undefined
    },
    async receive(chunks) {
      makePrivateFolder(shelf)
      received += 1
      const part = join(shelf, `received-${received}${unfinished}`)
      await orNothing([part], async () => {
        await writePrivateStream(part, chunks)
        await checkFile(part)
      })
      return {
        keep: (name) => rename(part, placesOf(name).whole),
        [Symbol.asyncDispose]: () => rm(part, { force: true }),
      }
    },
  }
}

/** A new ledger is deleted; any other becomes what it is now, also if the process is killed meanwhile. */
export async function undoableFolder(folder: string, database: Database, isNew: boolean): Promise<Undo> {
  if (isNew) return { ...nothingToUndo, undo: async () => removeLedger(folder) }
  const [part, copy] = [join(folder, `${wayBackName}${unfinished}`), join(folder, wayBackName)]
  await rm(part, { force: true })
  await database.copyTo!(part)
  await rename(part, copy)
  return {
    undo: async () => undefined, // The next start does it.
    keep: () => rm(copy, { force: true }),
  }
}

function exists({ whole, base }: Places): boolean {
  return existsSync(whole) || existsSync(base)
}

/** The changes alone are nothing, so they go last. */
async function deleteSnapshot({ whole, base, changes }: Places): Promise<void> {
  for (const path of [base, changes, whole]) await rm(path, { force: true })
}

/** If the work fails, its files are removed. */
async function orNothing(files: readonly string[], work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    for (const file of files) await rm(file, { force: true })
    throw error
  }
}

async function orRefused<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw withoutDisk(error)
  }
}

async function checkFile(path: string): Promise<void> {
  {
    await using file = await open(path)
    const { buffer, bytesRead } = await file.read(Buffer.alloc(headerBytes), 0, headerBytes, 0)
    checkHeader(buffer.subarray(0, bytesRead), (await file.stat()).size)
  }
  endOf(() => openUnchanging(path))
  const problem = await damageIn(path)
  if (problem !== undefined) throw damaged(problem)
}

/** One that cannot be read is listed, too: otherwise another would take its name, and nobody could delete it. */
function describe(name: string, places: Places): Snapshot {
  const { whole, base } = places
  const file = existsSync(whole) ? whole : base
  const { mtimeMs, size } = statSync(file)
  const known = { name, takenAtMs: mtimeMs, bytes: size }
  try {
    const offset = endOf(() => openUnchanging(file))
    if (file === whole) return { ...known, offset }
    const { description, takenAtMs } = readChanges(places)
    return { name, takenAtMs, ...description }
  } catch (error) {
    if (!(error instanceof UnusableSnapshot)) throw error
    return { ...known, offset: 0n, problem: error.message }
  }
}

async function flush(path: string): Promise<void> {
  await using file = await open(path, 'r+')
  await file.datasync()
}

/** For a file with a key: a file system leaves the content of a removed one on the disk. Not if others have it, too. */
async function overwriteAndRemove(path: string): Promise<void> {
  if (!existsSync(path)) return
  if (!isShared(path)) {
    await using file = await open(path, 'r+')
    const { size } = await file.stat()
    const zeros = new Uint8Array(zerosBytes)
    for (let at = 0; at < size; at += zerosBytes) await file.write(zeros, 0, Math.min(zerosBytes, size - at), at)
    await file.datasync()
  }
  await rm(path)
}
