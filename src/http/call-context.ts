// What an operation may ask about the call it answers. Most never do, so it is made when they ask.
import type { ServerResponse } from 'node:http'
import type { Clock } from '../base/clock.ts'
import type { TraceContext } from '../ledger/stored-update.ts'
import type { Trace } from './trace.ts'

export type CallContext = {
  readonly traceContext: TraceContext
  /** Aborted when the client has gone, or when the time for an answer is over, before there was one. */
  readonly signal: AbortSignal
  readonly clock: Clock
}

/** Abandoning a call that is done would only cost time. */
export type Call = CallContext & { done(): void }

export function createCallContext(response: ServerResponse, trace: Trace, clock: Clock): Call {
  let controller: AbortController | undefined
  let isDone = false
  return {
    done() {
      isDone = true
    },
    clock,
    get traceContext() {
      return trace.context
    },
    get signal() {
      if (controller === undefined) {
        const made = new AbortController()
        // A response is closed once it is sent, which may be because it took too long, or when its connection is lost.
        response.once('close', () => {
          if (!isDone) made.abort()
        })
        if (response.destroyed) made.abort()
        controller = made
      }
      return controller.signal
    },
  }
}
