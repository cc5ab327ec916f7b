// Reads entries of an untrusted zip file. Nothing in the directory is trusted: counts, sizes and ratios are checked
// before anything is inflated, and inflating stops at the declared size.
import { crc32, inflateRawSync } from 'node:zlib'
import { ArchiveError } from '../archive/archive-error.ts'
import { zipLimits } from '../archive/limits.ts'

export type ZipEntry = {
  readonly name: string
  /** The inflated size in bytes, as the directory declares it. */
  readonly size: number
  readonly storedSize: number
  readonly method: number
  readonly isEncrypted: boolean
  readonly crc: number
  readonly headerOffset: number
}

export type Zip = { readonly bytes: Uint8Array; readonly entries: ReadonlyMap<string, ZipEntry> }

export const signatures = { localHeader: 0x04034b50, directoryEntry: 0x02014b50, directoryEnd: 0x06054b50 }
export const headerSizes = { localHeader: 30, directoryEntry: 46, directoryEnd: 22 }
const commentBytesMax = 0xffff
export const methods = { stored: 0, deflated: 8 }

/** Below this size a high ratio does no harm. */
const ratioFreeBytes = 1024 * 1024

export function readZipDirectory(bytes: Uint8Array): Zip {
  const view = viewOf(bytes)
  const end = findDirectoryEnd(view)
  const count = view.getUint16(end + 10, true)
  if (count > zipLimits.entriesMax) {
    throw bomb(`the zip file has ${count} entries, more than the ${zipLimits.entriesMax} allowed`)
  }
  const entries = new Map<string, ZipEntry>()
  let offset = view.getUint32(end + 16, true)
  for (let i = 0; i < count; i++) {
    if (offset + headerSizes.directoryEntry > end || view.getUint32(offset, true) !== signatures.directoryEntry) {
      throw new ArchiveError(`the zip directory is damaged at entry ${i + 1} of ${count}`)
    }
    const nameEnd = offset + headerSizes.directoryEntry + view.getUint16(offset + 28, true)
    if (nameEnd > end) throw new ArchiveError(`the zip directory is cut off at entry ${i + 1} of ${count}`)
    const entry = directoryEntry(view, offset, nameEnd)
    if (entries.has(entry.name)) throw new ArchiveError(`the zip file holds ${shown(entry.name)} twice`)
    entries.set(entry.name, entry)
    offset = nameEnd + view.getUint16(offset + 30, true) + view.getUint16(offset + 32, true)
  }
  return { bytes, entries }
}

export function readZipEntry(zip: Zip, entry: ZipEntry, bytesMax: number): Uint8Array {
  checkEntry(entry, bytesMax)
  const stored = storedBytes(zip.bytes, entry)
  const content = entry.method === methods.stored ? stored : inflate(stored, entry)
  if (content.length !== entry.size) {
    const message = `${shown(entry.name)} has ${content.length} bytes where the zip directory says ${entry.size}`
    throw zipFailed(message, `invalid entry size (expected ${entry.size} but got ${content.length} bytes)`)
  }
  const crc = crc32(content)
  if (crc !== entry.crc) {
    const words = `invalid entry CRC (expected 0x${entry.crc.toString(16)} but got 0x${crc.toString(16)})`
    throw zipFailed(`${shown(entry.name)} is damaged: its checksum differs`, words)
  }
  return content
}

function findDirectoryEnd(view: DataView): number {
  const last = view.byteLength - headerSizes.directoryEnd
  const first = Math.max(0, last - commentBytesMax)
  for (let offset = last; offset >= first; offset--) {
    if (view.getUint32(offset, true) === signatures.directoryEnd) return offset
  }
  throw withoutEnd(view)
}

/** Canton reads entries from the start: without a whole header there is none, and one that ends early is told by Java. */
function withoutEnd(view: DataView): ArchiveError {
  const isZip = view.byteLength >= headerSizes.localHeader && view.getUint32(0, true) === signatures.localHeader
  const message = 'this is not a zip file, or its end is missing'
  if (!isZip) return new ArchiveError(message, { kind: 'not-a-dar', entries: [] })
  return hasDirectory(view) ? new ArchiveError(message) : endsEarly('the zip file is cut off')
}

function endsEarly(message: string): ArchiveError {
  return readingFailed(message, 'java.io.EOFException: Unexpected end of ZLIB input stream')
}

/** With the exception that Java's reader of zip files throws. */
function readingFailed(message: string, exception: string): ArchiveError {
  return new ArchiveError(message, { kind: 'content', reason: `IO error: ${exception}` })
}

function zipFailed(message: string, words: string): ArchiveError {
  return readingFailed(message, `java.util.zip.ZipException: ${words}`)
}

function hasDirectory(view: DataView): boolean {
  const signature = Buffer.alloc(4)
  signature.writeUInt32LE(signatures.directoryEntry)
  return Buffer.from(view.buffer, view.byteOffset, view.byteLength).includes(signature)
}

function directoryEntry(view: DataView, offset: number, nameEnd: number): ZipEntry {
  const nameStart = offset + headerSizes.directoryEntry
  return {
    name: Buffer.from(view.buffer, view.byteOffset + nameStart, nameEnd - nameStart).toString('utf8'),
    size: view.getUint32(offset + 24, true),
    storedSize: view.getUint32(offset + 20, true),
    method: view.getUint16(offset + 10, true),
    isEncrypted: (view.getUint16(offset + 8, true) & 1) === 1,
    crc: view.getUint32(offset + 16, true),
    headerOffset: view.getUint32(offset + 42, true),
  }
}

function checkEntry(entry: ZipEntry, bytesMax: number): void {
  const name = shown(entry.name)
  if (entry.isEncrypted) throw zipFailed(`${name} is encrypted`, 'encrypted ZIP entry not supported')
  if (entry.method !== methods.stored && entry.method !== methods.deflated) {
    const message = `${name} is compressed with method ${entry.method}; only deflate is supported`
    throw zipFailed(message, 'invalid compression method')
  }
  if (entry.size > bytesMax) {
    throw bomb(`${name} would have ${entry.size} bytes, more than the ${bytesMax} allowed`)
  }
  if (entry.size > ratioFreeBytes && entry.size > entry.storedSize * zipLimits.ratioMax) {
    throw bomb(`${name} would inflate ${entry.storedSize} bytes to ${entry.size}: this looks like a zip bomb`)
  }
}

/** The entry as it is packed. */
export function storedBytes(bytes: Uint8Array, entry: ZipEntry): Uint8Array {
  const view = viewOf(bytes)
  const header = entry.headerOffset
  const isHeader =
    header + headerSizes.localHeader <= bytes.length && view.getUint32(header, true) === signatures.localHeader
  if (!isHeader) throw new ArchiveError(`${shown(entry.name)} is not where the zip directory says it is`)
  const nameAndExtra = view.getUint16(header + 26, true) + view.getUint16(header + 28, true)
  const start = header + headerSizes.localHeader + nameAndExtra
  const end = start + entry.storedSize
  if (end > bytes.length) throw endsEarly(`${shown(entry.name)} is cut off`)
  return bytes.subarray(start, end)
}

function inflate(stored: Uint8Array, entry: ZipEntry): Uint8Array {
  const chunkSize = Math.min(Math.max(entry.size, 1024), 4 * ratioFreeBytes)
  try {
    return inflateRawSync(stored, { maxOutputLength: Math.max(entry.size, 1), chunkSize })
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    const damaged = `${shown(entry.name)} is damaged: it`
    if (code === 'ERR_BUFFER_TOO_LARGE') {
      throw new ArchiveError(`${damaged} inflates to more than the ${entry.size} bytes it declares`)
    }
    const words = `${damaged} does not inflate`
    throw code === 'Z_BUF_ERROR' ? endsEarly(words) : zipFailed(words, message) // Java uses zlib, too.
  }
}

function bomb(message: string): ArchiveError {
  return new ArchiveError(message, { kind: 'zip-bomb' })
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}

/** Entry names are untrusted: they are shown short, and without control characters. */
function shown(name: string): string {
  return JSON.stringify(name.length > 200 ? `${name.slice(0, 200)}…` : name)
}
