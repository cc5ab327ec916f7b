// Reads a DAR file into plain descriptions of its packages, and checks those that the node does not know. A large file
// takes long, so it is read in its own thread, which can also run out of memory without harm to the node.
import assert from 'node:assert/strict'
import { LedgerError } from '../../base/errors.ts'
import { ArchiveError } from '../../lf/archive/archive-error.ts'
import { type CheckedPackage, checkDar } from '../../lf/checking/check-dar.ts'
import type { CreatePackageChecker } from '../../lf/checking/check-package.ts'
import { unmetDependencies } from '../../lf/checking/dar-dependencies.ts'
import { openDar } from '../../lf/dar/dar.ts'
import { readZipDirectory } from '../../lf/dar/zip.ts'
import { isUpgradable } from '../../lf/upgrading/utility-packages.ts'
import { refusalOfArchive, refusalOfDependencies, refusalOfPackage } from './dar-refusals.ts'
import { contentsOf } from './package-contents.ts'
import type { AsideParts, ReadDar, ReadingParts, ReadPackage } from './package-tasks.ts'
import { doInPackageThread } from './package-threads.ts'

/** Below this inflated size, reading takes about 20 ms, less than starting a thread. */
const asideBytes = 200_000
/** What checking may cost outside of a thread: some 20 ms. Published packages of that size: 30,000. */
const stepsHere = 100_000

/** A package that takes too long, or is nested too deep, for a thread that has other things to do. */
export class TooLargeToCheckHere extends Error {}

/** Throws a LedgerError for anything that is no consistent DAR of valid packages. */
export async function readDar(bytes: Uint8Array, parts: ReadingParts, stepsMax?: number): Promise<ReadDar> {
  try {
    const dar = openDar(bytes, parts.seen)
    const known = new Map((await parts.knownAmong(dar.packages.map(({ id }) => id))).map((one) => [one.id, one]))
    const checked = checkDar(dar, {
      isTrusted: (id) => known.has(id),
      ...(stepsMax !== undefined && { stepsMax }),
      ...(parts.onProgress !== undefined && { onProgress: parts.onProgress }),
      createChecker: parts.createChecker,
      ...(parts.decoded !== undefined && { cache: parts.decoded }),
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

/** Uses a thread unless the file is small. */
export async function readDarAside(bytes: Uint8Array, parts: AsideParts): Promise<ReadDar> {
  if (isSmall(bytes)) {
    try {
      return await readDar(bytes, { ...parts, createChecker: await checkerFor(parts) }, stepsHere)
    } catch (error) {
      if (!(error instanceof TooLargeToCheckHere)) throw error
    }
  }
  return readInThread(bytes, parts)
}

/** Loaded on demand, because it is large. */
async function checkerFor({ isChecking = true }: AsideParts): Promise<CreatePackageChecker | undefined> {
  return isChecking ? (await import('../../lf/checking/check-package.ts')).createPackageChecker : undefined
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

async function readInThread(bytes: Uint8Array, { knownAmong, onProgress, isChecking }: AsideParts): Promise<ReadDar> {
  const task = { kind: 'dar', bytes: new Uint8Array(bytes), isChecking: isChecking ?? true } as const
  try {
    const outcome = await doInPackageThread(task, async (message, answer) => {
      if (message.kind === 'packages') answer({ kind: 'known', known: await knownAmong(message.ids) })
      else if (message.kind === 'progress') onProgress?.(message.checked, message.of)
    })
    if (outcome.kind === 'refused') throw new LedgerError(outcome.code, outcome.message, outcome.details)
    assert(outcome.kind === 'read', 'a thread answers what it was asked')
    return outcome.dar
  } catch (error) {
    const isMemory = (error as { code?: unknown }).code === 'ERR_WORKER_OUT_OF_MEMORY'
    throw isMemory ? new LedgerError('ZIP_BOMB', 'Dar zip file seems to be a zip bomb.') : error
  }
}
