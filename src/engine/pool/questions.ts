// The ledger as code in a worker thread sees it: a question goes to the main thread, and the thread sleeps until the
// answer arrives. It also wakes up to stop, and now and then to check the clock.
import { type MessagePort, receiveMessageOnPort } from 'node:worker_threads'
import type { ContractsOfKey, Found, KnownContract, LedgerReader, Question } from '../ledger-access.ts'
import { type Answer, type NumberedQuestion, signals } from './messages.ts'

/** The pool wants the running request to end: it was cancelled or preempted. */
export class Stopped extends Error {}

export type Running = {
  readonly number: number
  /** Throws to end the request. */
  check(): void
}

type Parts = {
  readonly send: (question: NumberedQuestion) => void
  readonly answers: MessagePort
  readonly shared: Int32Array
  readonly running: () => Running
}

const sleepMs = 50

export function createQuestions({ send, answers, shared, running }: Parts): LedgerReader {
  let questionNumber = 0

  function ask(question: Question): Found {
    const { number, check } = running()
    questionNumber += 1
    send({ kind: 'question', number, questionNumber, question })
    for (;;) {
      // Read before the check, so that what arrives between check and sleep ends the sleep at once.
      const wakeUps = Atomics.load(shared, signals.wakeUps)
      check()
      const answer = received()
      if (answer !== undefined) {
        if ('stop' in answer) throw new Stopped()
        return answer.found
      }
      Atomics.wait(shared, signals.wakeUps, wakeUps, sleepMs)
    }
  }

  /** The answer to the last question; one to an earlier question is too late, and dropped. */
  function received(): Answer | undefined {
    for (;;) {
      const message = receiveMessageOnPort(answers)?.message as Answer | undefined
      if (message === undefined || message.questionNumber === questionNumber) return message
    }
  }

  return {
    package: (id) => ask({ about: 'package', id }) as Uint8Array | undefined,
    contracts: (ids) => ask({ about: 'contracts', ids }) as readonly KnownContract[],
    contractsWithKey: (hash, before) => ask({ about: 'key', hash, before }) as ContractsOfKey,
  }
}
