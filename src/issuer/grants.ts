// The token endpoint: who a client is, and what each kind of grant gives it.
import { createHash } from 'node:crypto'
import { type Parameters, required, scopeFrom } from './parameters.ts'
import { accountNamed, accountOf, type Client, type GrantType, type Realm } from './realm.ts'
import { OAuthRefusal } from './refusal.ts'
import type { CodeGrant, Sessions } from './sessions.ts'
import type { Granted, TokenAnswer, Tokens } from './tokens.ts'

export type GrantParts = { readonly sessions: Sessions; readonly tokens: Tokens }

export type TokenRequest = {
  readonly realm: Realm
  /** URL of the realm, as the client knows it. */
  readonly issuer: string
  readonly form: Parameters
  readonly authorization: string | undefined
}

type GrantRequest = TokenRequest & { readonly client: Client }
type Grant = (request: GrantRequest, parts: GrantParts) => Promise<Omit<Granted, 'realm' | 'client' | 'issuer'>>

const grants: ReadonlyMap<string, Grant> = new Map<string, Grant>([
  [
    'client_credentials',
    async ({ client, form }) => {
      allow(client, 'client_credentials')
      return { account: client.account!, scope: scopeFrom(form.get('scope')) }
    },
  ],
  [
    'password',
    async ({ realm, client, form }, { sessions }) => {
      allow(client, 'password')
      const account = accountNamed(realm, required(form, 'username'))
      if (account?.password === undefined || account.password !== form.get('password')) {
        throw new OAuthRefusal('invalid_grant', 'Invalid user credentials')
      }
      const scope = scopeFrom(form.get('scope'))
      return { account, scope, sessionId: sessions.begin({ realm: realm.name, accountId: account.id }) }
    },
  ],
  [
    'authorization_code',
    async ({ realm, client, form }, { sessions }) => {
      allow(client, 'authorization_code')
      const grant = sessions.redeem(required(form, 'code'))
      if (grant?.realm !== realm.name || grant.clientId !== client.id) {
        throw new OAuthRefusal('invalid_grant', 'Code not valid')
      }
      if (form.get('redirect_uri') !== grant.redirectUri) {
        throw new OAuthRefusal('invalid_grant', 'Incorrect redirect_uri')
      }
      checkVerifier(grant.challenge, form.get('code_verifier'))
      const { sessionId, scope, nonce } = grant
      return { account: accountOfSession(sessionId, realm, sessions), scope, sessionId, nonce }
    },
  ],
  [
    'refresh_token',
    async ({ realm, client, form }, { sessions, tokens }) => {
      const claims = await tokens.read(required(form, 'refresh_token'), 'Refresh')
      if (claims?.azp !== client.id) throw new OAuthRefusal('invalid_grant', 'Invalid refresh token')
      const sessionId = claims.sid as string
      const account = accountOfSession(sessionId, realm, sessions)
      return { account, scope: narrowed(claims.scope as string, form.get('scope')), sessionId }
    },
  ],
])

export const grantTypes = [...grants.keys()]

export async function tokenAnswer(request: TokenRequest, parts: GrantParts): Promise<TokenAnswer> {
  const client = clientOf(request)
  const type = required(request.form, 'grant_type')
  const grant = grants.get(type)
  if (grant === undefined) throw new OAuthRefusal('unsupported_grant_type', 'Unsupported grant_type')
  const { realm, issuer } = request
  return parts.tokens.issue({ ...(await grant({ ...request, client }, parts)), realm, client, issuer })
}

/** By HTTP Basic authentication or in the form; RFC 6749 allows one of them. */
export function clientOf({ realm, form, authorization }: Omit<TokenRequest, 'issuer'>): Client {
  const [id, secret] =
    authorization === undefined ? [form.get('client_id'), form.get('client_secret')] : basic(authorization)
  const client = realm.clients.find((one) => one.id === id)
  if (client === undefined || client.secret !== (client.secret === undefined ? undefined : secret)) {
    throw new OAuthRefusal('invalid_client', 'Invalid client or Invalid client credentials')
  }
  return client
}

function basic(authorization: string): [id: string | undefined, secret: string | undefined] {
  const [, encoded = ''] = /^Basic ([A-Za-z0-9+/=]{1,4096})$/i.exec(authorization) ?? []
  const [id, ...secret] = Buffer.from(encoded, 'base64').toString('utf8').split(':')
  try {
    return [decodeURIComponent(id!), decodeURIComponent(secret.join(':'))] // RFC 6749, 2.3.1
  } catch {
    return [undefined, undefined]
  }
}

function allow(client: Client, type: GrantType): void {
  if (client.grants.includes(type)) return
  throw new OAuthRefusal('unauthorized_client', `The client is not allowed to use ${type}`)
}

function accountOfSession(sessionId: string, realm: Realm, sessions: Sessions) {
  const session = sessions.touch(sessionId, realm.name)
  const account = session && accountOf(realm, session.accountId)
  if (account === undefined) throw new OAuthRefusal('invalid_grant', 'Session not active')
  return account
}

/** RFC 7636, 4.6. */
function checkVerifier(challenge: CodeGrant['challenge'], verifier: string | undefined): void {
  if (challenge === undefined && verifier === undefined) return
  const text = challenge?.method === 'S256' ? hashOf(verifier ?? '') : verifier
  if (challenge === undefined || verifier === undefined || text !== challenge.text) {
    throw new OAuthRefusal('invalid_grant', 'PKCE verification failed')
  }
}

function hashOf(verifier: string): string {
  return createHash('sha256').update(verifier).digest('base64url')
}

/** RFC 6749, 6: never more than was granted. */
function narrowed(granted: string, asked: string | undefined): string[] {
  const all = granted.split(' ')
  const wished = asked?.split(' ') ?? all
  if (wished.some((one) => !all.includes(one))) throw new OAuthRefusal('invalid_scope', 'Invalid scopes')
  return wished
}
