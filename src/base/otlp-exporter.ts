// Sends spans to a collector by OTLP over HTTP, as JSON. Batches are sent one at a time; while the collector is away or
// slow, a bounded number of spans waits, and others are dropped and counted. Nothing waits for the collector.
import { hostname } from 'node:os'
import { type Clock, settlesWithin, type Timer } from './clock.ts'
import type { Log } from './log.ts'
import { shownUrl } from './shown-url.ts'
import type { Attributes, Span } from './tracer.ts'
import { ownVersion } from './version.ts'

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
  readonly spansMax: number
  readonly clock: Clock
  readonly log: Log
}

const batchSpans = 512
const batchDelayMs = 1_000
const sendTimeoutMs = 10_000
const closeTimeoutMs = 1_000

export function openOtlpExporter({ endpoint, headers, serviceName, spansMax, clock, log }: Parts): OtlpExporter {
  const url = tracesUrl(endpoint)
  const sentHeaders = { ...headersFromText(headers ?? ''), 'content-type': 'application/json' }
  const counts = { exported: 0, dropped: 0 }
  const resource = attributesToJson({
    'service.name': serviceName,
    'service.version': ownVersion,
    'host.name': hostname(),
    'process.pid': process.pid,
  })
  let waiting: Span[] = []
  let timer: Timer | undefined
  let sending: Promise<void> | undefined
  let isFailing = false

  async function sendAll(): Promise<void> {
    timer?.cancel()
    timer = undefined
    while (waiting.length > 0) {
      const batch = waiting.slice(0, batchSpans)
      waiting = waiting.slice(batchSpans)
      const problem = await send(batch)
      if (problem === undefined) counts.exported += batch.length
      else counts.dropped += batch.length
      tell(problem)
    }
    sending = undefined
  }

  /** Returns the problem, if there is one. */
  async function send(batch: readonly Span[]): Promise<string | undefined> {
    try {
      const response = await fetch(url, {
        method: 'POST',
        headers: sentHeaders,
        body: spansToJson(batch, resource),
        signal: AbortSignal.timeout(sendTimeoutMs),
        redirect: 'error',
      })
      await response.arrayBuffer()
      return response.ok ? undefined : `status ${response.status}`
    } catch (error) {
      const { message, cause } = error as Error
      return (cause as Error | undefined)?.message || message
    }
  }

  /** Once when it begins to fail, and once when it works again. */
  function tell(problem: string | undefined): void {
    const fails = problem !== undefined
    if (fails === isFailing) return
    isFailing = fails
    if (fails) log.warn({ url: shownUrl(url), reason: problem }, 'traces cannot be sent; they are dropped')
    else log.info({ url: shownUrl(url) }, 'traces are sent again')
  }

  return {
    counts,
    add(span) {
      if (waiting.length >= spansMax) {
        counts.dropped += 1
        return
      }
      waiting.push(span)
      if (sending !== undefined) return
      if (waiting.length >= batchSpans) sending = sendAll()
      else
        timer ??= clock.after(batchDelayMs, () => {
          sending ??= sendAll()
        })
    },
    async [Symbol.asyncDispose]() {
      timer?.cancel()
      sending ??= sendAll()
      await settlesWithin(sending, closeTimeoutMs, clock)
    },
  }
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
function spansToJson(spans: readonly Span[], resource: readonly object[]): string {
  const scope = { name: 'tallystick', version: ownVersion }
  return JSON.stringify({
    resourceSpans: [{ resource: { attributes: resource }, scopeSpans: [{ scope, spans: spans.map(spanToJson) }] }],
  })
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

/** Integers of 64 bits are texts in protobuf's JSON. */
function nanoseconds(ms: number): string {
  return `${Math.round(ms * 1000)}000`
}

function attributesToJson(attributes: Attributes): object[] {
  return Object.entries(attributes).map(([key, value]) => ({
    key,
    value: typeof value === 'number' ? { intValue: String(value) } : { stringValue: value },
  }))
}
