// Verifies bearer tokens. Configured keys are tried first, in order, then the stored identity provider that the token
// names as its issuer; the first that accepts the token decides.
import { decodeJwt } from 'jose'
import { createCache } from '../base/cache.ts'
import type { Clock } from '../base/clock.ts'
import type { Caches } from '../base/metrics.ts'
import { isStorable } from '../base/names.ts'
import { type Limits, unlimitedMs } from '../base/settings.ts'
import type { KeySets } from './jwks.ts'
import { type Verifier, verifyWithKeySet } from './key-sources.ts'
import { type AcceptedPayload, acceptPayload } from './payload.ts'
import type { SignedOut } from './signed-out.ts'
import { KeysNotKnown, TokenRefused } from './token-refused.ts'

export type VerifiedToken = AcceptedPayload & {
  readonly identityProviderId: string
  readonly expiresAtMs: number
}

/** The stored identity provider configs, as far as tokens need them. */
export type Issuers = {
  byIssuer(issuer: string): Promise<IssuerConfig | undefined>
  /** Changes whenever a config does. */
  version(): number
}

type IssuerConfig = {
  readonly id: string
  readonly jwksUrl: string
  readonly audience: string
  readonly isDeactivated: boolean
}

type Parts = {
  readonly verifiers: readonly Verifier[]
  readonly issuers: Issuers
  readonly keySets: KeySets
  readonly signedOut: SignedOut
  readonly limits: Limits
  readonly clock: Clock
  readonly caches?: Caches | undefined
}

/** Tokens whose verification is remembered. */
const verifiedTokensMax = 1000

/** Throws TokenRefused, with all reasons, if no source accepts the token. */
export type TokenReader = (token: string) => VerifiedToken | Promise<VerifiedToken>

export function createTokenReader(parts: Parts): TokenReader {
  const { verifiers, issuers, keySets, signedOut, limits, clock, caches } = parts
  const verified = createCache<VerifiedToken>(
    clock,
    verifiedTokensMax,
    limits.authorizationCacheMs,
    caches?.counting('verified tokens'),
  )
  let seenVersion = issuers.version()

  /** Tries cached keys first, so that a slow endpoint delays only tokens that may be its own. */
  async function verify(token: string): Promise<VerifiedToken> {
    const known = await verifyBySources(token, false)
    if (known.found !== undefined) return known.found
    const { found, reasons } = known.isDecided ? known : await verifyBySources(token, true)
    if (found !== undefined) return found
    throw new TokenRefused(`The token was refused ${reasons.join('; ')}`)
  }

  async function verifyBySources(token: string, mayFetch: boolean) {
    const reasons: string[] = []
    let isDecided = true
    const sources: [by: string, verify: () => Promise<VerifiedToken>][] = verifiers.map((verifier) => [
      `by ${verifier.name}`,
      async () => {
        const { payload, expiresAtMs } = await verifier.verify(token, mayFetch)
        return { ...acceptPayload(payload, verifier.acceptance), identityProviderId: '', expiresAtMs }
      },
    ])
    for (const [by, attempt] of [
      ...sources,
      ['by the identity providers', () => verifyWithIssuer(token, mayFetch)] as const,
    ]) {
      try {
        return { found: await attempt(), reasons, isDecided }
      } catch (error) {
        if (!(error instanceof TokenRefused)) throw error
        if (error instanceof KeysNotKnown) isDecided = false
        reasons.push(`${by}: ${error.message}`)
      }
    }
    return { found: undefined, reasons, isDecided }
  }

  /** Verifies again if a config changed in the meantime. */
  async function verifyNow(token: string): Promise<VerifiedToken> {
    const version = issuers.version()
    const found = await verify(token)
    return version === issuers.version() ? found : verifyNow(token)
  }

  async function verifyWithIssuer(token: string, mayFetch: boolean): Promise<VerifiedToken> {
    const issuer = issuerOf(token)
    const config = await issuers.byIssuer(issuer)
    if (config === undefined) throw new TokenRefused(`none is configured for the issuer ${issuer.slice(0, 200)}`)
    if (config.isDeactivated) throw new TokenRefused(`${config.id} is deactivated`)
    const times = { lifetimeMaxMs: unlimitedMs(limits.tokenLifetimeMaxMs), leewayMs: limits.tokenLeewayMs }
    const parts = { keySets, times, clock, kid: 'optional', mayFetch } as const
    const { payload, expiresAtMs } = await verifyWithKeySet(token, config.jwksUrl, parts)
    const acceptance = config.audience === '' ? {} : { targetAudience: config.audience }
    return { ...acceptPayload(payload, acceptance), identityProviderId: config.id, expiresAtMs }
  }

  /** Whatever was remembered about the token. */
  function stillAccepted(token: VerifiedToken): VerifiedToken {
    if (clock.nowMs() >= token.expiresAtMs) throw new TokenRefused('The token has expired (exp)')
    if (token.sessionId !== undefined && signedOut.has(token.sessionId)) {
      throw new TokenRefused('The session of the token was signed out')
    }
    return token
  }

  return (token) => {
    if (seenVersion !== issuers.version()) {
      seenVersion = issuers.version()
      verified.clear()
    }
    const known = verified.get(token, () => verifyNow(token))
    return known instanceof Promise ? known.then(stillAccepted) : stillAccepted(known)
  }
}

function issuerOf(token: string): string {
  let issuer: unknown
  try {
    issuer = decodeJwt(token).iss
  } catch {
    throw new TokenRefused('it is not a JSON Web Token')
  }
  if (typeof issuer !== 'string') throw new TokenRefused('it names no issuer (iss)')
  if (!isStorable(issuer)) throw new TokenRefused('its issuer (iss) holds a character that no issuer has')
  return issuer
}
