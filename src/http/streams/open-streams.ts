// The streams that are open, over whichever transport: how many there may be, and whether those who read them still
// may. One timer looks after all of them, so that an idle stream costs none. Mirrors Canton's
// UserBasedOngoingAuthorization.
import type { ClaimsCheck } from '../../auth/authentication.ts'
import type { Claims } from '../../auth/claims.ts'
import type { Clock, Timer } from '../../base/clock.ts'
import { LedgerError } from '../../base/errors.ts'
import type { Log } from '../../base/log.ts'
import type { Limits } from '../../base/settings.ts'
import { instantToText } from '../../lf/codec/time-text.ts'
import type { Transport } from '../figures.ts'
import { openStreamsMetric } from '../metric-names.ts'
import type { Metrics } from '../metrics.ts'

export type StreamFacts = { readonly operation: string; readonly transport: Transport; readonly claims: Claims }

export type OpenStream = Disposable & {
  /** Aborted when it has to end: with a refusal as its reason that the reader shall be told, or because he has gone. */
  readonly signal: AbortSignal
  /** Its reader has gone. */
  abandon(): void
  /** Before elements are sent: refuses once the token has expired. */
  count(elements: number): void
}

export type OpenStreams = {
  /** Refuses when there are too many. */
  open(facts: StreamFacts): OpenStream
  /** Ends all of them. */
  close(): void
}

type Parts = {
  readonly limits: Limits
  readonly clock: Clock
  readonly metrics: Metrics
  readonly stillMay: ClaimsCheck
  readonly log: Log
}

type Held = { readonly facts: StreamFacts; readonly controller: AbortController }

const sweepMs = 1_000

export function createOpenStreams({ limits, clock, metrics, stillMay, log }: Parts): OpenStreams {
  const streams = new Set<Held>()
  let timer: Timer | undefined
  let rightsCheckedMs = 0
  let isChecking = false

  function watch(): void {
    if (timer !== undefined || streams.size === 0) return
    timer = clock.after(sweepMs, () => {
      timer = undefined
      for (const held of streams) {
        const expired = expiry(held.facts.claims, clock)
        if (expired !== undefined) held.controller.abort(expired)
      }
      if (!isChecking && clock.elapsedMs() - rightsCheckedMs >= limits.userRightsCacheMs) void checkRights()
      watch()
    })
  }

  /** One after the other, so that the streams of one user cost one question to the database. */
  async function checkRights(): Promise<void> {
    isChecking = true
    rightsCheckedMs = clock.elapsedMs()
    for (const { facts, controller } of [...streams]) {
      if (controller.signal.aborted) continue
      const may = await stillMay(facts.claims).catch((error) => {
        log.warn({ reason: String(error) }, 'whether a stream may go on could not be found out')
        return false // As in Canton: whoever may go on will find out when he comes back.
      })
      if (!may) controller.abort(stale())
    }
    isChecking = false
  }

  return {
    open(facts) {
      if (streams.size >= limits.streamsMax) throw tooMany(streams.size, limits.streamsMax, facts.operation)
      const { operation, transport, claims } = facts
      const controller = new AbortController()
      const held: Held = { facts, controller }
      if (streams.size === 0) rightsCheckedMs = clock.elapsedMs()
      streams.add(held)
      metrics.streamOpened(operation, transport)
      watch()
      return {
        signal: controller.signal,
        abandon: () => controller.abort(),
        count(elements) {
          const expired = expiry(claims, clock)
          if (expired !== undefined) throw expired
          metrics.elementsSent(operation, transport, elements)
        },
        [Symbol.dispose]() {
          if (!streams.delete(held)) return
          metrics.streamClosed(operation, transport)
          controller.abort()
        },
      }
    },
    close() {
      for (const { controller } of streams) controller.abort(shutDown())
      timer?.cancel()
    },
  }
}

export function shutDown(): LedgerError {
  return new LedgerError('SERVICE_NOT_RUNNING', 'The participant has been shut down.')
}

/** A refusal, when that is why a stream had to end. */
export function refusalOf({ reason }: AbortSignal): LedgerError | undefined {
  return reason instanceof LedgerError ? reason : undefined
}

function expiry({ expiresAtMs }: Claims, clock: Clock): LedgerError | undefined {
  const nowMs = clock.nowMs()
  if (nowMs < expiresAtMs) return undefined
  const [until, now] = [expiresAtMs, nowMs].map((ms) => instantToText(BigInt(Math.floor(ms)) * 1000n))
  return new LedgerError('ACCESS_TOKEN_EXPIRED', `Claims were valid until ${until}, current time is ${now}`)
}

function stale(): LedgerError {
  return new LedgerError('STALE_STREAM_AUTHORIZATION', 'Stale stream authorization. Retry quickly.')
}

function tooMany(value: number, limit: number, operation: string): LedgerError {
  return new LedgerError(
    'MAXIMUM_NUMBER_OF_STREAMS',
    `The number of streams in use (${value}) has reached or exceeded the limit (${limit}). ` +
      `Metrics are available at ${openStreamsMetric}.`,
    {
      context: {
        value: String(value),
        limit: String(limit),
        metricPrefix: openStreamsMetric,
        fullMethodName: operation,
      },
    },
  )
}
