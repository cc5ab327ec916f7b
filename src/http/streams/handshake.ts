// The opening of a WebSocket: which path it is for, whose token it brings, and from which page it comes. Mirrors
// baseEndpoint of Canton's Endpoints.scala, but trims what stands between commas.
import type { IncomingMessage } from 'node:http'
import type { Settings } from '../../base/settings.ts'
import { bearerToken } from '../bearer.ts'

/** What the service always answers with, whichever protocols it is offered. */
export const subprotocol = 'daml.ws.auth'
const tokenPrefix = 'jwt.token.'

export function asksForWebSocket({ headers }: IncomingMessage): boolean {
  return headers.upgrade?.trim().toLowerCase() === 'websocket'
}

/** Without the query, and with one slash where some clients write two. */
export function pathOf({ url = '/' }: IncomingMessage): string {
  return url.split('?')[0]!.replaceAll(/\/+/g, '/')
}

/** Browsers cannot set Authorization, so the token may be one of the protocols that are offered. */
export function tokenOf(request: IncomingMessage): string | undefined {
  const bearer = bearerToken(request)
  if (bearer !== undefined) return bearer
  const offered = request.headers['sec-websocket-protocol']?.split(',').map((name) => name.trim())
  return offered?.find((name) => name.startsWith(tokenPrefix))?.slice(tokenPrefix.length)
}

/**
 * Any page can open a WebSocket to any address, and reads what comes. Where a token is asked for, that is harmless: a
 * page has none. A node that asks for none would show its ledger to every page its developer visits; so there, pages
 * of other machines have to be named in http.corsOrigins.
 */
export function isForeignPage({ headers }: IncomingMessage, { auth, http }: Settings): boolean {
  const { origin, host } = headers
  if (auth.mode !== 'off' || origin === undefined || http.corsOrigins.includes('*')) return false
  if (http.corsOrigins.includes(origin)) return false
  const page = URL.parse(origin)
  return page === null || (page.host !== host && !loopback.test(page.hostname))
}

const loopback = /^(localhost|.+\.localhost|127\.\d+\.\d+\.\d+|\[::1\])$/
