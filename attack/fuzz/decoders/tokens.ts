// Decoders of tokens: whole bearer tokens, their claims, published key sets, and page tokens.
import { createHmac, createPrivateKey, sign } from 'node:crypto'
import { createKeySets } from '../../../src/auth/jwks.ts'
import { createVerifier, verifyWithKeySet } from '../../../src/auth/key-sources.ts'
import { createSignedOut } from '../../../src/auth/signed-out.ts'
import { TokenRefused } from '../../../src/auth/token-refused.ts'
import { createTokenReader } from '../../../src/auth/tokens.ts'
import { createTestClock } from '../../../src/base/clock.ts'
import { LedgerError } from '../../../src/base/errors.ts'
import { createLog } from '../../../src/base/log.ts'
import { isStorable, userIdProblem } from '../../../src/base/names.ts'
import { unlimitedMs } from '../../../src/base/settings.ts'
import { pageTokenOf, readPageToken } from '../../../src/ledger/model/paging.ts'
import { readToken, tokenHead, writeToken } from '../../../src/ledger/reading/requests/read-tokens.ts'
import { testSettings } from '../../../test/fixtures/node.ts'
import { jsonDecoder, type Read, textDecoder } from '../decoder.ts'

const { limits } = testSettings({})
const nowSeconds = 2_000_000_000
const clock = createTestClock(nowSeconds * 1000)
const secret = 'a secret that no input knows, of more than thirty-two bytes'
const keySets = createKeySets({ limits, clock, log: createLog('silent'), isLenient: true })
const issuers = { byIssuer: async () => undefined, version: () => 0 }
const verifier = createVerifier({ type: 'hs256', secret }, 'the secret', { keySets, limits, clock })
const signedOut = createSignedOut(clock)
const reader = createTokenReader({ verifiers: [verifier], issuers, keySets, signedOut, limits, clock })
const isTokenRefused = (error: unknown) => error instanceof TokenRefused

const part = (text: string) => Buffer.from(text).toString('base64url')
const header = part('{"alg":"HS256","typ":"JWT"}')

function signed(claims: string): string {
  const body = `${header}.${part(claims)}`
  return `${body}.${createHmac('sha256', secret).update(body).digest('base64url')}`
}

const goodClaims = JSON.stringify({
  sub: 'alice',
  aud: 'https://daml.com/jwt/aud/participant/p::1220',
  exp: nowSeconds + 240,
  iat: nowSeconds - 1,
  nbf: nowSeconds - 1,
  iss: 'https://issuer.example',
  scope: 'daml_ledger_api openid',
})
const scoped = JSON.stringify({ sub: 'bob', scp: ['daml_ledger_api'], exp: nowSeconds + 1 })
const wholeTokens = [signed(goodClaims), signed(scoped)]

/** Whole tokens. A changed token must be refused, unless only its base64 form changed. */
export const tokens = textDecoder({
  name: 'tokens',
  corpus: () => wholeTokens,
  async read(input): Promise<Read> {
    const { userId } = await reader(input)
    if (userId !== 'alice' && userId !== 'bob') throw new Error(`a token that nobody signed names ${userId}`)
    return true
  },
  isRefusal: isTokenRefused,
})

/** Claims signed with the right key. */
export const tokenClaims = jsonDecoder({
  name: 'token claims',
  corpus: () => [goodClaims, scoped],
  async read(input): Promise<Read> {
    const { userId, expiresAtMs } = await reader(signed(input))
    if (typeof userId !== 'string' || !(expiresAtMs > clock.nowMs())) throw new Error(`${userId} until ${expiresAtMs}`)
    return true
  },
  isRefusal: isTokenRefused,
})

// The examples of RFC 8037 and RFC 7515, whose private keys are public.
const edKey = { kty: 'OKP', crv: 'Ed25519', x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo' }
const ecKey = {
  ...{ kty: 'EC', crv: 'P-256', x: 'f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU' },
  y: 'x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0',
}
const edPublished = { ...edKey, kid: 'k', alg: 'EdDSA', use: 'sig' }
const ecPublished = { ...ecKey, kid: 'e' }
const publishedSets = [
  [edPublished, ecPublished, { kty: 'oct', k: 'AAAA', kid: 'o' }],
  [edPublished],
  [edKey],
  [ecPublished],
].map((keys) => JSON.stringify({ keys }))

/** One token signed with the key, and one that is not. */
function tokensOf(head: object, hash: string | null, jwk: { readonly kty: string; readonly d: string }) {
  const body = `${part(JSON.stringify(head))}.${part(goodClaims)}`
  const key = createPrivateKey({ key: jwk, format: 'jwk' })
  const signature = sign(hash, Buffer.from(body), { key, dsaEncoding: 'ieee-p1363' }).toString('base64url')
  return { genuine: `${body}.${signature}`, forged: `${body}.${'A'.repeat(86)}` }
}

const issued = [
  tokensOf({ alg: 'EdDSA', kid: 'k' }, null, { ...edKey, d: 'nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A' }),
  tokensOf({ alg: 'ES256', kid: 'e' }, 'sha256', { ...ecKey, d: 'jpsQnnGQmL-YBIffH1136cspYG6-0iY7X1fCE9-E9LI' }),
]

/**
 * Documents that an issuer publishes. A token signed by the issuer is accepted while its key is in the document; an
 * unsigned one never is.
 */
export const publishedKeys = jsonDecoder({
  name: 'key sets',
  corpus: () => publishedSets,
  async read(input) {
    const url = `data:application/json;base64,${Buffer.from(input).toString('base64')}`
    const times = { lifetimeMaxMs: unlimitedMs(limits.tokenLifetimeMaxMs), leewayMs: 0 }
    const isBelieved = (token: string) =>
      verifyWithKeySet(token, url, { keySets, times, clock, kid: 'optional', mayFetch: true }).then(
        () => true,
        (error) => {
          if (isTokenRefused(error)) return false
          throw error
        },
      )
    let isAccepted = false
    for (const { genuine, forged } of issued) {
      if (await isBelieved(forged)) throw new Error('a forged token is accepted')
      if (!isAccepted) isAccepted = await isBelieved(genuine)
    }
    return isAccepted ? true : undefined
  },
  isRefusal: () => false,
})

const head = tokenHead('participant::1220', 'request')
const isUserId = (text: string) => isStorable(text) && userIdProblem(text) === undefined

export const pageTokens = textDecoder({
  name: 'page tokens',
  corpus: () => [
    ...['alice', 'a', 'x'.repeat(128), ''].map(pageTokenOf),
    ...[[1n], [1n, -1n], [2n ** 62n, 7n, 0n]].map((values) => writeToken(head, values)),
  ],
  read(input) {
    for (const count of [1, 2, 3]) {
      const found = readToken(input, head, count)
      if (found?.isOurs && found.isOurVersion && found.isForRequest) checkWritten(found.values)
    }
    const id = readPageToken(input, isUserId)
    return id === '' ? true : pageTokenOf(id)
  },
  isRefusal: (error) => error instanceof LedgerError,
})

function checkWritten(values: readonly bigint[]): void {
  const again = readToken(writeToken(head, values), head, values.length)
  if (again?.values.join() !== values.join()) throw new Error(`${values.join()} became ${again?.values.join()}`)
}
