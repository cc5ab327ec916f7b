import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { startTestService, type TestService } from '../../../test/fixtures/http-service.ts'
import { refusalOf } from '../../../test/fixtures/node.ts'
import { createByteBudget } from '../../base/byte-budget.ts'
import { wallClock } from '../../base/clock.ts'
import { LedgerError } from '../../base/errors.ts'
import { type OnAccount, takeLarge } from '../../ledger/reading/reader.ts'
import type { Updates } from '../../ledger/reading/requests/queries.ts'

const create = { CreateCommand: { templateId: '#p:M:T', createArguments: { owner: 'alice' } } }
const minimal = { commands: [create], commandId: 'c', actAs: ['alice'] }
const submitted = {
  commands: [{ kind: 'create', templateId: '#p:M:T', createArguments: { owner: 'alice' } }],
  commandId: 'c',
  actAs: ['alice'],
  userId: 'both',
  readAs: [],
  workflowId: '',
  submissionId: '',
  deduplicationPeriod: undefined,
  minLedgerTimeAbs: undefined,
  minLedgerTimeRel: undefined,
  disclosedContracts: [],
  synchronizerId: '',
  packageIdSelectionPreference: [],
  prefetchContractKeys: [],
  tapsMaxPasses: undefined,
}
const submit = '/v2/commands/async/submit'
const wildcard = [{ kind: 'wildcard', includeCreatedEventBlob: false }]

describe('submissions', () => {
  let service: TestService
  before(async () => {
    service = await startTestService()
  })
  after(() => service[Symbol.asyncDispose]())

  async function asked(path: string, body: unknown, token = 'both') {
    service.asked.length = 0
    const answer = await service.call('POST', path, { body, token })
    return { answer, asked: [...service.asked] }
  }

  const taken: [title: string, fields: object, commands: object][] = [
    ['fill in what is absent', {}, {}],
    [
      'take null as absent',
      {
        userId: null,
        readAs: null,
        workflowId: null,
        deduplicationPeriod: null,
        minLedgerTimeAbs: null,
        disclosedContracts: null,
        prefetchContractKeys: null,
        tapsMaxPasses: null,
      },
      {},
    ],
    [
      'have commands of four kinds',
      {
        commands: [
          { ExerciseCommand: { templateId: 'a:M:T', contractId: '00', choice: 'C', choiceArgument: null } },
          { ExerciseByKeyCommand: { templateId: 'a:M:T', contractKey: 'k', choice: 'C', choiceArgument: {} } },
          { CreateAndExerciseCommand: { templateId: 'a:M:T', createArguments: 1, choice: 'C', choiceArgument: [] } },
        ],
      },
      {
        commands: [
          { kind: 'exercise', templateId: 'a:M:T', contractId: '00', choice: 'C', choiceArgument: null },
          { kind: 'exercise-by-key', templateId: 'a:M:T', contractKey: 'k', choice: 'C', choiceArgument: {} },
          { kind: 'create-and-exercise', templateId: 'a:M:T', createArguments: 1, choice: 'C', choiceArgument: [] },
        ],
      },
    ],
    [
      'have a period of deduplication by time',
      { deduplicationPeriod: { DeduplicationDuration: { value: { seconds: '60', nanos: 5 } } } },
      { deduplicationPeriod: { kind: 'duration', duration: { seconds: 60n, nanos: 5 } } },
    ],
    [
      'have a period of deduplication by offset',
      { deduplicationPeriod: { DeduplicationOffset: { value: 7 } } },
      { deduplicationPeriod: { kind: 'offset', offset: 7n } },
    ],
    ['may leave the period open', { deduplicationPeriod: { Empty: {} } }, {}],
    [
      'have times',
      { minLedgerTimeAbs: '1970-01-01T00:00:01Z', minLedgerTimeRel: { seconds: 1 } },
      { minLedgerTimeAbs: 1_000_000n, minLedgerTimeRel: { seconds: 1n, nanos: 0 } },
    ],
    [
      'bring contracts and keys',
      {
        disclosedContracts: [{ createdEventBlob: 'AQ==' }, { templateId: 'a:M:T', contractId: '00' }],
        prefetchContractKeys: [{ templateId: 'a:M:T', contractKey: null }],
        tapsMaxPasses: '2',
      },
      {
        disclosedContracts: [
          { templateId: '', contractId: '', createdEventBlob: Buffer.from([1]), synchronizerId: '' },
          { templateId: 'a:M:T', contractId: '00', createdEventBlob: new Uint8Array(), synchronizerId: '' },
        ],
        prefetchContractKeys: [{ templateId: 'a:M:T', contractKey: null, limit: undefined }],
        tapsMaxPasses: 2,
      },
    ],
  ]
  for (const [title, fields, commands] of taken) {
    test(title, async () => {
      const { answer, asked: calls } = await asked(submit, { ...minimal, ...fields })
      assert.deepEqual([answer.status, answer.text], [200, '{}'])
      assert.deepEqual(calls, [['submit', { ...submitted, ...commands }]])
    })
  }

  const missing = (path: string) => `Missing required field at '${path}'`
  const refused: [title: string, body: unknown, refusal: unknown[]][] = [
    [
      'lack all that is required',
      {},
      [400, `Invalid value for: body (${['commands', 'commandId', 'actAs'].map(missing).join(', ')})`],
    ],
    [
      'name a template wrongly',
      { ...minimal, commands: [{ CreateCommand: { templateId: 'not-a-valid-template-id', createArguments: {} } }] },
      [
        400,
        'Invalid value for: body (Invalid identifier format (not-a-valid-template-id) not matching the expected format ' +
          "(<package>:<moduleName>:<entityName>) at 'commands[0].CreateCommand.templateId')",
      ],
    ],
    [
      'have half a command',
      { ...minimal, commands: [{ ExerciseCommand: { templateId: 'a:M:T' } }] },
      [
        400,
        `Invalid value for: body (${['contractId', 'choice', 'choiceArgument']
          .map((field) => missing(`commands[0].ExerciseCommand.${field}`))
          .join(', ')})`,
      ],
    ],
    [
      'have a command of no kind',
      { ...minimal, commands: [{ ArchiveCommand: {} }] },
      [400, "Invalid value for: body (JSON decoding to CNil should never happen at 'commands[0]')"],
    ],
    [
      'bring no bytes',
      { ...minimal, disclosedContracts: [{ createdEventBlob: '%' }] },
      [
        400,
        "Invalid value for: body (The string is not a valid Base64: % at 'disclosedContracts[0].createdEventBlob')",
      ],
    ],
    [
      'act for nobody',
      { ...minimal, actAs: [] },
      [400, 'MISSING_FIELD', 'The submitted command is missing a mandatory field: act_as/actAs'],
    ],
    [
      'act first for what is no party',
      { ...minimal, actAs: ['%', 'alice'] },
      [
        400,
        'INVALID_ARGUMENT',
        'The submitted request has invalid arguments: Invalid party in actAs/act_as: non expected character 0x25 in ' +
          'Daml-LF Party "%"',
      ],
    ],
  ]
  for (const [title, body, refusal] of refused) {
    test(`that ${title} are refused before the token is checked`, async () => {
      for (const token of ['both', null]) {
        const answer = await service.call('POST', submit, { body, token })
        assert.deepEqual(refusalOf(answer), refusal)
      }
    })
  }

  const may = (reason: string, user = 'both') => [403, 'NA', `User ${user} may not do this: ${reason}`]
  const rights: [title: string, token: string | null, fields: object, outcome: unknown[] | string][] = [
    ['without a token are refused', null, {}, [401, 'NA', 'no token']],
    ['are for the user of the token', 'both', {}, 'both'],
    ['may name the user of the token', 'both', { userId: 'both' }, 'both'],
    ['may not name another', 'both', { userId: 'actor' }, may('the request is for the user actor')],
    ['need the right to act', 'reader', {}, may('the right CanActAs alice is missing', 'reader')],
    ['need it for each party', 'both', { actAs: ['alice', 'bob'] }, may('the right CanActAs bob is missing')],
    ['need the right to read', 'actor', { readAs: ['bob'] }, may('the right CanReadAs bob is missing', 'actor')],
    ['may read as whom they act for', 'both', { readAs: ['alice', 'bob'] }, 'both'],
    ['need more than administration', 'admin', {}, may('the right CanActAs alice is missing', 'admin')],
    ['need more than reading everything', 'any-reader', {}, may('the right CanActAs alice is missing', 'any-reader')],
    [
      'of nobody in particular must name a user',
      'nobody',
      {},
      [
        400,
        'INVALID_TOKEN',
        'The submitted request is missing a user-id: Cannot default user_id field because claims do not specify an ' +
          'user-id. Is authentication turned on?',
      ],
    ],
    ['of nobody in particular may name any user', 'nobody', { userId: 'anybody' }, 'anybody'],
    ['whose rights are not checked are for the user of the token', 'unchecked', {}, 'somebody'],
    ['whose rights are not checked may name any user', 'unchecked', { userId: 'anybody' }, 'anybody'],
  ]
  for (const [title, token, fields, outcome] of rights) {
    test(title, async () => {
      const paths = [submit, '/v2/commands/submit-and-wait', '/v2/commands/submit-and-wait-for-transaction-tree']
      for (const path of paths) {
        service.asked.length = 0
        const answer = await service.call('POST', path, { body: { ...minimal, ...fields }, token })
        if (typeof outcome !== 'string') assert.deepEqual(refusalOf(answer), outcome)
        else {
          assert.equal(answer.status, 200)
          assert.equal((service.asked[0]![1] as { userId: string }).userId, outcome)
        }
      }
    })
  }

  test('answer with update id and offset if they wait', async () => {
    const { answer } = await asked('/v2/commands/submit-and-wait', minimal)
    assert.equal(answer.text, '{"updateId":"1220","completionOffset":9007199254740993}')
  })

  const parties = (names: string[], shape: string) => ({
    eventFormat: {
      filtersByParty: new Map(names.map((name) => [name, wildcard])),
      filtersForAnyParty: undefined,
    },
    shape,
  })

  test('answer with the transaction, for all actAs and readAs parties', async () => {
    const body = { commands: { ...minimal, readAs: ['bob'] } }
    const { answer, asked: calls } = await asked('/v2/commands/submit-and-wait-for-transaction', body)
    assert.equal(answer.text, '{"transaction":"transactionAt"}')
    const format = parties(['alice', 'bob'], 'TRANSACTION_SHAPE_ACS_DELTA')
    assert.deepEqual(calls.slice(1), [['transactionAt', 9007199254740993n, format, 'transaction']])
  })

  test('answer with the tree, for the actAs parties', async () => {
    const body = { ...minimal, readAs: ['bob'] }
    const { answer, asked: calls } = await asked('/v2/commands/submit-and-wait-for-transaction-tree', body)
    assert.equal(answer.text, '{"transactionTree":"transactionAt"}')
    const format = parties(['alice'], 'TRANSACTION_SHAPE_LEDGER_EFFECTS')
    assert.deepEqual(calls.slice(1), [['transactionAt', 9007199254740993n, format, 'tree']])
  })

  describe('with a format', () => {
    const path = '/v2/commands/submit-and-wait-for-transaction'
    const withFormat = (eventFormat: object) => ({
      commands: minimal,
      transactionFormat: { eventFormat, transactionShape: 'TRANSACTION_SHAPE_LEDGER_EFFECTS' },
    })

    test('are refused before they are recorded if it is invalid', async () => {
      const { asked: calls } = await asked(path, withFormat({ filtersByParty: { bob: {} } }))
      assert.deepEqual(
        calls.map(([operation]) => operation),
        ['checkForm', 'submitAndWait', 'checkNames', 'transactionAt'],
      )
    })

    test('need the right to read with it', async () => {
      const forCarol = await asked(path, withFormat({ filtersByParty: { carol: {} } }))
      assert.deepEqual(refusalOf(forCarol.answer), may('the right CanReadAs carol is missing'))
      const forAll = await asked(path, withFormat({ filtersForAnyParty: {} }))
      assert.deepEqual(refusalOf(forAll.answer), may('the right CanReadAsAnyParty is missing'))
      assert.deepEqual([...forCarol.asked, ...forAll.asked], [])
    })
  })

  test('carry the trace of the request', async () => {
    const traceparent = `00-${'1'.repeat(32)}-${'2'.repeat(16)}-00`
    service.traces.length = 0
    await service.call('POST', submit, { body: minimal, headers: { traceparent, tracestate: 'a=b' } })
    await service.call('POST', submit, { body: minimal })
    const [given, made] = service.traces as { traceparent: string; tracestate: string | null }[]
    assert.match(given!.traceparent, new RegExp(`^00-${'1'.repeat(32)}-(?!2{16})[0-9a-f]{16}-00$`))
    assert.equal(given!.tracestate, 'a=b')
    assert.match(made!.traceparent, /^00-[0-9a-f]{32}-[0-9a-f]{16}-03$/)
    assert.equal(made!.tracestate, null)
  })
})

test('a transaction that its submitters cannot see is answered without events', async () => {
  const unseen = (offset: bigint, format: { eventFormat: { filtersForAnyParty?: object | undefined } | undefined }) => {
    if (format.eventFormat?.filtersForAnyParty === undefined) {
      throw new LedgerError('UPDATE_NOT_FOUND', 'Update not found, or not visible.')
    }
    return Promise.resolve(Buffer.from(`{"updateId":"1220","events":[1],"offset":${offset % 100n}}`))
  }
  const updates = { transactionAt: async (...of: Parameters<typeof unseen>) => unseen(...of) } as unknown as Updates
  await using service = await startTestService({ ledger: { updates } })
  const path = '/v2/commands/submit-and-wait-for-transaction'
  const { text } = await service.call('POST', path, { body: { commands: minimal } })
  assert.equal(text, '{"transaction":{"updateId":"1220","events":[],"offset":93}}')
})

describe('an answer with a transaction counts towards the budget of its reader', () => {
  const large = 2 * 1024 * 1024
  const unassign = { UnassignCommand: { value: { contractId: '00', source: 'a::1220', target: 'b::1220' } } }
  const answers: [path: string, body: object][] = [
    ['/v2/commands/submit-and-wait-for-transaction', { commands: minimal }],
    ['/v2/commands/submit-and-wait-for-transaction-tree', minimal],
    [
      '/v2/commands/submit-and-wait-for-reassignment',
      { reassignmentCommands: { submitter: 'alice', commandId: 'c', commands: [{ command: unassign }] } },
    ],
  ]
  for (const [path, body] of answers) {
    test(path, async () => {
      const readBudget = createByteBudget({ bytesMax: 2 * large, freeBytes: 0, stalledMs: 120_000, clock: wallClock })
      const read = async (asking: OnAccount | undefined) => {
        await takeLarge(BigInt(large), asking)
        return '"read"'
      }
      const updates = {
        transactionAt: (_offset: bigint, _format: object, _form: string, asking?: OnAccount) => read(asking),
        reassignmentWithId: (_id: string, _format: object | undefined, asking?: OnAccount) => read(asking),
      } as unknown as Updates
      await using service = await startTestService({ ledger: { updates, readBudget } })
      const others = [readBudget.open(), readBudget.open()] // One has all there is, the other has more than that.
      for (const other of others) await other.take(large, new AbortController().signal)
      let isAnswered = false
      const answer = service.call('POST', path, { body }).finally(() => {
        isAnswered = true
      })
      while (readBudget.waiting() === 0 && !isAnswered) await turn()
      assert.equal(readBudget.waiting(), 1, 'it waits for memory that others have')
      for (const other of others) other[Symbol.dispose]()
      const { status, text } = await answer
      assert.equal(status, 200, text)
    })
  }
})

describe('completions', () => {
  let service: TestService
  before(async () => {
    service = await startTestService()
  })
  after(() => service[Symbol.asyncDispose]())

  const own = '/v2/commands/completions'
  const all = '/v2/commands/command-completions'
  const rows: [path: string, token: string, body: object, outcome: object | string][] = [
    [own, 'both', { parties: ['alice'] }, { userId: 'both', parties: ['alice'], beginExclusive: 0n }],
    [
      own,
      'both',
      { parties: ['alice', 'bob'], beginExclusive: 5 },
      { userId: 'both', parties: ['alice', 'bob'], beginExclusive: 5n },
    ],
    [own, 'both', {}, { userId: 'both', parties: [], beginExclusive: 0n }],
    [own, 'both', { userId: 'x', parties: ['alice'] }, 'the request is for the user x'],
    [own, 'both', { parties: ['carol'] }, 'the right CanReadAs carol is missing'],
    [own, 'any-reader', { userId: 'x', parties: ['carol'] }, { userId: 'x', parties: ['carol'], beginExclusive: 0n }],
    [all, 'both', { parties: ['bob'] }, { userId: undefined, parties: ['bob'], beginExclusive: 0n }],
    [all, 'both', { parties: [] }, 'the right CanReadAsAnyParty is missing'],
    [all, 'any-reader', {}, { userId: undefined, parties: [], beginExclusive: 0n }],
    [all, 'plain', { parties: ['bob'] }, 'the right CanReadAs bob is missing'],
  ]
  for (const [path, token, body, outcome] of rows) {
    test(`${path} of ${JSON.stringify(body)} as ${token}`, async () => {
      service.asked.length = 0
      const answer = await service.call('POST', `${path}?limit=2`, { body, token })
      if (typeof outcome === 'string') {
        assert.deepEqual(refusalOf(answer), [403, 'NA', `User ${token} may not do this: ${outcome}`])
        assert.deepEqual(service.asked, [])
      } else {
        assert.equal(answer.text, '[{"n":1},{"n":2}]')
        assert.deepEqual(service.asked, [['completions', outcome]])
      }
    })
  }

  test('without a user id need a user', async () => {
    const { json } = await service.call('POST', own, { token: 'nobody', body: { parties: ['alice'] } })
    assert.equal(json.code, 'INVALID_TOKEN')
  })
})
