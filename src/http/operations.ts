// One pipeline for every operation: token, decoding, early checks, rights, call. The order of checks is Canton's: a
// body that cannot be decoded is reported before a missing token, and a missing token before missing rights.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { Call } from '../api/calls/call-context.ts'
import type { Deadlines } from '../api/calls/deadlines.ts'
import type { RequestsInFlight } from '../api/calls/requests-in-flight.ts'
import { orRetired } from '../api/calls/retirement.ts'
import type { HttpResponse } from '../api/errors/error-response.ts'
import type { RequestHints } from '../api/errors/hints.ts'
import { operationOf, type Route } from '../api/route.ts'
import { type Decoding, readBody } from '../api/route-input.ts'
import type { Strangers } from '../api/strangers.ts'
import { linesType } from '../api/stream-route.ts'
import type { ListQuery } from '../api/streams/list.ts'
import type { OngoingAuthorization } from '../api/streams/ongoing-authorization.ts'
import { type OpenStreams, readerOf, shutDown } from '../api/streams/open-streams.ts'
import { DecodeError, decodeQuery } from '../api/wire/decode.ts'
import type { Admit } from '../auth/admission.ts'
import type { Authenticator } from '../auth/authentication.ts'
import { type Permission, requirements } from '../auth/authorization.ts'
import type { Claims } from '../auth/claims.ts'
import type { Clock } from '../base/clock.ts'
import { AnswerLost, type LedgerError } from '../base/errors.ts'
import type { Limits } from '../base/settings.ts'
import type { Outcome, Tracer } from '../base/tracer.ts'
import type { Ledger } from '../ledger/ledger.ts'
import { accepts, prefers } from './accept.ts'
import { bearerToken } from './bearer.ts'
import type { BodyReader } from './body-reader.ts'
import { sendLines } from './element-lines.ts'
import { isStreamed, jsonType, responseOf, typeOf } from './response-body.ts'
import type { Params } from './router.ts'
import type { Responder } from './send-response.ts'

/** A request with its route. */
export type Incoming = {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly params: Params
  readonly query: Readonly<Record<string, unknown>>
  /** Undefined if there is none. */
  readonly body: Buffer | undefined
}

export type Handler = {
  handle(incoming: Incoming): Promise<void>
  /** Whether it reads the body itself. */
  readonly isReading: boolean
}

type Parts = {
  readonly ledger: Ledger
  readonly authenticate: Authenticator
  readonly admit: Admit
  readonly authorization: OngoingAuthorization
  readonly openStreams: OpenStreams
  readonly bodies: BodyReader
  readonly decoding: Decoding
  readonly deadlines: Deadlines<ServerResponse>
  readonly replies: Responder
  readonly hints: RequestHints | undefined
  readonly limits: Limits
  readonly clock: Clock
  readonly aside: RequestsInFlight['aside']
  readonly strangers: Strangers
  readonly tracer: Tracer | undefined
  readonly isClosing: () => boolean
}

export type Operations = {
  handlerOf(route: Route): Handler
  /** Ends the calls under way that can be ended, or only those that read lists; their clients get the refusal. */
  endCalls(refusal: LedgerError, which: 'lists' | 'all'): void
  /** From now on, what fails because the ledger is closed gets the refusal. */
  retire(refusal: LedgerError): void
}

export function createOperations(parts: Parts): Operations {
  const { ledger, authenticate, admit, authorization, openStreams, bodies, decoding, deadlines, replies } = parts
  const { hints, limits, clock, strangers, tracer, isClosing } = parts
  const surroundings = { clock, aside: parts.aside }

  const calls = new Map<Call, Route>()
  let retired: LedgerError | undefined

  function handlerOf(route: Route): Handler {
    const operation = operationOf(route)
    const requirement = requirements[operation]
    const answerType = typeOf(route.response)
    const { streaming } = route

    const isReading = route.body === 'stream'
    const handle: Handler['handle'] = async ({ request, response, params, query: sentQuery, body: sentBody }) => {
      const startedMs = clock.elapsedMs()
      const trace = replies.traceOf(request)
      const { remoteAddress: address } = request.socket
      let answer: HttpResponse | undefined
      let call: Call | undefined
      let userId: string | undefined
      let permission: Permission | undefined
      let decodedBody: unknown
      let decodedQuery: Record<string, unknown> = {}
      const failure = async (reason: unknown) => {
        const error = orRetired(reason, retired)
        const hint = await hints?.forError(error, permission?.reads)
        return replies.failure(error, trace, operation, {
          userId,
          hint,
          params,
          query: decodedQuery,
          body: decodedBody,
        })
      }
      deadlines.start(response, startedMs)
      try {
        if (isClosing()) throw shutDown()
        const { accept } = request.headers
        const asLines = streaming !== undefined && prefers(accept, linesType, jsonType)
        if (!asLines && !accepts(accept, answerType)) throw new DecodeError('Not Acceptable', 406)
        // Also where no token is needed: one that is sent has to be of a user that exists.
        const token = bearerToken(request)
        let authentication = await authenticate(token)
        strangers.note(request.socket, !('unauthenticated' in authentication))
        userId = (authentication as Claims | undefined)?.userId
        const query = decodeQuery(route.query, sentQuery)
        decodedQuery = query as Record<string, unknown>
        const decoded = isReading ? bodies.stream(request) : readBody(route, sentBody, decoding)
        const body = (decoded instanceof Promise ? await decoded : decoded) as never
        decodedBody = body
        // Rights may have changed while a large body was decoded.
        if (requirement && decoded instanceof Promise) authentication = await authenticate(token)
        const input = { params, query, body }
        route.early(input, ledger.compatibility)
        if (requirement !== undefined) {
          const admitted = admit(requirement, { token, authentication }, route.subject(input))
          ;({ authentication, permission } = admitted instanceof Promise ? await admitted : admitted)
        }
        call = new Call(response, trace, surroundings, ledger.readBudget, readerOf(userId, address))
        calls.set(call, route)
        if (isReading) deadlines.end(response) // A large file takes as long as it takes.
        const claims = authentication as Claims
        if (asLines) {
          const elements = streaming.stream(ledger, input, permission!)
          using stream = openStreams.open({ operation, transport: 'ndjson', claims, address })
          call.signal.addEventListener('abort', stream.abandon)
          await sendLines(response, {
            ...{ elements, query: input.query as ListQuery, stream, limits, clock, account: call.account },
            begun() {
              deadlines.end(response)
              replies.observe(operation, 200, startedMs)
            },
            explain: async (error) => (await failure(error)).body,
          })
        } else {
          const answered = call
          using _watch = streaming && authorization.watch(claims, (refusal) => answered.end(refusal))
          const result = await route.call(ledger, input, permission!, call)
          if (isStreamed(result)) {
            deadlines.end(response)
            await parts.aside(() => replies.stream(response, result, operation, startedMs))
          } else answer = responseOf(route, result)
        }
      } catch (error) {
        if (error instanceof AnswerLost) response.destroy()
        else answer = await failure(error)
        const dropMax = permission ? limits.snapshotBytesMax : limits.bodyBytesMax
        if (isReading && !(await bodies.drop(request, dropMax))) response.shouldKeepAlive = false
      }
      call?.done()
      if (call !== undefined) calls.delete(call)
      deadlines.end(response)
      bodies.release(request)
      if (answer !== undefined) replies.send(response, answer, operation, startedMs)
      tracer?.answered(trace, operation, startedMs, outcomeOf(route, response.statusCode))
    }
    return { handle, isReading }
  }

  return {
    handlerOf,
    endCalls(refusal, which) {
      for (const [call, { streaming }] of calls) if (which === 'all' || streaming !== undefined) call.end(refusal)
    },
    retire(refusal) {
      retired = refusal
    },
  }
}

/** In the words of OpenTelemetry's conventions; a client's mistake is not an error of the server. */
function outcomeOf({ method, path }: Route, status: number): Outcome {
  const attributes = { 'http.request.method': method, 'http.route': path, 'http.response.status_code': status }
  return { attributes, error: status < 500 ? undefined : String(status) }
}
