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

export type StreamFacts = {
  readonly operation: string
  readonly transport: Transport
  readonly claims: Claims
  /** Of the client. */
  readonly address: string | undefined
}

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

/** Tells of changes after which somebody may no longer read. */
export type AccessChanges = {
  /** A change of a user is not answered before the listener is done. */
  onUser(listener: (userId: string) => Promise<void>): void
  onIdentityProvider(listener: (id: string) => void): void
}

type Parts = {
  readonly limits: Limits
  readonly clock: Clock
  readonly metrics: Metrics
  readonly stillMay: ClaimsCheck
  readonly accessChanges: AccessChanges
  readonly log: Log
}

type Held = { readonly facts: StreamFacts; readonly reader: string; readonly controller: AbortController }

const sweepMs = 1_000

export function createOpenStreams(parts: Parts): OpenStreams {
  const { limits, clock, metrics, stillMay, accessChanges, log } = parts
  const streams = new Set<Held>()
  const perReader = new Map<string, number>()
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
    for (const held of [...streams]) await check(held)
    isChecking = false
  }

  async function check({ facts, controller }: Held): Promise<void> {
    if (controller.signal.aborted) return
    const may = await stillMay(facts.claims).catch((error) => {
      log.warn({ reason: String(error) }, 'whether a stream may go on could not be found out')
      return false // As in Canton: a client that may go on finds out when it comes back.
    })
    if (!may) controller.abort(stale())
  }

  accessChanges.onUser(async (userId) => {
    for (const held of [...streams]) if (held.facts.claims.userId === userId) await check(held)
  })
  // What a provider vouches for is known when a token is looked at, so its readers come back with theirs.
  accessChanges.onIdentityProvider((id) => {
    for (const { facts, controller } of streams) if (facts.claims.vouchedForBy === id) controller.abort(stale())
  })

  return {
    open(facts) {
      const { operation, transport, claims } = facts
      if (streams.size >= limits.streamsMax) {
        throw tooMany('The number of streams in use', streams.size, limits.streamsMax, operation)
      }
      const reader = readerOf(claims.userId, facts.address)
      const own = perReader.get(reader) ?? 0
      if (own >= limits.streamsPerUserMax) {
        throw tooMany('The number of streams that this user has in use', own, limits.streamsPerUserMax, operation)
      }
      perReader.set(reader, own + 1)
      const controller = new AbortController()
      const held: Held = { facts, reader, controller }
      if (streams.size === 0) rightsCheckedMs = clock.elapsedMs()
      streams.add(held)
      metrics.streamOpened(operation, transport)
      watch()
      void check(held) // Something may have changed since the claims were read.
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
          const rest = perReader.get(reader)! - 1
          if (rest === 0) perReader.delete(reader)
          else perReader.set(reader, rest)
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

/** Callers without a user are told apart by where they come from. */
export function readerOf(userId: string | undefined, address: string | undefined): string {
  return userId === undefined ? `address ${address}` : `user ${userId}`
}

function tooMany(what: string, value: number, limit: number, operation: string): LedgerError {
  return new LedgerError(
    'MAXIMUM_NUMBER_OF_STREAMS',
    `${what} (${value}) has reached or exceeded the limit (${limit}). Metrics are available at ${openStreamsMetric}.`,
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
