// One pipeline for every method: token, decoding, rights, call, encoding. The order of checks is Canton's: a request that
// is no message is refused first, then a missing token, then missing rights, and then what is wrong in the request.
import type { Http2Session } from 'node:http2'
import { Call } from '../api/calls/call-context.ts'
import { createDeadlines } from '../api/calls/deadlines.ts'
import { holderOf } from '../api/calls/held-bytes.ts'
import { Trace } from '../api/calls/trace.ts'
import { serviceContextOf } from '../api/errors/service-contexts.ts'
import { RenderedJson } from '../api/rendered-json.ts'
import { operationOf, type Route } from '../api/route.ts'
import type { SharedParts } from '../api/shared-parts.ts'
import { refusalOf as refusalBehind } from '../api/streams/ongoing-authorization.ts'
import { readerOf, shutDown } from '../api/streams/open-streams.ts'
import type { Authentication } from '../auth/authentication.ts'
import { authorize, type Permission, requirements } from '../auth/authorization.ts'
import type { Claims } from '../auth/claims.ts'
import { AnswerLost, LedgerError } from '../base/errors.ts'
import { randomUuid } from '../base/random.ts'
import type { Outcome } from '../base/tracer.ts'
import { parseExactly } from '../lf/codec/exact-json.ts'
import { finishWriting } from '../lf/codec/protobuf-writing.ts'
import { createJsonWriters } from '../proto/json-writing.ts'
import { ledgerApi } from '../proto/ledger-api.ts'
import type { Method } from '../proto/messages.ts'
import { createDecoder, type WireSchema } from '../proto/reading.ts'
import { ofSubmission, refusalOfCommands } from './command-check.ts'
import { createEventPlans } from './event-plans.ts'
import { type Exchange, framed } from './exchange.ts'
import type { GrpcMetrics } from './grpc-metrics.ts'
import { bearerTokenOf } from './metadata.ts'
import { checkNeeds, type Request, type Row } from './method.ts'
import { administrationMethods } from './methods/administration.ts'
import { ledgerMethods } from './methods/ledger.ts'
import { codes, ok, refusalOf, type Status, statusOf, tooLate } from './status.ts'
import { sendElements } from './streaming.ts'
import { createTransactionFrames } from './transaction-frames.ts'

/** Answers a call of a method. */
export type Handler = (exchange: Exchange) => Promise<void>

export type GrpcService = {
  /** Undefined for a path that is no method. */
  handlerOf(path: string): Handler | undefined
  close(): void
}

const depthMax = 100
/** Streams of one connection at a time, once it had a token. */
const streamsPerConnectionMax = 1000
const prefix = 'com.daml.ledger.api.v2.'

export const rows: readonly Row[] = [...administrationMethods, ...ledgerMethods]

type Known = { userId?: string | undefined; permission?: Permission | undefined; input?: RouteInput | undefined }
type RouteInput = { params: Record<string, string>; query: Record<string, unknown>; body: unknown }

export function createGrpcService(shared: SharedParts, metrics: GrpcMetrics): GrpcService {
  const { settings, ledger, routes, authenticate, admit, authorization, openStreams, heldBytes, inFlight } = shared
  const { hints, refusals, explainsErrors, participant, strangers, clock, random, log, tracer, isClosing } = shared
  const { limits } = settings
  const { participantId } = ledger.parties
  const routeOf = new Map(routes.map((route) => [operationOf(route), route]))
  const writers = createJsonWriters()
  const plans = createEventPlans((names) => ledger.plansOf(names))
  const transactionWriters = {
    plain: createTransactionFrames(plans, false),
    verbose: createTransactionFrames(plans, true),
  }
  const newSubmissionId = () => randomUuid(random)
  const surroundings = { clock, aside: inFlight.aside }
  const deadlines = createDeadlines<Exchange>(clock, limits.requestTimeoutMs, (exchange, startedMs) => {
    late(exchange, startedMs)
  })
  const messageBytesMax = (isKnown: boolean) => (isKnown ? limits.grpcMessageBytesMax : limits.anonymousBodyBytesMax)
  const handlers = new Map<string, Handler>()
  const methods = new Map(
    ledgerApi().files.flatMap(({ services }) =>
      services.flatMap(({ fullName, methods: all }) =>
        all.map((method): [string, Method] => [`/${fullName}/${method.name}`, method]),
      ),
    ),
  )
  const rowOf = new Map(rows.map((row) => [`/${prefix}${row.method}`, row]))

  /** The connection of a client that is known may carry more calls at a time. */
  function recognize(session: Http2Session, isKnown: boolean): void {
    if (isKnown && !strangers.knows(session)) session.settings({ maxConcurrentStreams: streamsPerConnectionMax })
    strangers.note(session, isKnown)
  }

  function late(exchange: Exchange, startedMs: number): void {
    finish(exchange, tooLate, startedMs)
  }

  function finish(exchange: Exchange, status: Status, startedMs: number): void {
    if (exchange.stream.destroyed) return
    metrics.observe(exchange.path, status.code, clock.elapsedMs() - startedMs)
    exchange.finish(status)
  }

  async function explain(error: unknown, exchange: Exchange, operation: string, trace: Trace, known: Known) {
    const refusal = refusalOf(error)
    const { params = {}, query = {}, body } = known.input ?? {}
    const service = serviceContextOf(operation, { params, query, body, newUuid: () => randomUuid(random) })
    const hint = await hints?.forError(refusal, known.permission?.reads)
    const traceId = trace.id
    const status = statusOf(refusal, { traceId, explains: explainsErrors, participant, service, hint })
    const asked = { operation: exchange.path, status: status.code, traceId, userId: known.userId }
    if (refusal === undefined) {
      log.error({ operation: exchange.path, traceId, stack: (error as Error).stack }, 'a request failed')
    } else refusals.refused(refusal, asked)
    return status
  }

  /** Without a route for a method that the JSON API does not have. */
  function compiled(method: Method, row: Row, route: Route | undefined): Handler {
    const operation = row.operation ?? row.rightsOf
    const requirement = requirements[operation]
    const bodySchema = typeof route?.body === 'object' ? (route.body as WireSchema) : undefined
    const decode = createDecoder(method.request, row.schema === null ? undefined : (row.schema ?? bodySchema))
    const decodeByTypes = createDecoder(method.request)
    const { isVerbose, isVerboseInReassignments } = row
    const write = writers.of(method.response)
    const { isResponseStream } = method
    const responseName = method.response.fullName
    const valuesMax = limits.bodyValuesMax

    const inputOf = (request: Request): RouteInput => {
      const { params = {}, query = {}, body } = row.input?.(request) ?? { body: request }
      return { params, query, body } as RouteInput
    }
    const subjectOf = (request: Request, input: RouteInput) => {
      if (row.subject !== undefined) return row.subject(request)
      if (route === undefined) return {}
      return row.needs?.some((name) => request[name] === undefined)
        ? { userId: request.userId ?? '' }
        : route.subject(input as never)
    }

    const rendered = (request: Request, elements: readonly string[], signal: AbortSignal) => {
      const verbosity = {
        isVerbose: isVerbose!(request),
        ...(isVerboseInReassignments && { isVerboseInReassignments: isVerboseInReassignments(request) }),
      }
      return ledger.protobufOf({ message: responseName, elements, ...verbosity }, signal)
    }

    async function encoded(answer: unknown, request: Request, signal: AbortSignal): Promise<Uint8Array> {
      if (isVerbose !== undefined) {
        return rendered(request, [String((answer as RenderedJson).body)], signal)
      }
      const json = answer instanceof RenderedJson ? parseExactly(String(answer.body)) : (answer ?? {})
      return framed(finishWriting((writer) => write(writer, json as never)))
    }

    return async (exchange) => {
      const startedMs = clock.elapsedMs()
      const { stream, headers } = exchange
      const trace = new Trace(headers, random)
      const known: Known = {}
      const address = stream.session?.socket?.remoteAddress
      let call: Call | undefined
      let request: Request
      let holder = ''
      let ownBytes = 0
      let code: number = codes.ok
      deadlines.start(exchange, startedMs)
      const { timeoutMs } = exchange
      const timer =
        timeoutMs === undefined || (timeoutMs >= limits.requestTimeoutMs && !isResponseStream)
          ? undefined
          : clock.after(timeoutMs, () => late(exchange, startedMs))
      try {
        if (isClosing()) throw shutDown()
        const token = bearerTokenOf(headers)
        const arrived = await authenticate(token)
        const isKnown = !('unauthenticated' in arrived)
        if (stream.session !== undefined) recognize(stream.session, isKnown)
        known.userId = isKnown ? arrived.userId : undefined
        holder = holderOf(known.userId, address)
        const bytes = await exchange.message(messageBytesMax(isKnown), (length) => {
          if (length <= limits.anonymousBodyBytesMax) return
          heldBytes.take(holder, length)
          ownBytes += length
        })
        request = decoded(bytes, arrived)
        const input = inputOf(request)
        known.input = input
        let authentication: Authentication = arrived
        let permission: Permission | undefined
        if (requirement !== undefined) {
          const admitted = admit(requirement, { token, authentication }, subjectOf(request, input))
          ;({ authentication, permission } = admitted instanceof Promise ? await admitted : admitted)
        }
        known.permission = permission
        checkNeeds(row, request)
        call = new Call(stream, trace, surroundings, ledger.readBudget, readerOf(known.userId, address))
        const { signal } = call
        if (isResponseStream) {
          deadlines.end(exchange)
          const elements =
            row.stream?.(ledger, request, permission!) ?? route!.streaming!.stream(ledger, input as never, permission!)
          const claims = authentication as Claims
          using open = openStreams.open({ operation: exchange.path, transport: 'grpc', claims, address })
          signal.addEventListener('abort', open.abandon)
          const writer = isVerbose && elements.rendered && transactionWriters[isVerbose(request) ? 'verbose' : 'plain']
          await sendElements(exchange, {
            open,
            account: call.account,
            elements: (hints) =>
              writer === undefined ? elements.open(open.signal, hints) : elements.rendered!(writer, open.signal, hints),
            render: isVerbose
              ? (batch) => rendered(request, batch, open.signal)
              : async (batch) =>
                  Buffer.concat(
                    batch.map((element) => framed(finishWriting((writer) => write(writer, JSON.parse(element))))),
                  ),
          })
          metrics.observe(exchange.path, codes.ok, clock.elapsedMs() - startedMs)
          exchange.finish(ok)
        } else {
          const waiting = call
          using _watch =
            route?.streaming && authorization.watch(authentication as Claims, (refusal) => waiting.end(refusal))
          const answer = await (row.call?.(ledger, request, permission!, call) ??
            route!.call(ledger, input as never, permission!, call))
          const frame = await encoded(answer, request, signal)
          metrics.observe(exchange.path, codes.ok, clock.elapsedMs() - startedMs)
          exchange.end(frame)
        }
      } catch (error) {
        code = codes.cancelled
        if (error instanceof AnswerLost) stream.destroy()
        else if (!stream.destroyed) {
          const refusal = (call && refusalBehind(call.signal)) ?? error
          const reason =
            row.commandsOf === undefined
              ? refusal
              : refusalOfCommands(refusal, request && row.commandsOf(request), newSubmissionId)
          if ((reason as Error).name === 'AbortError') stream.destroy()
          else {
            const status = await explain(reason, exchange, row.operation ?? '', trace, known)
            code = status.code
            finish(exchange, status, startedMs)
          }
        }
      } finally {
        timer?.cancel()
        if (ownBytes > 0) heldBytes.give(holder, ownBytes)
        call?.done()
        deadlines.end(exchange)
        tracer?.answered(trace, exchange.path.slice(1), startedMs, outcomeOf(exchange.path, code))
      }
    }

    function decoded(bytes: Buffer, authentication: Authentication): Request {
      try {
        return decode(bytes, { depthMax, valuesMax })
      } catch (error) {
        // Canton checks the token before it misses a part of the request.
        if (error instanceof LedgerError && requirement !== undefined && 'unauthenticated' in authentication) {
          authorize(requirement, authentication, {}, participantId)
        }
        if (!(error instanceof LedgerError) || row.commandsOf === undefined) throw error
        const { submissionId } = row.commandsOf(decodeByTypes(bytes, { depthMax, valuesMax })) ?? {}
        throw ofSubmission(error, submissionId, newSubmissionId)
      }
    }
  }

  return {
    handlerOf(path) {
      const found = handlers.get(path)
      if (found !== undefined) return found
      const method = methods.get(path)
      const row = rowOf.get(path)
      if (method === undefined || row === undefined) return undefined
      const handler = compiled(method, row, row.operation === undefined ? undefined : routeOf.get(row.operation))
      handlers.set(path, handler)
      return handler
    },
    close: () => deadlines.close(),
  }
}

/** In the words of OpenTelemetry's conventions; what the client did wrong or ended is not an error of the server. */
function outcomeOf(path: string, code: number): Outcome {
  const [, service = '', method = ''] = path.split('/')
  const names = { 'rpc.system': 'grpc', 'rpc.service': service, 'rpc.method': method }
  const error = serverErrors.has(code) ? String(code) : undefined
  return { attributes: { ...names, 'rpc.grpc.status_code': code }, error }
}

/** Unknown, deadline exceeded, unimplemented, internal, unavailable, data loss. */
const serverErrors = new Set([2, 4, 12, 13, 14, 15])
