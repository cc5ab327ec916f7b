// A thread that evaluates: takes requests one after the other, and answers each. The pool starts it, watches it, and
// replaces it when it does not answer in time.
import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads'
import { wallClock } from '../base/clock.ts'
import { LedgerError } from '../base/errors.ts'
import { createInterpreter } from './interpreter.ts'
import { tooMuch } from './steps.ts'
import type { FromWorker, ToWorker, WorkerSettings } from './worker-messages.ts'

/** The pool wants the running request to end: it was cancelled, or is to make way. */
class Stopped extends Error {}

const port = parentPort!
const { stepsMax, wallClockMs, stop } = workerData as WorkerSettings
const toStop = new Int32Array(stop)
const interpreter = createInterpreter()
const pending: Exclude<ToWorker, { kind: 'drop' }>[] = []

port.on('message', (message: ToWorker) => {
  take(message)
  for (;;) {
    takeAll()
    const next = pending.shift()
    if (next === undefined) return
    port.postMessage(handle(next))
  }
})

/** What has arrived meanwhile may say that some of it is not wanted any more. */
function takeAll(): void {
  for (;;) {
    const received = receiveMessageOnPort(port)
    if (received === undefined) return
    take(received.message)
  }
}

function take(message: ToWorker): void {
  if (message.kind !== 'drop') {
    pending.push(message)
    return
  }
  const dropped = new Set(message.numbers)
  pending.splice(0, pending.length, ...pending.filter(({ number }) => !dropped.has(number)))
}

function handle(message: Exclude<ToWorker, { kind: 'drop' }>): FromWorker {
  const { number } = message
  try {
    if (message.kind === 'load') {
      for (const dalf of message.dalfs) interpreter.load(dalf)
      return { kind: 'loaded', number }
    }
    const check = watch(number)
    return { kind: 'answer', number, interpretation: interpreter.interpret(message.request, { stepsMax, check }) }
  } catch (error) {
    if (error instanceof Stopped) return { kind: 'stopped', number }
    if (error instanceof LedgerError) {
      return { kind: 'refusal', number, code: error.code, message: error.message, details: error.details }
    }
    return { kind: 'bug', number, stack: error instanceof Error ? (error.stack ?? error.message) : String(error) }
  }
}

function watch(number: number): () => void {
  const untilMs = wallClock.elapsedMs() + wallClockMs
  return () => {
    if (Atomics.load(toStop, 0) === number) throw new Stopped()
    if (wallClock.elapsedMs() > untilMs) throw tooMuch('needs more time')
  }
}
