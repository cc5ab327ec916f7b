// The opening of a WebSocket: which path it is for, and whose token it brings. Mirrors baseEndpoint
// of Canton's Endpoints.scala, but trims what stands between commas.
import type { IncomingMessage } from 'node:http'
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
