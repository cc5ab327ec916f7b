// Sends spans to a collector by OTLP over HTTP, as JSON. The exporter sends one batch at a time, and again until the
// collector accepts it or refuses it for good. While the collector is away or slow, a bounded number of spans waits, in
// bounded bytes; the exporter drops and counts later ones. Requests never wait for the collector.
import { hostname } from 'node:os'
import { backoffMs } from '../base/backoff.ts'
import { type Clock, settlesWithin, type Timer } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import { shownUrl } from '../base/shown-url.ts'
import type { Attributes, Span } from '../base/tracer.ts'
import { ownVersion } from '../base/version.ts'

export type OtlpExporter = AsyncDisposable & {
  add(span: Span): void
  readonly counts: { readonly exported: number; readonly dropped: number }
}

type Parts = {
  readonly endpoint: string
  /** name=value,name=value, as in OTEL_EXPORTER_OTLP_HEADERS. */
  readonly headers: string | undefined
  readonly serviceName: string
  /** Spans that may wait; more are dropped. */
  readonly spansMax?: number
  readonly clock: Clock
  readonly log: Log
}

const usualSpansMax = 8192
const batchSpans = 512
const batchBytesMax = 1024 * 1024
/** One of our spans takes half a kilobyte. */
const waitingBytesMax = 16 * 1024 * 1024
const batchDelayMs = 1_000
/** The longest pause, also if the collector asks for a longer one. */
const pauseMsMax = 60_000
/** After these statuses the protocol says to send again; any other status refuses the batch for good. */
const passing: ReadonlySet<number> = new Set([429, 502, 503, 504])
const sendTimeoutMs = 10_000
const closeTimeoutMs = 1_000

export function openOtlpExporter({
  endpoint,
  headers,
  serviceName,
  spansMax = usualSpansMax,
  clock,
  log,
}: Parts): OtlpExporter {
  const url = tracesUrl(endpoint)
  const sentHeaders = { ...headersFromText(headers ?? ''), 'content-type': 'application/json' }
  const counts = { exported: 0, dropped: 0 }
  const resource = attributesToJson({
    'service.name': serviceName,
    'service.version': ownVersion,
    'host.name': hostname(),
    'process.pid': process.pid,
  })
  /** As JSON, including the batch that is being sent. */
  let waiting: string[] = []
  let waitingBytes = 0
  let timer: Timer | undefined
  let sending: Promise<void> | undefined
  let wake: (() => void) | undefined
  let isClosing = false
  let reported: Problem['fate'] | undefined

  async function sendAll(): Promise<void> {
    timer?.cancel()
    timer = undefined
    for (let failures = 0; waiting.length > 0; ) {
      const batch = nextBatch()
      const problem = await send(batch)
      report(problem)
      if (problem?.fate === 'wait') {
        if (isClosing) break
        failures += 1
        await pause(Math.min(pauseMsMax, Math.max(problem.pauseMs, backoffMs(failures))))
        continue
      }
      failures = 0
      waiting = waiting.slice(batch.length)
      waitingBytes -= bytesOf(batch)
      counts[problem === undefined ? 'exported' : 'dropped'] += batch.length
    }
    sending = undefined
  }

  function nextBatch(): readonly string[] {
    let [count, bytes] = [0, 0]
    while (count < Math.min(batchSpans, waiting.length)) {
      bytes += waiting[count]!.length
      if (count > 0 && bytes > batchBytesMax) break
      count += 1
    }
    return waiting.slice(0, count)
  }

  async function send(batch: readonly string[]): Promise<Problem | undefined> {
    try {
      const response = await fetch(url, {
        method: 'POST',
        headers: sentHeaders,
        body: requestOf(batch, resource),
        signal: AbortSignal.timeout(sendTimeoutMs),
        redirect: 'error',
      })
      await response.arrayBuffer()
      if (response.ok) return undefined
      const { status, headers } = response
      const seconds = Number(headers.get('retry-after') ?? 0)
      const fate = passing.has(status) ? 'wait' : 'drop'
      return { reason: `status ${status}`, fate, pauseMs: Number.isFinite(seconds) ? seconds * 1_000 : 0 }
    } catch (error) {
      const { message, cause } = error as Error
      return { reason: (cause as Error | undefined)?.message || message, fate: 'wait', pauseMs: 0 }
    }
  }

  async function pause(delayMs: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const pausing = clock.after(delayMs, resolve)
    wake = resolve
    await promise
    pausing.cancel()
    wake = undefined
  }

  /** Logs when sending begins to fail, and when it works again. */
  function report(problem: Problem | undefined): void {
    if (problem?.fate === reported) return
    reported = problem?.fate
    const [at, reason] = [shownUrl(url), problem?.reason]
    if (reported === undefined) log.info({ url: at }, 'traces are sent again')
    else if (reported === 'wait') log.warn({ url: at, reason, spansMax }, 'traces cannot be sent; they wait')
    else log.warn({ url: at, reason }, 'the collector refuses traces; they are dropped')
  }

  return {
    counts,
    add(span) {
      const text = JSON.stringify(spanToJson(span))
      if (waiting.length >= spansMax || waitingBytes + text.length > waitingBytesMax) {
        counts.dropped += 1
        return
      }
      waiting.push(text)
      waitingBytes += text.length
      if (sending !== undefined) return
      if (waiting.length >= batchSpans) sending = sendAll()
      else
        timer ??= clock.after(batchDelayMs, () => {
          sending ??= sendAll()
        })
    },
    async [Symbol.asyncDispose]() {
      isClosing = true
      timer?.cancel()
      wake?.()
      sending ??= sendAll()
      await settlesWithin(sending, closeTimeoutMs, clock)
    },
  }
}

type Problem = {
  readonly reason: string
  /** The batch waits for another attempt, or is dropped. */
  readonly fate: 'wait' | 'drop'
  /** The pause that the collector asks for. */
  readonly pauseMs: number
}

function bytesOf(spans: readonly string[]): number {
  return spans.reduce((sum, { length }) => sum + length, 0)
}

/** The standard path, unless the endpoint names one for traces. */
function tracesUrl(endpoint: string): string {
  const url = new URL(endpoint)
  if (!url.pathname.endsWith('/v1/traces')) url.pathname = `${url.pathname.replace(/\/$/, '')}/v1/traces`
  return url.href
}

function headersFromText(text: string): Record<string, string> {
  const pairs = text.split(',').filter((pair) => pair.includes('='))
  return Object.fromEntries(
    pairs.map((pair) => {
      const end = pair.indexOf('=')
      return [pair.slice(0, end).trim(), pair.slice(end + 1).trim()]
    }),
  )
}

/** ExportTraceServiceRequest of opentelemetry/proto/collector/trace/v1, in JSON. */
function requestOf(spans: readonly string[], resource: readonly object[]): string {
  const scope = JSON.stringify({ name: 'tallystick', version: ownVersion })
  const ofScope = `{"scope":${scope},"spans":[${spans.join(',')}]}`
  return `{"resourceSpans":[{"resource":${JSON.stringify({ attributes: resource })},"scopeSpans":[${ofScope}]}]}`
}

const kinds = { internal: 1, server: 2 } as const
const errorStatus = 2

function spanToJson({ traceId, spanId, parentSpanId, name, kind, startMs, endMs, attributes, error }: Span): object {
  return {
    traceId,
    spanId,
    ...(parentSpanId !== undefined && { parentSpanId }),
    name,
    kind: kinds[kind],
    startTimeUnixNano: nanoseconds(startMs),
    endTimeUnixNano: nanoseconds(endMs),
    attributes: attributesToJson(attributes),
    ...(error !== undefined && { status: { code: errorStatus, message: error } }),
  }
}

/** The JSON of protobuf has 64-bit integers as strings. */
function nanoseconds(ms: number): string {
  return `${Math.round(ms * 1000)}000`
}

function attributesToJson(attributes: Attributes): object[] {
  return Object.entries(attributes).map(([key, value]) => ({
    key,
    value: typeof value === 'number' ? { intValue: String(value) } : { stringValue: value },
  }))
}
