// A request over a WebSocket, and the stream that answers it: each element and an error are one message, then the
// connection closes.
import type { Duplex } from 'node:stream'
import type { TSchema } from 'typebox'
import type { Api } from '../../api/api.ts'
import type { Trace } from '../../api/calls/trace.ts'
import type { Exchange, KnownCaller, Outlet } from '../../api/pipeline.ts'
import { decodeText, type ElementStream, type Input, operationOf, type Route } from '../../api/route.ts'
import { groupsOf, Outflow, pieceLength, piecesOf } from '../../api/streams/back-pressure.ts'
import { refusalOf } from '../../api/streams/ongoing-authorization.ts'
import { DecodeError } from '../../api/wire/decode.ts'
import { type Permission, type Requirement, requirements, type Subject } from '../../auth/authorization.ts'
import { invalidArgument } from '../../base/errors.ts'
import type { Responder } from '../send-response.ts'
import { type Connection, closeCodes } from './connections.ts'

/** What the handshake said. */
export type OpenedConnection = {
  readonly route: Route
  readonly operation: string
  readonly token: string | undefined
  /** Connections of one reader share turns. */
  readonly reader: string
  /** The client's address. */
  readonly address: string | undefined
  readonly trace: Trace
  /** To be called with the status of an error that ends the stream. */
  failed(status: number): void
}

type Parts = {
  readonly api: Api
  readonly responder: Responder
  readonly connection: Connection
  readonly opened: OpenedConnection
}

export class WebSocketExchange implements Exchange {
  readonly transport = 'websocket'
  readonly operation: string
  readonly requirement: Requirement | undefined
  readonly startedMs: number
  readonly trace: Trace
  readonly address: string | undefined
  readonly answering: Duplex
  readonly isList = true
  readonly #parts: Parts
  /** The message; undefined if it is binary. A stream may be open for days, so it is forgotten once it is decoded. */
  #text: string | undefined
  #body: unknown
  #code: number = closeCodes.normal

  constructor(parts: Parts, text: string | undefined) {
    const { opened, connection } = parts
    this.operation = opened.operation
    this.requirement = requirements[operationOf(opened.route)]
    this.startedMs = parts.api.clock.elapsedMs()
    this.trace = opened.trace
    this.address = opened.address
    this.answering = connection.socket
    this.#parts = parts
    this.#text = text
  }

  token(): string | undefined {
    return this.#parts.opened.token
  }

  /** The handshake has noted it. */
  recognize(): void {}

  async decode(): Promise<void> {
    const { api, opened } = this.#parts
    const { decoding, ledger } = api
    const text = this.#text
    if (text === undefined) {
      this.#code = closeCodes.unsupported
      throw new DecodeError('Invalid value for: body (expected a text message, got a binary one)')
    }
    await decoding.turn(opened.reader)
    this.#body = await decodeText(opened.route.body as TSchema, text, decoding)
    this.#text = undefined
    opened.route.early(this.#input, ledger.compatibility)
  }

  subject(): Subject {
    return this.#parts.opened.route.subject(this.#input)
  }

  elements(permission: Permission): ElementStream {
    return this.#parts.opened.route.streaming!.stream(this.#parts.api.ledger, this.#input, permission)
  }

  async sendElements(elements: ElementStream, { stream, account, begun }: Outlet): Promise<void> {
    begun()
    const { connection } = this.#parts
    const { signal } = stream
    const outflow = new Outflow(connection.socket, signal, account)
    for await (const batch of elements.open(signal, { account })) {
      if (signal.aborted || !connection.isOpen) break
      stream.count(batch.length)
      for (const group of groupsOf(batch)) {
        if (outflow.isOver || !connection.isOpen) break
        if (group.every(isShort)) connection.send(group, outflow)
        else for (const element of group) await sendInParts(connection, element, outflow)
        const waiting = outflow.room()
        if (waiting !== undefined) await waiting
      }
    }
    const refusal = refusalOf(signal)
    if (refusal !== undefined) throw refusal
  }

  /** Never called: every operation over WebSockets has elements. */
  async answer(): Promise<void> {}

  async refuse(error: unknown, { userId, claims }: KnownCaller): Promise<void> {
    const { api, responder, connection, opened } = this.#parts
    if (!connection.isOpen) return
    const refusal = error instanceof DecodeError ? invalidArgument(error.message, { early: true }) : error
    const hint = await api.hints?.forError(error, { claims, json: { kind: opened.route.body, text: this.#text } })
    if (!connection.isOpen) return
    const { operation, trace } = this
    const { status, body } = responder.failure(refusal, { operation, trace, userId, hint })
    opened.failed(status)
    if (status === 500) this.#code = closeCodes.internal
    if (!connection.isInMessage) connection.send([String(body)])
    else if (this.#code === closeCodes.normal) this.#code = closeCodes.policy // A close code can say no more.
  }

  expire(): void {
    this.#parts.connection.terminate()
  }

  finish(): void {
    this.#parts.connection.close(this.#code)
  }

  get #input(): Input<never, never> {
    return { params: {}, query: {} as never, body: this.#body as never }
  }
}

const isShort = (element: string) => element.length <= pieceLength

/** Each part when there is room for it. */
async function sendInParts(connection: Connection, element: string, outflow: Outflow): Promise<void> {
  let sent = 0
  for (const part of piecesOf(element)) {
    await outflow.room()
    if (outflow.isOver || !connection.isOpen) return
    const isFirst = sent === 0
    sent += part.length
    connection.sendPart(part, { isFirst, isLast: sent === element.length }, outflow)
  }
}
