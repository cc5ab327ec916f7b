// A client may send its next requests before the one before is answered. Node parses all that came in one piece and would
// have them handled at once, hundreds before anybody else has a turn. Here each waits until the one before is answered,
// and then for its turn; nothing more is read from such a connection meanwhile.
import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Turns } from '../base/turns.ts'

/** Calls `begin` when it is the request's turn: at once, unless another one of its connection is under way. */
export type Pipelining = (socket: Socket, response: ServerResponse, begin: () => void) => void

export function createPipelining(turns: Turns): Pipelining {
  const waiting = new WeakMap<Socket, number>()

  return (socket, response, begin) => {
    // Node gives the socket to one response at a time, in their order. Clients that wait for answers cost nothing here.
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
