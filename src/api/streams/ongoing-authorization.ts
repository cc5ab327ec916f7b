// Checks that the readers of streams and of waiting lists are still authorized. One timer serves all of them, so an
// idle reader costs none. Mirrors Canton's UserBasedOngoingAuthorization.
import type { ClaimsCheck } from '../../auth/authentication.ts'
import type { Claims } from '../../auth/claims.ts'
import type { Clock, Timer } from '../../base/clock.ts'
import { LedgerError } from '../../base/errors.ts'
import type { Log } from '../../base/log.ts'
import type { Limits } from '../../base/settings.ts'
import { instantToText } from '../../lf/codec/time-text.ts'

/** Reports changes that may end someone's access; undefined stands for any user or provider. */
export type AccessChanges = {
  /** A change of a user is answered only after the listener is done. */
  onUser(listener: (userId: string | undefined) => Promise<void>): void
  onIdentityProvider(listener: (id: string | undefined) => void): void
}

export type OngoingAuthorization = {
  /** Calls `end` when the token expires or the caller loses its rights, until the watch is disposed. */
  watch(claims: Claims, end: (refusal: LedgerError) => void): Disposable
  close(): void
}

type Parts = {
  readonly limits: Limits
  readonly clock: Clock
  readonly stillMay: ClaimsCheck
  readonly accessChanges: AccessChanges
  readonly log: Log
}

type Watch = { readonly claims: Claims; readonly end: (refusal: LedgerError) => void }

const sweepMs = 1_000

export function createOngoingAuthorization(parts: Parts): OngoingAuthorization {
  const { limits, clock, stillMay, accessChanges, log } = parts
  const watches = new Set<Watch>()
  let timer: Timer | undefined
  let rightsCheckedMs = 0
  let isChecking = false

  function end(watch: Watch, refusal: LedgerError): void {
    if (watches.delete(watch)) watch.end(refusal)
  }

  function sweepLater(): void {
    if (timer !== undefined || watches.size === 0) return
    timer = clock.after(sweepMs, () => {
      timer = undefined
      for (const watch of watches) {
        const expired = expiry(watch.claims, clock)
        if (expired !== undefined) end(watch, expired)
      }
      if (!isChecking && clock.elapsedMs() - rightsCheckedMs >= limits.authorizationCacheMs) void checkRights()
      sweepLater()
    })
  }

  /** Sequential, so that the streams of one user cost one query. */
  async function checkRights(): Promise<void> {
    isChecking = true
    rightsCheckedMs = clock.elapsedMs()
    for (const watch of [...watches]) await check(watch)
    isChecking = false
  }

  async function check(watch: Watch): Promise<void> {
    if (!watches.has(watch)) return
    const may = await stillMay(watch.claims).catch((error) => {
      log.warn({ reason: String(error) }, 'whether a stream may go on could not be found out')
      return false // As in Canton: a client that still has its rights reconnects.
    })
    if (!may) end(watch, stale())
  }

  accessChanges.onUser(async (userId) => {
    for (const watch of [...watches]) {
      if (userId === undefined || watch.claims.userId === userId) await check(watch)
    }
  })
  // A provider is checked when a token is authenticated, so its readers must reconnect with theirs.
  accessChanges.onIdentityProvider((id) => {
    for (const watch of watches) {
      const { vouchedForBy } = watch.claims
      // Configured keys, which "" stands for, do not change while a node runs.
      if (id === undefined ? vouchedForBy !== '' : vouchedForBy === id) end(watch, stale())
    }
  })

  return {
    watch(claims, onEnd) {
      const watch = { claims, end: onEnd }
      if (watches.size === 0) rightsCheckedMs = clock.elapsedMs()
      watches.add(watch)
      sweepLater()
      void check(watch) // The rights may have changed since the claims were read.
      return { [Symbol.dispose]: () => void watches.delete(watch) }
    },
    close: () => timer?.cancel(),
  }
}

/** A refusal if the token has expired. */
export function expiry({ expiresAtMs }: Claims, clock: Clock): LedgerError | undefined {
  const nowMs = clock.nowMs()
  if (nowMs < expiresAtMs) return undefined
  const [until, now] = [expiresAtMs, nowMs].map((ms) => instantToText(BigInt(Math.floor(ms)) * 1000n))
  return new LedgerError('ACCESS_TOKEN_EXPIRED', `Claims were valid until ${until}, current time is ${now}`)
}

/** The refusal that ended a reader, if that is why it ended. */
export function refusalOf({ reason }: AbortSignal): LedgerError | undefined {
  return reason instanceof LedgerError ? reason : undefined
}

function stale(): LedgerError {
  return new LedgerError('STALE_STREAM_AUTHORIZATION', 'Stale stream authorization. Retry quickly.')
}
