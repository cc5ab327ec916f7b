// Answers other than ledger errors: a route's result by its kind, and a few constant ones.
import type { IncomingMessage } from 'node:http'
import { errorBodyOf, type HttpResponse, plainText } from '../api/errors/error-response.ts'
import type { BytesResponse, ResponseKind, Route, StreamedResponse } from '../api/route.ts'
import { RenderedJson } from '../api/route.ts'
import { LedgerError } from '../base/errors.ts'

export const jsonType = 'application/json'
export const bytesType = 'application/octet-stream'

export const timedOut = plainText(
  503,
  'The server was not able to produce a timely response to your request.\r\nPlease try again in a short while!',
)

/** For an address that sends more requests without a token than may wait. */
export const tooManyStrangers: HttpResponse = {
  status: 429,
  type: jsonType,
  body: JSON.stringify(
    errorBodyOf(
      new LedgerError(
        'PARTICIPANT_BACKPRESSURE',
        'Too many requests without an accepted token wait for their turn (limits.strangersPerSecondMax)',
        { untraced: true },
      ),
      { traceId: '', explains: false, participant: '' },
    ),
  ),
  headers: { 'retry-after': '1' },
}

export function typeOf(kind: ResponseKind): string | undefined {
  if (kind === 'nothing') return undefined
  return kind === 'bytes' ? bytesType : jsonType
}

export function isStreamed(result: unknown): result is StreamedResponse {
  return typeof result === 'object' && result !== null && 'stream' in result
}

export function responseOf({ response: kind, fixedHeaders }: Route, result: unknown): HttpResponse {
  if (kind === 'nothing') return { status: 200, type: '', body: '' }
  if (kind !== 'bytes') {
    const body = result instanceof RenderedJson ? result.body : JSON.stringify(result)
    return fixedHeaders
      ? { status: 200, type: jsonType, body, headers: fixedHeaders }
      : { status: 200, type: jsonType, body }
  }
  const { bytes, headers } = result as BytesResponse
  const body = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
  return { status: 200, type: bytesType, body, headers }
}

/** For OPTIONS, the list of methods is the answer. */
export function wrongMethod(method: string, methods: readonly string[]): HttpResponse {
  const allowed = new Set([...methods, ...(methods.includes('GET') ? ['HEAD'] : []), 'OPTIONS'])
  const headers = { allow: [...allowed].sort().join(', ') }
  if (method === 'OPTIONS') return { status: 204, type: '', body: '', headers }
  return { ...plainText(405, 'Method Not Allowed'), headers }
}

/** HEAD counts as the GET it stands for. */
export function notFound(request: IncomingMessage, isSecure: boolean): HttpResponse {
  const method = request.method === 'HEAD' ? 'GET' : request.method
  const uri = `${isSecure ? 'https' : 'http'}://${request.headers.host ?? ''}${request.url}`.slice(0, 1000)
  const body = { errors: [`HttpMethod(${method}), uri: ${uri}`], status: 404, ledgerApiError: null }
  return { status: 404, type: jsonType, body: JSON.stringify(body) }
}
