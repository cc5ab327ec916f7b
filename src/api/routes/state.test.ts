import assert from 'node:assert/strict'
import { request } from 'node:http'
import { after, before, describe, test } from 'node:test'
import { startTestService, type TestService } from '../../../test/fixtures/http-service.ts'
import { refusalOf } from '../../../test/fixtures/node.ts'

let service: TestService
before(async () => {
  service = await startTestService()
})
after(() => service[Symbol.asyncDispose]())

async function asked(method: string, path: string, body?: object, token = 'both') {
  service.asked.length = 0
  const answer = await service.call(method, path, { body, token })
  return { answer, asked: [...service.asked] }
}

const filter = { filtersByParty: { alice: {} } }
const format = { filtersByParty: new Map([['alice', []]]), filtersForAnyParty: undefined }
const invalid = (reason: string) => [400, 'INVALID_ARGUMENT', `The submitted request has invalid arguments: ${reason}`]
const denied = (reason: string) => [403, 'NA', `User both may not do this: ${reason}`]
const missing = (field: string) => [
  400,
  'MISSING_FIELD',
  `The submitted command is missing a mandatory field: ${field}`,
]

describe('offsets', () => {
  test('are numbers, however large', async () => {
    const end = await service.call('GET', '/v2/state/ledger-end', { token: 'plain' })
    assert.equal(end.text, '{"offset":9007199254740993}')
    assert.equal(end.type, 'application/json')
    const pruned = await service.call('GET', '/v2/state/latest-pruned-offsets', { token: 'plain' })
    assert.equal(pruned.text, '{"participantPrunedUpToInclusive":3,"allDivulgedContractsPrunedUpToInclusive":3}')
  })

  test('are given to any authenticated user', async () => {
    for (const path of ['/v2/state/ledger-end', '/v2/state/latest-pruned-offsets']) {
      assert.equal((await service.call('GET', path, { token: null })).status, 401)
    }
  })
})

describe('active contracts', () => {
  const path = '/v2/state/active-contracts'
  const taken: [body: object, query: object][] = [
    [{ eventFormat: filter }, { activeAtOffset: 0n, format, continuationToken: '' }],
    [
      { filter, activeAtOffset: 7 },
      { activeAtOffset: 7n, format, continuationToken: '' },
    ],
    [
      { filter, eventFormat: null, verbose: true, streamContinuationToken: 'AQID' },
      { activeAtOffset: 0n, format, continuationToken: 'AQID' },
    ],
  ]
  for (const [body, query] of taken) {
    test(`of ${JSON.stringify(body)}`, async () => {
      const { answer, asked: calls } = await asked('POST', path, body)
      assert.equal(answer.text, '[{"n":1},{"n":2}]')
      assert.deepEqual(calls, [['activeContracts', query]])
    })
  }

  const older = 'Please use either backwards compatible arguments (filter and verbose) or event_format'
  const refused: [body: object, refusal: unknown[]][] = [
    [{}, invalid(`Either filter/verbose or event_format is required. ${older}.`)],
    [{ filter, eventFormat: filter }, invalid(`Both event_format and filter are set. ${older}, but not both.`)],
    [{ verbose: true, eventFormat: filter }, invalid(`Both event_format and verbose are set. ${older}, but not both.`)],
  ]
  for (const [body, refusal] of refused) {
    test(`of ${JSON.stringify(body)} are refused before the token is checked`, async () => {
      assert.deepEqual(refusalOf(await service.call('POST', path, { body, token: null })), refusal)
    })
  }

  test('need the right to read', async () => {
    const carol = await asked('POST', path, { filter: { filtersByParty: { carol: {} } } })
    assert.deepEqual(refusalOf(carol.answer), denied('the right CanReadAs carol is missing'))
    const all = await asked('POST', path, { eventFormat: { filtersForAnyParty: {} } })
    assert.deepEqual(refusalOf(all.answer), denied('the right CanReadAsAnyParty is missing'))
  })
})

describe('a page of active contracts', () => {
  const path = '/v2/state/active-contracts-page'
  const query = { activeAtOffset: undefined, format, maxPageSize: 5, pageToken: '' }
  const body = { eventFormat: filter, maxPageSize: 5 }

  test('is requested with POST', async () => {
    const { answer, asked: calls } = await asked('POST', path, body)
    assert.equal(answer.text, '"activeContractsPage"')
    assert.deepEqual(calls, [['activeContractsPage', query]])
  })

  test('is requested with GET and a body', async () => {
    service.asked.length = 0
    assert.deepEqual(await getWithBody(path, JSON.stringify(body)), [200, '"activeContractsPage"'])
    assert.deepEqual(service.asked, [['activeContractsPage', query]])
  })

  test('a GET without a body is refused', async () => {
    const refusal = [400, 'Invalid value for: body (exhausted input)']
    assert.deepEqual(refusalOf(await service.call('GET', path)), refusal)
  })

  test('needs a format', async () => {
    assert.deepEqual(refusalOf((await asked('POST', path, {})).answer), missing('event_format'))
  })

  test('has a token that is Base64', async () => {
    const { text } = await service.call('POST', path, { body: { ...body, pageToken: '%' } })
    assert.equal(text, "Invalid value for: body (The string is not a valid Base64: % at 'pageToken')")
  })
})

test('a GET that ignores its body may have one', async () => {
  const [status] = await getWithBody('/v2/state/ledger-end', 'anything')
  assert.equal(status, 200)
})

describe('one contract', () => {
  const events = '/v2/events/events-by-contract-id'
  const contract = '/v2/contracts/contract-by-id'
  const rows: [path: string, body: object, outcome: unknown[] | string][] = [
    [events, { contractId: '00', eventFormat: filter }, ['byContractId', '00', format]],
    [events, {}, ['byContractId', '', undefined]],
    [events, { eventFormat: { filtersByParty: { carol: {} } } }, 'the right CanReadAs carol is missing'],
    [contract, { contractId: '00', queryingParties: ['alice'] }, ['contract', '00', ['alice']]],
    [contract, { contractId: '00', queryingParties: ['alice', 'carol'] }, 'the right CanReadAs carol is missing'],
    [contract, { contractId: '00' }, 'the right CanReadAsAnyParty is missing'],
  ]
  for (const [path, body, outcome] of rows) {
    test(`${path} of ${JSON.stringify(body)}`, async () => {
      const { answer, asked: calls } = await asked('POST', path, body)
      if (typeof outcome === 'string') assert.deepEqual(refusalOf(answer), denied(outcome))
      else {
        assert.equal(answer.text, `"${outcome[0]}"`)
        assert.deepEqual(calls, [outcome])
      }
    })
  }
})

/** fetch refuses to send a body with GET. */
function getWithBody(path: string, body: string): Promise<[status: number, text: string]> {
  const { promise, resolve, reject } = Promise.withResolvers<[number, string]>()
  const headers = { authorization: 'Bearer both', 'content-length': Buffer.byteLength(body) }
  const sent = request(`${service.url}${path}`, { method: 'GET', headers }, async (response) => {
    const parts = await response.toArray()
    resolve([response.statusCode!, Buffer.concat(parts).toString()])
  })
  sent.on('error', reject)
  sent.end(body)
  return promise
}
