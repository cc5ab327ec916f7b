// An OpenID Connect issuer for tests, on the paths of Keycloak. It holds no secrets: its passwords are in tables, so it is for
// one machine only. Requests come from strangers; what they can make it remember is limited (sessions.ts).
import type { IncomingMessage } from 'node:http'
import type { Clock } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import type { Random } from '../base/random.ts'
import { bodyOf, createPlainService, type Handler, type PlainAnswer } from '../http/plain-service.ts'
import { createRouter } from '../http/router.ts'
import { masterRealm } from './administration.ts'
import { PageRefusal } from './authorization.ts'
import { messagePage } from './login-page.ts'
import { parametersFrom } from './parameters.ts'
import type { Realm } from './realm.ts'
import { OAuthRefusal } from './refusal.ts'
import { type Answer, type Exchange, PlainRefusal, type RouteParts, routes } from './routes.ts'
import { createSessions } from './sessions.ts'
import { openSigningKey } from './signing-key.ts'
import { createTokens } from './tokens.ts'

export type Issuer = {
  readonly handle: Handler
  /** The account of an access token for this audience; undefined unless the token is ours and valid. */
  accountIdOf(token: string, audience: string): Promise<string | undefined>
}

export type IssuerParts = {
  readonly realms: readonly Realm[]
  /** How clients reach it, unless they use a name of this machine: `http://keycloak.localhost:8082`. */
  readonly url: string
  /** Where the key is kept; undefined for nowhere. */
  readonly folder: string | undefined
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
}

const bodyBytesMax = 32 * 1024

export async function openIssuer({ realms: given, url, folder, clock, random, log }: IssuerParts): Promise<Issuer> {
  const realms = [...given, masterRealm].map((realm) => ({ ...realm, accounts: [...realm.accounts] }))
  const key = await openSigningKey(folder)
  const tokens = createTokens({ key, clock, random })
  const parts: RouteParts = {
    tokens,
    sessions: createSessions(clock, random),
    random,
    keySet: { keys: [key.published] },
  }
  const router = createRouter<(exchange: Exchange) => Promise<Answer>>()
  for (const { method, path, answer } of routes) {
    router.add(method, path, (exchange) => answer(exchange, parts))
  }

  async function answerTo(request: IncomingMessage): Promise<Answer> {
    const target = URL.parse(request.url!, 'http://localhost')
    const found = target === null ? undefined : findRoute(request.method!, target.pathname)
    if (found === undefined) throw new PlainRefusal(404, 'HTTP 404 Not Found')
    const realm = realms.find(({ name }) => name === found.params.realm)
    if (realm === undefined) throw new PlainRefusal(404, 'Realm does not exist')
    const { authorization, cookie } = request.headers
    const body = await bodyOf(request, bodyBytesMax)
    const isJson = request.headers['content-type']?.startsWith('application/json') ?? false
    return found.handler({
      realm,
      issuer: `${baseFor(request.headers.host, url)}/realms/${realm.name}`,
      query: parametersFrom(target!.searchParams),
      search: target!.search,
      json: isJson ? body : '',
      form: parametersFrom(new URLSearchParams(isJson ? '' : body)),
      authorization,
      sessionId: sessionIn(cookie),
    })
  }

  function findRoute(method: string, path: string) {
    try {
      return router.find(method, path)
    } catch {
      return undefined // The path cannot be decoded.
    }
  }

  return {
    handle: createPlainService(
      {
        headersFor,
        preflightStatus: 204,
        answerTo: async (request) => plainAnswer(await answerTo(request)),
        refusalOf: (error) => {
          const refusal = refusalOf(error)
          return refusal && plainAnswer(refusal)
        },
        failure: plainAnswer({ status: 500, json: { error: 'unknown_error' } }),
        name: 'the OIDC issuer',
      },
      log,
    ),
    async accountIdOf(token, audience) {
      const claims = await tokens.read(token, 'Bearer')
      return [claims?.aud].flat().includes(audience) ? claims!.sub : undefined
    },
  }
}

const thisMachine = /^(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d{1,5})?$/

/** Clients compare the issuer with the address that they know. Other names than those of this machine are aliases. */
function baseFor(host: string | undefined, url: string): string {
  return host !== undefined && thisMachine.test(host) ? `http://${host}` : url
}

const sessionCookie = 'tallystick_session'

function sessionIn(cookie = ''): string | undefined {
  return new RegExp(`(?:^|; )${sessionCookie}=([0-9a-f-]{36})(?:;|$)`).exec(cookie)?.[1]
}

function refusalOf(error: unknown): Answer | undefined {
  if (error instanceof PlainRefusal) return { status: error.status, json: { error: error.message } }
  if (error instanceof PageRefusal) return { status: 400, html: messagePage('We are sorry...', error.message) }
  if (error instanceof OAuthRefusal) {
    const challenge = error.status === 401 || error.status === 403
    const scheme = error.code === 'invalid_client' ? 'Basic' : 'Bearer'
    const words = `${scheme} realm="tallystick", error="${error.code}", error_description="${error.message}"`
    return {
      status: error.status,
      json: { error: error.code, error_description: error.message },
      ...(challenge && { headers: { 'www-authenticate': words } }),
    }
  }
  return undefined
}

/** Pages of any origin may ask: what they get depends on what they know. Cookies are for navigation alone. */
function headersFor({ headers }: IncomingMessage): Record<string, string> {
  return {
    'access-control-allow-origin': headers.origin ?? '*',
    'access-control-allow-methods': 'GET, POST, OPTIONS',
    'access-control-allow-headers': '*, Authorization',
    vary: 'Origin',
    'cache-control': 'no-store',
  }
}

/** Nothing may be loaded, and nobody may put the form into a frame. */
const pagePolicy = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'"

function plainAnswer({ status, json, html, location, session, headers = {} }: Answer): PlainAnswer {
  return {
    status,
    headers: {
      ...(session !== undefined && { 'set-cookie': cookieFor(session) }),
      ...(location !== undefined && { location }),
      ...(html !== undefined && { 'content-security-policy': pagePolicy, 'content-type': 'text/html; charset=utf-8' }),
      ...headers,
    },
    ...(json !== undefined && { json }),
    ...(html !== undefined && { text: html }),
  }
}

function cookieFor(session: { readonly realm: string; readonly id: string | undefined }): string {
  const lifetime = session.id === undefined ? '; Max-Age=0' : ''
  return `${sessionCookie}=${session.id ?? ''}; Path=/realms/${session.realm}/; HttpOnly; SameSite=Lax${lifetime}`
}
