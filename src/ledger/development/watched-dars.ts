// DAR files that a development node watches: one that was built again is uploaded, and takes the place of the package
// before it. The files are looked at several times a second. That costs less than a millisecond, and unlike the
// notifications of an operating system it also works on shared folders and after a folder was deleted and made anew.
import { readFile, stat } from 'node:fs/promises'
import type { Clock, Timer } from '../../base/clock.ts'
import { StartError } from '../../base/errors.ts'
import type { Log } from '../../base/log.ts'
import { createQueue } from '../../base/queue.ts'
import { isDevelopment, type Settings } from '../../base/settings.ts'
import { readZipDirectory } from '../../lf/dar/zip.ts'
import { darProblem } from '../packages/first-packages.ts'
import type { Packages } from '../packages/packages.ts'

/** A file is uploaded when it was the same at two looks. */
export const lookMs = 250
/** A file that is no whole zip file is probably being written, but not for longer than this. */
export const patienceMs = 3_000

export type WatchedDars = AsyncDisposable & {
  /**
   * Uploads these as they are now, to one participant or to those that each is for. A problem is logged; the file is
   * uploaded when it has changed.
   */
  upload(files: readonly string[], into?: Receiver): Promise<void>
  /** Uploads what changes from now on. */
  start(): void
  /** Runs a task that replaces the ledger, while nothing is uploaded. */
  aside<T>(task: () => Promise<T>): Promise<T>
  readonly files: readonly string[]
}

type Receiver = Pick<Packages, 'takeOver'>

export type WatchedParts = {
  /** Of the participants that a file is for, in the ledger that is served. */
  readonly receivers: (file: string) => readonly Receiver[]
  readonly clock: Clock
  readonly log: Log
}

/** What changes when a file does. */
type Look = { readonly mark: string; readonly atMs: number }

/** `files` besides those of the settings. */
export function watchedDars(settings: Settings, files: readonly string[], parts: WatchedParts): WatchedDars {
  if (!isDevelopment(settings)) throw new StartError('only a development node watches DARs')
  const all = [...new Set([...settings.dars, ...files])]
  if (all.length === 0) throw new StartError('there is no DAR to watch: name one with --dar, or in a world file')
  return watchFiles(all, parts)
}

export function watchFiles(files: readonly string[], { receivers, clock, log }: WatchedParts): WatchedDars {
  const alone = createQueue()
  const uploaded = new Map<string, string>()
  const seen = new Map<string, Look>()
  let timer: Timer | undefined
  let isDone = false

  async function upload(file: string, mark: string | undefined, into: readonly Receiver[]): Promise<void> {
    if (mark !== undefined) uploaded.set(file, mark) // Also if it is refused: only a change makes it better.
    try {
      const bytes = await readFile(file)
      const taken = await Promise.all(into.map((one) => one.takeOver({ bytes, synchronizerId: undefined })))
      // A package that replaces another has its own line.
      if (taken.some(({ replaced }) => replaced.length > 0)) return
      const { main } = taken[0]!
      log.info({ packageId: main.id }, `${main.name} ${main.version} is there (${file})`)
    } catch (error) {
      log.warn({}, `${darProblem(file, error)}; waiting for another`)
    }
  }

  async function look(file: string): Promise<void> {
    const mark = await markOf(file)
    if (mark === undefined || mark === uploaded.get(file)) return
    const before = seen.get(file)
    if (before?.mark !== mark) {
      seen.set(file, { mark, atMs: clock.elapsedMs() })
      return
    }
    if (clock.elapsedMs() - before.atMs < patienceMs && !(await isWhole(file))) return
    await upload(file, mark, receivers(file))
  }

  function lookLater(): void {
    timer = clock.after(lookMs, () => {
      const looks = alone(async () => {
        for (const file of files) if (!isDone) await look(file)
      })
      void looks
        .catch((error: unknown) => log.error({ reason: String(error) }, 'watching DARs failed'))
        .then(() => {
          if (!isDone) lookLater()
        })
    })
  }

  return {
    files,
    async upload(some, into) {
      for (const file of some) await upload(file, await markOf(file), into === undefined ? receivers(file) : [into])
    },
    start: lookLater,
    aside: alone,
    async [Symbol.asyncDispose]() {
      isDone = true
      timer?.cancel()
      await alone(async () => undefined)
    },
  }
}

/** Undefined if there is no such file: it is being replaced, or was not built yet. */
async function markOf(file: string): Promise<string | undefined> {
  try {
    const { size, mtimeMs, ino } = await stat(file)
    return `${size} ${mtimeMs} ${ino}`
  } catch {
    return undefined
  }
}

async function isWhole(file: string): Promise<boolean> {
  try {
    readZipDirectory(await readFile(file))
    return true
  } catch {
    return false
  }
}
