// Requests of scripts to nodes of this process, over connections that stay open. Plain HTTP does: loading and using fetch would
// take a large part of what a short script takes.
import type { IncomingMessage } from 'node:http'
import type { Call } from './participants.ts'

export type LocalCalls = Disposable & { readonly call: Call }

/** By the name of a participant; undefined is the default one. */
export function openLocalCalls(urls: ReadonlyMap<string | undefined, string>, token: string | undefined): LocalCalls {
  // A named import of this module would load fetch.
  const { Agent, request } = process.getBuiltinModule('node:http')
  const agent = new Agent({ keepAlive: true })
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` }
  return {
    async call({ participant, method, path, body }) {
      const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
      const length = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) }
      const sent = request(new URL(path, urls.get(participant)), { agent, method, headers: { ...headers, ...length } })
      sent.on('response', resolve).on('error', reject)
      sent.end(body)
      const answer = await promise
      const chunks: Buffer[] = await answer.toArray()
      return { status: answer.statusCode!, text: Buffer.concat(chunks).toString() }
    },
    [Symbol.dispose]: () => agent.destroy(),
  }
}
