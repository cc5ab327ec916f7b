// HTTP pipelining. Node parses all requests that arrive in one piece and would start them at once, hundreds before any
// other client gets a turn. Here each waits for the one before, and then for its turn; meanwhile nothing is read from
// its connection.
import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Turns } from '../base/turns.ts'

/** Calls `begin` when it is the request's turn: at once, unless another request of its connection is being handled. */
export type Pipelining = (socket: Socket, response: ServerResponse, begin: () => void) => void

export function createPipelining(turns: Turns): Pipelining {
  const waiting = new WeakMap<Socket, number>()

  return (socket, response, begin) => {
    // Node assigns the socket to one response at a time, in order. Clients that do not pipeline cost nothing here.
    if (response.socket !== null) {
      begin()
      return
    }
    waiting.set(socket, (waiting.get(socket) ?? 0) + 1)
    socket.pause()
    response.once('socket', async () => {
      await turns.next()
      if (socket.destroyed) return
      const rest = waiting.get(socket)! - 1
      waiting.set(socket, rest)
      if (rest === 0) socket.resume()
      begin()
    })
  }
}
