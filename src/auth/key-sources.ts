// The statically configured keys: a shared secret, a certificate, a published key set. Each fixes its algorithms, so
// that a token cannot choose one.
import { X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { errors, type JWTPayload, type JWTVerifyGetKey, jwtVerify } from 'jose'
import type { Clock } from '../base/clock.ts'
import { StartError } from '../base/errors.ts'
import { shorten } from '../base/names.ts'
import { type KeySource, type Limits, unlimitedMs } from '../base/settings.ts'
import type { KeySets } from './jwks.ts'
import type { Acceptance } from './payload.ts'
import { KeysNotKnown, TokenRefused } from './token-refused.ts'

export type TokenTimes = { readonly lifetimeMaxMs: number; readonly leewayMs: number }

export type Verifier = {
  /** Appears in error messages: `the local development secret`. */
  readonly name: string
  readonly acceptance: Acceptance
  /** Throws TokenRefused if the signature or the times are wrong, KeysNotKnown if it would have to fetch. */
  verify(token: string, mayFetch: boolean): Promise<VerifiedPayload>
}

export type VerifiedPayload = { readonly payload: JWTPayload; readonly expiresAtMs: number }

type Parts = { readonly keySets: KeySets; readonly limits: Limits; readonly clock: Clock }

export function createVerifier(source: KeySource, name: string, { keySets, limits, clock }: Parts): Verifier {
  const times: TokenTimes = {
    lifetimeMaxMs: unlimitedMs(source.tokenLifetimeMaxMs ?? limits.tokenLifetimeMaxMs),
    leewayMs: source.tokenLeewayMs ?? limits.tokenLeewayMs,
  }
  if (source.privileged !== undefined && source.targetAudience === undefined && source.targetScope === undefined) {
    throw new StartError(`${name} has privileged tokens, so it needs a targetScope or a targetAudience`)
  }
  return { name, acceptance: source, verify: verifyWith(source, { times, keySets, clock }) }
}

function verifyWith(
  source: KeySource,
  { times, keySets, clock }: { times: TokenTimes; keySets: KeySets; clock: Clock },
): Verifier['verify'] {
  switch (source.type) {
    case 'hs256': {
      const secret = new TextEncoder().encode(source.secret)
      return (token) =>
        verified(times, clock, (options) => jwtVerify(token, secret, { ...options, algorithms: ['HS256'] }))
    }
    case 'certificate': {
      const { key, algorithms } = readCertificate(source.file)
      return (token) => verified(times, clock, (options) => jwtVerify(token, key, { ...options, algorithms }))
    }
    case 'jwks':
      return (token, mayFetch) =>
        verifyWithKeySet(token, source.url, { keySets, times, clock, kid: 'required', mayFetch })
  }
}

type KeySetParts = {
  readonly keySets: KeySets
  readonly times: TokenTimes
  readonly clock: Clock
  /** A set with one key is unambiguous without a kid; configured sets require one all the same. */
  readonly kid: 'required' | 'optional'
  readonly mayFetch: boolean
}

export function verifyWithKeySet(token: string, url: string, parts: KeySetParts): Promise<VerifiedPayload> {
  const { keySets, times, clock, kid, mayFetch } = parts
  return verified(times, clock, async (options) => {
    const verify = (fresh: { fresh: true } | undefined) => {
      // Runs after the algorithm check, so a token that cannot belong to this set causes no fetch.
      const chooseKey: JWTVerifyGetKey = async (header, input) => {
        if (kid === 'required' && header.kid === undefined) throw new TokenRefused('its header has no kid')
        const keys = mayFetch ? await keySets.get(url, fresh) : keySets.known(url)
        if (keys === undefined) throw new KeysNotKnown('the keys of its issuer are not known')
        return keys(header, input)
      }
      return jwtVerify(token, chooseKey, { ...options, algorithms: [...keySets.algorithms] })
    }
    try {
      return await verify(undefined)
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey)) throw error
      if (!mayFetch) throw new KeysNotKnown('its issuer publishes no key with its kid')
      return verify({ fresh: true }) // The issuer may have a new key.
    }
  })
}

type TimeOptions = { readonly currentDate: Date; readonly clockTolerance: number }

async function verified(
  { lifetimeMaxMs, leewayMs }: TokenTimes,
  clock: Clock,
  verify: (options: TimeOptions) => Promise<{ payload: JWTPayload }>,
): Promise<VerifiedPayload> {
  const nowMs = clock.nowMs()
  const { payload } = await verify({ currentDate: new Date(nowMs), clockTolerance: leewayMs / 1000 }).catch((error) => {
    // Tokens and published keys are untrusted input, so any error with them is a refusal, not a bug.
    throw error instanceof TokenRefused ? error : new TokenRefused(reasonOf(error))
  })
  if (payload.iat !== undefined && payload.iat * 1000 > nowMs + leewayMs) {
    throw new TokenRefused('it was issued in the future (iat)')
  }
  if (lifetimeMaxMs !== Number.POSITIVE_INFINITY) {
    if (payload.exp === undefined) throw new TokenRefused('it never expires (no exp), and this node limits lifetimes')
    if (payload.exp * 1000 - nowMs > lifetimeMaxMs) {
      throw new TokenRefused(`it lives longer than the ${lifetimeMaxMs / 1000} s this node allows (exp)`)
    }
  }
  const expiresAtMs = payload.exp === undefined ? Number.POSITIVE_INFINITY : payload.exp * 1000 + leewayMs
  return { payload, expiresAtMs }
}

function reasonOf(error: Error): string {
  if (error instanceof errors.JWTExpired) return 'it has expired (exp)'
  if (error instanceof errors.JWTClaimValidationFailed && error.claim === 'nbf' && error.reason === 'check_failed') {
    return 'it is not valid yet (nbf)'
  }
  if (error instanceof errors.JWKSNoMatchingKey) return 'its issuer publishes no key with its kid'
  if (error instanceof errors.JWSSignatureVerificationFailed) return 'its signature does not fit'
  if (error instanceof errors.JOSEAlgNotAllowed) return 'its algorithm (alg) is not one this key is for'
  return shorten(error.message, 200) // It may repeat parts of the token.
}

function readCertificate(file: string) {
  try {
    const key = new X509Certificate(readFileSync(file)).publicKey
    const algorithms = algorithmsOf[`${key.asymmetricKeyType} ${key.asymmetricKeyDetails?.namedCurve ?? ''}`.trim()]
    if (algorithms === undefined) throw new Error(`keys of type ${key.asymmetricKeyType} do not verify tokens`)
    return { key, algorithms }
  } catch (error) {
    throw new StartError(`cannot use the certificate ${file}: ${(error as Error).message}`)
  }
}

const algorithmsOf: Record<string, string[]> = {
  rsa: ['RS256'],
  'ec prime256v1': ['ES256'],
  'ec secp384r1': ['ES384'],
  'ec secp521r1': ['ES512'],
  ed25519: ['EdDSA', 'Ed25519'],
}
