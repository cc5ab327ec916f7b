// A thread that evaluates: it takes requests one after the other, and answers each. The pool starts it, watches it, and
// replaces it when it does not answer in time.
import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads'
import { wallClock } from '../../base/clock.ts'
import { LedgerError } from '../../base/errors.ts'
import { confineThread } from '../../base/thread-sandbox.ts'
import { addCounts } from '../compile/coverage.ts'
import { steps, tooMuch } from '../failures/steps.ts'
import { createInterpreter } from '../interpreter.ts'
import { accountOf } from '../requests/account.ts'
import type { ViewRequest, ViewResult } from '../requests/interface-views.ts'
import { serve } from '../requests/served-transaction.ts'
import { packResult, unpackRequest } from './interpretation-messages.ts'
import {
  type Effort,
  type FromWorker,
  type NumberedQuestion,
  type NumberedWork,
  type Outcome,
  type Result,
  signals,
  type ToWorker,
  type WorkerSettings,
} from './messages.ts'
import { createQuestions, type Running, Stopped } from './questions.ts'

/** Time slice of a request for many views: the rest is requested again, so that others get the thread. */
const viewsMs = 5
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
/** By covered code, for the outcomes. */
let counted = new Map<string, number>()
let reported: Effort = { steps: 0, compileMs: 0, compiledCharacters: 0 }

port.on('message', (message: ToWorker) => {
  take(message)
  for (;;) {
    takeAll()
    const next = pending.shift()
    if (next === undefined) return report()
    if (outcomes.push(handleCounting(next)) === 1) outcomesSinceMs = wallClock.elapsedMs()
    else if (outcomes.length === outcomesMax) report()
  }
})
confineThread()
post({ kind: 'ready' })

function report(): void {
  if (outcomes.length === 0) return
  const message = { kind: 'outcomes', outcomes: outcomes.splice(0), effort: effortSinceReport() } as const
  if (counted.size === 0) return post(message)
  post({ ...message, counts: counted })
  counted = new Map()
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

/** A request that was stopped starts over, and is counted then. */
function handleCounting(work: NumberedWork): Outcome {
  const outcome = handle(work)
  const counts = interpreter.takeCounts()
  if (counts !== undefined && outcome.kind !== 'stopped') addCounts(counted, counts)
  return outcome
}

function handle(work: NumberedWork): Outcome {
  const { number } = work
  try {
    return { kind: 'answer', number, result: resultOf(work) }
  } catch (error) {
    if (error instanceof Stopped) return { kind: 'stopped', number }
    if (error instanceof LedgerError) {
      return { kind: 'refusal', number, code: error.code, message: error.message, details: error.details }
    }
    return { kind: 'bug', number, stack: error instanceof Error ? (error.stack ?? error.message) : String(error) }
  }
}

function resultOf(work: NumberedWork): Result {
  if (work.kind === 'views') return views(work.requests, work.number)
  if (work.kind === 'plans') return interpreter.plans(work.names, budgetFor(work.number).check)
  if (work.kind === 'render') return interpreter.render(work.request, budgetFor(work.number).check)
  const request = unpackRequest(work.request)
  const before = { steps: steps.taken, ms: wallClock.elapsedMs() }
  const { transaction, traces, prepared } = interpreter.interpret(request, budgetFor(work.number), work.ledger)
  const { served, effects } = serve(transaction, request.ledgerTime, request.isShared)
  const effort = {
    steps: steps.taken - before.steps,
    microseconds: Math.round((wallClock.elapsedMs() - before.ms) * 1000),
  }
  const account = request.explains ? accountOf(transaction, request.actAs, traces, effort) : undefined
  return packResult({ served, effects, traces, prepared, account })
}

function views(requests: readonly ViewRequest[], number: number): ViewResult[] {
  const results: ViewResult[] = []
  const untilMs = wallClock.elapsedMs() + viewsMs
  for (const request of requests) {
    results.push(interpreter.view(request, budgetFor(number)))
    if (wallClock.elapsedMs() > untilMs) break
  }
  return results
}

/** The budget of one interpretation, or one view. */
function budgetFor(number: number) {
  const untilMs = wallClock.elapsedMs() + wallClockMs
  const check = () => {
    const nowMs = wallClock.elapsedMs()
    if (nowMs > outcomesSinceMs + keptBackMs) report()
    if (Atomics.load(shared, signals.toStop) === number) throw new Stopped()
    if (nowMs > untilMs) throw tooMuch('needs more time')
  }
  running = { number, check }
  Atomics.store(shared, signals.running, number)
  return { stepsMax, check }
}
