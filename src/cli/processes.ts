// Several processes behind one port, `--processes N`. Node's cluster module opens the port once, here, and deals the
// connections out. This process serves nothing itself: it starts the others, replaces those that end, and puts their
// metrics together. Each of the others is a whole node (one-of-several.ts).
import cluster, { type Worker } from 'node:cluster'
import { once } from 'node:events'
import { constants } from 'node:os'
import { wallClock } from '../base/clock.ts'
import { createLog, type Log } from '../base/log.ts'
import { mergedMetrics } from '../base/merged-metrics.ts'
import type { Settings } from '../base/settings.ts'
import type { Surroundings } from './command.ts'

/** What a process tells the one that watches it, and what it is told. */
export type FromProcess =
  | { readonly kind: 'ready'; readonly text: string }
  | { readonly kind: 'own metrics'; readonly page: string }
  | { readonly kind: 'all metrics' }
export type ToProcess = { readonly kind: 'own metrics' } | { readonly kind: 'all metrics'; readonly page: string }

/** A page of metrics does not wait longer for a process; one that hangs is missing on it. */
const metricsWithinMs = 2_000

/** Before another process takes the place of one that ended; longer and longer while they end before they are ready. */
const pauseMinMs = 100
const pauseMaxMs = 10_000

/** Runs until a stop signal, or until the first process fails to start. */
export async function runProcesses(settings: Settings, { print, untilStopped, endWith }: Surroundings): Promise<void> {
  const places = createPlaces(createLog(settings.log.level, settings.log.format))
  cluster.on('message', (asking: Worker, { kind }: FromProcess) => {
    if (kind === 'all metrics') void places.metrics().then((page) => send(asking, { kind: 'all metrics', page }))
  })
  const stopped = untilStopped()

  // The first one alone: it prepares the database, and if it fails, there is one message and not many.
  const first = await Promise.race([places.fill(1), stopped])
  if (typeof first !== 'string') {
    if (first.text === undefined) return endWith(first.exitCode)
    const others = Array.from({ length: settings.processes - 1 }, (_, index) => places.fill(index + 2))
    for (const start of [first, ...(await Promise.all(others))]) void places.keepFilled(start)
    print(first.text)
  }

  await stopped
  print('stopping…')
  await places.stop()
}

/** There is no text if the process ended before it was ready. */
type Start = {
  readonly place: number
  readonly worker: Worker
  readonly text: string | undefined
  readonly exitCode: number
}

/** Numbered places, each with a process. */
function createPlaces(log: Log) {
  const present = new Map<number, Worker>()
  let isStopping = false

  /** Settles when the process is ready or has ended. */
  function fill(place: number): Promise<Start> {
    const worker = cluster.fork()
    present.set(place, worker)
    const { promise, resolve } = Promise.withResolvers<Start>()
    worker.on('message', (message: FromProcess) => {
      if (message.kind === 'ready') resolve({ place, worker, text: message.text, exitCode: 0 })
    })
    worker.once('exit', (code: number | null, signal: NodeJS.Signals | null) => {
      present.delete(place)
      resolve({ place, worker, text: undefined, exitCode: code ?? 128 + constants.signals[signal!] })
    })
    return promise
  }

  /** Replaces the process whenever it ends. */
  async function keepFilled({ place, ...first }: Start): Promise<void> {
    let { worker, text }: Omit<Start, 'place'> = first
    let pauseMs = pauseMinMs
    for (;;) {
      if (text !== undefined) pauseMs = pauseMinMs
      if (!worker.isDead()) await once(worker, 'exit')
      if (isStopping) return
      log.error({ process: place, againInMs: pauseMs }, 'a process has ended')
      await pause(pauseMs)
      if (isStopping) return
      pauseMs = Math.min(2 * pauseMs, pauseMaxMs)
      ;({ worker, text } = await fill(place))
    }
  }

  return {
    fill,
    keepFilled,
    async metrics() {
      const pages = await Promise.all(
        [...present].map(async ([place, worker]) => [place, await metricsOf(worker)] as const),
      )
      const told = pages.flatMap(([place, page]) => (page === undefined ? [] : [[place, page] as const]))
      return mergedMetrics(new Map(told.toSorted(([a], [b]) => a - b)))
    },
    async stop() {
      isStopping = true
      await Promise.all(
        [...present.values()].map(async (worker) => {
          const exited = once(worker, 'exit')
          worker.process.kill('SIGTERM')
          await exited
        }),
      )
    },
  }
}

function metricsOf(worker: Worker): Promise<string | undefined> {
  const { promise, resolve } = Promise.withResolvers<string | undefined>()
  const onMessage = (message: FromProcess) => {
    if (message.kind === 'own metrics') resolve(message.page)
  }
  worker.on('message', onMessage)
  const timer = wallClock.after(metricsWithinMs, () => resolve(undefined))
  send(worker, { kind: 'own metrics' })
  return promise.finally(() => {
    timer.cancel()
    worker.off('message', onMessage)
  })
}

/** To a process that may just have ended. */
function send(worker: Worker, message: ToProcess): void {
  if (worker.isConnected()) worker.send(message, () => undefined)
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => wallClock.after(ms, resolve))
}
