import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { startTestService, type TestService } from '../../../test/fixtures/http-service.ts'
import { type Answer, refusalOf } from '../../../test/fixtures/node.ts'
import { createTestClock } from '../../base/clock.ts'
import type { ReadHints } from '../../ledger/reading/reader.ts'
import type { Elements, Updates } from '../../ledger/reading/requests/queries.ts'

const wildcard = { identifierFilter: { WildcardFilter: { value: { includeCreatedEventBlob: true } } } }
const template = { identifierFilter: { TemplateFilter: { value: { templateId: '#p:M:T' } } } }
const anInterface = {
  identifierFilter: { InterfaceFilter: { value: { interfaceId: '#p:M:I', includeInterfaceView: true } } },
}
const empty = { identifierFilter: { Empty: {} } }

const read = {
  wildcard: { kind: 'wildcard', includeCreatedEventBlob: true },
  plain: { kind: 'wildcard', includeCreatedEventBlob: false },
  template: { kind: 'template', templateId: '#p:M:T', includeCreatedEventBlob: false },
  interface: { kind: 'interface', interfaceId: '#p:M:I', includeInterfaceView: true, includeCreatedEventBlob: false },
}

const byParty = (cumulative: object[], party = 'alice') => ({ filtersByParty: { [party]: { cumulative } } })
const eventFormat = (filters: unknown[], party = 'alice') => ({
  filtersByParty: new Map([[party, filters]]),
  filtersForAnyParty: undefined,
})
const acsDelta = 'TRANSACTION_SHAPE_ACS_DELTA'
const ledgerEffects = 'TRANSACTION_SHAPE_LEDGER_EFFECTS'
const both = (format: object, shape: string) => ({
  transactions: { eventFormat: format, shape },
  reassignments: format,
  topology: undefined,
})

const invalid = (reason: string) => [400, 'INVALID_ARGUMENT', `The submitted request has invalid arguments: ${reason}`]
const denied = (reason: string) => [403, 'NA', `User both may not do this: ${reason}`]
const older = 'Please use either backwards compatible arguments (filter and verbose) or update_format'
const updateFormat = {
  includeTransactions: { eventFormat: byParty([]), transactionShape: acsDelta },
}

let service: TestService
let canton: TestService
before(async () => {
  service = await startTestService()
  canton = await startTestService({ compatibility: 'canton-3.5' })
})
after(async () => {
  await service[Symbol.asyncDispose]()
  await canton[Symbol.asyncDispose]()
})

type Case = [title: string, path: string, body: object, outcome: unknown[] | Record<string, unknown>]

function check(title: string, on: () => TestService, [, path, body, outcome]: Case): void {
  test(title, async () => {
    const { asked } = on()
    asked.length = 0
    const answer = await on().call('POST', path, { body })
    if (Array.isArray(outcome)) {
      assert.deepEqual(refusalOf(answer), outcome)
      assert.deepEqual(asked, [])
    } else {
      assert.deepEqual([answer.status, answer.text], [200, '[{"n":1},{"n":2}]'])
      const [operation, query] = asked[0]!
      assert.equal(operation, 'updates')
      assert.deepEqual({ ...(query as object), ...outcome }, query)
    }
  })
}

const updates = '/v2/updates?limit=2'
const flats = '/v2/updates/flats?limit=2'
const trees = '/v2/updates/trees?limit=2'

describe('requests for updates', () => {
  const rows: Case[] = [
    [
      'give their range',
      updates,
      { updateFormat, beginExclusive: '9007199254740993', endInclusive: 9, descendingOrder: true },
      { beginExclusive: 9007199254740993n, endInclusive: 9n, descending: true, form: 'transaction' },
    ],
    [
      'begin at the start and have no end unless they say so',
      updates,
      { updateFormat, endInclusive: null },
      { beginExclusive: 0n, endInclusive: undefined, descending: false },
    ],
    [
      'give a format',
      updates,
      {
        updateFormat: {
          includeTransactions: {
            eventFormat: byParty([template, empty, anInterface]),
            transactionShape: ledgerEffects,
          },
          includeTopologyEvents: { includeParticipantAuthorizationEvents: { parties: ['bob'] } },
        },
      },
      {
        format: {
          transactions: { eventFormat: eventFormat([read.template, read.interface]), shape: ledgerEffects },
          reassignments: undefined,
          topology: ['bob'],
        },
      },
    ],
    [
      'may ask for nothing',
      updates,
      { updateFormat: {} },
      { format: { transactions: undefined, reassignments: undefined, topology: undefined } },
    ],
    [
      'in the older form restrict by template',
      updates,
      { filter: byParty([template, wildcard]), verbose: true },
      { format: both(eventFormat([read.template, read.wildcard]), acsDelta), form: 'transaction' },
    ],
    [
      'are the same under their older name',
      flats,
      { filter: byParty([template]) },
      { format: both(eventFormat([read.template]), acsDelta), form: 'transaction' },
    ],
    ['may say verbose: false beside a format', flats, { updateFormat, verbose: false }, {}],
    [
      'for trees see everything',
      trees,
      { beginExclusive: 0, filter: byParty([]) },
      { format: both(eventFormat([read.plain]), ledgerEffects), form: 'tree' },
    ],
    [
      'for trees keep a wildcard they have',
      trees,
      { beginExclusive: 0, filter: byParty([wildcard, empty]) },
      { format: both(eventFormat([read.wildcard]), ledgerEffects) },
    ],
    ['say what they want', updates, {}, invalid(`Either filter/verbose or update_format is required. ${older}.`)],
    [
      'say it once',
      flats,
      { filter: {}, updateFormat },
      invalid(`Both update_format and filter are set. ${older}, but not both.`),
    ],
    [
      'do not mix the forms',
      updates,
      { verbose: true, updateFormat },
      invalid(`Both update_format and verbose are set. ${older}, but not both.`),
    ],
    [
      'need a latest to begin with it',
      updates,
      { updateFormat, descendingOrder: true },
      [400, 'DESCENDING_ORDER_MISSING_END', 'end_inclusive is not provided when descending_order is true'],
    ],
    [
      'need a shape',
      updates,
      { updateFormat: { includeTransactions: {} } },
      [
        400,
        'Invalid value for: body (Got value \'{"Unrecognized":{"unrecognizedValue":0}}\' with wrong type, expecting ' +
          "string at 'updateFormat.includeTransactions.transactionShape')",
      ],
    ],
    [
      'need a shape that there is',
      updates,
      { updateFormat: { includeTransactions: { transactionShape: 'X' } } },
      [
        400,
        'Invalid value for: body (Unrecognized enum value X. Supported values: [TRANSACTION_SHAPE_UNSPECIFIED, ' +
          'TRANSACTION_SHAPE_ACS_DELTA, TRANSACTION_SHAPE_LEDGER_EFFECTS] at ' +
          "'updateFormat.includeTransactions.transactionShape')",
      ],
    ],
    [
      'need the rights of parties',
      updates,
      { filter: byParty([], 'carol') },
      denied('the right CanReadAs carol is missing'),
    ],
    [
      'need the right to read all',
      updates,
      { filter: { filtersForAnyParty: {} } },
      denied('the right CanReadAsAnyParty is missing'),
    ],
    [
      'need rights for reassignments',
      updates,
      { updateFormat: { includeReassignments: byParty([], 'carol') } },
      denied('the right CanReadAs carol is missing'),
    ],
    [
      'need rights for the topology of parties',
      updates,
      { updateFormat: { includeTopologyEvents: { includeParticipantAuthorizationEvents: { parties: ['carol'] } } } },
      denied('the right CanReadAs carol is missing'),
    ],
    [
      'need the right to read all for all topology',
      updates,
      { updateFormat: { includeTopologyEvents: { includeParticipantAuthorizationEvents: {} } } },
      denied('the right CanReadAsAnyParty is missing'),
    ],
  ]
  for (const row of rows) {
    check(row[0], () => service, row)
    // Paths are relative there; wire/decode.test.ts has them.
    const isOurs = row[0].startsWith('for trees') || row[0].startsWith('need a shape')
    if (!isOurs) check(`${row[0]}, in Canton too`, () => canton, row)
  }

  test('that contradict themselves are refused before the token is checked', async () => {
    for (const path of [updates, flats, trees]) {
      const answer = await service.call('POST', path, { body: { beginExclusive: 0 }, token: null })
      assert.equal(answer.json.code, 'INVALID_ARGUMENT')
    }
  })

  test('have a numeric limit and timeout', async () => {
    for (const name of ['limit', 'stream_idle_timeout_ms']) {
      const { status, text } = await service.call('POST', `/v2/updates?${name}=x`, { body: { updateFormat } })
      assert.deepEqual([status, text], [400, `Invalid value for: query parameter ${name}`])
    }
  })
})

describe('where the specification and Canton disagree on trees', () => {
  const missing = [400, "Invalid value for: body (Missing required field at 'beginExclusive')"]
  const templates = invalid('template filters must be empty for update trees')
  const formatSet = invalid(
    'update_format must be unset for update trees. Please use the backwards compatible arguments (filter and verbose).',
  )
  const rows: [title: string, body: object, specification: unknown[], canton: Record<string, unknown>][] = [
    ['a missing begin', { filter: byParty([]) }, missing, { beginExclusive: 0n }],
    [
      'an update format',
      { beginExclusive: 0, updateFormat },
      formatSet,
      {
        format: {
          transactions: { eventFormat: eventFormat([]), shape: acsDelta },
          reassignments: undefined,
          topology: undefined,
        },
      },
    ],
    [
      'a template filter',
      { beginExclusive: 0, filter: byParty([template]) },
      templates,
      { format: both(eventFormat([read.template, read.plain]), ledgerEffects) },
    ],
    [
      'an interface filter beside others',
      { beginExclusive: 0, filter: byParty([wildcard, anInterface]) },
      templates,
      { format: both(eventFormat([read.wildcard, read.interface]), ledgerEffects) },
    ],
  ]
  for (const [title, body, specification, byCanton] of rows) {
    check(`${title} is refused by the specification`, () => service, [title, trees, body, specification])
    check(`${title} is taken by Canton`, () => canton, [title, trees, body, byCanton])
  }

  test('a template filter for any party is refused too', async () => {
    const filter = { filtersForAnyParty: { cumulative: [template] } }
    const answer = await service.call('POST', trees, { body: { beginExclusive: 0, filter } })
    assert.deepEqual(refusalOf(answer), templates)
  })

  test('a lookup needs its offset, and Canton takes 0', async () => {
    const body = { requestingParties: ['alice'] }
    const path = '/v2/updates/transaction-by-offset'
    const refused = await service.call('POST', path, { body })
    assert.deepEqual(refusalOf(refused), [400, "Invalid value for: body (Missing required field at 'offset')"])
    canton.asked.length = 0
    await canton.call('POST', path, { body })
    assert.equal(canton.asked[0]![1], 0n)
  })
})

describe('lookups', () => {
  const parties = (names: string[], shape: string) => ({
    eventFormat: { filtersByParty: new Map(names.map((name) => [name, [read.plain]])), filtersForAnyParty: undefined },
    shape,
  })
  const transactionFormat = { eventFormat: byParty([template]), transactionShape: ledgerEffects }
  const given = { eventFormat: eventFormat([read.template]), shape: ledgerEffects }
  const tree = parties(['alice', 'bob'], ledgerEffects)
  const update = {
    transactions: { eventFormat: eventFormat([]), shape: acsDelta },
    reassignments: undefined,
    topology: undefined,
  }

  const taken: [method: string, path: string, body: object | undefined, text: string, asked: unknown[]][] = [
    [
      'POST',
      'transaction-by-offset',
      { offset: 7, requestingParties: ['alice'] },
      'transaction',
      ['transactionAt', 7n, parties(['alice'], acsDelta), 'transaction'],
    ],
    [
      'POST',
      'transaction-by-offset',
      { offset: -7, transactionFormat },
      'transaction',
      ['transactionAt', -7n, given, 'transaction'],
    ],
    [
      'POST',
      'transaction-by-id',
      { updateId: 'x', requestingParties: ['bob'] },
      'transaction',
      ['transactionWithId', 'x', parties(['bob'], acsDelta), 'transaction'],
    ],
    [
      'POST',
      'transaction-by-id',
      { transactionFormat },
      'transaction',
      ['transactionWithId', '', given, 'transaction'],
    ],
    ['POST', 'update-by-offset', { offset: '7', updateFormat }, 'update', ['updateAt', 7n, update]],
    ['POST', 'update-by-offset', {}, 'update', ['updateAt', 0n, undefined]],
    ['POST', 'update-by-id', { updateId: 'x', updateFormat }, 'update', ['updateWithId', 'x', update]],
    [
      'GET',
      'transaction-tree-by-offset/7?parties=alice&parties=bob',
      undefined,
      'transaction',
      ['transactionAt', 7n, tree, 'tree'],
    ],
    [
      'GET',
      'transaction-tree-by-id/x?parties=alice&parties=bob',
      undefined,
      'transaction',
      ['transactionWithId', 'x', tree, 'tree'],
    ],
    [
      'GET',
      'transaction-tree-by-id/x',
      undefined,
      'transaction',
      ['transactionWithId', 'x', parties([], ledgerEffects), 'tree'],
    ],
  ]
  for (const [method, path, body, name, asked] of taken) {
    test(`${path} of ${JSON.stringify(body)}`, async () => {
      service.asked.length = 0
      const { text } = await service.call(method, `/v2/updates/${path}`, { body })
      assert.equal(text, `{"${name}":"${asked[0]}"}`)
      assert.deepEqual(service.asked, [asked])
    })
  }

  const forms = 'Please use either backwards compatible arguments (requesting_parties) or transaction_format'
  const twice = invalid(`Both transaction_format and requesting_parties are set. ${forms} but not both.`)
  const never = invalid(`Either transaction_format or requesting_parties is required. ${forms}.`)
  const refused: [method: string, path: string, body: object | undefined, refusal: unknown[]][] = [
    ['POST', 'transaction-by-offset', { offset: 7, requestingParties: ['alice'], transactionFormat }, twice],
    ['POST', 'transaction-by-offset', { offset: 7 }, never],
    ['POST', 'transaction-by-id', { requestingParties: ['alice'], transactionFormat }, twice],
    ['POST', 'transaction-by-id', { updateId: 'x', requestingParties: [] }, never],
    ['GET', 'transaction-tree-by-offset/x', undefined, [400, 'Invalid value for: path parameter offset']],
  ]
  for (const [method, path, body, refusal] of refused) {
    test(`${path} of ${JSON.stringify(body)} is refused before the token is checked`, async () => {
      for (const on of [service, canton]) {
        const answer = await on.call(method, `/v2/updates/${path}`, { body, token: null })
        assert.deepEqual(refusalOf(answer), refusal)
      }
    })
  }

  const carol = byParty([], 'carol')
  const rights: [method: string, path: string, body?: object][] = [
    ['POST', 'transaction-by-offset', { offset: 7, requestingParties: ['alice', 'carol'] }],
    ['POST', 'transaction-by-id', { transactionFormat: { ...transactionFormat, eventFormat: carol } }],
    ['POST', 'update-by-offset', { updateFormat: { includeReassignments: carol } }],
    ['POST', 'update-by-id', { updateFormat: { includeReassignments: carol } }],
    ['POST', 'get-updates-page', { updateFormat: { includeReassignments: carol } }],
    ['GET', 'transaction-tree-by-offset/7?parties=carol'],
    ['GET', 'transaction-tree-by-id/x?parties=alice&parties=carol'],
  ]
  for (const [method, path, body] of rights) {
    test(`${path} needs the right to read`, async () => {
      const answer = await service.call(method, `/v2/updates/${path}`, { body })
      assert.deepEqual(refusalOf(answer), denied('the right CanReadAs carol is missing'))
      assert.equal((await service.call(method, `/v2/updates/${path}`, { body, token: 'any-reader' })).status, 200)
    })
  }
})

describe('a page of updates', () => {
  test('is requested with what was given', async () => {
    const body = { beginOffsetExclusive: 1, endOffsetInclusive: '9', maxPageSize: 5, updateFormat: {}, pageToken: 'AQ' }
    service.asked.length = 0
    const { text } = await service.call('POST', '/v2/updates/get-updates-page', { body })
    assert.equal(text, '"updatesPage"')
    const format = { transactions: undefined, reassignments: undefined, topology: undefined }
    const query = { beginExclusive: 1n, endInclusive: 9n, descending: false, format, maxPageSize: 5, pageToken: 'AQ==' }
    assert.deepEqual(service.asked, [['updatesPage', query]])
  })

  test('may lack a format, which is missed after its token was checked', async () => {
    service.asked.length = 0
    await service.call('POST', '/v2/updates/get-updates-page', { body: { pageToken: 'AQ' } })
    const [[, query]] = service.asked as [[string, { format: unknown; pageToken: string }]]
    assert.deepEqual([query.format, query.pageToken], [undefined, 'AQ=='])
  })
})

describe('a list of updates', () => {
  const many: Updates['stream'] = async function* () {
    yield Array.from({ length: 9 }, () => '1')
  }

  test('that is too long is 413, despite its category', async () => {
    const limits = { listElementsMax: 5 }
    await using small = await startTestService({ limits, ledger: { updates: { stream: many } as Updates } })
    const { status, json } = await small.call('POST', '/v2/updates', { body: { updateFormat } })
    assert.equal(status, 413)
    const { traceId, correlationId, ...rest } = json
    assert.equal(traceId, correlationId)
    assert.deepEqual(rest, {
      code: 'JSON_API_MAXIMUM_LIST_ELEMENTS_NUMBER_REACHED',
      cause: 'The number of matching elements (6) is greater than the node limit (5).',
      context: {},
      resources: [],
      errorCategory: 2,
      grpcCodeValue: 10,
      retryInfo: '1 second',
      definiteAnswer: false,
    })
    const limited = await small.call('POST', '/v2/updates?limit=3', { body: { updateFormat } })
    assert.equal(limited.text, '[1,1,1]')
  })

  function endless() {
    const { promise: started, resolve: start } = Promise.withResolvers<void>()
    const { promise: stopped, resolve: stop } = Promise.withResolvers<void>()
    async function* stream(_query: unknown, signal: AbortSignal, { onWaiting }: ReadHints = {}): Elements {
      onWaiting?.()
      start()
      await new Promise((resolve) => signal.addEventListener('abort', resolve))
      stop()
    }
    return { updates: { stream } as Updates, started, stopped }
  }

  test('is answered after the timeout it asks for when nothing comes', async () => {
    const clock = createTestClock(0)
    const { updates, started, stopped } = endless()
    await using quiet = await startTestService({ clock, ledger: { updates } })
    const answer = quiet.call('POST', '/v2/updates?stream_idle_timeout_ms=700', { body: { updateFormat } })
    await started
    clock.advance(700)
    assert.equal((await answer).text, '[]')
    await stopped
  })

  test('that waits longer than a request may take is 503, and stops its stream', async () => {
    const clock = createTestClock(0)
    const { updates, started, stopped } = endless()
    await using slow = await startTestService({ clock, ledger: { updates } })
    const answer: Promise<Answer> = slow.call('POST', '/v2/updates?stream_idle_timeout_ms=60000', {
      body: { updateFormat },
    })
    await started
    clock.advance(21_000)
    assert.equal((await answer).status, 503)
    await stopped
  })

  test('stops its stream when the client disconnects', async () => {
    const { updates, started, stopped } = endless()
    await using left = await startTestService({ clock: createTestClock(0), ledger: { updates } })
    const client = new AbortController()
    const body = { updateFormat, endInclusive: 9 }
    const answer = left.call('POST', '/v2/updates', { body, signal: client.signal })
    await started
    client.abort()
    await assert.rejects(answer)
    await stopped
  })
})
