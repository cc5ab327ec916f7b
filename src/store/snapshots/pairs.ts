// A snapshot that shares the ledger's file is a pair of files: NAME.base, another name of the file, and NAME.changes, what
// the write-ahead log held beyond it. NAME.changes begins with a line of JSON that describes the snapshot. It says when
// the file was last written: another program that opens a ledger which no node uses writes the log into it.
import fs from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { basename } from 'node:path'
import { Readable } from 'node:stream'
import { privateFile } from '../../base/private-files.ts'
import type { LogBeginning } from '../core/database.ts'
import type { SnapshotContent } from '../core/store.ts'
import type { LogPart } from '../sqlite/copy.ts'
import { copyRange } from '../sqlite/file-copies.ts'
import { openToRead } from '../sqlite/held-files.ts'
import { walFrameHeaderBytes, walHeaderBytes } from '../sqlite/write-ahead-log.ts'
import { damaged } from './check.ts'

export type PairDescription = {
  readonly offset: bigint
  /** As one file. */
  readonly bytes: number
}

/** With the names of the two files. */
export type Pair = { readonly base: string; readonly changes: string }

/** Longer than any first line. */
const lineBytesMax = 1024
const blockPages = 256

/** On disk when this settles. `base` is the file under any of its names. */
export async function writeChanges(
  { base, changes }: Pair,
  log: LogBeginning,
  { offset, bytes }: PairDescription,
): Promise<void> {
  const line = Buffer.from(`${JSON.stringify({ offset: String(offset), bytes, file: stateOf(base) })}\n`)
  await using to = await open(changes, 'wx', privateFile)
  await to.write(line, 0, line.length, 0)
  await using from = await open(log.path)
  await copyRange({ from, to, start: 0, end: log.bytes, at: line.length })
}

/** A copy of the folder has other files, with times of their own. */
function stateOf(base: string): string {
  const { ino, mtimeNs } = fs.statSync(base, { bigint: true })
  return `${ino} ${mtimeNs}`
}

function isChanged(base: string, state: string): boolean {
  const [ino, mtimeNs] = stateOf(base).split(' ')
  const [inoBefore, mtimeNsBefore] = state.split(' ')
  return ino === inoBefore && mtimeNs !== mtimeNsBefore
}

export type Changes = {
  readonly description: PairDescription
  readonly takenAtMs: number
  readonly log: Required<LogPart>
}

/** Throws an UnusableSnapshot. Does not wait for other work on files: each list of snapshots needs it. */
export function readChanges({ base, changes: path }: Pair): Changes {
  if (!fs.existsSync(path)) throw damaged(`${basename(path)} is missing`)
  const file = fs.openSync(path, 'r')
  try {
    const start = Buffer.alloc(lineBytesMax)
    const read = fs.readSync(file, start, 0, lineBytesMax, 0)
    const line = /^\{"offset":"(\d+)","bytes":(\d+)(?:,"file":"(\d+ \d+)")?\}\n/.exec(start.toString('latin1', 0, read))
    if (line === null) throw damaged(`${basename(path)} is not what a node wrote`)
    if (line[3] !== undefined && isChanged(base, line[3])) {
      throw damaged(`another program has written to ${basename(base)}, or to the ledger while it was the same file`)
    }
    const { size, mtimeMs } = fs.fstatSync(file)
    return {
      description: { offset: BigInt(line[1]!), bytes: Number(line[2]) },
      takenAtMs: mtimeMs,
      log: { path, start: line[0].length, bytes: size - line[0].length },
    }
  } finally {
    fs.closeSync(file)
  }
}

/** The snapshot as one file, put together while it is read. It stays readable if the snapshot is deleted meanwhile. */
export async function readPair({ base, changes }: Pair): Promise<SnapshotContent> {
  const { description, log } = readChanges({ base, changes })
  await using parts = new AsyncDisposableStack()
  const file = parts.use(await openToRead(base)).handle
  const logFile = parts.use(await open(changes))
  const pages = log.bytes === 0 ? noPages : await pagesIn(logFile, log)
  return streamOf(blocksOf({ file, logFile, pages, bytes: description.bytes }), description.bytes, parts.move())
}

/** The same for one that is a whole file. */
export async function readWhole(path: string): Promise<SnapshotContent> {
  await using parts = new AsyncDisposableStack()
  const file = parts.use(await openToRead(path)).handle
  const { size: bytes } = await file.stat()
  return streamOf(blocksOf({ file, logFile: file, pages: noPages, bytes }), bytes, parts.move())
}

function streamOf(blocks: AsyncIterable<Uint8Array>, bytes: number, owned: AsyncDisposable): SnapshotContent {
  const stream = Readable.from(blocks)
  stream.once('close', () => void owned[Symbol.asyncDispose]())
  return { bytes, stream }
}

type LogPages = {
  readonly pageBytes: number
  /** Where the newest content of each page begins. */
  readonly places: ReadonlyMap<number, number>
}

const noPages: LogPages = { pageBytes: 4096, places: new Map() }

/** All its frames belong to it: SQLite said how many there are. */
async function pagesIn(file: FileHandle, { start, bytes }: Changes['log']): Promise<LogPages> {
  const head = Buffer.alloc(walHeaderBytes)
  await readInto(head, file, start)
  const pageBytes = head.readUInt32BE(8)
  const places = new Map<number, number>()
  const frame = Buffer.alloc(walFrameHeaderBytes)
  const frameBytes = walFrameHeaderBytes + pageBytes
  for (let at = start + walHeaderBytes; at + frameBytes <= start + bytes; at += frameBytes) {
    await readInto(frame, file, at)
    places.set(frame.readUInt32BE(0), at + walFrameHeaderBytes)
  }
  return { pageBytes, places }
}

type Source = {
  readonly file: FileHandle
  readonly logFile: FileHandle
  readonly pages: LogPages
  readonly bytes: number
}

async function* blocksOf({ file, logFile, pages, bytes }: Source): AsyncIterable<Uint8Array> {
  const { pageBytes, places } = pages
  for (let at = 0; at < bytes; at += blockPages * pageBytes) {
    const block = Buffer.alloc(Math.min(blockPages * pageBytes, bytes - at))
    await readInto(block, file, at) // The file may be shorter; the rest is in the log then.
    for (let inside = 0; inside < block.length; inside += pageBytes) {
      const place = places.get((at + inside) / pageBytes + 1)
      if (place !== undefined) await readInto(block.subarray(inside, inside + pageBytes), logFile, place)
    }
    yield block
  }
}

async function readInto(target: Buffer, file: FileHandle, from: number): Promise<void> {
  for (let done = 0; done < target.length; ) {
    const { bytesRead } = await file.read(target, done, target.length - done, from + done)
    if (bytesRead === 0) return
    done += bytesRead
  }
}
