// The node's own ledger as a client of its API has it, without a connection and a token: for a part of the node that reads
// the ledger as any client would.
import type { Api } from '../api/api.ts'
import { RenderedJson, type Route, readBody } from '../api/route.ts'
import type { Permission } from '../auth/authorization.ts'
import { freeAccount } from '../base/byte-budget.ts'
import { LedgerError } from '../base/errors.ts'
import { createRouter } from '../http/router.ts'
import { LedgerAway, type LedgerClient, LedgerRefusal } from '../ledger-client/ledger-client.ts'

/** Reads as any party, as nobody in particular. */
const permission: Permission = {
  userId: '',
  identityProviderId: '',
  reads: () => true,
  caller: { userId: undefined, isParticipantAdmin: true, isIdentityProviderAdmin: false, session: undefined },
}

const never = new AbortController().signal
const place = "the node's own ledger"

/** What routes answer: text that is ready, bytes, or a value. */
type Answered = RenderedJson | { readonly bytes: Uint8Array } | object

export function createOwnLedger({ routes, ledger, decoding, inFlight, clock }: Api): LedgerClient {
  const router = createRouter<Route>()
  for (const route of routes) router.add(route.method, route.path, route)
  const context = {
    ...{ traceContext: { traceparent: '', tracestate: null }, signal: never, clock, aside: inFlight.aside },
    ...{ account: freeAccount, owner: '' },
  }

  async function prepare(method: string, path: string, body?: object) {
    const { handler: route, params } = router.find(method, path)!
    const text = body === undefined ? undefined : Buffer.from(JSON.stringify(body))
    return { route, input: { params, query: {}, body: (await readBody(route, text, decoding)) as never } }
  }

  const call = (method: string, path: string, body?: object): Promise<Answered> =>
    orRefused(async () => {
      const { route, input } = await prepare(method, path, body)
      return (await route.call(ledger, input, permission, context)) as Answered
    })

  async function* texts(path: string, body: object, signal: AbortSignal): AsyncIterable<string> {
    try {
      const { route, input } = await prepare('POST', path, body)
      for await (const batch of route.streaming!.stream(ledger, input, permission).open(signal)) yield* batch
    } catch (error) {
      throw asClient(error)
    }
  }

  return {
    place,
    get: async (path) => jsonOf(await call('GET', path)) as never,
    bytes: async (path) => ((await call('GET', path)) as { readonly bytes: Uint8Array }).bytes,
    post: async (path, body) => jsonOf(await call('POST', path, body)) as never,
    async *stream(path, body, signal) {
      for await (const text of texts(path, body, signal)) yield { element: JSON.parse(text), bytes: text.length }
    },
    texts,
  }
}

const jsonOf = (answer: Answered) => (answer instanceof RenderedJson ? JSON.parse(answer.body.toString()) : answer)

async function orRefused<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw asClient(error)
  }
}

/** What cannot be a refusal passes, or is a bug that the log of the reader shows. */
function asClient(error: unknown): Error {
  if (!(error instanceof LedgerError)) return new LedgerAway(`${place} cannot be read: ${(error as Error).message}`)
  return new LedgerRefusal(JSON.stringify({ code: error.code, cause: error.message }), undefined)
}
