// A DAR file: a zip of packages with a manifest that names them. Only what the manifest names is read; the sources and
// interface files beside them are not.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { openArchive } from '../archive/archive.ts'
import { ArchiveError } from '../archive/archive-error.ts'
import { zipLimits } from '../archive/limits.ts'
import type { DecodedPackage } from '../archive/package.ts'
import type { Package } from '../syntax/ast.ts'
import { type Manifest, manifestFromText, manifestName } from './manifest.ts'
import { readZipDirectory, readZipEntry, storedBytes, type Zip, type ZipEntry } from './zip.ts'

export type DarPackage = {
  readonly package: Package
  /** The dalf as it is in the DAR, and as it is stored. */
  readonly bytes: Uint8Array
  /** Ids of the packages it refers to. */
  readonly dependencies: ReadonlySet<string>
}

export type Dar = {
  readonly manifest: Manifest
  readonly main: DarPackage
  /** All packages, the main one first. */
  readonly packages: readonly DarPackage[]
}

/** A package of a DAR that is not decoded yet. */
export type OpenPackage = {
  readonly id: string
  /** Unpacked on first use if the package was seen before. */
  readonly bytes: Uint8Array
  readonly decode: () => DecodedPackage
  /** Reads what is used of a package that was read in full before. */
  readonly decodeKnown: () => DecodedPackage
  /** Runs what reads the package: errors name the file. */
  readonly reading: <T>(run: () => T) => T
}

export type OpenDar = {
  readonly manifest: Manifest
  /** The main one first, each once. */
  readonly packages: readonly OpenPackage[]
}

/** Ids of packages by the hash of their entry in a zip file. The same packages come packed in the same way, mostly. */
export type SeenEntries = Map<string, string>

/** Entries that are remembered; the ones that were seen first are forgotten first. */
const seenMax = 10_000

/** Unpacks a DAR and identifies its packages. Those that were seen before in the same form need not be unpacked. */
export function openDar(bytes: Uint8Array, seen?: SeenEntries): OpenDar {
  const zip = readZipDirectory(bytes)
  const manifest = readManifest(zip)
  const entries = [...new Set(manifest.dalfs)].map((name) => entryNamed(zip, name))
  checkTotalSize(entries)
  const packages = new Map<string, OpenPackage>()
  for (const entry of entries) {
    const opened = seen === undefined ? openDalf(zip, entry) : openOnce(zip, entry, seen)
    if (!packages.has(opened.id)) packages.set(opened.id, opened)
  }
  return { manifest, packages: [...packages.values()] }
}

/** Reads a DAR and every package in it down to its last expression. */
export function decodeDar(bytes: Uint8Array): Dar {
  const { manifest, packages: opened } = openDar(bytes)
  const packages = opened.map(({ bytes: dalf, decode, reading }): DarPackage => {
    const { package: decoded, checkBodies } = decode()
    return { package: decoded, bytes: dalf, dependencies: reading(checkBodies) }
  })
  const [main] = packages
  assert(main, 'a manifest names at least its main package')
  return { manifest, main, packages }
}

function readManifest(zip: Zip): Manifest {
  const entry = entryNamed(zip, manifestName)
  const text = Buffer.from(readZipEntry(zip, entry, zipLimits.manifestBytesMax)).toString('utf8')
  try {
    return manifestFromText(text)
  } catch (error) {
    if (!(error instanceof ArchiveError) || error.problem.kind !== 'not-a-dar') throw error
    throw new ArchiveError(error.message, { ...error.problem, entries: namesOf(zip) })
  }
}

/** An entry with the same size, checksum and packed bytes has the same contents, and was in order. */
function openOnce(zip: Zip, entry: ZipEntry, seen: SeenEntries): OpenPackage {
  const form = `${entry.method} ${entry.size} ${entry.crc} ${entry.isEncrypted} `
  const key = createHash('sha256').update(form).update(storedBytes(zip.bytes, entry)).digest('base64')
  const id = seen.get(key)
  if (id === undefined) {
    const opened = openDalf(zip, entry)
    seen.set(key, opened.id)
    if (seen.size > seenMax) seen.delete(seen.keys().next().value!)
    return opened
  }
  let opened: OpenPackage | undefined
  const open = (): OpenPackage => (opened ??= openDalf(zip, entry))
  return {
    id,
    get bytes() {
      return open().bytes
    },
    decode: () => open().decode(),
    decodeKnown: () => open().decodeKnown(),
    reading: (run) => open().reading(run),
  }
}

function openDalf(zip: Zip, entry: ZipEntry): OpenPackage {
  const bytes = readZipEntry(zip, entry, zipLimits.entryBytesMax)
  const reading = <T>(run: () => T): T => {
    try {
      return run()
    } catch (error) {
      if (error instanceof ArchiveError) throw new ArchiveError(`${entry.name}: ${error.message}`, error.problem)
      throw error
    }
  }
  const { id, decode, decodeKnown } = reading(() => openArchive(bytes))
  return { id, bytes, decode: () => reading(decode), decodeKnown: () => reading(decodeKnown), reading }
}

function entryNamed(zip: Zip, name: string): ZipEntry {
  const entry = zip.entries.get(name)
  if (entry) return entry
  const shown = JSON.stringify(name.slice(0, 300))
  if (name === manifestName) {
    throw new ArchiveError(`the zip file has no ${shown}, so this is not a DAR`, {
      kind: 'not-a-dar',
      entries: namesOf(zip),
    })
  }
  const problem = { kind: 'missing-entry', entry: name, entries: namesOf(zip) } as const
  throw new ArchiveError(`the zip file has no ${shown}, though ${manifestName} names it`, problem)
}

function namesOf({ entries }: Zip): string[] {
  return [...entries.keys()]
}

function checkTotalSize(entries: readonly ZipEntry[]): void {
  const total = entries.reduce((sum, entry) => sum + entry.size, 0)
  if (total <= zipLimits.totalBytesMax) return
  const message = `the packages would have ${total} bytes, more than the ${zipLimits.totalBytesMax} allowed`
  throw new ArchiveError(message, { kind: 'zip-bomb' })
}
