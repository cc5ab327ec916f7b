// A request to the engine, from its submission until it is settled. It is settled once, whatever happens later.
import { LedgerError } from '../../base/errors.ts'
import type { LedgerAccess } from '../ledger-access.ts'
import { type LedgerWork, noRequest, type Outcome, type Result, type Work } from './messages.ts'

export type Task = {
  /** By which its thread knows it. Each thread that gets it knows it by another. */
  number: number
  readonly work: LedgerWork
  readonly access: LedgerAccess
  readonly client: string
  /** How often it was preempted. */
  stops: number
  /** Whether a thread ran out of memory with it. */
  hasLostThread: boolean
  isSettled: boolean
  resolve(result: Result): void
  reject(error: unknown): void
  /** Aborts it; undefined if nobody can. */
  readonly abortion: { readonly signal: AbortSignal; onAbort(): void } | undefined
}

/** A ledger that the threads work for, and the number by which they know it. */
export type NumberedLedger = { readonly number: number; readonly access: LedgerAccess }

type TaskRequest = {
  readonly work: Work
  readonly ledger: NumberedLedger
  /** Clients share the threads. */
  readonly client: string
  readonly signal: AbortSignal | undefined
}

/** `cancel` is called when the signal is aborted. */
export function createTask(
  { work, ledger, client, signal }: TaskRequest,
  cancel: (task: Task, reason: unknown) => void,
): { readonly task: Task; readonly result: Promise<Result> } {
  const { promise: result, resolve, reject } = Promise.withResolvers<Result>()
  const task: Task = {
    number: noRequest,
    work: { ...work, ledger: ledger.number },
    access: ledger.access,
    client,
    stops: 0,
    hasLostThread: false,
    isSettled: false,
    resolve,
    reject,
    abortion: signal && { signal, onAbort: () => cancel(task, signal.reason) },
  }
  if (task.abortion !== undefined) signal!.addEventListener('abort', task.abortion.onAbort, { once: true })
  return { task, result }
}

export function settleTask(task: Task, outcome: Outcome): void {
  if (outcome.kind === 'answer') {
    if (endTask(task)) task.resolve(outcome.result)
  } else if (outcome.kind === 'refusal') {
    rejectTask(task, new LedgerError(outcome.code, outcome.message, outcome.details))
  } else rejectTask(task, new Error(outcome.kind === 'bug' ? outcome.stack : 'the engine did not answer'))
}

export function rejectTask(task: Task, error: unknown): void {
  if (endTask(task)) task.reject(error)
}

/** False if it was settled before. */
function endTask(task: Task): boolean {
  if (task.isSettled) return false
  task.isSettled = true
  task.abortion?.signal.removeEventListener('abort', task.abortion.onAbort)
  return true
}
