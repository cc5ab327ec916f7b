// A DAR file as the ledger needs it: its packages described in plain data. Reading takes as long as the file is large, so
// a large one is read in a thread of its own, which can also run out of memory alone.
import { Worker } from 'node:worker_threads'
import { confinedThread } from '../../base/confinement.ts'
import { type ErrorCode, type ErrorDetails, LedgerError } from '../../base/errors.ts'
import { ArchiveError } from '../../lf/archive/archive-error.ts'
import { decodeDar } from '../../lf/dar/dar.ts'
import { readZipDirectory } from '../../lf/dar/zip.ts'
import type { Package } from '../../lf/syntax/ast.ts'
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

/** What is smaller, once it is inflated, is read in some 20 ms, which is less than a thread takes to start. */
const asideBytes = 200_000
const heapMb = 2_048
/** Each reading may take the heap of its thread, and a processor for seconds. */
const readingsMax = 2

/** Throws a LedgerError for what is no DAR, or not one that fits together. */
export function readDar(bytes: Uint8Array): ReadDar {
  try {
    const dar = decodeDar(bytes)
    checkDependencies(dar)
    return dar.packages.map(({ package: described, bytes: dalf }) => ({
      id: described.id,
      name: described.name,
      version: described.version,
      languageVersion: described.languageVersion,
      isUpgradable: isUpgradable(described),
      size: dalf.length,
      contents: contentsOf(described),
      bytes: dalf,
    }))
  } catch (error) {
    throw error instanceof ArchiveError ? refusalOfArchive(error) : error
  }
}

let readings = 0
const waiting: (() => void)[] = []

/** In a thread, unless it is small; a few at a time. */
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
    return true // It is refused as soon as it is read.
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

/** A package without anything that could be on a ledger is a library: versions of it do not matter. */
function isUpgradable({ name, modules }: Package): boolean {
  if (name === 'daml-prim' || name === 'daml-stdlib') return false
  return [...modules.values()].some(
    ({ templates, interfaces, dataTypes }) =>
      templates.size > 0 || interfaces.size > 0 || [...dataTypes.values()].some((type) => type.isSerializable),
  )
}
