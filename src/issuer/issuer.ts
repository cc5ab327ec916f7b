// An OpenID Connect issuer for tests, on the paths of Keycloak. It holds no secrets: its passwords are in tables, so it is for
// one machine only. Requests come from strangers; what they can make it remember is limited (sessions.ts).
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Clock } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import type { Random } from '../base/random.ts'
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
  readonly handle: (request: IncomingMessage, response: ServerResponse) => void
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
    const body = await readBody(request)
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
    handle(request, response) {
      allowOrigin(request, response)
      if (request.method === 'OPTIONS') return void response.writeHead(204).end()
      void answerTo(request)
        .catch((error: unknown) => refusalOf(error, log))
        .then((answer) => send(response, answer))
    },
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

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of request) {
    length += chunk.length
    if (length > bodyBytesMax) throw new PlainRefusal(413, `The body has more than ${bodyBytesMax} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

const sessionCookie = 'tallystick_session'

function sessionIn(cookie = ''): string | undefined {
  return new RegExp(`(?:^|; )${sessionCookie}=([0-9a-f-]{36})(?:;|$)`).exec(cookie)?.[1]
}

function refusalOf(error: unknown, log: Log): Answer {
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
  log.error({ reason: (error as Error).message }, 'a request to the OIDC issuer failed')
  return { status: 500, json: { error: 'unknown_error' } }
}

/** Pages of any origin may ask: what they get depends on what they know. Cookies are for navigation alone. */
function allowOrigin({ headers }: IncomingMessage, response: ServerResponse): void {
  response.setHeader('access-control-allow-origin', headers.origin ?? '*')
  response.setHeader('access-control-allow-methods', 'GET, POST, OPTIONS')
  response.setHeader('access-control-allow-headers', '*, Authorization')
  response.setHeader('vary', 'Origin')
}

/** Nothing may be loaded, and nobody may put the form into a frame. */
const pagePolicy = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'"

function send(response: ServerResponse, answer: Answer): void {
  const { status, json, html, location, session, headers = {} } = answer
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value)
  if (!('cache-control' in headers)) response.setHeader('cache-control', 'no-store')
  if (session !== undefined) response.setHeader('set-cookie', cookieFor(session))
  if (location !== undefined) response.setHeader('location', location)
  if (html !== undefined) {
    response.setHeader('content-security-policy', pagePolicy)
    return void response.writeHead(status, { 'content-type': 'text/html; charset=utf-8' }).end(html)
  }
  if (json === undefined) return void response.writeHead(status).end()
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(json))
}

function cookieFor(session: { readonly realm: string; readonly id: string | undefined }): string {
  const lifetime = session.id === undefined ? '; Max-Age=0' : ''
  return `${sessionCookie}=${session.id ?? ''}; Path=/realms/${session.realm}/; HttpOnly; SameSite=Lax${lifetime}`
}
