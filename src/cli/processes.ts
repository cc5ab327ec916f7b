// Several processes behind one port, `--processes N`. This process serves nothing itself: it starts the others, replaces
// those that end, and puts their metrics together. Each of the others is a whole node that listens on the same port
// (one-of-several.ts). The operating system deals the connections out, so those of a process that dies are closed at
// once, and no process has to hand connections over.
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { constants } from 'node:os'
import { wallClock } from '../base/clock.ts'
import { StartError } from '../base/errors.ts'
import { createLog, type Log } from '../base/log.ts'
import { grpcPortOf, type Settings } from '../base/settings.ts'
import type { Surroundings } from './command.ts'
import { mergedMetrics } from './merged-metrics.ts'
import { type FromProcess, type Ports, placeVariable, type ToProcess } from './one-of-several.ts'

/** A page of metrics does not wait longer for a process; one that hangs is missing on it. */
const metricsWithinMs = 2_000

/** Before another process takes the place of one that ended; longer and longer while they end before they are ready. */
const pauseMinMs = 100
const pauseMaxMs = 10_000

/** Runs until a stop signal, or until the first process fails to start. */
export async function runProcesses(settings: Settings, { print, untilStopped, endWith }: Surroundings): Promise<void> {
  const stopped = untilStopped()
  await checkPorts(settings)
  const places = createPlaces(createLog(settings.log.level, settings.log.format))

  // The first one alone: it prepares the database and chooses the port, and if it fails, there is one message.
  const first = await Promise.race([places.fill(1), stopped])
  if (typeof first !== 'string') {
    if (first.ready === undefined) return endWith(first.exitCode)
    const others = Array.from({ length: settings.processes - 1 }, (_, index) => places.fill(index + 2))
    for (const start of [first, ...(await Promise.all(others))]) void places.keepFilled(start)
    print(first.ready.text)
  }

  await stopped
  print('stopping…')
  await places.stop()
}

/** A port that is shared is never taken, not even by the processes of another ledger; so it is tried alone. */
async function checkPorts(settings: Settings): Promise<void> {
  const { host, port } = settings.http
  const wantedPorts: [number, string][] = [
    [port, host],
    [grpcPortOf(settings)?.port ?? 0, host],
    [settings.admin.port ?? 0, settings.admin.host],
  ]
  for (const [wanted, address] of wantedPorts) {
    const probe = createServer().listen(wanted, address)
    try {
      await once(probe, 'listening')
    } catch (error) {
      const isTaken = (error as { code?: string }).code === 'EADDRINUSE'
      throw new StartError(isTaken ? `port ${wanted} on ${address} is taken` : (error as Error).message)
    } finally {
      probe.close()
    }
  }
}

type Start = {
  readonly place: number
  readonly child: ChildProcess
  /** Undefined if the process ended before it was ready. */
  readonly ready: { readonly text: string; readonly ports: Ports } | undefined
  readonly exitCode: number
}

/** Numbered places, each with a process. */
function createPlaces(log: Log) {
  const present = new Map<number, ChildProcess>()
  let ports: Ports = {}
  let isStopping = false

  /** Settles when the process is ready or has ended. */
  function fill(place: number): Promise<Start> {
    const env = { ...process.env, [placeVariable]: JSON.stringify(ports) }
    const child = fork(process.argv[1]!, process.argv.slice(2), { env, serialization: 'advanced' })
    present.set(place, child)
    const { promise, resolve } = Promise.withResolvers<Start>()
    child.on('message', (message: FromProcess) => {
      if (message.kind === 'all metrics') void metrics().then((page) => send(child, { kind: 'all metrics', page }))
      if (message.kind !== 'ready') return
      ports = message.ports
      resolve({ place, child, ready: message, exitCode: 0 })
    })
    child.once('exit', (code, signal) => {
      present.delete(place)
      resolve({ place, child, ready: undefined, exitCode: code ?? 128 + constants.signals[signal!] })
    })
    return promise
  }

  /** Replaces the process whenever it ends. */
  async function keepFilled({ place, ...first }: Start): Promise<void> {
    let { child, ready }: Pick<Start, 'child' | 'ready'> = first
    let pauseMs = pauseMinMs
    for (;;) {
      if (ready !== undefined) pauseMs = pauseMinMs
      if (isRunning(child)) await once(child, 'exit')
      if (isStopping) return
      log.error({ process: place, againInMs: pauseMs }, 'a process has ended')
      await pause(pauseMs)
      if (isStopping) return
      pauseMs = Math.min(2 * pauseMs, pauseMaxMs)
      ;({ child, ready } = await fill(place))
    }
  }

  async function metrics(): Promise<string> {
    const pages = await Promise.all(
      [...present].map(async ([place, child]) => [place, await metricsOf(child)] as const),
    )
    const answered = pages.flatMap(([place, page]) => (page === undefined ? [] : [[place, page] as const]))
    return mergedMetrics(new Map(answered.toSorted(([a], [b]) => a - b)))
  }

  return {
    fill,
    keepFilled,
    async stop() {
      isStopping = true
      await Promise.all(
        [...present.values()].map(async (child) => {
          const exited = once(child, 'exit')
          child.kill('SIGTERM')
          await exited
        }),
      )
    },
  }
}

function metricsOf(child: ChildProcess): Promise<string | undefined> {
  const { promise, resolve } = Promise.withResolvers<string | undefined>()
  const onMessage = (message: FromProcess) => {
    if (message.kind === 'own metrics') resolve(message.page)
  }
  child.on('message', onMessage)
  const timer = wallClock.after(metricsWithinMs, () => resolve(undefined))
  send(child, { kind: 'own metrics' })
  return promise.finally(() => {
    timer.cancel()
    child.off('message', onMessage)
  })
}

/** To a process that may just have ended. */
function send(child: ChildProcess, message: ToProcess): void {
  if (child.connected) child.send(message, () => undefined)
}

const isRunning = (child: ChildProcess) => child.exitCode === null && child.signalCode === null

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => wallClock.after(ms, resolve))
}
