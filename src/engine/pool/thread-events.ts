// Handles the events of a thread: it reports outcomes, asks a question about the ledger, or is lost.
import type { Clock } from '../../base/clock.ts'
import { tooMuch } from '../failures/steps.ts'
import { lookUp } from '../ledger-access.ts'
import { refusalOf } from '../requests/refusal.ts'
import type { Dispatcher } from './dispatcher.ts'
import type { Answer, FromWorker, NumberedQuestion, Outcome } from './messages.ts'
import type { EngineCounters } from './pool-metrics.ts'
import type { SchedulingPolicy } from './scheduling-policy.ts'
import { rejectTask, settleTask, type Task } from './tasks.ts'
import {
  strayNumber,
  type Thread as ThreadOf,
  type ThreadSet,
  type ThreadSetEvents,
  takeUnchargedMs,
} from './thread-set.ts'

type Thread = ThreadOf<Task>

type Parts = {
  readonly policy: SchedulingPolicy<Task>
  readonly threads: ThreadSet<Task>
  readonly dispatcher: Dispatcher
  readonly counters: EngineCounters
  readonly clock: Clock
}

export function createThreadEvents(parts: Parts): ThreadSetEvents<Task> {
  const { policy, threads, dispatcher, counters, clock } = parts

  function hear(thread: Thread, message: FromWorker): void {
    if (message.kind === 'question') void answer(thread, message)
    else if (message.kind === 'ready') {
      threads.started(thread)
      dispatcher.dispatch()
    } else {
      const tookMs = takeUnchargedMs(thread, clock.elapsedMs())
      counters.noteBusy(tookMs)
      counters.noteEffort(message.effort)
      const eachMs = tookMs / message.outcomes.length
      for (const outcome of message.outcomes) endRequest(thread, outcome, eachMs)
      if (thread.lane === 'long' && thread.inHand.length === 0) threads.endWhenIdle(thread)
      dispatcher.dispatch()
    }
  }

  function endRequest(thread: Thread, outcome: Outcome, tookMs: number): void {
    thread.endedNumber = outcome.number
    thread.sinceMs = clock.elapsedMs()
    thread.waitedMs = 0
    thread.asking = undefined
    thread.isBurning = false
    thread.stoppingMs = undefined
    const index = thread.inHand.findIndex((task) => task.number === outcome.number)
    if (index < 0) return // The request was given back, and another thread answers it.
    const task = thread.inHand.splice(index, 1)[0]!
    counters.noteOutcome(task.work.kind, outcome.kind)
    policy.charge(task.client, tookMs)
    if (outcome.kind === 'stopped' && !task.isSettled) {
      task.stops += 1
      policy.giveBack([task])
    } else settleTask(task, outcome)
  }

  /** The request fails with what the ledger throws. */
  async function answer(thread: Thread, { number, questionNumber, question }: NumberedQuestion): Promise<void> {
    const task = thread.inHand.find((other) => other.number === number)
    if (task === undefined || task.isSettled) return thread.answer({ questionNumber, stop: true })
    thread.asking = { questionNumber, sinceMs: clock.elapsedMs() }
    try {
      reply(thread, { questionNumber, found: await lookUp(question, task.access) })
    } catch (error) {
      rejectTask(task, error)
      reply(thread, { questionNumber, stop: true })
    }
  }

  /** Does nothing if the thread no longer waits for it. */
  function reply(thread: Thread, message: Answer): void {
    if (thread.asking?.questionNumber !== message.questionNumber) return
    thread.answer(message)
    thread.waitedMs += clock.elapsedMs() - thread.asking.sinceMs
    thread.asking = undefined
  }

  /** The thread is gone, and with it its running request; those it had not begun go to other threads. */
  function lose(thread: Thread, reason: Error, refusal = refusalFor(reason)): void {
    if (!threads.remove(thread, reason)) return
    const isStray = strayNumber(thread) !== undefined
    const all = thread.inHand.splice(0)
    // It may not have reported all that it finished; those requests run again.
    const running = isStray ? undefined : (all.find(({ number }) => number === thread.running()) ?? all[0])
    if (running !== undefined) endWithThread(running, reason, refusal)
    policy.giveBack(all.filter((task) => !task.isSettled))
    if (threads.isClosed()) return
    counters.noteLostThread()
    const broken = threads.broken()
    if (broken !== undefined) dispatcher.rejectWaiting(broken)
    else if (threads.mayStart() && thread.lane === 'quick') threads.start('quick', running?.client)
    dispatcher.dispatch()
  }

  function endWithThread(task: Task, reason: Error, refusal: Error): void {
    policy.noteBurning(task.client, clock.elapsedMs())
    // The heap may have been full of what the request before it had left: once more, in a thread for long requests.
    if (isOutOfMemory(reason) && !task.hasLostThread && !threads.isClosed()) {
      task.hasLostThread = true
      task.stops += 1
    } else rejectTask(task, refusal)
  }

  return { hear, lose }
}

function refusalFor(error: Error): Error {
  return isOutOfMemory(error) ? refusalOf(tooMuch('needs more memory')) : error
}

function isOutOfMemory(error: Error): boolean {
  return (error as { code?: unknown }).code === 'ERR_WORKER_OUT_OF_MEMORY'
}
