// DAR files that a development node watches: one that was built again is uploaded, and takes the place of the package
// before it.
import { readFile } from 'node:fs/promises'
import type { Clock, Timer } from '../../base/clock.ts'
import { StartError } from '../../base/errors.ts'
import type { Log } from '../../base/log.ts'
import { createQueue } from '../../base/queue.ts'
import { isDevelopment, type Settings } from '../../base/settings.ts'
import { changingFile, lookMs } from '../../lf/dar/changing-file.ts'
import { darProblem } from '../packages/first-packages.ts'
import type { Packages } from '../packages/packages.ts'

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

/** `files` besides those of the settings. */
export function watchedDars(settings: Settings, files: readonly string[], parts: WatchedParts): WatchedDars {
  if (!isDevelopment(settings)) throw new StartError('only a development node watches DARs')
  const all = [...new Set([...settings.dars, ...files])]
  if (all.length === 0) throw new StartError('there is no DAR to watch: name one with --dar, or in a world file')
  return watchFiles(all, parts)
}

export function watchFiles(files: readonly string[], { receivers, clock, log }: WatchedParts): WatchedDars {
  const alone = createQueue()
  const changing = new Map(files.map((file) => [file, changingFile(file, clock)]))
  let timer: Timer | undefined
  let isDone = false

  async function upload(file: string, into: readonly Receiver[]): Promise<void> {
    await changing.get(file)?.take() // Also if it is refused then.
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

  function lookLater(): void {
    timer = clock.after(lookMs, () => {
      const looks = alone(async () => {
        for (const [file, look] of changing)
          if (!isDone && (await look.hasChanged())) await upload(file, receivers(file))
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
      for (const file of some) await upload(file, into === undefined ? receivers(file) : [into])
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
