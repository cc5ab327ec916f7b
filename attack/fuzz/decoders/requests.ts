// Decoders of requests: bodies and queries of every operation, headers, WebSocket handshakes.
import type { IncomingMessage } from 'node:http'
import fc from 'fast-check'
import { Trace } from '../../../src/api/calls/trace.ts'
import type { Route } from '../../../src/api/route.ts'
import { allRoutes } from '../../../src/api/routes/all.ts'
import {
  DecodeError,
  damlValueNames,
  decodeBody,
  decodeInt64Param,
  decodeLargeBody,
  decodeQuery,
} from '../../../src/api/wire/decode.ts'
import { LedgerError } from '../../../src/base/errors.ts'
import { exactNumberOf, parseExactly } from '../../../src/base/exact-json.ts'
import { createSeededRandom } from '../../../src/base/random.ts'
import { createCrossSiteGuard } from '../../../src/http/cross-site-guard.ts'
import { accepts, bearerToken, prefers } from '../../../src/http/request-head.ts'
import { asksForWebSocket, pathOf, tokenOf } from '../../../src/http/websockets/handshake.ts'
import { arbitraryRequest } from '../../../test/fixtures/arbitrary-requests.ts'
import { testSettings } from '../../../test/fixtures/node.ts'
import { jsonDecoder, numbered, numberedJsonDecoder, type Read } from '../decoder.ts'

const isRefusal = (error: unknown) => error instanceof DecodeError || error instanceof LedgerError
const routes = allRoutes('0.0.0', true)
const withJson = routes.filter(({ body }) => typeof body === 'object')
const routeAt = (list: readonly Route[], number: number): Route => list[number % list.length]!

/** A valid party, so that not every body fails at its first name. */
const party = `alice::1220${'ab'.repeat(32)}`
const known = {
  party: [party],
  actAs: [party],
  readAs: [party],
  'actAs[]': [[party]],
  userId: ['alice'],
  id: ['alice'],
}

export const jsonBodies = numberedJsonDecoder({
  name: 'JSON bodies',
  corpus: () =>
    withJson.flatMap((route, number) =>
      fc
        .sample(arbitraryRequest(route, known), { seed: 1, numRuns: 12 })
        .flatMap(({ body }) => (typeof body === 'string' ? [`${number}|${body}`] : [])),
    ),
  read(input) {
    const { number, text } = numbered(input)
    const route = routeAt(withJson, number)
    const compatibility = number % 2 === 0 ? 'specification' : 'canton-3.5'
    const body = decodeBody(route.body as never, text, compatibility)
    const parsed = { params: paramsOf(route), query: {}, body: body as never }
    route.early(parsed, compatibility)
    route.subject(parsed)
    return true
  },
  isRefusal,
})

/**
 * The path for large bodies must accept and refuse the same as the one for small bodies, except for Daml values, which
 * it checks later.
 */
export const largeBodies = numberedJsonDecoder({
  name: 'JSON bodies in slices',
  corpus: () => jsonBodies.corpus() as readonly string[],
  async read(input): Promise<Read> {
    const { number, text } = numbered(input)
    const schema = routeAt(withJson, number).body as never
    const small = await outcomeOf(() => decodeBody(schema, text, 'specification'))
    const slices = { valuesMax: 10_000, turn: async () => undefined }
    const large = await outcomeOf(() => decodeLargeBody(schema, text, 'specification', slices))
    const isLater = small.isRefused && damlValueNames.some((name) => text.includes(name))
    if (small.isRefused !== large.isRefused && !isLater) {
      throw new Error(`in one piece ${JSON.stringify(small)}, in slices ${JSON.stringify(large)}`)
    }
    return small.isRefused ? undefined : true
  },
  isRefusal: () => false,
})

type Decision = { readonly isRefused: boolean; readonly reason?: string }

async function outcomeOf(decode: () => unknown): Promise<Decision> {
  try {
    await decode()
    return { isRefused: false }
  } catch (error) {
    if (!isRefusal(error)) throw error
    return { isRefused: true, reason: (error as Error).message }
  }
}

/** The parser that keeps all digits must otherwise agree with JSON.parse. */
export const exactJson = jsonDecoder({
  name: 'exact JSON',
  corpus: () => [
    '{"a":9007199254740993,"b":[0.1234567890123456789,1e400,-0,1.0],"c":"\\u0000","d":{"__proto__":null}}',
    '[1234567890123456,"1234567890123456",{"x\\"":-12345678901234567890.5e-3}]',
  ],
  read(input) {
    const plain = JSON.parse(input)
    const exact = parseExactly(input)
    const rounded = JSON.stringify(exact, (_key, value) => {
      const source = exactNumberOf(value)
      return source === undefined ? value : Number(source)
    })
    const expected = JSON.stringify(plain, (_key, value) => {
      const source = exactNumberOf(value) // A text that only looks like a kept number.
      return source === undefined ? value : Number(source)
    })
    if (rounded !== expected) throw new Error(`${expected} became ${rounded}`)
    return true
  },
  isRefusal: (error) => error instanceof SyntaxError,
})

function paramsOf({ path }: Route): Record<string, string> {
  return Object.fromEntries([...path.matchAll(/\{([^}]+)\}/g)].map(([, name]) => [name!, 'alice']))
}

/** As the query parser returns them: one text or several. */
export const queries = numberedJsonDecoder({
  name: 'queries and paths',
  corpus: () =>
    routes.flatMap(({ query }, number) => {
      const names = Object.keys(query.properties)
      const texts = ['7', 'true', '9223372036854775807', 'alice']
      return texts.map((text) => `${number}|${JSON.stringify(Object.fromEntries(names.map((name) => [name, text])))}`)
    }),
  read(input) {
    const { number, text } = numbered(input)
    const given = textsIn(JSON.parse(text))
    decodeQuery(routeAt(routes, number).query, given)
    const { limit } = given
    if (typeof limit === 'string') decodeInt64Param({ limit }, 'limit')
    return true
  },
  isRefusal: (error) => isRefusal(error) || error instanceof SyntaxError,
})

/** Turns any JSON into a null-prototype object of texts and lists of texts. */
function textsIn(json: unknown): Record<string, string | string[]> {
  const texts: Record<string, string | string[]> = Object.create(null)
  for (const [name, value] of Object.entries(json ?? {})) {
    texts[name] = Array.isArray(value) ? value.map(textOf) : textOf(value)
  }
  return texts
}

const textOf = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value))

const random = createSeededRandom('attack')
const checkSite = createCrossSiteGuard(
  testSettings({ auth: { mode: 'off' }, http: { corsOrigins: ['https://wallet.example'] } }),
)!

const headerNames = [
  ...['authorization', 'accept', 'traceparent', 'tracestate', 'origin', 'host', 'upgrade', 'sec-websocket-protocol'],
] as const

export const headers = jsonDecoder({
  name: 'headers and handshakes',
  corpus: () => [
    JSON.stringify({
      url: '//v2/updates?x=1',
      authorization: 'Bearer aaa.bbb.ccc',
      accept: 'application/x-ndjson;q=0.5, application/json, */*;q=0.1',
      traceparent: `00-${'ab'.repeat(16)}-${'cd'.repeat(8)}-01`,
      tracestate: 'a=1',
      origin: 'https://wallet.example',
      host: 'localhost:7575',
      upgrade: 'websocket',
      'sec-websocket-protocol': 'daml.ws.auth, jwt.token.aaa.bbb.ccc',
    }),
    JSON.stringify({ url: '/v2/updates', origin: 'http://127.0.0.1:3000', host: '[::1]:7575', upgrade: ' WebSocket' }),
  ],
  read(input) {
    const given = textsIn(JSON.parse(input))
    const present = headerNames.filter((name) => given[name] !== undefined)
    const found = Object.fromEntries(present.map((name) => [name, [given[name]].flat().join(', ')]))
    const rawHeaders = present.flatMap((name) => [given[name]!].flat().flatMap((value) => [name, value]))
    const request = { headers: found, rawHeaders, url: [given.url ?? '/'].flat()[0] } as unknown as IncomingMessage
    accepts(found.accept, 'application/json')
    prefers(found.accept, 'application/x-ndjson', 'application/json')
    const trace = new Trace(request.headers, random)
    if (!/^[0-9a-f]{32}$/.test(trace.id)) throw new Error(`trace ${trace.id}`)
    if (!/^00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/.test(trace.context.traceparent)) throw new Error('traceparent')
    asksForWebSocket(request)
    pathOf(request)
    bearerToken(request)
    tokenOf(request, false)
    checkSite(request)
    return true
  },
  isRefusal: (error) => isRefusal(error) || error instanceof SyntaxError,
})
