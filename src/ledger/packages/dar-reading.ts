// Reads a DAR file into plain descriptions of its packages. A large file takes long, so it is read in its own thread,
// which can also run out of memory without harm to the node.
import { Worker } from 'node:worker_threads'
import { confinedThread } from '../../base/confinement.ts'
import { type ErrorCode, type ErrorDetails, LedgerError } from '../../base/errors.ts'
import { ArchiveError } from '../../lf/archive/archive-error.ts'
import { decodeDar } from '../../lf/dar/dar.ts'
import { readZipDirectory } from '../../lf/dar/zip.ts'
import { isUpgradable } from '../../lf/upgrading/utility-packages.ts'
import type { PackageRecord } from '../../store/store.ts'
import { checkDependencies } from './dar-dependencies.ts'
import { refusalOfArchive } from './dar-refusals.ts'
import type { Contents } from './known-packages.ts'
import { contentsOf } from './package-contents.ts'

export type ReadPackage = Omit<PackageRecord, 'uploadedAtMs'> & {
  readonly contents: Contents
  readonly bytes: Uint8Array
}

/** The main package first. */
export type ReadDar = readonly ReadPackage[]

export type FromDarThread =
  | { readonly kind: 'read'; readonly dar: ReadDar }
  | { readonly kind: 'refused'; readonly code: ErrorCode; readonly message: string; readonly details: ErrorDetails }

/** Below this inflated size, reading takes about 20 ms, less than starting a thread. */
const asideBytes = 200_000
const heapMb = 2_048
/** Each may use its thread's whole heap, and a processor for seconds. */
const readingsMax = 2

/** Throws a LedgerError for anything that is no consistent DAR. */
export function readDar(bytes: Uint8Array): ReadDar {
  try {
    const dar = decodeDar(bytes)
    checkDependencies(dar)
    return dar.packages.map(({ package: described, bytes: dalf, dependencies }) => ({
      id: described.id,
      name: described.name,
      version: described.version,
      languageVersion: described.languageVersion,
      isUpgradable: isUpgradable(described),
      size: dalf.length,
      contents: { ...contentsOf(described), dependencies: [...dependencies] },
      bytes: dalf,
    }))
  } catch (error) {
    throw error instanceof ArchiveError ? refusalOfArchive(error) : error
  }
}

let readings = 0
const waiting: (() => void)[] = []

/** Uses a thread unless the file is small; a few run at a time. */
export async function readDarAside(bytes: Uint8Array): Promise<ReadDar> {
  if (isSmall(bytes)) return readDar(bytes)
  if (readings === readingsMax) await new Promise<void>((resolve) => waiting.push(resolve))
  else readings += 1
  try {
    return await readInThread(bytes)
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

async function readInThread(bytes: Uint8Array): Promise<ReadDar> {
  const file = import.meta.url.endsWith('.ts') ? './dar-thread.ts' : './dar-thread.mjs'
  const worker = new Worker(new URL(file, import.meta.url), {
    ...confinedThread,
    workerData: new Uint8Array(bytes),
    resourceLimits: { maxOldGenerationSizeMb: heapMb },
  })
  try {
    const answer = await new Promise<FromDarThread>((resolve, reject) => {
      worker.once('message', resolve)
      worker.once('error', reject)
      worker.once('exit', (code) => reject(new Error(`the thread that read a DAR ended with ${code}`)))
    })
    if (answer.kind === 'read') return answer.dar
    throw new LedgerError(answer.code, answer.message, answer.details)
  } catch (error) {
    const isMemory = (error as { code?: unknown }).code === 'ERR_WORKER_OUT_OF_MEMORY'
    throw isMemory ? new LedgerError('ZIP_BOMB', 'Dar zip file seems to be a zip bomb.') : error
  } finally {
    await worker.terminate()
  }
}
