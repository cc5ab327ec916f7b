// The pages beside the API: health, metrics, documentation, the explorer.
import type { IncomingMessage } from 'node:http'
import { Type } from 'typebox'
import { type Documents, unlessKnown } from '../api/descriptions/documents.ts'
import { type HttpResponse, plainText } from '../api/errors/error-response.ts'
import { trackedCantonVersion } from '../api/routes/version.ts'
import { decodeQuery } from '../api/wire/decode.ts'
import { text } from '../api/wire/schema.ts'
import type { Authenticator } from '../auth/authentication.ts'
import { authorize, requirements } from '../auth/authorization.ts'
import type { Claims } from '../auth/claims.ts'
import type { Clock } from '../base/clock.ts'
import { invalidArgument, LedgerError } from '../base/errors.ts'
import type { Health } from '../base/health.ts'
import type { NameIndex } from '../ledger/packages/name-index.ts'
import type { ExplorerFiles } from './explorer-files.ts'
import { bearerToken } from './request-head.ts'
import type { Params } from './router.ts'
import type { Responder } from './send-response.ts'
import { createSharedAnswer } from './shared-answer.ts'

type Query = Readonly<Record<string, unknown>>
export type Page = (request: IncomingMessage, query: Query, params: Params) => Promise<HttpResponse>

type Parts = {
  readonly documents: Documents
  /** The names of what packages define. */
  readonly names: () => Promise<NameIndex>
  /** Undefined if the node serves none. */
  readonly explorer: ExplorerFiles | undefined
  readonly authenticate: Authenticator
  readonly participantId: string
  readonly isDevelopment: boolean
  readonly metricsPage: () => Promise<string>
  readonly health: Health
  /** Throws if a request would not succeed now. */
  readonly checkReady: () => Promise<void>
  readonly isClosing: () => boolean
  readonly responder: Responder
  readonly clock: Clock
}

const descriptionQuery = Type.Object({
  package: text('Use the types of this package instead of generic Daml values; by name, in its highest version'),
})
const typesQuery = Type.Object({ package: text('The package, by id, or by name in its highest version') })

/** Prometheus text format. */
const metricsType = 'text/plain; version=0.0.4; charset=utf-8'

/** To a page of the explorer. */
const seeOther = (location: string): HttpResponse => ({
  ...plainText(307, `See ${location}\n`),
  headers: { location, 'cache-control': 'no-store' },
})
const toExplorer = seeOther('/explorer')
const toExplorerApi = seeOther('/explorer/api')

/** By path; all answer GET. Undefined where this node has no page. */
export function createPages(parts: Parts): Readonly<Record<string, Page | undefined>> {
  const {
    documents,
    names,
    explorer,
    authenticate,
    participantId,
    isDevelopment,
    health,
    isClosing,
    responder,
    clock,
  } = parts
  const metricsPage = createSharedAnswer(async () => Buffer.from(await parts.metricsPage()), clock)
  const checkReady = createSharedAnswer(parts.checkReady, clock)

  function failure(error: unknown, request: IncomingMessage, operation: string): HttpResponse {
    return responder.failure(error, { operation, trace: responder.traceOf(request) })
  }

  /** The first line has the reason, because some tools show no other. */
  async function readiness(): Promise<HttpResponse> {
    try {
      if (isClosing()) throw new Error('the node stops')
      if (health.failing().length > 0) throw new Error('a part of the node fails')
      await checkReady()
      return plainText(200, '[+] ledger ok (SERVING)\nreadyz check passed\n')
    } catch (error) {
      const failing = health.failing()
      const reason = failing[0] === undefined ? (error as Error).message : `${failing[0].name}: ${failing[0].reason}`
      const lines = failing.map((part) => `[-] ${part.name} failed (${part.reason})\n`)
      return plainText(503, `[-] ledger failed (NOT_SERVING: ${reason})\n${lines.join('')}readyz check failed\n`)
    }
  }

  /** The description of one package is for callers that may list packages. */
  async function describe(request: IncomingMessage, sentQuery: Query): Promise<HttpResponse> {
    try {
      const query = decodeQuery(descriptionQuery, sentQuery)
      if (Object.hasOwn(sentQuery, 'strict')) {
        if (query.package !== '') throw invalidArgument('strict is only for the document without a package')
        return unlessKnown(await documents.strictOpenApi(), request.headers)
      }
      if (query.package === '') return unlessKnown(await documents.openApi(), request.headers)
      const authentication = await authenticate(bearerToken(request))
      authorize(requirements['GET /v2/packages']!, authentication, {}, participantId)
      return unlessKnown(await documents.openApiFor(query.package), request.headers)
    } catch (error) {
      return failure(error, request, 'GET /docs/openapi')
    }
  }

  /** Likewise. */
  async function describeTypes(request: IncomingMessage, sentQuery: Query): Promise<HttpResponse> {
    try {
      const query = decodeQuery(typesQuery, sentQuery)
      const authentication = await authenticate(bearerToken(request))
      authorize(requirements['GET /v2/packages']!, authentication, {}, participantId)
      return unlessKnown(await documents.typesOf(query.package), request.headers)
    } catch (error) {
      return failure(error, request, 'GET /docs/types')
    }
  }

  /** For callers that may list packages, too. */
  async function listNames(request: IncomingMessage): Promise<HttpResponse> {
    try {
      const authentication = await authenticate(bearerToken(request))
      authorize(requirements['GET /v2/packages']!, authentication, {}, participantId)
      const { json: body, etag } = await names()
      const headers = { etag, 'cache-control': 'private, no-cache' }
      return unlessKnown({ status: 200, type: 'application/json', body, headers }, request.headers)
    } catch (error) {
      return failure(error, request, 'GET /explorer/find/names')
    }
  }

  /** Always an answer, also for a token that is refused: the explorer asks before it knows whether it is signed in. */
  async function describeSession(request: IncomingMessage): Promise<HttpResponse> {
    const about = { version: trackedCantonVersion, isDevelopment }
    const refusalOf = (reason: string) => ({ refusal: isDevelopment ? reason : unexplained }) // As every other answer.
    try {
      const token = bearerToken(request)
      const caller = await authenticate(token)
      if ('unauthenticated' in caller) {
        return unstoredJson({ ...about, ...(token !== undefined && refusalOf(caller.unauthenticated)) })
      }
      authorize(requirements['GET /v2/packages']!, caller, {}, participantId)
      return unstoredJson({ ...about, session: sessionOf(caller) })
    } catch (error) {
      const isOfToken = error instanceof LedgerError && refusalsOfTokens.has(error.code)
      return isOfToken
        ? unstoredJson({ ...about, ...refusalOf(error.message) })
        : failure(error, request, 'GET /explorer/session')
    }
  }

  return {
    '/': explorer && (async () => toExplorer),
    '/explorer': explorer && (({ headers }) => explorer.page(headers)),
    '/explorer/session': explorer && describeSession,
    '/explorer/{path*}': explorer && (({ headers }, _query, { path }) => explorer.at(path!, headers)),
    '/explorer/find/names': explorer && listNames,
    '/livez': async () => ({ status: 200, type: 'text/plain', body: '' }),
    '/readyz': readiness,
    '/metrics': async () => ({ status: 200, type: metricsType, body: await metricsPage() }),
    // Where there is no explorer, a page without scripts.
    '/docs': async ({ headers }) => (explorer ? toExplorerApi : unlessKnown(await documents.page(), headers)),
    '/docs/openapi': describe,
    '/docs/types': describeTypes,
    '/docs/asyncapi': async ({ headers }) => unlessKnown(await documents.asyncApi(), headers),
  }
}

const unexplained = 'The node does not accept the token'

/** Its user is gone or deactivated, or it is for another participant. */
const refusalsOfTokens: ReadonlySet<string> = new Set(['PERMISSION_DENIED', 'INVALID_TOKEN'])

const unstoredJson = (body: object): HttpResponse => ({
  status: 200,
  type: 'application/json',
  body: JSON.stringify(body),
  headers: { 'cache-control': 'no-store', vary: 'authorization' },
})

/** What the caller may do, as the explorer reads it (src/explorer/state/session.ts). */
function sessionOf(claims: Claims) {
  const { userId, isStoredUser, isParticipantAdmin, isIdentityProviderAdmin, expiresAtMs } = claims
  return {
    userId,
    isStoredUser,
    isAdmin: isParticipantAdmin,
    isIdentityProviderAdmin,
    actsAs: claims.actsAsAnyParty ? 'any' : [...claims.actAs],
    readsAs: claims.readsAsAnyParty ? 'any' : [...claims.actAs.union(claims.readAs)],
    expiresAtMs: Number.isFinite(expiresAtMs) ? expiresAtMs : undefined,
    isForgettable: claims.sessionId !== undefined,
  }
}
