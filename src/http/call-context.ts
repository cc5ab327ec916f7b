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

export function createCallContext(response: ServerResponse, trace: Trace, clock: Clock): CallContext {
  let controller: AbortController | undefined
  return {
    clock,
    get traceContext() {
      return trace.context
    },
    get signal() {
      if (controller === undefined) {
        const made = new AbortController()
        // A response is closed once it is sent, whatever it is, or when its connection is lost.
        response.once('close', () => made.abort())
        if (response.destroyed) made.abort()
        controller = made
      }
      return controller.signal
    },
  }
}
