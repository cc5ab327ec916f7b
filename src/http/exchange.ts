// A request over HTTP and its answer: one, or for a client that prefers lines the elements of a stream.
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Api } from '../api/api.ts'
import type { CallContext } from '../api/calls/call-context.ts'
import type { Trace } from '../api/calls/trace.ts'
import type { Exchange, KnownCaller, Outlet } from '../api/pipeline.ts'
import { type ElementStream, type Input, operationOf, type Route, readBody } from '../api/route.ts'
import { linesType } from '../api/stream-route.ts'
import type { ListQuery } from '../api/streams/list.ts'
import { DecodeError, decodeQuery } from '../api/wire/decode.ts'
import { type Permission, type Requirement, requirements, type Subject } from '../auth/authorization.ts'
import type { Outcome } from '../base/tracer.ts'
import type { BodyReader } from './body-reader.ts'
import { sendLines } from './element-lines.ts'
import { accepts, bearerToken, prefers } from './request-head.ts'
import { isStreamed, jsonType, responseOf, timedOut, typeOf } from './response-body.ts'
import type { Params } from './router.ts'
import type { Responder } from './send-response.ts'
import { pathOf } from './websockets/handshake.ts'

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
  /** Set for routes of the API. */
  readonly route?: PreparedRoute
}

/** What all requests share. */
export type HttpParts = { readonly api: Api; readonly bodies: BodyReader; readonly responder: Responder }

/** A route, prepared once for all its requests. */
export type PreparedRoute = {
  readonly route: Route
  readonly operation: string
  readonly requirement: Requirement | undefined
  readonly isReading: boolean
  readonly answerType: string | undefined
}

export function prepareRoute(route: Route): PreparedRoute {
  const operation = operationOf(route)
  const isReading = route.body === 'stream'
  return { route, operation, requirement: requirements[operation], isReading, answerType: typeOf(route.response) }
}

export function handlerOf(prepared: PreparedRoute, parts: HttpParts): Handler {
  const { isReading } = prepared
  return {
    isReading,
    route: prepared,
    handle: (incoming) => parts.api.run(new HttpExchange(parts, prepared, incoming)),
  }
}

class HttpExchange implements Exchange {
  readonly transport = 'ndjson'
  readonly operation: string
  readonly requirement: Requirement | undefined
  readonly startedMs: number
  readonly trace: Trace
  readonly address: string | undefined
  readonly answering: ServerResponse
  readonly isList: boolean
  readonly #parts: HttpParts
  readonly #prepared: PreparedRoute
  readonly #incoming: Incoming
  #hasLines = false
  #query: Record<string, unknown> = {}
  #body: unknown

  constructor(parts: HttpParts, prepared: PreparedRoute, incoming: Incoming) {
    this.operation = prepared.operation
    this.requirement = prepared.requirement
    this.startedMs = parts.api.clock.elapsedMs()
    this.trace = parts.responder.traceOf(incoming.request)
    this.address = incoming.request.socket.remoteAddress
    this.answering = incoming.response
    this.isList = prepared.route.streaming !== undefined
    this.#parts = parts
    this.#prepared = prepared
    this.#incoming = incoming
  }

  token(): string | undefined {
    const { request } = this.#incoming
    const { accept } = request.headers
    this.#hasLines = this.isList && prefers(accept, linesType, jsonType)
    if (!this.#hasLines && !accepts(accept, this.#prepared.answerType)) throw new DecodeError('Not Acceptable', 406)
    return bearerToken(request)
  }

  recognize(isKnown: boolean): void {
    this.#parts.api.strangers.note(this.#incoming.request.socket, isKnown)
  }

  decode(): void | Promise<void> {
    const { route, isReading } = this.#prepared
    const { request, query, body } = this.#incoming
    const { api, bodies } = this.#parts
    this.#query = decodeQuery(route.query, query) as Record<string, unknown>
    const decoded = isReading ? bodies.stream(request) : readBody(route, body, api.decoding)
    if (!(decoded instanceof Promise)) return this.#check(decoded)
    return decoded.then((value) => this.#check(value))
  }

  subject(): Subject {
    return this.#prepared.route.subject(this.#input)
  }

  elements(permission: Permission): ElementStream | undefined {
    if (!this.#hasLines) return undefined
    return this.#prepared.route.streaming!.stream(this.#parts.api.ledger, this.#input, permission)
  }

  async sendElements(elements: ElementStream, { stream, caller, account, begun }: Outlet): Promise<void> {
    const { api, responder } = this.#parts
    await sendLines(this.answering, {
      elements,
      query: this.#query as ListQuery,
      stream,
      limits: api.settings.limits,
      clock: api.clock,
      account,
      begun: () => {
        begun()
        responder.observe(this.operation, 200, this.startedMs)
      },
      explain: async (error) => (await this.#failure(error, caller)).body,
    })
  }

  async answer(permission: Permission, context: CallContext, begun: () => void): Promise<void> {
    const { route, isReading } = this.#prepared
    const { api, responder } = this.#parts
    if (isReading) begun() // A large file takes as long as it takes.
    const result = await route.call(api.ledger, this.#input, permission, context)
    if (isStreamed(result)) {
      begun()
      await context.aside(() => responder.stream(this.answering, result, this.operation, this.startedMs))
    } else responder.send(this.answering, responseOf(route, result), this.operation, this.startedMs)
  }

  async refuse(error: unknown, caller: KnownCaller): Promise<void> {
    const { api, bodies, responder } = this.#parts
    const answer = await this.#failure(error, caller)
    if (this.#prepared.isReading) {
      const { snapshotBytesMax, bodyBytesMax } = api.settings.limits
      const isDropped = await bodies.drop(this.#incoming.request, caller.permission ? snapshotBytesMax : bodyBytesMax)
      if (!isDropped) this.answering.shouldKeepAlive = false
    }
    responder.send(this.answering, answer, this.operation, this.startedMs)
  }

  expire(): void {
    const { request } = this.#incoming
    this.#parts.api.refusals.timedOut(request.method!, pathOf(request))
    this.#parts.responder.send(this.answering, timedOut, 'timed out', this.startedMs)
  }

  finish(): void {
    const { api, bodies } = this.#parts
    bodies.release(this.#incoming.request)
    const { route, operation } = this.#prepared
    api.tracer?.answered(this.trace, operation, this.startedMs, outcomeOf(route, this.answering.statusCode))
  }

  get #input(): Input<never, never> {
    return { params: this.#incoming.params, query: this.#query as never, body: this.#body as never }
  }

  #check(body: unknown): void {
    this.#body = body
    this.#prepared.route.early(this.#input, this.#parts.api.ledger.compatibility)
  }

  async #failure(error: unknown, { userId, claims }: KnownCaller) {
    const { api, responder } = this.#parts
    const { request, body: text } = this.#incoming
    const { authorization } = request.headers
    const json = { kind: this.#prepared.route.body, text }
    return responder.failure(error, {
      operation: this.operation,
      trace: this.trace,
      userId,
      hint: await api.hints?.forError(error, { claims, json, authorization }),
      params: this.#incoming.params,
      query: this.#query,
      body: this.#body,
    })
  }
}

/** In the words of OpenTelemetry's conventions; a client's mistake is not an error of the server. */
function outcomeOf({ method, path }: Route, status: number): Outcome {
  const attributes = { 'http.request.method': method, 'http.route': path, 'http.response.status_code': status }
  return { attributes, error: status < 500 ? undefined : String(status) }
}
