// The health endpoints of a follower, at the paths and with the words of the Participant Query Store.
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { StartError } from '../base/errors.ts'
import type { FollowerState } from './follower.ts'

export type Health = AsyncDisposable & { readonly url: string }

export async function serveHealth(host: string, port: number, state: FollowerState): Promise<Health> {
  const server = createServer(({ url = '' }, response) => {
    const [path] = url.split('?')
    const answer = path === '/livez' ? { status: 'ok' } : path === '/readyz' ? readiness(state) : undefined
    const status = answer === undefined ? 404 : answer.status === 'ok' ? 200 : 503
    response.writeHead(status, { 'content-type': 'application/json' })
    response.end(answer === undefined ? '' : JSON.stringify(answer))
  })
  server.listen(port, host)
  await once(server, 'listening').catch((error: Error) => {
    throw new StartError(`cannot serve health at ${host}:${port}: ${error.message}; choose another --health-port`)
  })
  const { port: taken } = server.address() as AddressInfo
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${taken}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
    },
  }
}

function readiness({ isLedgerUp, isStoreUp, isStreaming }: FollowerState) {
  return {
    status: isLedgerUp && isStoreUp ? 'ok' : 'unavailable',
    ...{ grpc_up: isLedgerUp, jdbc_connection_pool_up: isStoreUp, stream_up: isStreaming },
  }
}
