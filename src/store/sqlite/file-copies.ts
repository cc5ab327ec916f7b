// Copies of files that may be large: by a clone or a hard link where the file system has them, else piece by piece.
import fs from 'node:fs'
import { copyFile, type FileHandle, link, open } from 'node:fs/promises'
import { join } from 'node:path'
import { privateFile, writePrivateFile } from '../../base/private-files.ts'
import { openToRead } from './held-files.ts'

const pieceBytes = 1024 * 1024
/** Flushed after so much: a commit must not wait until gigabytes of a copy are on disk. */
const flushedBytes = 32 * pieceBytes

/**
 * A clone is a file of its own that shares blocks until one of the two changes. A link is another name of the same file.
 */
export type QuickCopy = 'clone' | 'link' | 'none'

const quickCopies = new Map<string, QuickCopy>()

/** Tried once for each folder, with files that a killed node would remove at its next start. */
export async function quickCopyIn(folder: string, unfinished: string): Promise<QuickCopy> {
  const known = quickCopies.get(folder)
  if (known !== undefined) return known
  const [from, to] = [join(folder, `probe${unfinished}`), join(folder, `probe-copy${unfinished}`)]
  const way = await firstThatWorks(from, to)
  quickCopies.set(folder, way)
  return way
}

async function firstThatWorks(from: string, to: string): Promise<QuickCopy> {
  const remove = () => {
    for (const path of [from, to]) fs.rmSync(path, { force: true })
  }
  remove()
  try {
    writePrivateFile(from, 'probe')
    if (await works(() => clone(from, to))) return 'clone'
    fs.rmSync(to, { force: true })
    // SQLite on Windows does not notice that a file was moved, on which shared-file.ts relies.
    const links = process.platform !== 'win32' && (await works(() => link(from, to))) && fs.statSync(to).nlink === 2
    return links ? 'link' : 'none'
  } finally {
    remove()
  }
}

async function works(work: () => Promise<void>): Promise<boolean> {
  try {
    await work()
    return true
  } catch {
    return false
  }
}

export function clone(from: string, to: string): Promise<void> {
  return copyFile(from, to, fs.constants.COPYFILE_FICLONE_FORCE)
}

/** Copies a file that may be the ledger's. It is on disk when this settles. */
export async function copyWhole(from: string, to: string, signal?: AbortSignal): Promise<void> {
  await using source = await openToRead(from)
  await using target = await open(to, 'wx', privateFile)
  const { size } = await source.handle.stat()
  await copyRange({ from: source.handle, to: target, start: 0, end: size, at: 0, signal })
}

export type Range = {
  readonly from: FileHandle
  readonly to: FileHandle
  readonly start: number
  readonly end: number
  /** Where it begins in the copy. */
  readonly at: number
  readonly signal?: AbortSignal | undefined
}

/** It is on disk when this settles. */
export async function copyRange({ from, to, start, end, at, signal }: Range): Promise<void> {
  const buffer = Buffer.allocUnsafe(Math.min(pieceBytes, Math.max(1, end - start)))
  for (let done = start; done < end; ) {
    signal?.throwIfAborted()
    const { bytesRead } = await from.read(buffer, 0, Math.min(buffer.length, end - done), done)
    if (bytesRead === 0) throw new Error('a file became shorter while it was copied')
    await writeAll(to, buffer.subarray(0, bytesRead), at + done - start)
    const before = done
    done += bytesRead
    if (Math.floor(done / flushedBytes) > Math.floor(before / flushedBytes)) await to.datasync()
  }
  await to.datasync()
}

async function writeAll(to: FileHandle, bytes: Uint8Array, at: number): Promise<void> {
  for (let done = 0; done < bytes.length; ) {
    done += (await to.write(bytes, done, bytes.length - done, at + done)).bytesWritten
  }
}

/** Makes new, renamed and removed names of a folder durable. Windows cannot open a folder. */
export async function flushFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return
  await using opened = await open(folder)
  await opened.sync()
}

export function flushFolderNow(folder: string): void {
  if (process.platform === 'win32') return
  const opened = fs.openSync(folder, 'r')
  try {
    fs.fsyncSync(opened)
  } finally {
    fs.closeSync(opened)
  }
}
