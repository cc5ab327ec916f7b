// The engine of a ledger that scripts run on, as its node sees it: whatever is to be evaluated goes to the thread of the
// script, one request after the other. A request ends with the thread.
import { LedgerError } from '../base/errors.ts'
import type { Preferences } from '../engine/interpreter.ts'
import { lookUp } from '../engine/ledger-access.ts'
import type { SharedThreads } from '../engine/pool/lazy-pool.ts'
import { createLedgerEngine } from '../engine/pool/ledger-engine.ts'
import type { Answer, FromWorker, NumberedQuestion, Result, ToWorker, Work } from '../engine/pool/messages.ts'
import { createTask, type NumberedLedger, rejectTask, settleTask, type Task } from '../engine/pool/tasks.ts'

export type EvaluatingThread = {
  tell(message: ToWorker): void
  evaluate(work: Work, ledger: NumberedLedger): Promise<Result>
}

/** `thread` is the one that evaluates at present. */
export function createScriptEngine(thread: () => EvaluatingThread): SharedThreads {
  let lastLedger = 0
  return {
    async open() {
      return {
        over(access) {
          lastLedger += 1
          const ledger = { number: lastLedger, access }
          let preferred: Preferences | undefined
          let told: EvaluatingThread | undefined
          const engine = createLedgerEngine({
            prefer(byName) {
              preferred = byName
              told = undefined
            },
            submit(work) {
              const present = thread()
              if (told !== present && preferred !== undefined) {
                present.tell({ kind: 'prefer', ledger: ledger.number, byName: preferred })
              }
              told = present
              return present.evaluate(work, ledger)
            },
          })
          return { ...engine, [Symbol.dispose]: () => told?.tell({ kind: 'forget', ledger: ledger.number }) }
        },
      }
    },
    counts: () => undefined,
    async [Symbol.asyncDispose]() {},
  }
}

type Ways = { send(message: ToWorker): void; answer(answer: Answer): void }

/** The requests that a thread evaluates. */
export function createEvaluations({ send, answer }: Ways) {
  const tasks = new Map<number, Task>()
  let lastNumber = 0

  /** The request fails with what the ledger throws. */
  async function answerTo({ number, questionNumber, question }: NumberedQuestion): Promise<void> {
    const task = tasks.get(number)!
    try {
      answer({ questionNumber, found: await lookUp(question, task.access) })
    } catch (error) {
      rejectTask(task, error)
      answer({ questionNumber, stop: true })
    }
  }

  return {
    evaluate(work: Work, ledger: NumberedLedger): Promise<Result> {
      lastNumber += 1
      const { task, result } = createTask({ work, ledger, client: '', signal: undefined }, () => undefined)
      tasks.set(lastNumber, task)
      send({ kind: 'work', requests: [{ ...task.work, number: lastNumber }] })
      return result
    },
    hear(message: FromWorker): void {
      if (message.kind === 'question') void answerTo(message)
      if (message.kind !== 'outcomes') return
      for (const outcome of message.outcomes) {
        settleTask(tasks.get(outcome.number)!, outcome)
        tasks.delete(outcome.number)
      }
    },
    /** The thread has ended. */
    end(): void {
      for (const task of tasks.values())
        rejectTask(task, new LedgerError('SERVICE_NOT_RUNNING', 'the engine is closed'))
      tasks.clear()
    },
  }
}
