// A minimal WebSocket client, so that the server is what is measured.
import { randomBytes } from 'node:crypto'
import { request as httpRequest } from 'node:http'
import type { Duplex } from 'node:stream'

/** Opens a WebSocket and sends its request; the caller reads the socket. */
export function openStream(url: string, headers: Readonly<Record<string, string>>, request: string): Promise<Duplex> {
  return new Promise((resolve, reject) => {
    const opening = httpRequest(url, {
      headers: {
        ...headers,
        connection: 'Upgrade',
        upgrade: 'websocket',
        'sec-websocket-version': '13',
        'sec-websocket-key': randomBytes(16).toString('base64'),
        'sec-websocket-protocol': 'daml.ws.auth',
      },
    })
    opening.on('error', reject)
    opening.on('response', ({ statusCode }) => reject(new Error(`${url}: ${statusCode}`)))
    opening.on('upgrade', (_response, socket: Duplex) => {
      socket.write(masked(request))
      resolve(socket)
    })
    opening.end()
  })
}

/** A text message in a client's frame. */
function masked(text: string): Buffer {
  const payload = Buffer.from(text)
  const head = Buffer.from([0x81, 0xfe, 0, 0, 0, 0, 0, 0]) // The mask is zero.
  head.writeUInt16BE(payload.length, 2)
  return Buffer.concat([head, payload])
}
