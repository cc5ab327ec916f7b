// Spans of requests and of the stages of commands, in the terms of OpenTelemetry. Who sent a request with a sampled
// `traceparent`, or with none, gets its spans; they carry no party, token or payload. Without a tracer nothing is drawn,
// measured or kept.
import type { Clock } from './clock.ts'
import { LedgerError } from './errors.ts'
import type { Random } from './random.ts'

export type Attributes = Readonly<Record<string, string | number>>

export type Span = {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId: string | undefined
  readonly name: string
  readonly kind: 'server' | 'internal'
  /** Milliseconds since 1970, with fractions. */
  readonly startMs: number
  readonly endMs: number
  readonly attributes: Attributes
  /** Why it failed; undefined if it did not. */
  readonly error: string | undefined
}

/** The trace of a request. */
export type RequestTrace = {
  readonly id: string
  readonly spanId: string
  readonly parentSpanId: string | undefined
  readonly isSampled: boolean
}

export type Outcome = { readonly attributes?: Attributes; readonly error?: string | undefined }

export type Tracer = {
  /** A request that was answered; `startedMs` is of the monotonic clock. */
  answered(trace: RequestTrace, name: string, startedMs: number, outcome: Outcome): void
  /** Returns what `work` returns; the span ends when that settles. */
  stage<T>(
    name: string,
    parent: { readonly traceparent: string } | null,
    work: () => Promise<T>,
    describe?: (result: T) => Outcome,
  ): Promise<T>
}

type Parts = { readonly add: (span: Span) => void; readonly clock: Clock; readonly random: Random }

/** The wall clock may be set while the node runs. */
const driftMsMax = 50

export function createTracer({ add, clock, random }: Parts): Tracer {
  let originMs = clock.nowMs() - clock.elapsedMs()

  /** Wall time, with the resolution of the monotonic clock. */
  function wallMs(elapsedMs: number): number {
    const presentMs = clock.nowMs() - clock.elapsedMs()
    if (Math.abs(presentMs - originMs) > driftMsMax) originMs = presentMs
    return originMs + elapsedMs
  }

  return {
    answered({ id, spanId, parentSpanId, isSampled }, name, startedMs, { attributes = {}, error }) {
      if (!isSampled) return
      const [startMs, endMs] = [wallMs(startedMs), wallMs(clock.elapsedMs())]
      add({ traceId: id, spanId, parentSpanId, name, kind: 'server', startMs, endMs, attributes, error })
    },
    stage(name, parent, work, describe) {
      const [, traceId, parentSpanId, flags] = parent?.traceparent.split('-') ?? []
      if (traceId === undefined || (Number.parseInt(flags!, 16) & 1) === 0) return work()
      const startedMs = clock.elapsedMs()
      const end = ({ attributes = {}, error }: Outcome) => {
        const [startMs, endMs] = [wallMs(startedMs), wallMs(clock.elapsedMs())]
        const spanId = random.bytes(8).toString('hex')
        add({ traceId, spanId, parentSpanId, name, kind: 'internal', startMs, endMs, attributes, error })
      }
      const result = work()
      result.then(
        (value) => end(describe?.(value) ?? {}),
        (error) => end({ error: failureOf(error) }),
      )
      return result
    },
  }
}

/** Its code: the text of an error may repeat parts of a request. */
export function failureOf(error: unknown): string {
  return error instanceof LedgerError ? error.code : (error as Error).name
}
