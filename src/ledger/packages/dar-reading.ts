// Reads a DAR file into plain descriptions of its packages, and checks those that the node does not know. A large file
// takes long, so it is read in its own thread, which can also run out of memory without harm to the node.
import { Worker } from 'node:worker_threads'
import { confinedThread } from '../../base/confinement.ts'
import { type ErrorCode, type ErrorDetails, LedgerError } from '../../base/errors.ts'
import { ArchiveError } from '../../lf/archive/archive-error.ts'
import { type CheckedPackage, checkDar } from '../../lf/checking/check-dar.ts'
import { unmetDependencies } from '../../lf/checking/dar-dependencies.ts'
import { openDar } from '../../lf/dar/dar.ts'
import { readZipDirectory } from '../../lf/dar/zip.ts'
import { isUpgradable } from '../../lf/upgrading/utility-packages.ts'
import type { PackageRecord } from '../../store/store.ts'
import { refusalOfArchive, refusalOfDependencies, refusalOfPackage } from './dar-refusals.ts'
import type { Contents } from './known-packages.ts'
import { contentsOf } from './package-contents.ts'

export type ReadPackage = Omit<PackageRecord, 'uploadedAtMs'> & {
  readonly contents: Contents
  readonly bytes: Uint8Array
}

/** The main package first. Packages that are known already are neither read nor checked: they are ids alone. */
export type ReadDar = readonly (ReadPackage | { readonly knownId: string })[]

/** What reading needs of a package that was uploaded before. */
export type KnownPackage = {
  readonly id: string
  readonly languageVersion: string
  /** Absent if it was uploaded before the node stored them. */
  readonly dependencies: readonly string[] | undefined
}

export type ReadingParts = {
  /** Those of some packages that were uploaded before. */
  readonly knownAmong: (ids: readonly string[]) => Promise<readonly KnownPackage[]>
  /** Called after each package that was checked. */
  readonly onProgress?: (checked: number, of: number) => void
  /** False reads without checking types. */
  readonly isChecking?: boolean
}

export type FromDarThread =
  | { readonly kind: 'packages'; readonly ids: readonly string[] }
  | { readonly kind: 'progress'; readonly checked: number; readonly of: number }
  | { readonly kind: 'read'; readonly dar: ReadDar }
  | { readonly kind: 'refused'; readonly code: ErrorCode; readonly message: string; readonly details: ErrorDetails }

export type ToDarThread = { readonly known: readonly KnownPackage[] }
export type DarThreadData = { readonly bytes: Uint8Array; readonly isChecking: boolean }

/** Below this inflated size, reading takes about 20 ms, less than starting a thread. */
const asideBytes = 200_000
/** What checking may cost outside of a thread: some 20 ms. Published packages of that size: 30,000. */
const stepsHere = 100_000
const heapMb = 2_048
/** Expressions nest up to the archive's limits, and types further. */
const stackMb = 64
/** Each may use its thread's whole heap, and a processor for seconds. */
const readingsMax = 2

/** A package that takes too long, or is nested too deep, for a thread that has other things to do. */
export class TooLargeToCheckHere extends Error {}

/** Throws a LedgerError for anything that is no consistent DAR of valid packages. */
export async function readDar(bytes: Uint8Array, parts: ReadingParts, stepsMax?: number): Promise<ReadDar> {
  try {
    const dar = openDar(bytes)
    const known = new Map((await parts.knownAmong(dar.packages.map(({ id }) => id))).map((one) => [one.id, one]))
    const checked = checkDar(dar, {
      isTrusted: (id) => known.has(id),
      ...(stepsMax !== undefined && { stepsMax }),
      ...(parts.onProgress !== undefined && { onProgress: parts.onProgress }),
      isChecking: parts.isChecking ?? true,
    })
    const problem = checked.problems[0]?.error
    if (stepsMax !== undefined && problem?.name === 'ELimitReached') throw new TooLargeToCheckHere()
    const fresh = new Map(checked.packages.map((one) => [one.package.id, one]))
    const [main] = dar.packages
    const unmet = unmetDependencies({
      mainId: main!.id,
      mainLanguageVersion: known.get(main!.id)?.languageVersion ?? fresh.get(main!.id)!.package.languageVersion,
      packages: new Map(
        dar.packages.map((one) => {
          const dependencies = fresh.get(one.id)?.dependencies ?? known.get(one.id)?.dependencies
          return [one.id, dependencies ?? checked.dependenciesOf(one)]
        }),
      ),
    })
    if (unmet !== undefined) throw refusalOfDependencies(main!.id, unmet)
    if (problem !== undefined) throw refusalOfPackage(problem)
    return dar.packages.map(({ id }) => {
      const one = fresh.get(id)
      return one === undefined ? { knownId: id } : describe(one)
    })
  } catch (error) {
    throw error instanceof ArchiveError ? refusalOfArchive(error) : error
  }
}

function describe({ package: described, bytes, dependencies }: CheckedPackage): ReadPackage {
  return {
    id: described.id,
    name: described.name,
    version: described.version,
    languageVersion: described.languageVersion,
    isUpgradable: isUpgradable(described),
    size: bytes.length,
    contents: { ...contentsOf(described), dependencies },
    bytes,
  }
}

let readings = 0
const waiting: (() => void)[] = []

/** Uses a thread unless the file is small; a few run at a time. */
export async function readDarAside(bytes: Uint8Array, parts: ReadingParts): Promise<ReadDar> {
  if (isSmall(bytes)) {
    try {
      return await readDar(bytes, parts, stepsHere)
    } catch (error) {
      if (!(error instanceof TooLargeToCheckHere)) throw error
    }
  }
  if (readings === readingsMax) await new Promise<void>((resolve) => waiting.push(resolve))
  else readings += 1
  try {
    return await readInThread(bytes, parts)
  } finally {
    const next = waiting.shift()
    if (next === undefined) readings -= 1
    else next()
  }
}

/** A few bytes may inflate to a thousand times as many. */
export function isSmall(bytes: Uint8Array): boolean {
  if (bytes.length >= asideBytes) return false
  try {
    const { entries } = readZipDirectory(bytes)
    return entries.values().reduce((sum, { size }) => sum + size, 0) < asideBytes
  } catch {
    return true // Reading will refuse it at once.
  }
}

async function readInThread(bytes: Uint8Array, { knownAmong, onProgress, isChecking }: ReadingParts): Promise<ReadDar> {
  const file = import.meta.url.endsWith('.ts') ? './dar-thread.ts' : './dar-thread.mjs'
  const worker = new Worker(new URL(file, import.meta.url), {
    ...confinedThread,
    workerData: { bytes: new Uint8Array(bytes), isChecking: isChecking ?? true } satisfies DarThreadData,
    resourceLimits: { maxOldGenerationSizeMb: heapMb, stackSizeMb: stackMb },
  })
  try {
    return await new Promise<ReadDar>((resolve, reject) => {
      worker.on('message', (message: FromDarThread) => {
        if (message.kind === 'packages') {
          knownAmong(message.ids).then((known) => worker.postMessage({ known } satisfies ToDarThread), reject)
        } else if (message.kind === 'progress') onProgress?.(message.checked, message.of)
        else if (message.kind === 'read') resolve(message.dar)
        else reject(new LedgerError(message.code, message.message, message.details))
      })
      worker.once('error', reject)
      worker.once('exit', (code) => reject(new Error(`the thread that read a DAR ended with ${code}`)))
    })
  } catch (error) {
    const isMemory = (error as { code?: unknown }).code === 'ERR_WORKER_OUT_OF_MEMORY'
    throw isMemory ? new LedgerError('ZIP_BOMB', 'Dar zip file seems to be a zip bomb.') : error
  } finally {
    await worker.terminate()
  }
}
