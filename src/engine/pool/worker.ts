// A thread that evaluates: it takes requests one after the other, and answers each. The pool starts it, watches it, and
// replaces it when it does not answer in time.
import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads'
import { wallClock } from '../../base/clock.ts'
import { confineThread } from '../../base/thread-sandbox.ts'
import { steps } from '../failures/steps.ts'
import { createInterpreter } from '../interpreter.ts'
import type {
  Effort,
  FromWorker,
  NumberedQuestion,
  NumberedWork,
  Outcome,
  ToWorker,
  WorkerSettings,
} from './messages.ts'
import { createQuestions, type Running } from './questions.ts'
import { createWork } from './work.ts'

/** Outcomes are batched, because one message costs as much for several; but none is held back for long. */
const outcomesMax = 8
const keptBackMs = 1

const port = parentPort!
const post = (message: FromWorker) => port.postMessage(message)
const { stepsMax, wallClockMs, signals: memory, answers, ...limits } = workerData as WorkerSettings
const shared = new Int32Array(memory)
let running: Running
const interpreter = createInterpreter(createQuestions({ send: ask, answers, shared, running: () => running }), limits)
const pending: NumberedWork[] = []
const outcomes: Outcome[] = []
let outcomesSinceMs = 0
let reported: Effort = { steps: 0, compileMs: 0, compiledCharacters: 0 }
const outcomeOf = createWork({
  interpreter,
  stepsMax,
  wallClockMs,
  shared,
  begin(present) {
    running = present
  },
  look(nowMs) {
    if (nowMs > outcomesSinceMs + keptBackMs) report()
  },
})

port.on('message', (message: ToWorker) => {
  take(message)
  for (;;) {
    takeAll()
    const next = pending.shift()
    if (next === undefined) return report()
    if (outcomes.push(outcomeOf(next)) === 1) outcomesSinceMs = wallClock.elapsedMs()
    else if (outcomes.length === outcomesMax) report()
  }
})
confineThread()
post({ kind: 'ready' })

function report(): void {
  if (outcomes.length > 0) post({ kind: 'outcomes', outcomes: outcomes.splice(0), effort: effortSinceReport() })
}

function effortSinceReport(): Effort {
  const { ms, characters } = interpreter.compiled
  const all = { steps: steps.taken, compileMs: ms, compiledCharacters: characters }
  const effort = {
    steps: all.steps - reported.steps,
    compileMs: all.compileMs - reported.compileMs,
    compiledCharacters: all.compiledCharacters - reported.compiledCharacters,
  }
  reported = all
  return effort
}

function ask(question: NumberedQuestion): void {
  report()
  post(question)
}

/** Messages that have arrived meanwhile may cancel requests that wait. */
function takeAll(): void {
  for (;;) {
    const received = receiveMessageOnPort(port)
    if (received === undefined) return
    take(received.message)
  }
}

function take(message: ToWorker): void {
  if (message.kind === 'work') pending.push(...message.requests)
  else if (message.kind === 'prefer') interpreter.prefer(message.byName, message.ledger)
  else if (message.kind === 'forget') interpreter.forget(message.ledger)
  else {
    const dropped = new Set(message.numbers)
    pending.splice(0, pending.length, ...pending.filter(({ number }) => !dropped.has(number)))
  }
}
