// A minimal gRPC client over HTTP/2, so that the server is what is measured. Requests are encoded before.
import { type ClientHttp2Session, connect } from 'node:http2'
import type { Server } from './processes.ts'

export type GrpcConnection = Disposable & {
  /** Settles with the number of bytes of the answer. */
  call(path: string, frame: Buffer, token: string, onChunk?: (chunk: Buffer) => void): Promise<number>
}

export function connectGrpc(server: Server): GrpcConnection {
  const url = /grpc +(http:\S+)/.exec(server.output())?.[1]
  if (url === undefined) throw new Error(`no gRPC service: ${server.output()}`)
  const windowBytes = 16 * 1024 * 1024
  const session: ClientHttp2Session = connect(url, { settings: { initialWindowSize: windowBytes } })
  session.on('connect', () => session.setLocalWindowSize(windowBytes))
  return {
    call: (path, frame, token, onChunk) =>
      new Promise((resolve, reject) => {
        const stream = session.request({
          ...{ ':method': 'POST', ':path': `/com.daml.ledger.api.v2.${path}`, te: 'trailers' },
          ...{ 'content-type': 'application/grpc', authorization: `Bearer ${token}` },
        })
        let bytes = 0
        let status: unknown
        const note = (headers: Record<string, unknown>) => {
          status = headers['grpc-status'] ?? status
          if (status !== undefined && status !== '0') reject(new Error(String(headers['grpc-message'])))
        }
        stream.on('response', note)
        stream.on('trailers', note)
        stream.on('data', (chunk: Buffer) => {
          bytes += chunk.length
          onChunk?.(chunk)
        })
        stream.on('error', reject)
        stream.on('close', () => (status === '0' ? resolve(bytes) : reject(new Error('closed without a status'))))
        stream.end(frame)
      }),
    [Symbol.dispose]: () => session.destroy(),
  }
}
