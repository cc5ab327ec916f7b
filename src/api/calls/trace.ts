// The trace of a request: from its W3C traceparent header, or a new one.
import type { IncomingHttpHeaders } from 'node:http'
import type { Random } from '../../base/random.ts'
import type { TraceContext } from '../../events/format/stored-update.ts'

// Version, trace id, parent id, flags; version ff and ids of zeros are invalid.
const traceparent = /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(-|$)/

/** Sampled, and with a random id. */
const ownFlags = '03'

/** Reads the headers and draws random ids only on demand. A class, because every request creates one. */
export class Trace {
  readonly #headers: IncomingHttpHeaders
  readonly #random: Random
  #given: RegExpExecArray | null | undefined
  #id: string | undefined
  #spanId: string | undefined

  constructor(headers: IncomingHttpHeaders, random: Random) {
    this.#headers = headers
    this.#random = random
  }

  get id(): string {
    this.#id ??= this.#fromCaller()?.[1] ?? this.#random.bytes(16).toString('hex')
    return this.#id
  }

  /** The span of this request. */
  get spanId(): string {
    this.#spanId ??= this.#random.bytes(8).toString('hex')
    return this.#spanId
  }

  get parentSpanId(): string | undefined {
    return this.#fromCaller()?.[2]
  }

  /** By the caller, or by us if the caller does not trace. */
  get isSampled(): boolean {
    return (Number.parseInt(this.#fromCaller()?.[3] ?? ownFlags, 16) & 1) === 1
  }

  /** For what the request causes. */
  get context(): TraceContext {
    const given = this.#fromCaller()
    const tracestate = given === null ? undefined : (this.#headers.tracestate as string | undefined)
    return { traceparent: `00-${this.id}-${this.spanId}-${given?.[3] ?? ownFlags}`, tracestate: tracestate ?? null }
  }

  #fromCaller(): RegExpExecArray | null {
    if (this.#given === undefined) {
      const header = this.#headers.traceparent as string | undefined
      this.#given = header === undefined ? null : traceparent.exec(header)
    }
    return this.#given
  }
}
