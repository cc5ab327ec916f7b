// The client for the API that an address names: http:// is the JSON Ledger API, grpc:// the gRPC Ledger API, each with an s
// for TLS. ledger:// says neither, as the variables of other programs do: the first answer tells.
import type { Clock } from '../base/clock.ts'
import { StartError } from '../base/errors.ts'
import type { TlsFiles } from './grpc-connection.ts'
import { createLedgerClient, type LedgerClient, LedgerRefusal, NotHttp, type TokenSource } from './ledger-client.ts'

type Reaching = { readonly token: TokenSource; readonly tls: TlsFiles; readonly clock: Clock }

export async function createAnyLedgerClient(url: string, { token, tls, clock }: Reaching): Promise<LedgerClient> {
  const [, scheme] = /^(http|grpc|ledger)s?:\/\//.exec(url) ?? []
  if (scheme === undefined)
    throw new StartError('the address of the ledger begins with http://, https://, grpc:// or grpcs://')
  const authority = url.replace(/^(grpc|ledger)/, 'http')
  const json = createLedgerClient(authority, token, clock)
  if (scheme === 'http') return json
  const { createGrpcLedgerClient } = await import('./grpc-ledger-client.ts')
  const grpc = createGrpcLedgerClient({ authority: new URL(authority).origin, tls, token, clock })
  return scheme === 'grpc' ? grpc : eitherOf(json, grpc)
}

function eitherOf(json: LedgerClient, grpc: LedgerClient): LedgerClient {
  let known: LedgerClient | undefined

  async function found(): Promise<LedgerClient> {
    known ??= await json.get('/v2/version').then(
      () => json,
      (error) => {
        if (error instanceof NotHttp) return grpc
        if (error instanceof LedgerRefusal) return json
        throw error
      },
    )
    return known
  }

  return {
    place: json.place,
    get: async (path) => (await found()).get(path),
    bytes: async (path) => (await found()).bytes(path),
    post: async (path, body) => (await found()).post(path, body),
    async *stream<T>(path: Parameters<LedgerClient['stream']>[0], body: object, signal: AbortSignal) {
      yield* (await found()).stream<T>(path, body, signal)
    },
    async *texts(path, body, signal) {
      yield* (await found()).texts(path, body, signal)
    },
  }
}
