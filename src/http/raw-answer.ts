// An answer on a socket that has no ServerResponse: before there is a request, or when a WebSocket is refused.
import type { Socket } from 'node:net'
import type { HttpResponse } from '../api/errors/error-response.ts'

/** Sends the answer and closes the connection. */
export function answerOn(socket: Socket, { status, type, body, headers = {} }: HttpResponse): void {
  const head = [
    `HTTP/1.1 ${status} Refused`, // Importing the status texts from node:http would load all of fetch at start.
    `Content-Type: ${type}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    'Connection: close',
  ]
  socket.write(`${head.join('\r\n')}\r\n\r\n${body}`)
  socket.destroySoon() // A client that does not close its side must not keep ours open.
}
