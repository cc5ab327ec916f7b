// Passes requests and connections on to a participant, as LocalNet's nginx does.
import { type IncomingMessage, type ServerResponse, request as send } from 'node:http'
import { connect, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'

/** The request with its body, as it is; its answer comes back as a stream. */
export function relayRequest(url: string, request: IncomingMessage, response: ServerResponse): void {
  const { method, headers, url: path } = request
  const onward = send(`${url}${path}`, { method, headers }, (answer) => {
    response.writeHead(answer.statusCode!, answer.headers)
    answer.pipe(response)
    answer.on('error', () => response.destroy())
  })
  onward.on('error', (error) => {
    if (response.headersSent) return void response.destroy()
    response.writeHead(502, { 'content-type': 'application/json' }).end(JSON.stringify({ error: error.message }))
  })
  response.on('close', () => onward.destroy())
  request.pipe(onward)
}

/** A WebSocket, with what the client has sent already. */
export function relayUpgrade(url: string, request: IncomingMessage, socket: Duplex, head: Buffer): void {
  const { rawHeaders, method, url: path } = request
  const lines = [`${method} ${path} HTTP/1.1`]
  for (let index = 0; index < rawHeaders.length; index += 2)
    lines.push(`${rawHeaders[index]}: ${rawHeaders[index + 1]}`)
  const onward = connectTo(url)
  onward.write(`${lines.join('\r\n')}\r\n\r\n`)
  onward.write(head)
  join(socket, onward)
}

/** All bytes, in both directions. */
export function relayConnection(url: string, socket: Socket): void {
  join(socket, connectTo(url))
}

function connectTo(url: string): Socket {
  const { hostname, port } = new URL(url)
  return connect(Number(port), hostname)
}

function join(one: Duplex, other: Duplex): void {
  one.pipe(other)
  other.pipe(one)
  for (const [end, opposite] of [
    [one, other],
    [other, one],
  ] as const) {
    end.on('error', () => opposite.destroy())
    end.on('close', () => opposite.destroy())
  }
}
