// Does one request with the interpreter of a thread, within the bounds of a request: for the pool, and for the commands of a
// script in the script's own thread.
import { wallClock } from '../../base/clock.ts'
import { LedgerError } from '../../base/errors.ts'
import { steps, tooMuch } from '../failures/steps.ts'
import type { Interpreter } from '../interpreter.ts'
import { accountOf } from '../requests/account.ts'
import type { ViewRequest, ViewResult } from '../requests/interface-views.ts'
import { serve } from '../requests/served-transaction.ts'
import { packResult, unpackRequest } from './interpretation-messages.ts'
import { type NumberedWork, type Outcome, type Result, signals } from './messages.ts'
import { type Running, Stopped } from './questions.ts'

type Parts = {
  readonly interpreter: Interpreter
  readonly stepsMax: number
  readonly wallClockMs: number
  /** See `signals`. */
  readonly shared: Int32Array
  /** The request that the questions of the interpreter belong to from now on. */
  begin(running: Running): void
  /** Called now and then while a request runs. */
  look(nowMs: number): void
}

/** Time slice of a request for many views: the rest is requested again, so that others get the thread. */
const viewsMs = 5

export function createWork(parts: Parts): (work: NumberedWork) => Outcome {
  const { interpreter, stepsMax, wallClockMs, shared, begin, look } = parts

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
      look(nowMs)
      if (Atomics.load(shared, signals.toStop) === number) throw new Stopped()
      if (nowMs > untilMs) throw tooMuch('needs more time')
    }
    begin({ number, check })
    return { stepsMax, check }
  }

  return (work) => {
    const { number } = work
    Atomics.store(shared, signals.running, number)
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
}
