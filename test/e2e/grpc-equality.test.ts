// One ledger, two transports: two nodes that begin alike get the same random requests, valid and invalid, one over HTTP
// and the other over gRPC. Each request has the same outcome, with the same code, text and content; and afterwards the two
// ledgers are the same, read over either. TALLYSTICK_TRANSPORTS=100 sends as many requests to each method.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { operationOf } from '../../src/api/route.ts'
import { allRoutes } from '../../src/api/routes/all.ts'
import { rows } from '../../src/grpc/served-api.ts'
import type { Known } from '../fixtures/arbitrary-requests.ts'
import { allMethods, answerFrom, type GrpcClient, openGrpc, requestBytes } from '../fixtures/grpc.ts'
import { filtersFor, iouType, type Json, startTestLedger, type TestLedger, updateFormat } from '../fixtures/ledger.ts'
import { valueLeaves } from '../fixtures/proto-client.ts'
import { fc, testSeed } from '../fixtures/seed.ts'
import {
  arbitraryRequests,
  type BothForms,
  type FacesRequest,
  httpForm,
  leavesOf,
  refusalOverGrpc,
  refusalOverHttp,
} from '../fixtures/transports.ts'

const numRuns = Number(process.env.TALLYSTICK_TRANSPORTS ?? 4)
const prefix = '/com.daml.ledger.api.v2.'
const traceparent = `00-${'ab'.repeat(16)}-${'cd'.repeat(8)}-01`

/** Streams without an end: only what they refuse is compared here, and their content at the end. */
const endless = ['POST /v2/commands/completions', 'POST /v2/commands/command-completions']
/** Answers that hold something random, the id of a prepared transaction; and that HTTP has more to say about. */
const different = ['POST /v2/interactive-submission/prepare', 'POST /v2/pruning']

type Side = { readonly ledger: TestLedger; readonly client: GrpcClient }

describe(`two transports (seed ${testSeed})`, () => {
  const routes = new Map(allRoutes('0.0.0').map((route) => [operationOf(route), route]))
  const methods = allMethods()
  let http: Side
  let grpc: Side
  let known: Known
  let commands: readonly (readonly BothForms[])[]
  let succeeded = 0
  let refused = 0

  before(async () => {
    http = await startSide()
    grpc = await startSide()
    ;({ known, commands } = await whatThereIs([http.ledger, grpc.ledger]))
  })
  after(async () => {
    try {
      await checkAfterwards()
    } finally {
      for (const { ledger, client } of [http, grpc]) {
        await client[Symbol.asyncDispose]()
        await ledger[Symbol.asyncDispose]()
      }
    }
  })

  /** The two ledgers are the same, read over either. */
  async function checkAfterwards(): Promise<void> {
    const [ours, theirs] = await Promise.all([http, grpc].map(async (side) => withoutSpans(await contentsOf(side))))
    assert.deepEqual(theirs, ours)
    assert.ok(ours!.updates.length > 4)
    const leaves = (elements: readonly Json[]) => elements.map((element) => leavesOf(element, valueLeaves))
    assert.deepEqual(ours!.streamed, leaves(ours!.updates))
    assert.deepEqual(ours!.contractsStreamed, leaves(ours!.contracts))
  }

  /** Sends a request to both and compares their answers. */
  function comparing(row: (typeof rows)[number] & { readonly operation: string }) {
    const { operation } = row
    const route = routes.get(operation)!
    const path = `${prefix}${row.method}`
    const method = methods.get(path)!
    const isEndless = endless.includes(operation)

    async function compare(request: FacesRequest, asWhom: string): Promise<void> {
      const form = httpForm(row, route, request.json)
      if (form === undefined) return
      const tokenOf = ({ ledger }: Side) =>
        asWhom === 'app' ? ledger.token : asWhom === 'admin' ? ledger.node.adminToken : null
      const overHttp = await http.ledger.node.call(route.method, form.path, {
        token: tokenOf(http),
        headers: { traceparent },
        ...(form.body !== undefined && { body: form.body }),
      })
      const overGrpc = await grpc.client.call(path, requestBytes(path, request.grpc), {
        token: tokenOf(grpc),
        headers: { traceparent, ...(isEndless && overHttp.status === 200 && { 'grpc-timeout': '50m' }) },
      })
      const context = `${operation} ${form.path} ${JSON.stringify(form.body)} as ${asWhom}`
      const wanted = refusalOverHttp(overHttp)
      const got = refusalOverGrpc(overGrpc)
      // What JSON refuses as no request of its kind is a request that is not valid over gRPC, whose text is its own.
      if (wanted === undefined) return assert.notEqual(got[0], 0, `${context}: ${overHttp.text}`)
      if (isEndless && wanted[0] === 0) return assert.equal(got[0], 4, context)
      // The JSON layer looks at some fields before it looks for a token.
      if (asWhom === 'nobody' && wanted[0] !== 0) return assert.ok(got[0] === 16 || got[0] === wanted[0], context)
      // It looks at the first acting party, too.
      if (/Invalid party in actAs\/act_as/.test(wanted[1])) return assert.notEqual(got[0], 0, context)
      // It selects packages by itself, and has codes of its own for that.
      const isCommand = row.commandsOf !== undefined
      if (isCommand && /^(JSON_API_PACKAGE_SELECTION_FAILED|PACKAGE_NAMES_NOT_FOUND)/.test(wanted[1])) {
        const codes = /^(PACKAGE_SELECTION_FAILED|INVALID_PRESCRIBED_SYNCHRONIZER_ID|INVALID_ARGUMENT|UNKNOWN_\w+)/
        return assert.match(got[1], codes, context)
      }
      assert.deepEqual(got, wanted, context)
      if (wanted[0] === 0) succeeded += 1
      else refused += 1
      if (wanted[0] !== 0 || different.includes(operation) || !overHttp.type.includes('json')) return
      const elements = method.isResponseStream ? (overHttp.json as Json[]) : [overHttp.json]
      const contents = (some: readonly Json[]) =>
        some.filter(isContent).map((element) => leavesOf(element, valueLeaves))
      const messages = overGrpc.messages.map((message) => answerFrom(path, message))
      assert.deepEqual(contents(messages), contents(elements), context)
    }

    return { operation, route, method, compare }
  }

  const table = rows.flatMap((row) => (row.operation === undefined ? [] : [row]))

  test('take commands alike', async () => {
    const { compare } = comparing(table.find(({ method }) => method.endsWith('/SubmitAndWaitForTransaction'))!)
    const { alice, bank } = http.ledger
    for (const { ledger } of [http, grpc]) {
      const Vet = { value: { packages: [{ packageName: 'quickstart' }] } }
      await ledger.node.call('POST', '/v2/package-vetting/update', { body: { changes: [{ operation: { Vet } }] } })
    }
    const before = { succeeded, refused }
    for (const [index, chosen] of commands.entries()) {
      const own = {
        commandId: `valid-${index}`,
        userId: 'app',
        submissionId: `abababa${index % 10}`,
        actAs: [bank, alice],
      }
      const of = (form: keyof BothForms) => ({ commands: { ...own, commands: chosen.map((one) => one[form]) } })
      await compare({ json: of('json'), grpc: of('grpc') }, 'app')
    }
    const counts = { succeeded: succeeded - before.succeeded, refused: refused - before.refused }
    assert.ok(counts.succeeded >= 5 && counts.refused > 2, JSON.stringify(counts))
  })

  // Administration comes last: it takes away what the others need.
  for (const row of table.toReversed()) {
    const { operation, route, method, compare } = comparing(row)
    test(`${row.method} is ${operation}`, async () => {
      const requests = arbitraryRequests(row, method, route, knownFor(operation, known), commands)
      const usual = row.method.startsWith('admin.') ? 'admin' : 'app'
      const who = fc.constantFrom(usual, usual, usual, usual, 'app', 'admin', 'nobody')
      const property = fc.asyncProperty(requests, who, async (request, asWhom) => {
        // A stream that ends later would wait.
        if (method.isResponseStream && !known.endInclusive!.includes(request.json.endInclusive)) {
          for (const one of [request.json, request.grpc]) Object.assign(one, { endInclusive: 2 })
        }
        await compare(request, asWhom)
      })
      await fc.assert(property, { numRuns, endOnFailure: true })
    })
  }
})

/** Checkpoints come after a while, so a slow machine sends one where a fast one sends none. */
function isContent(element: Json): boolean {
  const { update = {}, completionResponse = {} } = element
  const parts = [element, update, completionResponse]
  return !parts.some((part) => 'OffsetCheckpoint' in part || 'offsetCheckpoint' in part)
}

async function startSide(): Promise<Side> {
  const ledger = await startTestLedger({
    settings: {
      seed: 'faces',
      time: { kind: 'static', start: '2026-01-01T00:00:00Z' },
      grpc: { port: 0 },
      limits: { listWaitMs: 20, listElementsMax: 100_000 },
    },
  })
  return { ledger, client: openGrpc(ledger.node.node.grpcUrl!, ledger.token) }
}

/** Everything that clients can read. */
async function contentsOf({ ledger, client }: Side): Promise<Json> {
  const { node, token } = await readerOf(ledger)
  const get = async (path: string) => (await node.call('GET', path)).json
  const post = async (path: string, body: object) => (await node.call('POST', path, { token, body })).json
  const eventFormat = { filtersForAnyParty: {}, verbose: false }
  const { offset } = await get('/v2/state/ledger-end')
  const { participantPrunedUpToInclusive: pruned } = await get('/v2/state/latest-pruned-offsets')
  const range = {
    beginExclusive: pruned,
    endInclusive: offset,
    updateFormat: { ...updateFormat(eventFormat, 'LEDGER_EFFECTS'), includeReassignments: eventFormat },
  }
  const streamed = async (method: string, request: object) => {
    const path = `${prefix}${method}`
    const { code, message, messages } = await client.call(path, requestBytes(path, request), { token })
    assert.equal(code, 0, message)
    const elements = messages.map((one) => answerFrom(path, one)).filter(isContent)
    return elements.map((one) => leavesOf(one, valueLeaves))
  }
  const users = (await get('/v2/users')).users
  return {
    ...{ offset, pruned, users },
    rights: await Promise.all(users.map(({ id }: Json) => get(`/v2/users/${encodeURIComponent(id)}/rights`))),
    parties: await get('/v2/parties'),
    providers: await get('/v2/idps'),
    packages: await get('/v2/packages'),
    vetting: await post('/v2/package-vetting/list', {}),
    time: await get('/v2/time'),
    updates: (await post('/v2/updates', range)).filter(isContent),
    completions: (await post('/v2/commands/command-completions', { beginExclusive: pruned })).filter(isContent),
    contracts: await post('/v2/state/active-contracts', { activeAtOffset: offset, eventFormat }),
    streamed: await streamed('UpdateService/GetUpdates', range),
    contractsStreamed: await streamed('StateService/GetActiveContracts', { activeAtOffset: offset, eventFormat }),
  }
}

/** Spans of traces are random. */
function withoutSpans(contents: Json): Json {
  return JSON.parse(JSON.stringify(contents).replaceAll(/(00-[0-9a-f]{32})-[0-9a-f]{16}-01/g, '$1'))
}

/** The requests may have taken rights from any other user. */
async function readerOf(ledger: TestLedger) {
  const rights = [{ kind: { CanReadAsAnyParty: { value: {} } } }]
  return { node: ledger.node, token: await ledger.userWith('afterwards', ...rights) }
}

function knownFor(operation: string, known: Known): Known {
  return operation.includes('/commands/') || operation.includes('/interactive')
    ? { ...known, userId: ['app', ''] }
    : known
}

/** The same contracts and names on both, and commands in both forms. */
async function whatThereIs(ledgers: readonly [TestLedger, TestLedger]) {
  const made = []
  for (const ledger of ledgers) {
    made.push([
      await ledger.submit([ledger.createIou()], { commandId: 'one', submissionId: 'one' }),
      await ledger.submit([ledger.createIou({ amount: '5' })], { commandId: 'two', submissionId: 'two' }),
    ])
  }
  const [{ alice, bank, bob, synchronizerId }] = ledgers
  const [[one, two]] = made as [[Json, Json]]
  assert.deepEqual(made[1], made[0], 'the two nodes begin alike')
  const parties = [alice, bank, bob, `nobody::${alice.split('::')[1]}`]
  const mine = [alice, bank]
  const users = ['someone', 'somebody', 'reader']
  const providers = ['', '', 'acme']
  const formats = [
    { ...filtersFor(mine), verbose: false },
    { ...filtersFor([bob]), verbose: true },
  ]
  const known: Known = {
    ...{ party: parties, parties, actAs: parties, readAs: parties, requestingParties: parties, primaryParty: parties },
    submitter: parties,
    ...{ queryingParties: parties, filterParty: ['ali', ''], partyIdHint: ['dora', 'emil', 'alice', '%'] },
    ...{ id: ['someone', 'somebody', 'anew'], userId: users },
    ...{ identityProviderId: providers, sourceIdentityProviderId: providers, targetIdentityProviderId: providers },
    ...{ issuer: ['https://acme.example', 'https://other.example'], jwksUrl: ['https://acme.example/keys'] },
    'paths[]': [['issuer'], ['audience'], ['is_deactivated'], ['primary_party'], ['local_metadata'], ['metadata']],
    ...{
      resourceVersion: ['', '0', '1'],
      pageToken: [''],
      synchronizerId: ['', '', '', synchronizerId, 'other::1220'],
    },
    ...{ source: [synchronizerId], target: [synchronizerId] },
    ...{ updateId: [one.transaction.updateId, '1220'], offset: [1, 2, 3, two.transaction.offset] },
    ...{
      beginExclusive: [0, 1],
      endInclusive: [1, 2, two.transaction.offset],
      activeAtOffset: [1, 2, two.transaction.offset],
    },
    ...{ pruneUpTo: [-1, 1], contractId: [one.contractId, two.contractId, '00'] },
    ...{ templateId: [iouType], interfaceId: ['#quickstart:Holding:Holding'], streamContinuationToken: [''] },
    ...{ packageName: ['quickstart', ''], packageVersion: ['1.0.0', ''], packageNamePrefixes: ['quick'] },
    ...{ 'packageIdSelectionPreference[]': [[]], packageId: ['00', '%'] },
    ...{ maxPageSize: [1, 100], pageSize: [0, 1, 100], limit: [1, 10], tapsMaxPasses: [1] },
    ...{ 'actAs[]': [mine, mine, mine, mine, [alice]], 'readAs[]': [[], [bob]], 'parties[]': [mine, []] },
    ...{ 'queryingParties[]': [mine], 'requestingParties[]': [mine, []] },
    ...{
      commandId: ['one', ...Array.from({ length: 30 }, (_, index) => `c${index}`), ''],
      workflowId: ['', 'flow', 'flow', 'ü'],
    },
    eventFormat: formats,
    updateFormat: formats.map((format) => updateFormat(format)),
    transactionFormat: formats.map((format) => updateFormat(format, 'LEDGER_EFFECTS').includeTransactions),
    deduplicationPeriod: [
      { Empty: {} },
      { Empty: {} },
      { DeduplicationOffset: { value: 1 } },
      { DeduplicationOffset: { value: -1 } },
    ],
  }
  const create = (amount: string): BothForms => {
    const iou = { issuer: bank, owner: alice, amount, currency: 'EUR', observers: [] }
    const fields = [{ Party: bank }, { Party: alice }, { Numeric: amount }, { Text: 'EUR' }, { List: { elements: [] } }]
    return {
      json: { CreateCommand: { templateId: iouType, createArguments: iou } },
      grpc: {
        CreateCommand: { templateId: iouType, createArguments: { fields: fields.map((sum) => ({ value: { sum } })) } },
      },
    }
  }
  const exercise = (contractId: string, choice: string, amount?: string): BothForms => {
    const named = { templateId: iouType, contractId, choice }
    const fields = amount === undefined ? [] : [{ label: 'amount', value: { sum: { Numeric: amount } } }]
    return {
      json: { ExerciseCommand: { ...named, choiceArgument: amount === undefined ? {} : { amount } } },
      grpc: { ExerciseCommand: { ...named, choiceArgument: { sum: { Record: { fields } } } } },
    }
  }
  const gone = `00${'ab'.repeat(33)}`
  const commands = [
    [create('7')],
    [create('8')],
    [create('9')],
    [create('7.5')],
    [create('-1')],
    [create('1'), create('2')],
    [exercise(one.contractId, 'Iou_Split', '10')],
    [exercise(two.contractId, 'Iou_Split', '300')],
    [exercise(two.contractId, 'Archive')],
    [exercise(gone, 'Archive')],
    [],
  ]
  return { known, commands }
}
