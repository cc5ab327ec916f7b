// The endpoints of a realm, as data, on Keycloak's paths.
import type { JWK } from 'jose'
import type { Random } from '../base/random.ts'
import { addAccount, checkAdministrator, type OpenRealm } from './administration.ts'
import { type AuthorizationAnswer, authorize, modes, PageRefusal, signIn } from './authorization.ts'
import { clientOf, grantTypes, tokenAnswer } from './grants.ts'
import { loginPage, messagePage } from './login-page.ts'
import type { Parameters } from './parameters.ts'
import { accountOf, isRedirectOf } from './realm.ts'
import { OAuthRefusal } from './refusal.ts'
import type { Sessions } from './sessions.ts'
import { algorithm } from './signing-key.ts'
import { personClaims, type Tokens } from './tokens.ts'

/** A request, and what is known about it. */
export type Exchange = {
  readonly realm: OpenRealm
  /** URL of the realm, as the client knows it. */
  readonly issuer: string
  readonly query: Parameters
  /** The query as it came, with its question mark. */
  readonly search: string
  /** The body, if it is JSON. */
  readonly json: string
  readonly form: Parameters
  readonly authorization: string | undefined
  /** Of the browser's cookie. */
  readonly sessionId: string | undefined
}

export type Answer = {
  readonly status: number
  readonly json?: object
  readonly html?: string
  readonly location?: string
  /** The browser's cookie from now on; without an id, it has none. */
  readonly session?: { readonly realm: string; readonly id: string | undefined }
  readonly headers?: Readonly<Record<string, string>>
}

/** Refused before there is anything of OAuth about it. */
export class PlainRefusal extends Error {
  readonly status: number

  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

export type RouteParts = {
  readonly sessions: Sessions
  readonly tokens: Tokens
  readonly random: Random
  readonly keySet: { readonly keys: readonly JWK[] }
}

export type IssuerRoute = {
  readonly method: 'GET' | 'POST'
  readonly path: string
  answer(exchange: Exchange, parts: RouteParts): Promise<Answer>
}

const protocol = '/protocol/openid-connect'
const loginPath = '/login-actions/authenticate'
const ofRealm = '/realms/{realm}'

export const routes: readonly IssuerRoute[] = [
  get('/.well-known/openid-configuration', async ({ issuer }) => ok(discovery(issuer))),
  get(`${protocol}/certs`, async (_, { keySet }) => ok(keySet)),
  get(`${protocol}/auth`, async (exchange, { sessions }) => page(exchange, authorize(exchange, sessions))),
  post(loginPath, async (exchange, { sessions }) => page(exchange, signIn(exchange, exchange.form, sessions))),
  post(`${protocol}/token`, async (exchange, parts) => ok(await tokenAnswer(exchange, parts))),
  get(`${protocol}/userinfo`, userinfo),
  post(`${protocol}/userinfo`, userinfo),
  get(`${protocol}/logout`, (exchange, parts) => logout(exchange, exchange.query, parts)),
  post(`${protocol}/logout`, async (exchange, parts) =>
    exchange.form.has('refresh_token') ? endSession(exchange, parts) : logout(exchange, exchange.form, parts),
  ),
  { method: 'POST', path: `/admin${ofRealm}/users`, answer: createAccount },
]

function get(path: string, answer: IssuerRoute['answer']): IssuerRoute {
  return { method: 'GET', path: ofRealm + path, answer }
}

function post(path: string, answer: IssuerRoute['answer']): IssuerRoute {
  return { method: 'POST', path: ofRealm + path, answer }
}

const ok = (json: object): Answer => ({ status: 200, json })

function discovery(issuer: string): object {
  const at = (path: string) => `${issuer}${protocol}/${path}`
  return {
    issuer,
    authorization_endpoint: at('auth'),
    token_endpoint: at('token'),
    userinfo_endpoint: at('userinfo'),
    end_session_endpoint: at('logout'),
    jwks_uri: at('certs'),
    grant_types_supported: grantTypes,
    response_types_supported: ['code'],
    response_modes_supported: modes,
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: [algorithm],
    token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'none'],
    code_challenge_methods_supported: ['plain', 'S256'],
    scopes_supported: ['openid', 'profile', 'email', 'offline_access'],
    claims_supported: ['iss', 'sub', 'aud', 'exp', 'iat', 'name', 'preferred_username', 'email'],
    authorization_response_iss_parameter_supported: true,
  }
}

/** The form comes back with the same query, so that nothing is remembered of those who do not sign in. */
function page({ realm, search }: Exchange, answer: AuthorizationAnswer): Answer {
  if (answer.kind === 'form') {
    const action = `/realms/${realm.name}${loginPath}${search}`
    return { status: 200, html: loginPage(realm.name, action, answer.problem) }
  }
  const { location, sessionId } = answer
  const session = { realm: realm.name, id: sessionId }
  return { status: 302, location, ...(sessionId !== undefined && { session }) }
}

async function userinfo(exchange: Exchange, { sessions, tokens }: RouteParts): Promise<Answer> {
  const { realm, authorization, form } = exchange
  const [, bearer] = /^Bearer (.+)$/i.exec(authorization ?? '') ?? []
  const claims = await tokens.read(bearer ?? form.get('access_token') ?? '', 'Bearer')
  const session = sessions.touch(claims?.sid as string | undefined, realm.name)
  const isServices = claims?.sid === undefined && String(claims?.iss).endsWith(`/realms/${realm.name}`)
  const account = session || isServices ? accountOf(realm, claims!.sub!) : undefined
  if (account === undefined) throw new OAuthRefusal('invalid_token', 'Token verification failed')
  const scope = String(claims!.scope).split(' ')
  if (!scope.includes('openid')) throw new OAuthRefusal('insufficient_scope', 'Missing openid scope')
  return ok({ sub: account.id, ...personClaims(account, scope) })
}

/** A client signs somebody out without a browser. */
async function endSession(exchange: Exchange, { sessions, tokens }: RouteParts): Promise<Answer> {
  const client = clientOf(exchange)
  const claims = await tokens.read(exchange.form.get('refresh_token')!, 'Refresh')
  if (claims?.azp !== client.id) throw new OAuthRefusal('invalid_grant', 'Invalid refresh token')
  if (sessions.touch(claims.sid as string, exchange.realm.name)) sessions.end(claims.sid as string)
  return { status: 204 }
}

/** The browser of somebody comes to be signed out, and goes on to the client. */
async function logout(exchange: Exchange, fields: Parameters, { sessions, tokens }: RouteParts): Promise<Answer> {
  const { realm } = exchange
  const hint = await tokens.read(fields.get('id_token_hint') ?? '', 'ID', { mayBeExpired: true })
  if (fields.has('id_token_hint') && hint === undefined) throw new PageRefusal('Invalid parameter: id_token_hint')
  const clientId = fields.get('client_id') ?? hint?.azp
  const client = realm.clients.find(({ id }) => id === clientId)
  const target = fields.get('post_logout_redirect_uri')
  if (target !== undefined && !(client && isRedirectOf(client, target))) throw new PageRefusal('Invalid redirect uri')
  for (const id of [hint?.sid as string | undefined, exchange.sessionId]) {
    if (sessions.touch(id, realm.name)) sessions.end(id!)
  }
  const session = { realm: realm.name, id: undefined }
  if (target === undefined) return { status: 200, html: messagePage('Signed out', 'You are logged out'), session }
  const location = new URL(target)
  const state = fields.get('state')
  if (state !== undefined) location.searchParams.append('state', state)
  return { status: 302, location: location.href, session }
}

async function createAccount({ realm, issuer, authorization, json }: Exchange, { tokens, random }: RouteParts) {
  await checkAdministrator(authorization, tokens)
  const made = addAccount(realm, json, random)
  if (made.status !== 201) return { status: made.status, json: { errorMessage: made.reason } }
  return { status: 201, location: `${issuer.replace('/realms/', '/admin/realms/')}/users/${made.id}` }
}
