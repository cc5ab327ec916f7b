// The handshake of a WebSocket: its path and its token. Mirrors baseEndpoint of Canton's Endpoints.scala.
import type { IncomingMessage } from 'node:http'
import { bearerToken } from '../request-head.ts'

const tokenPrefix = 'jwt.token.'

export function asksForWebSocket({ headers }: IncomingMessage): boolean {
  return headers.upgrade?.trim().toLowerCase() === 'websocket'
}

/** Without the query, with a single slash where some clients send two, and without one at the end. */
export function pathOf({ url = '/' }: IncomingMessage): string {
  const path = url.split('?')[0]!.replaceAll(/\/+/g, '/')
  return path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path
}

/**
 * Browsers cannot set Authorization, so the token may be one of the offered protocols. As in Canton it is not found after a
 * space, which clients write between them: it has to be the first, unless the node is lenient.
 */
export function tokenOf(request: IncomingMessage, isLenient: boolean): string | undefined {
  const bearer = bearerToken(request)
  if (bearer !== undefined) return bearer
  const offered = request.headers['sec-websocket-protocol']?.split(isLenient ? /\s*,\s*/ : ',')
  return offered?.find((name) => name.startsWith(tokenPrefix))?.slice(tokenPrefix.length)
}
