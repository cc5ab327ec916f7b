// HTTP pipelining. Node parses all requests that arrive in one piece, and each costs memory and time from then on: a
// client may send thousands in a row and never read an answer. Here Node gets the bytes of one request at a time. The
// others wait as bytes, in the buffer of their socket, until the answer before them was sent; meanwhile nothing more is
// read from the connection. A request of a stranger also waits for its turn, before anything of it is parsed.
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Strangers } from '../api/strangers.ts'
import type { Turns } from '../base/turns.ts'

export type Pipelining = {
  /** Takes over the bytes of a connection that the HTTP server has just accepted. */
  accept(socket: Socket): void
  /** Calls `begin` when it is the request's turn. */
  request(request: IncomingMessage, response: ServerResponse, begin: () => void): void
  /** The connection is no longer HTTP: returns the bytes that follow the head that Node has parsed. */
  release(socket: Socket): Buffer
}

const nothing = Buffer.alloc(0)
const headEnd = '\r\n\r\n'
/** No head is shorter, so the end of one is not searched for before this place. */
const headEndMin = 14

type Parts = {
  readonly turns: Turns
  readonly strangers: Strangers
  readonly refuse: (socket: Socket) => void
  /** Called after each answer. */
  readonly onAnswered?: () => void
}

export function createPipelining(parts: Parts): Pipelining {
  const conversations = new WeakMap<Socket, Conversation>()
  return {
    accept(socket) {
      parts.strangers.arrived()
      const parse = socket.listeners('data')[0] as (chunk: Buffer) => void
      const conversation = new Conversation(socket, parse, parts)
      conversations.set(socket, conversation)
      socket.off('data', parse).on('data', conversation.take).on('close', conversation.end)
    },
    request(request, response, begin) {
      conversations.get(request.socket)?.begun(request, response)
      // Two requests came in one piece after all, as after a body in chunks with odd ends.
      if (response.socket === null) response.once('socket', begin)
      else begin()
    },
    release: (socket) => conversations.get(socket)?.release() ?? nothing,
  }
}

class Conversation {
  readonly #socket: Socket
  /** Node's parser. */
  readonly #parse: (chunk: Buffer) => void
  readonly #parts: Parts
  /** The last request; undefined before the first. */
  #request: IncomingMessage | undefined
  /** Bytes of its body that Node has not got; undefined if the body says itself where it ends. */
  #bodyBytesLeft: number | undefined
  /** Requests that Node has parsed and that are not answered. */
  #unanswered = 0
  /** Whether the next request may be parsed. */
  #mayBegin = false
  #isAwaitingTurn = false
  #isOver = false
  /** What Node has not got of the bytes that were read. */
  #rest: Buffer = nothing
  /** Bytes that count as held by a stranger. */
  #heldBytes = 0
  readonly #address: string | undefined

  constructor(socket: Socket, parse: (chunk: Buffer) => void, parts: Parts) {
    this.#socket = socket
    this.#parse = parse
    this.#parts = parts
    this.#address = socket.remoteAddress
  }

  readonly take = (chunk: Buffer): void => {
    this.#drop()
    this.#rest = chunk
    while (this.#rest.length > 0 && !this.#isOver && this.#socket.writable) {
      const isInBody = this.#request?.complete === false
      if (this.#socket.isPaused() || !(isInBody || this.#isNextAllowed())) {
        if (!this.#isOver) this.#hold()
        return
      }
      const bytes = this.#rest
      const length = isInBody ? this.#bodyPiece(bytes) : pieceToHeadEnd(bytes)
      this.#rest = length < bytes.length ? bytes.subarray(length) : nothing
      const before = this.#request
      this.#parse(length < bytes.length ? bytes.subarray(0, length) : bytes)
      // Line breaks before a request are no request, and take a turn, too.
      if (!isInBody && this.#request === before && this.#rest.length > 0) this.#mayBegin = false
    }
  }

  begun(request: IncomingMessage, response: ServerResponse): void {
    this.#request = request
    const { 'content-length': length, 'transfer-encoding': encoding } = request.headers
    this.#bodyBytesLeft = encoding === undefined ? Number(length ?? 0) : undefined
    this.#mayBegin = false
    this.#unanswered += 1
    response.once('close', this.#answered)
  }

  release(): Buffer {
    this.#isOver = true
    this.#socket.off('data', this.take)
    return this.#rest
  }

  readonly end = (): void => {
    this.#isOver = true
    this.#drop()
    if (this.#isAwaitingTurn) this.#parts.strangers.withdraw(this.#address, this.#admitted)
  }

  /** Nothing is held any more. */
  #drop(): void {
    if (this.#heldBytes === 0) return
    this.#parts.strangers.release(this.#address, this.#heldBytes)
    this.#heldBytes = 0
  }

  #bodyPiece(bytes: Buffer): number {
    if (this.#bodyBytesLeft === undefined) return pieceToHeadEnd(bytes)
    const length = Math.min(bytes.length, this.#bodyBytesLeft)
    this.#bodyBytesLeft -= length
    return length || bytes.length
  }

  /** If not, sees to it that the bytes come again when it is. */
  #isNextAllowed(): boolean {
    if (this.#unanswered > 0 || this.#isAwaitingTurn) return false
    if (this.#socket.writableNeedDrain) {
      this.#socket.off('drain', this.#goOn).once('drain', this.#goOn)
      return false
    }
    const { strangers } = this.#parts
    if (this.#mayBegin || strangers.knows(this.#socket)) return true
    this.#isAwaitingTurn = true
    if (!strangers.admit(this.#address, this.#admitted)) this.#refuse()
    return this.#mayBegin
  }

  readonly #admitted = (): void => {
    this.#isAwaitingTurn = false
    this.#mayBegin = true
    this.#goOn()
  }

  readonly #goOn = (): void => {
    if (!this.#socket.destroyed) this.#socket.resume()
  }

  /** The next one takes its turn even if the client is known. */
  readonly #answered = (): void => {
    this.#unanswered -= 1
    this.#parts.onAnswered?.()
    if (this.#unanswered === 0 && this.#rest.length > 0 && !this.#isOver) void this.#parts.turns.next().then(this.#goOn)
  }

  #hold(): void {
    const { strangers } = this.#parts
    if (!strangers.knows(this.#socket)) {
      if (!strangers.hold(this.#address, this.#rest.length)) return this.#refuse()
      this.#heldBytes = this.#rest.length
    }
    this.#socket.pause()
    this.#socket.unshift(this.#rest)
  }

  /** An answer that is under way has no place for a refusal. */
  #refuse(): void {
    this.#isOver = true
    if (this.#unanswered > 0 || this.#mayBegin) this.#socket.destroy()
    else this.#parts.refuse(this.#socket)
  }
}

/** Up to the end of a head, or of a body in chunks; all of it if that is not there. */
function pieceToHeadEnd(bytes: Buffer): number {
  if (bytes.length <= headEndMin) return bytes.length
  const at = bytes.indexOf(headEnd, headEndMin, 'latin1')
  return at < 0 ? bytes.length : at + headEnd.length
}
