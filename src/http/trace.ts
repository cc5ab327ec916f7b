// The trace of a request: the caller's, when a W3C traceparent header brings one, or a new one.
import type { IncomingHttpHeaders } from 'node:http'
import type { Random } from '../base/random.ts'
import type { TraceContext } from '../ledger/stored-update.ts'

export type Trace = {
  readonly id: string
  /** As a step of its own within the trace. */
  readonly context: TraceContext
}

// Version, trace id, parent id, flags; version ff and ids of zeros are invalid.
const traceparent = /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-([0-9a-f]{2})(-|$)/

/** Costs randomness only when somebody asks. */
export function createTrace(headers: IncomingHttpHeaders, random: Random): Trace {
  const header = headers.traceparent as string | undefined
  const given = header === undefined ? null : traceparent.exec(header)
  let id = given?.[1]
  return {
    get id() {
      id ??= random.bytes(16).toString('hex')
      return id
    },
    get context() {
      const span = random.bytes(8).toString('hex')
      const tracestate = given === null ? undefined : (headers.tracestate as string | undefined)
      return { traceparent: `00-${this.id}-${span}-${given?.[2] ?? '01'}`, tracestate: tracestate ?? null }
    },
  }
}
