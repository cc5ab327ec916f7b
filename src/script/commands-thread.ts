// Evaluates the commands of the ledger that a script runs on, in the thread of the script: it waits for them anyway, and has
// decoded and compiled what they need.
import type { MessagePort } from 'node:worker_threads'
import { type Compiling, createInterpreter } from '../engine/interpreter.ts'
import type { FromWorker, ToWorker } from '../engine/pool/messages.ts'
import { createQuestions, type Running } from '../engine/pool/questions.ts'
import { createWork } from '../engine/pool/work.ts'

export type CommandSettings = {
  /** As those of a thread of the engine. */
  readonly signals: SharedArrayBuffer
  readonly answers: MessagePort
  readonly transactionBytesMax: number | undefined
}

type Parts = {
  readonly settings: CommandSettings
  readonly stepsMax: number
  readonly compiling: Compiling
  send(message: FromWorker): void
}

/** Nobody measures this thread. */
const effort = { steps: 0, compileMs: 0, compiledCharacters: 0 }

export function createCommandEvaluation({ settings, stepsMax, compiling, send }: Parts): (message: ToWorker) => void {
  const { signals, answers, transactionBytesMax } = settings
  const shared = new Int32Array(signals)
  let running: Running
  const ledger = createQuestions({ send, answers, shared, running: () => running })
  const interpreter = createInterpreter(ledger, { transactionBytesMax }, compiling)
  const outcomeOf = createWork({
    interpreter,
    stepsMax,
    wallClockMs: Number.POSITIVE_INFINITY, // A script has a time-out of its own.
    shared,
    begin(present) {
      running = present
    },
    look: () => undefined,
  })
  return (message) => {
    if (message.kind === 'prefer') interpreter.prefer(message.byName, message.ledger)
    else if (message.kind === 'forget') interpreter.forget(message.ledger)
    else if (message.kind === 'work') send({ kind: 'outcomes', outcomes: message.requests.map(outcomeOf), effort })
  }
}
