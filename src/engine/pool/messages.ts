// Messages between the main thread and the threads that evaluate: plain data, one message each way for a few requests,
// and one each way for every question that a request has for the ledger.
import type { MessagePort } from 'node:worker_threads'
import type { ErrorCode, ErrorDetails } from '../../base/errors.ts'
import type { InterpreterLimits, Preferences } from '../interpreter.ts'
import type { Found, Question } from '../ledger-access.ts'
import type { PlanValues } from '../requests/event-types.ts'
import type { ViewRequest, ViewResult } from '../requests/interface-views.ts'
import type { ElementsRequest } from '../requests/protobuf-elements.ts'
import type { PackedRequest, PackedResult } from './interpretation-messages.ts'

export type WorkerSettings = {
  readonly stepsMax: number
  readonly wallClockMs: number
  /** Slots of Int32, see `signals`. */
  readonly signals: SharedArrayBuffer
  /** Where answers to questions arrive. */
  readonly answers: MessagePort
} & InterpreterLimits

/** The slots of the shared memory. */
export const signals = {
  /** The request to stop, if it is running. */
  toStop: 0,
  /** Changes, and is notified, when there is an answer or a reason to stop. */
  wakeUps: 1,
  /** The request that is running, or ran last. */
  running: 2,
  count: 3,
} as const

/** No request has this number. */
export const noRequest = 0

export type Work =
  | { readonly kind: 'interpret'; readonly request: PackedRequest }
  | { readonly kind: 'views'; readonly requests: readonly ViewRequest[] }
  | { readonly kind: 'render'; readonly request: ElementsRequest }
  | { readonly kind: 'plans'; readonly names: readonly string[] }

/** A list of views holds at least one: those that the thread computed without a pause. Elements come as protobuf. */
export type Result = PackedResult | readonly ViewResult[] | Uint8Array | ReturnType<PlanValues>

/** `ledger` is the number of the ledger that it is for: see `EnginePool.over`. */
export type LedgerWork = Work & { readonly ledger: number }

export type NumberedWork = LedgerWork & { readonly number: number }

export type ToWorker =
  | { readonly kind: 'work'; readonly requests: readonly NumberedWork[] }
  | { readonly kind: 'prefer'; readonly ledger: number; readonly byName: Preferences }
  /** The ledger is closed. */
  | { readonly kind: 'forget'; readonly ledger: number }
  /** Requests not to start any more. */
  | { readonly kind: 'drop'; readonly numbers: readonly number[] }

/** `stop`: nobody waits for the request any more. */
export type Answer =
  | { readonly questionNumber: number; readonly found: Found }
  | { readonly questionNumber: number; readonly stop: true }

export type NumberedQuestion = {
  readonly kind: 'question'
  /** The number of the request. */
  readonly number: number
  /** A request that was stopped may come back and ask something else. */
  readonly questionNumber: number
  readonly question: Question
}

/** What a thread did since its last message. */
export type Effort = { readonly steps: number; readonly compileMs: number; readonly compiledCharacters: number }

export type Outcome =
  | { readonly kind: 'answer'; readonly number: number; readonly result: Result }
  | {
      readonly kind: 'refusal'
      readonly number: number
      readonly code: ErrorCode
      readonly message: string
      readonly details: ErrorDetails
    }
  /** It was preempted or cancelled. */
  | { readonly kind: 'stopped'; readonly number: number }
  | { readonly kind: 'bug'; readonly number: number; readonly stack: string }

export type FromWorker =
  | { readonly kind: 'ready' }
  | NumberedQuestion
  | { readonly kind: 'outcomes'; readonly outcomes: readonly Outcome[]; readonly effort: Effort }
