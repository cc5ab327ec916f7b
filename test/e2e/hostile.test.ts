// Hostile input: bytes, JSON, paths and queries that no honest client sends, to every route, with and without a token.
// None of it may crash the node, cause a 500, or change the store when it is refused.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { Agent, request as httpRequest, type IncomingMessage } from 'node:http'
import { after, before, describe, test } from 'node:test'
import { operationOf, type Route } from '../../src/api/route.ts'
import { allRoutes } from '../../src/api/routes/all.ts'
import { checkAnswer } from '../fixtures/answer-check.ts'
import { anyCharacter, anyText } from '../fixtures/any-text.ts'
import { right } from '../fixtures/ledger.ts'
import { startTestNode, stores, type TestNode } from '../fixtures/node.ts'
import { fc } from '../fixtures/seed.ts'

const walletType = '#quickstart:Wallet:Wallet'

const routes = allRoutes('0.0.0', true)
const byName = new Map(routes.map((route) => [operationOf(route), route]))
const withBody = routes.filter(({ body }) => body !== undefined).map(operationOf)
const withJson = withBody.filter((operation) => typeof byName.get(operation)!.body !== 'string')
const withQuery = routes.filter(({ query }) => Object.keys(query.properties).length > 0).map(operationOf)
const withPath = routes.filter(({ path }) => path.includes('{')).map(operationOf)

/** JSON texts that fit no field, or fit one too well. */
const hostileJson: Readonly<Record<string, string>> = {
  null: 'null',
  true: 'true',
  zero: '0',
  minus: '-0',
  fraction: '0.1',
  'a huge number': '1e999',
  'a tiny number': '-1e-999',
  'many digits': '9'.repeat(5000),
  'beyond int64': '9223372036854775808',
  'an empty text': '""',
  'a text': '"text"',
  'a long text': JSON.stringify('x'.repeat(100_000)),
  'a long wide text': JSON.stringify('\u{1f600}'.repeat(20_000)),
  'a text with NUL': '"a\\u0000b"',
  'a lone surrogate': '"a\\ud800b"',
  'a lone low surrogate': '"\\udc00"',
  'a noncharacter': '"\\uffff\\ufffe"',
  'control characters': '"\\u0001\\u001b[31m\\r\\nx"',
  'an SQL text': `"'; DROP TABLE users; --"`,
  'an empty list': '[]',
  'a list of everything': '[null,true,1,"x",[],{}]',
  'a long list': `[${Array(20_000).fill('{}').join(',')}]`,
  'a long list of texts': `[${Array(20_000).fill('"a"').join(',')}]`,
  'an empty object': '{}',
  'a prototype': '{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}',
  'a prototype of text': '{"__proto__":"x"}',
  'odd keys': '{"":"x","a\\u0000":"x","\\ud800":"x","toString":"x","hasOwnProperty":"x"}',
  'a long key': `{${JSON.stringify('k'.repeat(100_000))}:"x"}`,
  'the same key twice': '{"value":{},"value":7}',
  'a deep list': `${'['.repeat(100_000)}${']'.repeat(100_000)}`,
  'a deep object': `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`,
  'a deep list without an end': '['.repeat(100_000),
}
const hostileValues = Object.values(hostileJson)

/** Texts for places that accept only text: query parameters and path segments. */
const hostileTexts = [
  '',
  ' ',
  '.',
  '..',
  '\0',
  'a\0b',
  '/',
  '%',
  '__proto__',
  'constructor',
  '-1',
  '2147483648',
  '1e5',
  'x'.repeat(10_000),
  '\u{1f600}'.repeat(500),
  '\uffff',
  "' OR 1=1 --",
  'CgE', // A page token whose length is wrong …
  'CgIAAA', // … and one of NUL characters.
  'CoCAgICAgICAgIB_',
]

for (const store of stores) {
  // Most of it is refused before the store is asked.
  const runs = (count: number) => (store === 'sqlite' ? count : Math.ceil(count / 2))

  describe(`hostile input on ${store}`, () => {
    /** For all that is refused or harmless, in any order. */
    let target: Target
    before(async () => {
      target = await startTarget(store)
    })
    after(() => target[Symbol.asyncDispose]())

    test('in every field of every body is refused or harmless', async () => {
      const cases = withJson.flatMap((route) =>
        fieldsOf(byName.get(route)!.body as Schema).map((field) => ({ route, field })),
      )
      const input = fc.record({
        at: fc.constantFrom(...cases),
        json: fc.constantFrom(...Object.keys(hostileJson)),
        asAdmin: fc.boolean(),
      })
      await check(input, runs(160), ({ at: { route, field }, json, asAdmin }) =>
        target.send(route, { body: bodyOf(route, target.known, { field, json: hostileJson[json]! }), asAdmin }),
      )
      await target.stillWorks()
    })

    test('as a single mistake in a valid request is refused', async () => {
      await using target = await startTarget(store) // No other request has changed anything.
      const ofLedger = withJson.filter((operation) =>
        /\/v2\/(commands|updates|state|events|contracts|pruning)/.test(operation),
      )
      assert.ok(ofLedger.length > 15)
      for (const operation of ofLedger) {
        if (operation === 'POST /v2/commands/submit-and-wait-for-reassignment') continue // Its contract has left.
        const status = await target.send(operation, { body: bodyOf(operation, target.known), asAdmin: true })
        assert.equal(status, 200, operation)
      }
    })

    test('nested without limit in the values of a command is refused', async () => {
      const submissions = withJson.filter((operation) =>
        /\/(submit(-and-wait.*)?|prepare)$/.test(operation.replace(/-reassignment$/, '')),
      )
      const fields = ['createArguments', 'choiceArgument']
      const cases = submissions.flatMap((route) =>
        fieldsOf(byName.get(route)!.body as Schema)
          .filter((field) => field.at(-2) === 'CreateAndExerciseCommand' && fields.includes(field.at(-1)!))
          .map((field) => ({ route, field })),
      )
      assert.ok(cases.length >= 10)
      for (const { route, field } of cases) {
        for (const json of ['a deep list', 'a deep object']) {
          const body = bodyOf(route, target.known, { field, json: hostileJson[json]! })
          assert.equal(await target.send(route, { body, asAdmin: true }), 400, `${route} ${field.join('.')}`)
        }
      }
    })

    test('as a whole body is refused or harmless', async () => {
      const input = fc.record({
        route: fc.constantFrom(...withBody),
        json: fc.constantFrom(...Object.keys(hostileJson)),
      })
      await check(input, runs(120), ({ route, json }) =>
        target.send(route, { body: hostileJson[json]!, asAdmin: true }),
      )
      await target.stillWorks()
    })

    test('of random bytes, random JSON and damaged JSON is refused or harmless', async () => {
      const damaged = (route: string) =>
        fc
          .tuple(fc.nat(), fc.nat(8), fc.uint8Array({ maxLength: 4 }))
          .map(([at, length, bytes]) => splice(bodyOf(route, target.known), at, length, bytes))
      const input = fc.constantFrom(...withBody).chain((route) =>
        fc.record({
          route: fc.constant(route),
          asAdmin: fc.boolean(),
          body: fc.oneof(
            fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
            fc.json({ maxDepth: 5 }),
            fc.json({ stringUnit: anyCharacter }),
            damaged(route),
          ),
        }),
      )
      await check(input, runs(90), ({ route, body, asAdmin }) => target.send(route, { body, asAdmin }))
      await target.stillWorks()
    })

    test('in queries and paths is refused or harmless', async () => {
      const text = fc.oneof(fc.constantFrom(...hostileTexts), anyText({ maxLength: 50 }))
      const inQuery = fc.constantFrom(...withQuery).chain((route) =>
        fc.record({
          route: fc.constant(route),
          asAdmin: fc.boolean(),
          query: fc.array(
            fc.tuple(fc.constantFrom(...Object.keys(byName.get(route)!.query.properties), '__proto__'), text),
            {
              minLength: 1,
              maxLength: 3,
            },
          ),
        }),
      )
      await check(inQuery, runs(100), ({ route, query, asAdmin }) => target.send(route, { query, asAdmin }))
      const inPath = fc.record({ route: fc.constantFrom(...withPath), segment: text, asAdmin: fc.boolean() })
      await check(inPath, runs(100), ({ route, segment, asAdmin }) =>
        target.send(route, { segment: encode(segment), asAdmin }),
      )
      const rawSegment = fc.stringMatching(/^[!-"$-.0->@-~]{1,20}$/) // Any path character except / ? #
      await check(fc.tuple(fc.constantFrom(...withPath), rawSegment), runs(60), ([route, segment]) =>
        target.send(route, { segment, asAdmin: true }),
      )
      await target.stillWorks()
    })

    test('in a token is refused', async () => {
      const route = 'GET /v2/users'
      for (const claim of ['iss', 'sub', 'aud', 'exp', 'nbf', 'scope', 'scp']) {
        for (const json of hostileValues.filter(({ length }) => length < 8000)) {
          const token = unsigned(`{"sub":"alice","iss":"https://x","${claim}":${json}}`)
          assert.equal(await target.send(route, { token }), 401, `${claim}: ${json.slice(0, 50)}`)
        }
      }
      const bytes = fc.base64String({ maxLength: 100 })
      await check(fc.tuple(bytes, bytes, bytes), runs(50), async (parts) => {
        const token = parts.join('.').replaceAll(/[+/=]/g, '_')
        const status = await target.send(route, { token })
        assert.ok(status === 401, `${token}: ${status}`)
      })
      await target.stillWorks()
    })

    test('in headers is refused or harmless', async () => {
      const value = fc.stringMatching(/^[\t -~\u0080-\u00ff]{0,60}$/)
      const name = fc.constantFrom(
        'traceparent',
        'accept',
        'content-type',
        'content-encoding',
        'origin',
        'expect',
        'host',
      )
      const input = fc.tuple(fc.constantFrom(...byName.keys()), name, value)
      await check(input, runs(100), ([route, header, text]) => {
        const body = byName.get(route)!.body && bodyOf(route, target.known)
        return target.send(route, { headers: { [header]: text }, body, asAdmin: true })
      })
      await target.stillWorks()
    })
  })
}

type Hostile = {
  readonly body?: string | Buffer | undefined
  readonly query?: readonly (readonly [string, string])[]
  readonly segment?: string
  readonly token?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly asAdmin?: boolean
}

/** What the valid requests refer to. */
type Known = {
  readonly party: string
  readonly contractId: string
  readonly updateId: string
  /** A contract that can be reassigned. */
  readonly moving: { readonly contractId: string; readonly source: string; readonly target: string }
}

type Target = AsyncDisposable & {
  readonly known: Known
  /** Sends a request and checks the answer, and that a refused request has changed nothing. */
  send(operation: string, hostile: Hostile): Promise<number>
  stillWorks(): Promise<void>
}

// 406, 415 and 417 are only for headers; 404 is also for a segment that changes the path.
const refusals = new Set([400, 401, 403, 404, 405, 406, 409, 413, 415, 417, 431])
/** The clock of this node cannot be set, and a command may ask for a wait beyond the request timeout. */
const ownRefusals: Readonly<Record<string, number>> = { '/v2/time': 501, '/v2/commands': 503 }

async function startTarget(store: 'sqlite' | 'postgres'): Promise<Target> {
  const node = await startTestNode({ store, settings: { limits: { listWaitMs: 20, requestTimeoutMs: 60_000 } } })
  const agent = new Agent({ keepAlive: true })
  const about = await makeHappen(node)
  await seed(node)
  let known = await snapshot(node)

  return {
    known: about,
    async send(operation, hostile) {
      const route = byName.get(operation)!
      const { status, text } = await transmit(node, agent, route, about, hostile)
      const what = `${operation} answered ${status}: ${text.slice(0, 500)}`
      // With an empty last segment, the path is that of the list.
      const path = hostile.segment === '' ? route.path.replace(/\/\{[^/]+\}$/, '') : route.path
      if (/^[[{]/.test(text)) checkAnswer({ method: route.method, path, status, json: JSON.parse(text) })
      if (status === 200) {
        const isOpen = route.path === '/v2/version'
        assert.ok(hostile.asAdmin || isOpen, `without a token, ${what}`)
        if (route.method !== 'GET') {
          if (route.path.startsWith('/v2/commands/async/submit')) await moved(node, known)
          await seed(node) // Restores what was deleted or removed.
          known = await snapshot(node)
        }
      } else {
        const isOwn = Object.entries(ownRefusals).some(([path, own]) => route.path.startsWith(path) && own === status)
        assert.ok(refusals.has(status) || isOwn, what)
        // A duplicate is refused in its completion, which is a new element.
        if (text.includes('DUPLICATE_COMMAND')) known = await snapshot(node)
        if (route.method !== 'GET') assert.equal(await snapshot(node), known, `changed the store, but ${what}`)
      }
      return status
    },
    async stillWorks() {
      assert.equal((await node.call('GET', '/readyz')).status, 200)
      assert.equal((await node.call('GET', '/v2/users/participant_admin')).status, 200)
      assert.equal(({} as { polluted?: unknown }).polluted, undefined)
    },
    async [Symbol.asyncDispose]() {
      agent.destroy()
      await node[Symbol.asyncDispose]()
    },
  }
}

/** Three contracts of a party that the administrator acts for. */
async function makeHappen(node: TestNode): Promise<Known> {
  const party = (await node.call('POST', '/v2/parties', { body: { partyIdHint: 'known' } })).json.partyDetails.party
  const rights = [right('CanActAs', party), right('CanReadAsAnyParty')]
  await node.call('POST', '/v2/users/participant_admin/rights', { body: { userId: 'participant_admin', rights } })
  const make = async (commandId: string) => {
    const create = { CreateCommand: { templateId: walletType, createArguments: { owner: party } } }
    const body = { commands: { commands: [create], commandId, actAs: [party] } }
    return (await node.call('POST', '/v2/commands/submit-and-wait-for-transaction', { body })).json.transaction
  }
  await make('first')
  const { updateId, events } = await make('second')
  const third = await make('third')
  const { connectedSynchronizers } = (await node.call('GET', '/v2/state/connected-synchronizers')).json
  const [source, target] = connectedSynchronizers.map(
    ({ synchronizerId }: { synchronizerId: string }) => synchronizerId,
  )
  const moving = { contractId: third.events[0].CreatedEvent.contractId, source, target }
  return { party, contractId: events[0].CreatedEvent.contractId, updateId, moving }
}

/** Waits until the ledger contains what was submitted. */
async function moved(node: TestNode, known: string): Promise<void> {
  while ((await snapshot(node)) === known) await node.call('GET', '/readyz')
}

/** The user, party and provider that hostile requests refer to; existing ones are not changed. */
async function seed(node: TestNode): Promise<void> {
  const identityProviderConfig = { identityProviderId: 'acme', issuer: 'https://acme.example', jwksUrl: 'https://x/' }
  await node.call('POST', '/v2/idps', { body: { identityProviderConfig } })
  await node.call('POST', '/v2/users', { body: { user: { id: 'alice' } } })
}

async function snapshot(node: TestNode): Promise<string> {
  const paths = [
    '/v2/users',
    '/v2/users/alice/rights',
    '/v2/users/participant_admin/rights',
    '/v2/parties',
    '/v2/idps',
    '/v2/packages',
    '/v2/state/ledger-end',
    '/v2/state/latest-pruned-offsets',
  ]
  // Without connections, since there are eight requests for each hostile one.
  const { call } = node.node
  const get = (path: string) => call({ method: 'GET', path, body: undefined, token: node.adminToken })
  const answers = (await Promise.all(paths.map(get))).map(({ body }) => JSON.parse(String(body)))
  return answers.map((json) => JSON.stringify({ ...json, traceId: '', correlationId: '', context: '' })).join('\n')
}

async function transmit(node: TestNode, agent: Agent, route: Route, known: Known, hostile: Hostile) {
  const { hostname, port } = new URL(node.url)
  const { body, query = [], segment, headers = {}, asAdmin } = hostile
  const names: Record<string, string> = {
    'user-id': 'alice',
    'idp-id': 'acme',
    'package-id': 'unknown',
    party: encodeURIComponent(known.party),
    offset: '4',
    'update-id': known.updateId,
    alias: 'private',
  }
  const path = route.path.replaceAll(/\{([^}]+)\}/g, (_, name: string) => segment ?? names[name]!)
  const search = query.map(([name, text]) => `${encode(name)}=${encode(text)}`).join('&')
  const token = hostile.token ?? (asAdmin ? node.adminToken : undefined)
  const request = httpRequest({
    agent,
    hostname,
    port,
    method: route.method,
    path: search === '' ? path : `${path}?${search}`,
    headers: {
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(body !== undefined && { 'content-length': Buffer.byteLength(body) }), // Node adds none to a GET.
      ...headers,
    },
  })
  request.end(body)
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  const text = Buffer.concat(await response.toArray()).toString()
  return { status: response.statusCode!, text }
}

/** Percent-encoded UTF-8; what has no encoding is replaced. */
function encode(text: string): string {
  return encodeURIComponent(text.toWellFormed())
}

async function check<T>(input: fc.Arbitrary<T>, numRuns: number, run: (value: T) => Promise<unknown>): Promise<void> {
  await fc.assert(
    fc.asyncProperty(input, async (value) => {
      await run(value)
    }),
    { numRuns, endOnFailure: true },
  )
}

type Schema = {
  readonly type?: string
  readonly properties?: Readonly<Record<string, Schema>>
  readonly patternProperties?: Readonly<Record<string, Schema>>
  readonly items?: Schema
  readonly anyOf?: readonly Schema[]
}

type Field = readonly string[]

/** The path of every field, at any depth; "0" is the only element of a list in a valid body. */
function fieldsOf(schema: Schema, path: Field = []): Field[] {
  const parts: [string, Schema][] = [
    ...Object.entries(schema.properties ?? {}),
    ...(schema.items ? [['0', schema.items] as [string, Schema]] : []),
    ...Object.values(schema.patternProperties ?? {}).map((part): [string, Schema] => ['team', part]),
  ]
  const own = parts.flatMap(([name, part]) => [[...path, name], ...fieldsOf(part, [...path, name])])
  return [...own, ...(schema.anyOf ?? []).flatMap((variant) => fieldsOf(variant, path))]
}

const plausible: Readonly<Record<string, unknown>> = {
  id: 'alice',
  userId: 'alice',
  partyIdHint: 'hint',
  issuer: 'https://acme.example',
  jwksUrl: 'https://acme.example/keys',
  paths: ['.'],
  resourceVersion: '',
  identityProviderId: '',
  synchronizerId: '',
  templateId: walletType,
  interfaceId: '#quickstart:Holding:Holding',
  choice: 'Archive',
  choiceArgument: {},
  readAs: [],
  minLedgerTimeAbs: undefined,
  disclosedContracts: [],
  packageIdSelectionPreference: [],
  prefetchContractKeys: [],
  tapsMaxPasses: 1,
  transactionShape: 'TRANSACTION_SHAPE_LEDGER_EFFECTS',
  requestingParties: [],
  // The party takes two offsets, one on each synchronizer.
  offset: 4,
  beginExclusive: 3,
  endInclusive: 4,
  beginOffsetExclusive: 3,
  endOffsetInclusive: 4,
  activeAtOffset: 4,
  maxPageSize: 1,
  pageToken: undefined,
  streamContinuationToken: undefined,
  pruneUpTo: 1,
  olderThan: '',
  unknownFields: { fields: {} },
}

let commands = 0

/** A valid body with one field replaced by a JSON text. */
function bodyOf(
  operation: string,
  { party, contractId, updateId, moving }: Known,
  hostile?: { field: Field; json: string },
): string {
  const route = byName.get(operation)!
  const idp = route.path.startsWith('/v2/idps') ? { identityProviderId: 'acme' } : {}
  const mark = '\u0000replace\u0000'
  const older = route.path === '/v2/updates/trees' ? { updateFormat: undefined } : { filter: undefined }
  commands += 1
  const body = valid(route.body as Schema, '', {
    ...{ ...plausible, ...idp, ...older, contractId, updateId, party, primaryParty: party },
    ...{ commandId: `hostile-${commands}`, actAs: [party], parties: [party], queryingParties: [party] },
    ...{ createArguments: { owner: party }, filtersByParty: { [party]: { cumulative: [] } } },
    ...(route.path.startsWith('/v2/commands') && { userId: 'participant_admin' }),
    ...{ submitter: party, source: moving.source, target: moving.target },
    ...(operation.endsWith('reassignment') && { command: { UnassignCommand: { value: moving } } }),
  })
  if (hostile === undefined) return JSON.stringify(body)
  let part = body as Record<string, unknown>
  for (const name of hostile.field.slice(0, -1)) {
    part[name] = typeof part[name] === 'object' && part[name] !== null ? part[name] : {}
    part = part[name] as Record<string, unknown>
  }
  // Keeps only the intended variant of a oneof.
  for (const name of Object.keys(part)) if (/^[A-Z]/.test(name)) delete part[name]
  part[hostile.field.at(-1)!] = mark
  return JSON.stringify(body).replace(JSON.stringify(mark), () => hostile.json)
}

function valid(schema: Schema, name: string, values: Readonly<Record<string, unknown>>): unknown {
  if (name in values) return structuredClone(values[name])
  if (schema.anyOf !== undefined) return valid(schema.anyOf[0]!, name, values)
  if (schema.type === 'array') return [valid(schema.items!, '', values)]
  const [entry] = Object.values(schema.patternProperties ?? {})
  if (entry !== undefined) return { team: entry.type === 'string' ? 'a' : valid(entry, '', values) }
  if (schema.type === 'object') {
    const entries = Object.entries(schema.properties ?? {})
    return Object.fromEntries(entries.map(([key, part]) => [key, valid(part, key, values)]))
  }
  if (schema.type === 'string') return ''
  return schema.type === 'boolean' ? false : 0
}

function splice(text: string, at: number, length: number, bytes: Uint8Array): Buffer {
  const whole = Buffer.from(text)
  const start = at % (whole.length + 1)
  return Buffer.concat([whole.subarray(0, start), bytes, whole.subarray(start + length)])
}

function unsigned(payload: string): string {
  const part = (json: string) => Buffer.from(json).toString('base64url')
  return `${part('{"alg":"RS256","typ":"JWT","kid":"k"}')}.${part(payload)}.${part('no signature')}`
}
