// Bytes of an open WebSocket: the library's parser with our options, and our handling of its messages.
import type { IncomingMessage } from 'node:http'
import { Duplex } from 'node:stream'
import { type WebSocket, WebSocketServer } from 'ws'
import { createTestClock } from '../../../src/base/clock.ts'
import { Connection } from '../../../src/http/websockets/connections.ts'
import { bytesDecoder } from '../decoder.ts'

/** As in src/http/websockets/websockets.ts, with a small limit that inputs can reach. */
const options = { noServer: true, clientTracking: false, perMessageDeflate: false, autoPong: false, maxPayload: 4_096 }
const server = new WebSocketServer(options)
const clock = createTestClock(0)

const handshake = {
  method: 'GET',
  url: '/',
  headers: { upgrade: 'websocket', 'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==', 'sec-websocket-version': '13' },
} as unknown as IncomingMessage

const mask = Buffer.from('01020304', 'hex')

function frame(first: number, content: Buffer): Buffer {
  const length =
    content.length < 126
      ? Buffer.of(0x80 | content.length)
      : Buffer.of(0x80 | 126, content.length >> 8, content.length & 255)
  const masked = content.map((byte, index) => byte ^ mask[index % 4]!)
  return Buffer.concat([Buffer.of(first), length, mask, masked])
}

/** A socket whose other end is in this file. Written data is discarded. */
class Line extends Duplex {
  override _read(): void {}
  override _write(_chunk: unknown, _encoding: string, done: () => void): void {
    done()
  }
  setTimeout(): void {}
  setNoDelay(): void {}
}

export const webSocketFrames = bytesDecoder({
  name: 'WebSocket frames',
  corpus: () => [
    frame(0x81, Buffer.from('{"beginExclusive":0}')),
    Buffer.concat([
      frame(0x01, Buffer.from('{"a"')),
      frame(0x89, Buffer.from('ping')),
      frame(0x80, Buffer.from(':1}')),
    ]),
    frame(0x82, Buffer.alloc(200, 7)),
    frame(0x8a, Buffer.from('pong')),
    frame(0x88, Buffer.concat([Buffer.of(3, 232), Buffer.from('bye')])),
  ],
  read(input) {
    const line = new Line()
    const { promise, resolve, reject } = Promise.withResolvers<true | undefined>()
    let isAccepted = false
    server.handleUpgrade(handshake, line as never, Buffer.alloc(0), (webSocket: WebSocket) => {
      const connection = new Connection(webSocket, line, clock, 1_000)
      webSocket.on('error', () => undefined)
      connection.onRequest((text) => {
        isAccepted = true
        if (text !== undefined && text.length > options.maxPayload) reject(new Error('longer than allowed'))
      })
      line.emit('data', input)
      setImmediate(() => {
        connection.terminate()
        resolve(isAccepted ? true : undefined)
      })
    })
    return promise
  },
  isRefusal: () => false,
})
