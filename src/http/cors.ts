// CORS: pages of the origins in `http.corsOrigins` may read answers. Tokens come in a header, never in a cookie, so
// credentials are not allowed.
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Settings } from '../base/settings.ts'

/** Sets the CORS headers; true if the request was a preflight, which is answered here. */
export type Cors = (request: IncomingMessage, response: ServerResponse) => boolean

const methods = 'GET, HEAD, POST, PATCH, DELETE'
const maxAgeSeconds = '600'
/** What the API answers besides the headers that a browser always shows to a page. */
const exposedHeaders = 'canton-package-hash, etag, tallystick-hint, tallystick-version'

/** Undefined if no origin is configured. */
export function createCors({ corsOrigins }: Settings['http']): Cors | undefined {
  if (corsOrigins.length === 0) return undefined
  const origins = new Set(corsOrigins)
  return ({ method, headers }, response) => {
    response.setHeader('vary', 'Origin') // A cache must not serve the answer for one origin to another.
    const { origin } = headers
    if (origin === undefined || !(origins.has('*') || origins.has(origin))) return false
    response.setHeader('access-control-allow-origin', origin)
    if (method !== 'OPTIONS' || headers['access-control-request-method'] === undefined) {
      response.setHeader('access-control-expose-headers', exposedHeaders)
      return false
    }
    response.setHeader('access-control-allow-methods', methods)
    response.setHeader('access-control-max-age', maxAgeSeconds)
    const wanted = headers['access-control-request-headers']
    if (wanted !== undefined) {
      response.setHeader('vary', 'Origin, Access-Control-Request-Headers')
      response.setHeader('access-control-allow-headers', wanted)
    }
    response.writeHead(204)
    response.end()
    return true
  }
}
