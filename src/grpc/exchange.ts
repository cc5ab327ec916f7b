// A call over gRPC and its answer: one message, or those of a stream.

import type { Http2Session, IncomingHttpHeaders, ServerHttp2Stream } from 'node:http2'
import type { Api } from '../api/api.ts'
import type { CallContext } from '../api/calls/call-context.ts'
import { holderOf } from '../api/calls/held-bytes.ts'
import type { RequestMetrics } from '../api/calls/request-metrics.ts'
import { Trace } from '../api/calls/trace.ts'
import type { ErrorForm } from '../api/errors/failures.ts'
import type { Exchange, KnownCaller, Outlet } from '../api/pipeline.ts'
import type { ElementStream, Route } from '../api/route.ts'
import { RenderedJson } from '../api/route.ts'
import type { Authentication } from '../auth/authentication.ts'
import { authorize, type Permission, type Requirement, type Subject } from '../auth/authorization.ts'
import type { Timer } from '../base/clock.ts'
import { LedgerError } from '../base/errors.ts'
import { parseExactly } from '../base/exact-json.ts'
import { anonymousBodyBytesMax, bodyValuesMax } from '../base/limits.ts'
import { randomUuid } from '../base/random.ts'
import type { Outcome } from '../base/tracer.ts'
import type { RenderTransactions } from '../events/protobuf/transaction-protobuf.ts'
import type { createDecoder } from '../protobuf/json-reading.ts'
import type { MessageWriter } from '../protobuf/message-writer.ts'
import { finishWriting } from '../protobuf/message-writer.ts'
import { ofSubmission, refusalOfCommands } from './command-check.ts'
import { checkNeeds, type Request, type Row } from './method.ts'
import { codes, GrpcError, ok, refusalOf, type Status, statusOf, tooLate } from './status.ts'
import { sendElements } from './streaming.ts'
import { framed, type WireCall } from './wire-call.ts'

/** What all calls share. */
export type GrpcParts = {
  readonly api: Api
  readonly metrics: RequestMetrics
  /** For streams of transactions that are rendered without the engine, with names or without. */
  readonly transactionRenderings: { readonly plain: RenderTransactions; readonly verbose: RenderTransactions }
}

/** A method, prepared once for all its calls. */
export type PreparedMethod = {
  readonly row: Row
  /** Undefined for a method that the JSON API does not have. */
  readonly route: Route | undefined
  readonly requirement: Requirement | undefined
  readonly isStream: boolean
  readonly responseName: string
  readonly decode: ReturnType<typeof createDecoder>
  /** By the types of the message alone. */
  readonly decodeByTypes: ReturnType<typeof createDecoder>
  readonly write: (writer: MessageWriter, json: never) => void
}

type RouteInput = { params: Record<string, string>; query: Record<string, unknown>; body: unknown }

const depthMax = 100
/** Streams of one connection at a time, once it had a token. */
const streamsPerConnectionMax = 1000

export class GrpcExchange implements Exchange {
  readonly transport = 'grpc'
  readonly operation: string
  readonly requirement: Requirement | undefined
  readonly startedMs: number
  readonly trace: Trace
  readonly address: string | undefined
  readonly answering: ServerHttp2Stream
  readonly isList: boolean
  readonly #parts: GrpcParts
  readonly #method: PreparedMethod
  readonly #wire: WireCall
  readonly #timer: Timer | undefined
  #request: Request
  #input: RouteInput | undefined
  #holder = ''
  #heldBytes = 0
  #code: number = codes.ok

  constructor(parts: GrpcParts, method: PreparedMethod, wire: WireCall) {
    const { clock, random, settings } = parts.api
    const { requestTimeoutMs } = settings.limits
    const { timeoutMs } = wire
    this.operation = wire.path
    this.requirement = method.requirement
    this.startedMs = clock.elapsedMs()
    this.trace = new Trace(wire.headers, random)
    this.address = wire.stream.session?.socket?.remoteAddress
    this.answering = wire.stream
    this.isList = method.route?.streaming !== undefined
    this.#parts = parts
    this.#method = method
    this.#wire = wire
    // The pipeline ends a call after `requestTimeoutMs`, but not a stream.
    const isShorter = timeoutMs !== undefined && (timeoutMs < requestTimeoutMs || method.isStream)
    this.#timer = isShorter ? clock.after(timeoutMs, () => this.expire()) : undefined
  }

  token(): string | undefined {
    return bearerTokenOf(this.#wire.headers)
  }

  /** The connection of a client that is known may carry more calls at a time. */
  recognize(isKnown: boolean): void {
    const { strangers } = this.#parts.api
    const session: Http2Session | undefined = this.#wire.stream.session
    if (session === undefined) return
    if (isKnown && !strangers.knows(session)) session.settings({ maxConcurrentStreams: streamsPerConnectionMax })
    strangers.note(session, isKnown)
  }

  async decode(caller: Authentication): Promise<void> {
    const { row } = this.#method
    const { heldBytes, settings } = this.#parts.api
    const { grpcMessageBytesMax } = settings.limits
    const isKnown = !('unauthenticated' in caller)
    this.#holder = holderOf(isKnown ? caller.userId : undefined, this.address)
    const mayBeLarge = isKnown || row.isOpen
    const bytes = await this.#wire.message(mayBeLarge ? grpcMessageBytesMax : anonymousBodyBytesMax, (length) => {
      if (length <= anonymousBodyBytesMax) return
      heldBytes.take(this.#holder, length)
      this.#heldBytes += length
    })
    this.#request = this.#decoded(bytes, caller)
    const { params = {}, query = {}, body } = row.input?.(this.#request) ?? { body: this.#request }
    this.#input = { params, query, body } as RouteInput
  }

  subject(): Subject {
    const { row, route } = this.#method
    const request = this.#request
    if (row.subject !== undefined) return row.subject(request)
    if (route === undefined) return {}
    return row.needs?.some((name) => request[name] === undefined)
      ? { userId: request.userId ?? '' }
      : route.subject(this.#input as never)
  }

  elements(permission: Permission): ElementStream | undefined {
    const { row, route, isStream } = this.#method
    const { ledger } = this.#parts.api
    checkNeeds(row, this.#request)
    if (!isStream) return undefined
    return (
      row.stream?.(ledger, this.#request, permission) ??
      route!.streaming!.stream(ledger, this.#input as never, permission)
    )
  }

  async sendElements(elements: ElementStream, { stream, account, begun }: Outlet): Promise<void> {
    begun()
    const { row, write } = this.#method
    const { signal } = stream
    const isVerbose = row.isVerbose?.(this.#request)
    const { plain, verbose } = this.#parts.transactionRenderings
    const render = isVerbose !== undefined && elements.rendered && (isVerbose ? verbose : plain)
    await sendElements(this.#wire, {
      open: stream,
      account,
      elements: (hints) => (render ? elements.rendered!(render, signal, hints) : elements.open(signal, hints)),
      render: row.isVerbose
        ? (batch) => this.#rendered(batch, signal)
        : async (batch) =>
            Buffer.concat(
              batch.map((element) => framed(finishWriting((output) => write(output, JSON.parse(element) as never)))),
            ),
    })
    this.#observe(codes.ok)
    this.#wire.finish(ok)
  }

  async answer(permission: Permission, context: CallContext): Promise<void> {
    const { row, route } = this.#method
    const { ledger } = this.#parts.api
    const answer = await (row.call?.(ledger, this.#request, permission, context) ??
      route!.call(ledger, this.#input as never, permission, context))
    const frame = await this.#encoded(answer, context)
    this.#observe(codes.ok)
    this.#wire.end(frame)
  }

  async refuse(error: unknown, { userId, claims }: KnownCaller): Promise<void> {
    const { row } = this.#method
    const { api } = this.#parts
    const { stream } = this.#wire
    this.#code = codes.cancelled
    if (stream.destroyed) return
    const commands = this.#request && row.commandsOf?.(this.#request)
    const reason = commands === undefined ? error : refusalOfCommands(error, commands, this.#newSubmissionId)
    if ((reason as Error).name === 'AbortError') {
      stream.destroy()
      return
    }
    const refusal = refusalOf(reason) ?? reason
    const { operation, trace } = this
    const authorization = this.#wire.headers.authorization
    const hint = await api.hints?.forError(refusal, { claims, authorization })
    const service = row.operation ?? ''
    const status = api.failures.explain(
      refusal,
      { operation, service, trace, userId, hint, ...this.#input },
      grpcErrors,
    )
    this.#code = status.code
    this.#end(status)
  }

  expire(): void {
    this.#end(tooLate)
  }

  finish(): void {
    const { heldBytes, tracer } = this.#parts.api
    this.#timer?.cancel()
    if (this.#heldBytes > 0) heldBytes.give(this.#holder, this.#heldBytes)
    tracer?.answered(this.trace, this.operation.slice(1), this.startedMs, outcomeOf(this.operation, this.#code))
  }

  readonly #newSubmissionId = () => randomUuid(this.#parts.api.random)

  #end(status: Status): void {
    if (this.#wire.stream.destroyed) return
    this.#observe(status.code)
    this.#wire.finish(status)
  }

  #observe(code: number): void {
    const { api, metrics } = this.#parts
    metrics.observe(this.operation, code, api.clock.elapsedMs() - this.startedMs)
  }

  #decoded(bytes: Buffer, caller: Authentication): Request {
    const { row, requirement, decode, decodeByTypes } = this.#method
    const { ledger } = this.#parts.api
    const bounds = { depthMax, valuesMax: bodyValuesMax }
    try {
      return decode(bytes, bounds)
    } catch (error) {
      // Canton checks the token before it misses a part of the request.
      if (error instanceof LedgerError && requirement !== undefined && 'unauthenticated' in caller) {
        authorize(requirement, caller, {}, ledger.parties.participantId)
      }
      if (!(error instanceof LedgerError) || row.commandsOf === undefined) throw error
      const { submissionId } = row.commandsOf(decodeByTypes(bytes, bounds)) ?? {}
      throw ofSubmission(error, submissionId, this.#newSubmissionId)
    }
  }

  #rendered(elements: readonly string[], signal: AbortSignal): Promise<Uint8Array> {
    const { row, responseName } = this.#method
    const { isVerbose, isVerboseInReassignments } = row
    const verbosity = {
      isVerbose: isVerbose!(this.#request),
      ...(isVerboseInReassignments && { isVerboseInReassignments: isVerboseInReassignments(this.#request) }),
    }
    return this.#parts.api.ledger.protobufOf({ message: responseName, elements, ...verbosity }, signal)
  }

  async #encoded(answer: unknown, { signal }: CallContext): Promise<Uint8Array> {
    const { row, write } = this.#method
    if (row.isVerbose !== undefined) return this.#rendered([String((answer as RenderedJson).body)], signal)
    const json = answer instanceof RenderedJson ? parseExactly(String(answer.body)) : (answer ?? {})
    return framed(finishWriting((writer) => write(writer, json as never)))
  }
}

const grpcErrors: ErrorForm<Status> = {
  refusal: (error, setting) =>
    error instanceof LedgerError || error instanceof GrpcError ? statusOf(error, setting) : undefined,
  bug: (setting) => statusOf(undefined, setting),
  statusOf: ({ code }) => code,
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

/** Other schemes count as no token. */
export function bearerTokenOf({ authorization }: IncomingHttpHeaders): string | undefined {
  if (authorization === undefined || !/^bearer(\s|$)/i.test(authorization)) return undefined
  const token = authorization.slice('bearer'.length).trim()
  if (token === '') throw new GrpcError(codes.unauthenticated, 'the authorization metadata has no token')
  return token
}
