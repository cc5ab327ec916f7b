// The client for the API that an address names: http:// is the JSON Ledger API, grpc:// the gRPC Ledger API, each with an s
// for TLS. ledger:// says neither, as the variables of other programs do: the first answer tells.
import type { Clock } from '../base/clock.ts'
import { StartError } from '../base/errors.ts'
import type { ClientCertificate } from './grpc-connection.ts'
import { createLedgerClient, type LedgerClient, LedgerRefusal, type TokenSource } from './ledger-client.ts'

type Reaching = { readonly token: TokenSource; readonly tls: ClientCertificate; readonly clock: Clock }

export async function createAnyLedgerClient(url: string, { token, tls, clock }: Reaching): Promise<LedgerClient> {
  const [, scheme] = /^(http|grpc|ledger)s?:\/\//.exec(url) ?? []
  if (scheme === undefined)
    throw new StartError('the address of the ledger begins with http://, https://, grpc:// or grpcs://')
  const authority = url.replace(/^(grpc|ledger)/, 'http')
  const json = createLedgerClient(authority, token, clock)
  if (scheme === 'http') return json
  const { createGrpcLedgerClient } = await import('./grpc-ledger-client.ts')
  const grpc = createGrpcLedgerClient({ authority: new URL(authority).origin, tls, token, clock })
  if (scheme === 'grpc') return grpc
  // A handshake of TLS fails where HTTP/2 is not spoken; without TLS, a first line of HTTP/1 does where it is not.
  return firstOf(url.startsWith('ledgers') ? [grpc, json] : [json, grpc])
}

/** The first of them that gets an answer of a ledger. */
function firstOf(clients: readonly [LedgerClient, LedgerClient]): LedgerClient {
  let known: LedgerClient | undefined

  async function found(): Promise<LedgerClient> {
    let reason: unknown
    for (const client of clients) {
      if (known !== undefined) return known
      try {
        await client.get('/v2/state/ledger-end')
        known = client
      } catch (error) {
        if (error instanceof LedgerRefusal && isOfLedger(error)) known = client
        reason ??= error
      }
    }
    if (known === undefined) throw reason
    return known
  }

  return {
    place: clients[0].place,
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

/** Other servers refuse, too, but not with these words. */
const isOfLedger = ({ code, status }: LedgerRefusal) => code !== undefined || status === 401 || status === 403
