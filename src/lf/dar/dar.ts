// A DAR file: a zip of packages with a manifest that names them. Only what the manifest names is read; the sources and
// interface files beside them are not.
import assert from 'node:assert/strict'
import { decodeArchive } from '../archive/archive.ts'
import { ArchiveError } from '../archive/archive-error.ts'
import { zipLimits } from '../archive/limits.ts'
import type { Package } from '../syntax/ast.ts'
import { type Manifest, manifestFromText, manifestName } from './manifest.ts'
import { readZipDirectory, readZipEntry, type Zip, type ZipEntry } from './zip.ts'

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

/** Reads a DAR and checks every package in it down to its last expression. */
export function decodeDar(bytes: Uint8Array): Dar {
  const zip = readZipDirectory(bytes)
  const manifest = readManifest(zip)
  const entries = [...new Set(manifest.dalfs)].map((name) => entryNamed(zip, name))
  checkTotalSize(entries)
  const packages: DarPackage[] = []
  const ids = new Set<string>()
  for (const entry of entries) {
    const decoded = decodeDalf(zip, entry)
    const { id } = decoded.package
    if (!ids.has(id)) packages.push(decoded)
    ids.add(id)
  }
  const [main] = packages
  assert(main, 'a manifest names at least its main package')
  return { manifest, main, packages }
}

function readManifest(zip: Zip): Manifest {
  const entry = entryNamed(zip, manifestName)
  return manifestFromText(Buffer.from(readZipEntry(zip, entry, zipLimits.manifestBytesMax)).toString('utf8'))
}

function decodeDalf(zip: Zip, entry: ZipEntry): DarPackage {
  const bytes = readZipEntry(zip, entry, zipLimits.entryBytesMax)
  try {
    const { package: decoded, checkBodies } = decodeArchive(bytes)
    return { package: decoded, bytes, dependencies: checkBodies() }
  } catch (error) {
    if (error instanceof ArchiveError) throw new ArchiveError(`${entry.name}: ${error.message}`, error.problem)
    throw error
  }
}

function entryNamed(zip: Zip, name: string): ZipEntry {
  const entry = zip.entries.get(name)
  if (entry) return entry
  const shown = JSON.stringify(name.slice(0, 300))
  if (name === manifestName) {
    throw new ArchiveError(`the zip file has no ${shown}, so this is not a DAR`, { kind: 'not-a-dar' })
  }
  const problem = { kind: 'missing-entry', entry: name.slice(0, 300) } as const
  throw new ArchiveError(`the zip file has no ${shown}, though ${manifestName} names it`, problem)
}

function checkTotalSize(entries: readonly ZipEntry[]): void {
  const total = entries.reduce((sum, entry) => sum + entry.size, 0)
  if (total <= zipLimits.totalBytesMax) return
  const message = `the packages would have ${total} bytes, more than the ${zipLimits.totalBytesMax} allowed`
  throw new ArchiveError(message, { kind: 'zip-bomb' })
}
