// A request from inside this process and its answer: the routes, rights and limits are those of HTTP, and there is no
// connection. Lists come whole.
import { Writable } from 'node:stream'
import type { CallContext } from '../api/calls/call-context.ts'
import type { Trace } from '../api/calls/trace.ts'
import type { HttpResponse } from '../api/errors/error-response.ts'
import type { Exchange, KnownCaller } from '../api/pipeline.ts'
import { type Input, readBody } from '../api/route.ts'
import { decodeQuery } from '../api/wire/decode.ts'
import type { Permission, Requirement, Subject } from '../auth/authorization.ts'
import type { HttpParts, PreparedRoute } from './exchange.ts'
import { bytesType, isStreamed, responseOf, timedOut } from './response-body.ts'
import type { Params } from './router.ts'

export type LocalRequest = {
  readonly method: string
  /** With its query. */
  readonly path: string
  readonly body: string | undefined
  readonly token: string | undefined
}

export type LocalCall = (request: LocalRequest) => Promise<HttpResponse>

/** A request with its route. */
export type LocalIncoming = Pick<LocalRequest, 'body' | 'token'> & {
  readonly params: Params
  readonly query: Readonly<Record<string, unknown>>
}

export class LocalExchange implements Exchange {
  readonly transport = 'ndjson'
  readonly operation: string
  readonly requirement: Requirement | undefined
  readonly startedMs: number
  readonly trace: Trace
  readonly address = undefined
  readonly isList: boolean
  /** Closes when there is an answer. */
  readonly answering = new Writable()
  readonly #parts: HttpParts
  readonly #prepared: PreparedRoute
  readonly #incoming: LocalIncoming
  readonly #answer = Promise.withResolvers<HttpResponse>()
  #query: Record<string, unknown> = {}
  #body: unknown
  #isAnswered = false

  constructor(parts: HttpParts, prepared: PreparedRoute, incoming: LocalIncoming) {
    this.operation = prepared.operation
    this.requirement = prepared.requirement
    this.startedMs = parts.api.clock.elapsedMs()
    this.trace = parts.responder.traceOf({ headers: {} })
    this.isList = prepared.route.streaming !== undefined
    this.#parts = parts
    this.#prepared = prepared
    this.#incoming = incoming
  }

  /** Settles when there is one; the call may take longer. Rejects if the answer gets lost. */
  get answered(): Promise<HttpResponse> {
    return this.#answer.promise
  }

  token(): string | undefined {
    const stopped = this.#parts.api.stopped()
    if (stopped !== undefined) throw stopped
    return this.#incoming.token
  }

  recognize(): void {}

  decode(): void | Promise<void> {
    const { route } = this.#prepared
    const { query, body } = this.#incoming
    this.#query = decodeQuery(route.query, query) as Record<string, unknown>
    const decoded = readBody(route, body === undefined ? undefined : Buffer.from(body), this.#parts.api.decoding)
    if (!(decoded instanceof Promise)) return this.#check(decoded)
    return decoded.then((value) => this.#check(value))
  }

  subject(): Subject {
    return this.#prepared.route.subject(this.#input)
  }

  elements(): undefined {}

  async sendElements(): Promise<void> {}

  async answer(permission: Permission, context: CallContext, begun: () => void): Promise<void> {
    const { route } = this.#prepared
    const result = await route.call(this.#parts.api.ledger, this.#input, permission, context)
    if (!isStreamed(result)) return this.#send(responseOf(route, result))
    begun()
    const chunks = await context.aside(() => result.stream.toArray())
    this.#send({ status: 200, type: bytesType, body: Buffer.concat(chunks) })
  }

  async refuse(error: unknown, { userId, claims }: KnownCaller): Promise<void> {
    const { api, responder } = this.#parts
    const { body: text, token, params } = this.#incoming
    const json = { kind: this.#prepared.route.body, text: text === undefined ? undefined : Buffer.from(text) }
    const authorization = token && `Bearer ${token}`
    const answer = responder.failure(error, {
      operation: this.operation,
      trace: this.trace,
      userId,
      hint: await api.hints?.forError(error, { claims, json, authorization }),
      params,
      query: this.#query,
      body: this.#body,
    })
    this.#send(answer)
  }

  expire(): void {
    this.#send(timedOut)
  }

  finish(): void {
    this.answering.destroy()
    if (!this.#isAnswered) this.#answer.reject(new Error('the answer was lost'))
  }

  /** The first answer counts. */
  #send(answer: HttpResponse): void {
    this.#parts.responder.observe(this.operation, answer.status, this.startedMs)
    this.#isAnswered = true
    this.#answer.resolve(answer)
  }

  #check(body: unknown): void {
    this.#body = body
    this.#prepared.route.early(this.#input, this.#parts.api.ledger.compatibility)
  }

  get #input(): Input<never, never> {
    return { params: this.#incoming.params, query: this.#query as never, body: this.#body as never }
  }
}
