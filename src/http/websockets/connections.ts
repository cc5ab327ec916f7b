// The open WebSockets, each kept small, and one timer for all of them: it closes those without a request, pings silent
// ones and drops those that do not respond.
import type { Duplex } from 'node:stream'
import type { WebSocket } from 'ws'
import type { Outflow } from '../../api/streams/back-pressure.ts'
import type { Clock, Timer } from '../../base/clock.ts'
import { partFrame, textFrames } from './frames.ts'

export const closeCodes = { normal: 1000, goingAway: 1001, unsupported: 1003, policy: 1008, internal: 1011 } as const

const sweepMs = 1_000
const pingMs = 30_000
const silenceMaxMs = 4 * pingMs
const waitingPongBytesMax = 64 * 1024
/** Frames besides the request that a client may send within a minute: pings, pongs, messages that are ignored. */
const framesPerMinuteMax = 600
const minuteMs = 60_000

/** A class, because thousands may be open. */
export class Connection {
  readonly socket: Duplex
  /** A fragmented message has begun and is not complete. */
  isInMessage = false
  readonly #webSocket: WebSocket
  readonly #clock: Clock
  /** The deadline for the request; undefined once it has arrived. */
  #requestDueMs: number | undefined
  #heardMs: number
  #pingedMs: number
  /** Frames besides the request, since the time in `#countedMs`. */
  #frames = 0
  #countedMs: number

  constructor(webSocket: WebSocket, socket: Duplex, clock: Clock, requestWithinMs: number) {
    this.socket = socket
    this.#webSocket = webSocket
    this.#clock = clock
    const nowMs = clock.elapsedMs()
    this.#heardMs = nowMs
    this.#pingedMs = nowMs
    this.#countedMs = nowMs
    this.#requestDueMs = nowMs + requestWithinMs
    webSocket.on('pong', () => this.#isWelcome())
    // Drop pongs for a client that does not read.
    webSocket.on('ping', (data) => {
      if (this.#isWelcome() && socket.writableLength < waitingPongBytesMax) webSocket.pong(data)
    })
  }

  get isWithoutRequest(): boolean {
    return this.#requestDueMs !== undefined
  }

  get isOpen(): boolean {
    return this.#webSocket.readyState === this.#webSocket.OPEN
  }

  /** The first message is the request; later ones are ignored, as in Canton. */
  onRequest(answer: (text: string | undefined) => void): void {
    this.#webSocket.on('message', (data, isBinary) => {
      if (this.#requestDueMs === undefined) return void this.#isWelcome()
      this.#heardMs = this.#clock.elapsedMs()
      this.#requestDueMs = undefined
      answer(isBinary ? undefined : data.toString())
    })
  }

  /** Bypasses the library, which would write each message separately; its own writes are complete when it returns. */
  send(elements: readonly string[], outflow?: Outflow): void {
    this.#write(textFrames(elements), outflow)
  }

  /** A fragment of a message: until the last one, only other fragments may be sent. */
  sendPart(part: string, place: { readonly isFirst: boolean; readonly isLast: boolean }, outflow: Outflow): void {
    this.isInMessage = !place.isLast
    this.#write(partFrame(part, place), outflow)
  }

  #write(frames: Buffer, outflow: Outflow | undefined): void {
    if (outflow === undefined) this.socket.write(frames)
    else outflow.write(frames.length, (onTaken) => this.socket.write(frames, onTaken))
  }

  close(code: number, reason = ''): void {
    this.#webSocket.close(code, reason)
  }

  terminate(): void {
    this.#webSocket.terminate()
  }

  /** Does what is due by now. */
  look(): void {
    const nowMs = this.#clock.elapsedMs()
    if (this.#requestDueMs !== undefined && nowMs >= this.#requestDueMs) {
      this.#requestDueMs = undefined
      this.close(closeCodes.policy, 'no request came in time')
      return
    }
    if (nowMs - this.#heardMs < pingMs || nowMs - this.#pingedMs < pingMs) return
    // With bytes still waiting, the client may only be slow: its silence proves nothing.
    if (nowMs - this.#heardMs >= silenceMaxMs && this.socket.writableLength === 0) {
      this.terminate()
      return
    }
    this.#pingedMs = nowMs
    if (this.isOpen && this.socket.writableLength === 0) this.#webSocket.ping()
  }

  /** Notes a frame that is not the request. A client that floods its connection with them is closed, then cut off. */
  #isWelcome(): boolean {
    const nowMs = this.#clock.elapsedMs()
    this.#heardMs = nowMs
    if (nowMs - this.#countedMs >= minuteMs) {
      this.#countedMs = nowMs
      this.#frames = 0
    }
    this.#frames += 1
    if (this.#frames <= framesPerMinuteMax) return true
    if (this.#frames > 2 * framesPerMinuteMax) this.terminate()
    else this.close(closeCodes.policy, 'too many pings or messages')
    return false
  }
}

export type Connections = {
  add(connection: Connection): void
  delete(connection: Connection): void
  all(): Iterable<Connection>
  close(): void
}

export function createConnections(clock: Clock): Connections {
  const connections = new Set<Connection>()
  let timer: Timer | undefined

  function watch(): void {
    if (timer !== undefined || connections.size === 0) return
    timer = clock.after(sweepMs, () => {
      timer = undefined
      for (const connection of connections) connection.look()
      watch()
    })
  }

  return {
    add(connection) {
      connections.add(connection)
      watch()
    },
    delete: (connection) => void connections.delete(connection),
    all: () => connections,
    close: () => timer?.cancel(),
  }
}
