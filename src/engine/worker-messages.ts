// What the main thread and the threads that evaluate say to each other: plain data, one message each way for a request.
import type { ErrorCode, ErrorDetails } from '../base/errors.ts'
import type { Interpretation, InterpretationRequest } from './interpreter.ts'

export type WorkerSettings = {
  readonly stepsMax: number
  readonly wallClockMs: number
  /** One Int32: the number of the request that is to stop, if it is running. */
  readonly stop: SharedArrayBuffer
}

export type ToWorker =
  | { readonly kind: 'load'; readonly number: number; readonly dalfs: readonly Uint8Array[] }
  | { readonly kind: 'interpret'; readonly number: number; readonly request: InterpretationRequest }
  /** Requests that are not to be started any more. */
  | { readonly kind: 'drop'; readonly numbers: readonly number[] }

export type FromWorker =
  | { readonly kind: 'loaded'; readonly number: number }
  | { readonly kind: 'answer'; readonly number: number; readonly interpretation: Interpretation }
  | {
      readonly kind: 'refusal'
      readonly number: number
      readonly code: ErrorCode
      readonly message: string
      readonly details: ErrorDetails
    }
  /** As it was told to. */
  | { readonly kind: 'stopped'; readonly number: number }
  | { readonly kind: 'bug'; readonly number: number; readonly stack: string }
