// What an operation may ask about the call it answers. Most never do, so it is made when they ask.
import type { ServerResponse } from 'node:http'
import type { Clock } from '../base/clock.ts'
import type { TraceContext } from '../ledger/stored-update.ts'
import type { Trace } from './trace.ts'

export type CallContext = {
  readonly traceContext: TraceContext
  /** Aborted when the client has gone, or when the time for an answer is over. */
  readonly signal: AbortSignal
  readonly clock: Clock
}

/** A call under way: what its operation is given, and how it is told that nobody waits any more. */
export type Call = { readonly context: CallContext; abandon(): void }

export function createCall(response: ServerResponse, trace: Trace, clock: Clock): Call {
  let controller: AbortController | undefined
  let isAbandoned = false
  function abandon(): void {
    isAbandoned = true
    controller?.abort()
  }
  const context: CallContext = {
    clock,
    get traceContext() {
      return trace.context
    },
    get signal() {
      if (controller === undefined) {
        controller = new AbortController()
        response.once('close', abandon)
        if (isAbandoned || response.destroyed) controller.abort()
      }
      return controller.signal
    },
  }
  return { context, abandon }
}
