// The tokens of an issuer: what each says, and whether one is ours. Access tokens are for APIs, id tokens for the client
// that somebody signed in to, refresh tokens for the issuer itself; audience and `typ` keep them apart.
import { type JWTPayload, jwtVerify, SignJWT } from 'jose'
import type { Clock } from '../base/clock.ts'
import { type Random, randomUuid } from '../base/random.ts'
import type { Account, Client, Realm } from './realm.ts'
import { algorithm, type SigningKey } from './signing-key.ts'

export const accessLifetimeS = 300
/** A session ends after so long without a refresh. */
export const sessionLifetimeS = 1800

export type TokenType = 'Bearer' | 'ID' | 'Refresh'

/** What the tokens of one grant have in common. */
export type Granted = {
  readonly realm: Realm
  readonly client: Client
  readonly account: Account
  readonly scope: readonly string[]
  /** URL of the realm, as the client knows it. */
  readonly issuer: string
  /** Undefined for a service, which needs no session. */
  readonly sessionId?: string | undefined
  /** Of the request for an authorization code. */
  readonly nonce?: string | undefined
}

/** The answer of a token endpoint, with Keycloak's fields. */
export type TokenAnswer = Readonly<Record<string, string | number>>

export type Tokens = {
  issue(granted: Granted): Promise<TokenAnswer>
  /** The claims of a token of this type; undefined unless it is ours and valid. An old one may be accepted, too. */
  read(token: string, type: TokenType, options?: { readonly mayBeExpired: true }): Promise<JWTPayload | undefined>
}

type Parts = { readonly key: SigningKey; readonly clock: Clock; readonly random: Random }

export function createTokens({ key, clock, random }: Parts): Tokens {
  function sign(type: TokenType, claims: JWTPayload, lifetimeS: number): Promise<string> {
    const issuedAt = Math.floor(clock.nowMs() / 1000)
    return new SignJWT({ ...claims, typ: type, jti: randomUuid(random) })
      .setProtectedHeader({ alg: algorithm, typ: 'JWT', kid: key.id })
      .setIssuedAt(issuedAt)
      .setExpirationTime(issuedAt + lifetimeS)
      .sign(key.privateKey)
  }

  return {
    async issue({ realm, client, account, scope, issuer, sessionId, nonce }) {
      const session = sessionId === undefined ? {} : { sid: sessionId }
      const common = { iss: issuer, sub: account.id, azp: client.id, ...session }
      const person = personClaims(account, scope)
      const access = { ...common, ...person, aud: [realm.audience, 'account'], scope: scope.join(' ') }
      const answer = {
        access_token: await sign('Bearer', access, accessLifetimeS),
        expires_in: accessLifetimeS,
        refresh_expires_in: sessionId === undefined ? 0 : sessionLifetimeS,
        token_type: 'Bearer',
        'not-before-policy': 0,
        scope: scope.join(' '),
      }
      if (sessionId === undefined) return answer
      const refresh = { ...common, aud: issuer, scope: scope.join(' '), ...(nonce !== undefined && { nonce }) }
      const id = { ...common, ...person, aud: client.id, ...(nonce !== undefined && { nonce }) }
      return {
        ...answer,
        session_state: sessionId,
        refresh_token: await sign('Refresh', refresh, sessionLifetimeS),
        ...(scope.includes('openid') && { id_token: await sign('ID', id, accessLifetimeS) }),
      }
    },

    async read(token, type, options) {
      const currentDate = new Date(options?.mayBeExpired ? 0 : clock.nowMs())
      try {
        const { payload } = await jwtVerify(token, key.publicKey, { algorithms: [algorithm], currentDate })
        return payload.typ === type ? payload : undefined
      } catch {
        return undefined // Whatever is wrong with it, it is not ours.
      }
    },
  }
}

/** Who somebody is, as far as the scope says it. */
export function personClaims(account: Account, scope: readonly string[]): Record<string, string | boolean> {
  const { username, email, firstName, lastName, claims } = account
  const names = [firstName, lastName].filter((name) => name !== undefined)
  return {
    ...(scope.includes('profile') && {
      preferred_username: username,
      ...(names.length > 0 && { name: names.join(' ') }),
      ...(firstName !== undefined && { given_name: firstName }),
      ...(lastName !== undefined && { family_name: lastName }),
    }),
    ...(scope.includes('email') && email !== undefined && { email, email_verified: true }),
    ...claims,
  }
}
