// Commands of external parties over HTTP, on both databases: prepared, signed with keys of all kinds, executed once and
// unchanged. Published clients are tested in interactive-clients.test.ts.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import * as visualizer from '@canton-network/core-tx-visualizer'
import {
  executePath,
  forTransactionPath,
  preparePath,
  type SigningLedger,
  startSigningLedger,
  waitPath,
} from '../fixtures/interactive.ts'
import {
  createTarget,
  doing,
  effects,
  eventOf,
  exercise,
  filtersFor,
  type Json,
  keys,
  kindsOf,
  right,
  target,
  targetType,
  transactionFormat,
} from '../fixtures/ledger.ts'
import { refusalOf, stores } from '../fixtures/node.ts'
import { createSigner, keySpecs, type Signer } from '../fixtures/signer.ts'
import { until } from '../fixtures/until.ts'

const hex = (base64: string) => Buffer.from(base64, 'base64').toString('hex')
const failed = (reason: string) => [
  400,
  'FAILED_TO_EXECUTE_TRANSACTION',
  `The participant failed to execute the transaction: ${reason}`,
]
const unprepared = (reason: string) => [
  400,
  'FAILED_TO_PREPARE_TRANSACTION',
  `The participant failed to prepare the transaction: ${reason}`,
]
const short = (id: string) => id.replace(/(1220[0-9a-f]{8})[0-9a-f]{56}/g, '$1...')
const withBlob = { identifierFilter: { WildcardFilter: { value: { includeCreatedEventBlob: true } } } }
const everythingType = `${effects}:Effects:Everything`
const given = (contractId: string) => ({ tag: 'Given', value: contractId })
const made = (index: number) => ({ tag: 'Made', value: String(index) })

for (const store of stores) {
  describe(`interactive submission on ${store}`, () => {
    let signing: SigningLedger
    before(async () => {
      signing = await startSigningLedger({ store })
    })
    after(() => signing[Symbol.asyncDispose]())

    for (const keySpec of keySpecs) {
      test(`a party with a key of ${keySpec} creates a contract`, async () => {
        const { ledger } = signing
        const { party, signer } = await signing.newParty('creator', createSigner(keySpec))
        const before = await ledger.end()
        const prepared = await signing.prepare([createTarget([party])], { actAs: [party] })
        assert.equal(prepared.status, 200, prepared.text)
        assert.equal(await ledger.end(), before)
        const { preparedTransaction, preparedTransactionHash, costEstimation, ...rest } = prepared.json
        assert.deepEqual(rest, { hashingSchemeVersion: 'HASHING_SCHEME_VERSION_V2', hashingDetails: null })
        assert.equal(await visualizer.hashPreparedTransaction(preparedTransaction), preparedTransactionHash)
        assert.match(costEstimation.estimationTimestamp, /^\d{4}-/)
        const body = signing.executionOf(prepared.json, { [party]: [signer] }, { submissionId: `by-${keySpec}` })
        const done = await signing.post(waitPath, body)
        assert.equal(done.status, 200, done.text)
        assert.equal(done.json.completionOffset, before + 1)
        const { json } = await signing.post('/v2/updates/update-by-id', {
          updateId: done.json.updateId,
          updateFormat: { includeTransactions: transactionFormat({ filtersForAnyParty: {} }, 'ACS_DELTA') },
        })
        const { value } = json.update.Transaction
        assert.equal(kindsOf(value), 'C')
        assert.equal(value.externalTransactionHash, hex(preparedTransactionHash))
        assert.match(eventOf(value, 'CreatedEvent').contractId, /^00[0-9a-f]{64}ca121220[0-9a-f]{64}$/)
      })
    }

    test('the completion is for the user that executed it', async () => {
      const { party, signer } = await signing.newParty('completing')
      const prepared = (await signing.prepare([createTarget([party])], { actAs: [party], commandId: 'mine' })).json
      const body = signing.executionOf(prepared, { [party]: [signer] }, { submissionId: 'submitted' })
      const before = await signing.ledger.end()
      assert.deepEqual((await signing.post(executePath, body)).json, {})
      const request = { userId: 'signing', parties: [party], beginExclusive: before }
      const { value } = await until(async () => {
        const { json } = await signing.post('/v2/commands/completions', request)
        return json.map(({ completionResponse }: Json) => completionResponse.Completion).find(Boolean)
      })
      const { commandId, submissionId, actAs, userId, status } = value
      assert.deepEqual([commandId, submissionId, actAs, userId], ['mine', 'submitted', [party], 'signing'])
      assert.equal(status.code, 0)
    })

    test('values of all kinds, exercises, fetches and rollbacks have the hash that others compute', async () => {
      const who = await signing.newParty('everything')
      const { party } = who
      const created = await signing.run(who, createTarget([party], { note: 'é', first: 'one' }))
      const { contractId } = eventOf(created, 'CreatedEvent')
      const everything = {
        ...{ party, unit: {}, bool: true, int: '-9007199254740991', numeric: '-0.1', text: 'ünï\u{1f600}' },
        ...{ date: '1969-12-31', timestamp: '1900-01-01T00:00:00.000001Z', optional: '7', optional2: [[]] },
        ...{ list: ['1', '2'], textMap: { b: '1', a: '2' }, genMap: [['1', 'x']], fault: 'Lies' },
        ...{ ref: given(contractId), maybe: null, last: null },
        faults: { precondition: 'Fine', signatories: 'Fine', observers: 'Fine', view: 'Fine' },
      }
      const attempt = (...body: object[]) => ({
        tag: 'Try',
        value: { body: [...body, { tag: 'Throw', value: 'undo' }], handler: { tag: 'Handle', value: [] } },
      })
      const commands: [title: string, command: object, kinds: string][] = [
        ['every kind of value', { CreateCommand: { templateId: everythingType, createArguments: everything } }, 'C'],
        [
          'its own creates and fetches',
          exercise(
            targetType,
            contractId,
            'Keep',
            doing(
              [party],
              { tag: 'Create', value: target([party]) },
              { tag: 'Fetch', value: made(0) },
              { tag: 'Fetch', value: given(contractId) },
              { tag: 'FetchByInterface', value: given(contractId) },
              { tag: 'KeepByInterface', value: { target: made(0), argument: doing([party]) } },
              { tag: 'Archive', value: made(0) },
            ),
          ),
          'ECEE',
        ],
        [
          'a rollback',
          exercise(targetType, contractId, 'Keep', doing([party], attempt({ tag: 'Fetch', value: given(contractId) }))),
          'E',
        ],
        [
          'time',
          exercise(
            targetType,
            contractId,
            'Keep',
            doing([party], { tag: 'Before', value: '2100-01-01T00:00:00Z' }, { tag: 'GetTime', value: {} }),
          ),
          'E',
        ],
        ['an archive', exercise(targetType, contractId, 'Archive'), 'E'],
      ]
      for (const [title, command, kinds] of commands) {
        const prepared = await signing.prepare([command], { actAs: [party] })
        assert.equal(prepared.status, 200, `${title}: ${prepared.text}`)
        const { preparedTransaction, preparedTransactionHash } = prepared.json
        assert.equal(await visualizer.hashPreparedTransaction(preparedTransaction), preparedTransactionHash, title)
        const done = await signing.post(forTransactionPath, {
          ...signing.executionOf(prepared.json, { [party]: [who.signer] }),
          transactionFormat: transactionFormat(filtersFor([party]), 'LEDGER_EFFECTS'),
        })
        assert.equal(done.status, 200, `${title}: ${done.text}`)
        assert.equal(kindsOf(done.json.transaction), kinds, title)
      }
    })

    test('several parties each sign for themselves', async () => {
      const [one, two] = [await signing.newParty('one'), await signing.newParty('two')]
      const actAs = [one.party, two.party]
      const prepared = (await signing.prepare([createTarget(actAs)], { actAs })).json
      const execute = (signatures: Record<string, Signer[]>) =>
        signing.post(waitPath, signing.executionOf(prepared, signatures))
      assert.deepEqual(
        refusalOf(await execute({ [one.party]: [one.signer] })),
        failed(`The following actAs parties did not provide an external signature: ${two.party}`),
      )
      assert.equal((await execute({ [one.party]: [one.signer], [two.party]: [two.signer] })).status, 200)
    })

    test('a party needs as many signatures as its threshold', async () => {
      const signers = [createSigner(), createSigner('SIGNING_KEY_SPEC_EC_P256'), createSigner()]
      const [first, second, third] = signers as [Signer, Signer, Signer]
      const party = `many::${first.fingerprint}`
      const bytes = signing.onboarding.hosting({ party, keys: signers.map((signer) => ({ signer })), keyThreshold: 2 })
      assert.equal((await signing.onboarding.send([{ bytes, signers }])).status, 200)
      const prepared = (await signing.prepare([createTarget([party])], { actAs: [party] })).json
      const hash = hex(prepared.preparedTransactionHash)
      const tooFew = (valid: number, invalid: number) =>
        failed(
          `Received ${valid} valid signatures from distinct keys (${invalid} invalid), but expected at least 2 valid ` +
            `for ${short(party)}. Transaction hash to be signed: 1220${hash}. Ensure the correct transaction hash is ` +
            'signed with the correct key(s).',
        )
      const stranger = createSigner()
      const cases: [signers: Signer[], want: unknown[]][] = [
        [[first], tooFew(1, 0)],
        [[first, first], tooFew(1, 0)],
        [[first, stranger], tooFew(1, 1)],
        [[], tooFew(0, 0)],
        [
          [first, second, third, stranger],
          failed(
            '4 external signatures were provided, which is more than the number of registered signing keys (3) with ' +
              `protocol usage for ${short(party)}`,
          ),
        ],
      ]
      for (const [by, want] of cases) {
        const answer = await signing.post(waitPath, signing.executionOf(prepared, { [party]: by }))
        assert.deepEqual(refusalOf(answer), want)
      }
      const body = signing.executionOf(prepared, { [party]: [second, stranger, third] })
      const apart = [
        ...body.partySignatures.signatures,
        ...signing.executionOf(prepared, { [party]: [second] }).partySignatures.signatures,
      ]
      const answer = await signing.post(waitPath, { ...body, partySignatures: { signatures: apart.slice(0, 1) } })
      assert.equal(answer.status, 200, answer.text)
    })

    test('disclosed contracts are part of what is signed', async () => {
      const { ledger } = signing
      const { party, signer } = await signing.newParty('discloser')
      const { contractId } = await ledger.submit([createTarget([ledger.alice])], { actAs: [ledger.alice] })
      const found = await signing.post('/v2/state/active-contracts', {
        eventFormat: filtersFor([ledger.alice], withBlob),
        activeAtOffset: await ledger.end(),
      })
      const events = found.json.map((entry: Json) => entry.contractEntry.JsActiveContract.createdEvent)
      const { createdEventBlob } = events.find((event: Json) => event.contractId === contractId)
      const command = exercise(targetType, contractId, 'Keep', doing([party]))
      assert.equal(refusalOf(await signing.prepare([command], { actAs: [party] }))[1], 'CONTRACT_NOT_FOUND')
      const disclosedContracts = [{ createdEventBlob, contractId, templateId: targetType, synchronizerId: '' }]
      const prepared = await signing.prepare([command], { actAs: [party], disclosedContracts })
      assert.equal(prepared.status, 200, prepared.text)
      const { preparedTransaction, preparedTransactionHash } = prepared.json
      assert.equal(await visualizer.hashPreparedTransaction(preparedTransaction), preparedTransactionHash)
      await ledger.submit([exercise(targetType, contractId, 'Archive')], { actAs: [ledger.alice] })
      const body = signing.executionOf(prepared.json, { [party]: [signer] })
      const [status, code] = refusalOf(await signing.post(waitPath, body))
      assert.deepEqual([status, code], [404, 'LOCAL_VERDICT_INACTIVE_CONTRACTS'])
    })

    test('contract keys need scheme V3, which covers the latest record time', async () => {
      const who = await signing.newParty('keeper')
      const { party, signer } = who
      const key = { maintainers: [party], name: 'k', maintainersFault: 'Fine' }
      const templateId = `${keys}:Keys:Keyed`
      const createKeyed = {
        CreateCommand: {
          templateId,
          createArguments: { signatories: [party], observers: [], key, keyFault: 'Fine', note: '' },
        },
      }
      assert.deepEqual(
        refusalOf(await signing.prepare([createKeyed], { actAs: [party] })),
        unprepared(
          'Cannot hash node with LF serialization version V2 using hashing scheme V2. Does the transaction use ' +
            'contract keys? Please using hashing scheme V3 or higher.',
        ),
      )
      const fields = { hashingSchemeVersion: 'HASHING_SCHEME_VERSION_V3', maxRecordTime: '2100-01-01T00:00:00Z' }
      assert.equal(kindsOf(await signing.run(who, createKeyed, fields)), 'C')
      const archive = {
        ExerciseByKeyCommand: { templateId, contractKey: key, choice: 'Archive', choiceArgument: {} },
      }
      const overtaken = (await signing.prepare([archive], { actAs: [party], ...fields })).json
      assert.equal(kindsOf(await signing.run(who, archive, fields)), 'E')
      const gone = await signing.post(waitPath, signing.executionOf(overtaken, { [party]: [signer] }))
      assert.equal(refusalOf(gone)[1], 'LOCAL_VERDICT_INACTIVE_CONTRACTS', gone.text)
      assert.match(gone.json.context.confirming_parties, /^participant::1220\w+, keeper::1220\w+$/)
      const late = { ...fields, maxRecordTime: '2000-01-01T00:00:00Z' }
      const prepared = (await signing.prepare([createKeyed], { actAs: [party], ...late })).json
      const answer = await signing.post(waitPath, signing.executionOf(prepared, { [party]: [signer] }))
      assert.equal(refusalOf(answer)[1], 'LOCAL_VERDICT_MAX_RECORD_TIME_EXCEEDED')
    })

    test('is executed once, whichever user submits it and with whatever deduplication period', async () => {
      const { party, signer } = await signing.newParty('once')
      const prepared = (await signing.prepare([createTarget([party])], { actAs: [party] })).json
      const body = signing.executionOf(prepared, { [party]: [signer] })
      assert.equal((await signing.post(waitPath, body)).status, 200)
      assert.deepEqual(refusalOf(await signing.post(waitPath, body)).slice(0, 2), [409, 'DUPLICATE_COMMAND'])
      const noPeriod = { deduplicationPeriod: { DeduplicationDuration: { value: { seconds: 0, nanos: 0 } } } }
      await signing.ledger.node.restart()
      const somebody = await signing.ledger.userWith('somebody', { kind: { CanExecuteAsAnyParty: { value: {} } } })
      for (const [changed, token] of [
        [{ ...body, ...noPeriod }, undefined],
        [body, somebody],
      ] as const) {
        const refusal = refusalOf(await signing.post(waitPath, changed, { ...(token && { token }) }))
        assert.deepEqual(refusal.slice(0, 2), [400, 'DUPLICATE_CONFIRMATION_REQUEST_UUID'])
        assert.match(String(refusal[2]), /^The request UUID \([0-9a-f-]{36}\) is a duplicate of a previous request/)
      }
    })
  })
}

describe('what interactive submission refuses', () => {
  let signing: SigningLedger
  let who: { party: string; signer: Signer }
  let prepared: Json
  before(async () => {
    signing = await startSigningLedger()
    who = await signing.newParty('refused')
    prepared = (await signing.prepare([createTarget([who.party])], { actAs: [who.party] })).json
  })
  after(() => signing[Symbol.asyncDispose]())

  test('requests to prepare, each with its text', async () => {
    const { party } = who
    const command = createTarget([party])
    const { ledger } = signing
    const cases: [commands: object[], fields: object, want: unknown[]][] = [
      [[command, command], {}, unprepared('Preparing multiple commands is currently not supported')],
      [
        [command],
        { hashingSchemeVersion: 'HASHING_SCHEME_VERSION_UNSPECIFIED' },
        [
          400,
          'INVALID_FIELD',
          'The submitted command has a field with invalid value: Invalid field hashing_scheme_version: Unspecified version',
        ],
      ],
      [
        [command],
        { estimateTrafficCost: { expectedSignatures: ['SIGNING_ALGORITHM_SPEC_UNSPECIFIED'] } },
        [
          400,
          'INVALID_FIELD',
          'The submitted command has a field with invalid value: Invalid field estimate_traffic_cost: Signing ' +
            'algorithm spec SIGNING_ALGORITHM_SPEC_UNSPECIFIED not supported',
        ],
      ],
      [
        [command],
        { commandId: '' },
        [400, 'MISSING_FIELD', 'The submitted command is missing a mandatory field: command_id'],
      ],
      [
        [createTarget([party, ledger.alice])],
        {},
        [400, 'DAML_AUTHORIZATION_ERROR', /^Interpretation error: Error: node NodeId\(0\)/],
      ],
      [
        [command],
        { actAs: [`nobody::1220${'0'.repeat(64)}`] },
        [
          404,
          'UNKNOWN_INFORMEES',
          'The participant is not connected to any synchronizer where the given informees are known.',
        ],
      ],
    ]
    for (const [commands, fields, want] of cases) {
      const refusal = refusalOf(await signing.prepare(commands, { actAs: [party], ...fields }))
      const [status, code, words] = want
      assert.deepEqual(refusal.slice(0, 2), [status, code])
      if (words instanceof RegExp) assert.match(String(refusal[2]), words)
      else assert.equal(refusal[2], words)
    }
  })

  test('the signed transaction names its synchronizer', async () => {
    const { json } = await signing.ledger.node.call('GET', '/v2/state/connected-synchronizers')
    const [first, second] = json.connectedSynchronizers.map(({ synchronizerId }: Json) => synchronizerId)
    const signer = createSigner()
    const { onboarding } = signing
    const generated = await onboarding.generate({ synchronizer: second, partyHint: 'far', publicKey: signer.publicKey })
    const allocated = await onboarding.allocate({
      synchronizer: second,
      onboardingTransactions: generated.json.topologyTransactions.map((one: string) => ({ transaction: one })),
      multiHashSignatures: [signer.sign(Buffer.from(generated.json.multiHash, 'base64'))],
    })
    const party = allocated.json.partyId
    const answer = await signing.prepare([createTarget([party])], { actAs: [party] })
    assert.equal(answer.status, 200, answer.text)
    const { metadata } = visualizer.decodePreparedTransaction(answer.json.preparedTransaction)
    assert.equal(metadata?.synchronizerId, `${second}::35-0`)
    const elsewhere = await signing.prepare([createTarget([party])], { actAs: [party], synchronizerId: first })
    assert.equal(refusalOf(elsewhere)[1], 'INVALID_PRESCRIBED_SYNCHRONIZER_ID', elsewhere.text)
    const done = await signing.post(waitPath, signing.executionOf(answer.json, { [party]: [signer] }))
    assert.equal(done.status, 200, done.text)
    const update = {
      updateId: done.json.updateId,
      updateFormat: { includeTransactions: transactionFormat({ filtersForAnyParty: {} }) },
    }
    const found = await signing.post('/v2/updates/update-by-id', update)
    assert.equal(found.json.update.Transaction.value.synchronizerId, second)
  })

  test('details and costs are returned on request', async () => {
    const fields = { actAs: [who.party], verboseHashing: true, estimateTrafficCost: { disabled: true } }
    const { json } = await signing.prepare([createTarget([who.party])], fields)
    assert.equal(json.costEstimation, null)
    assert.match(json.hashingDetails, /^Verbose hashing is disabled on this participant/)
  })

  test('requests to execute, each with its text', async () => {
    const { party, signer } = who
    const body = signing.executionOf(prepared, { [party]: [signer] })
    const [signed] = body.partySignatures.signatures
    const withSignature = (fields: object, more: object = {}) => ({
      ...body,
      partySignatures: {
        signatures: [{ ...signed, signatures: [{ ...signed.signatures[0], ...fields }], ...more }],
      },
    })
    const invalidField = (field: string, reason: string) => [
      400,
      'INVALID_FIELD',
      `The submitted command has a field with invalid value: Invalid field ${field}: ${reason}`,
    ]
    const hash = hex(prepared.preparedTransactionHash)
    const invalid = failed(
      `Received 0 valid signatures from distinct keys (1 invalid), but expected at least 1 valid for ${short(party)}. ` +
        `Transaction hash to be signed: 1220${hash}. Ensure the correct transaction hash is signed with the correct ` +
        'key(s).',
    )
    const { alice } = signing.ledger
    const cases: [title: string, body: object, want: unknown[]][] = [
      [
        'no transaction',
        { ...body, preparedTransaction: 'AAAA' },
        [400, 'INVALID_ARGUMENT', 'The submitted request has invalid arguments: Cannot parse prepared_transaction'],
      ],
      [
        'an empty transaction',
        { ...body, preparedTransaction: '' },
        [400, 'MISSING_FIELD', 'The submitted command is missing a mandatory field: synchronizer_id'],
      ],
      [
        'no signature',
        { ...body, partySignatures: { signatures: [] } },
        failed(`The following actAs parties did not provide an external signature: ${party}`),
      ],
      [
        'another scheme',
        { ...body, hashingSchemeVersion: 'HASHING_SCHEME_VERSION_V3' },
        [400, 'FAILED_TO_EXECUTE_TRANSACTION', /Received 0 valid signatures/],
      ],
      [
        'no scheme',
        { ...body, hashingSchemeVersion: 'HASHING_SCHEME_VERSION_UNSPECIFIED' },
        invalidField('hashing_scheme_version', 'Unspecified version'),
      ],
      [
        'no format',
        withSignature({ format: 'SIGNATURE_FORMAT_UNSPECIFIED' }),
        invalidField('format', 'Signature format must be specified'),
      ],
      ['the wrong format', withSignature({ format: 'SIGNATURE_FORMAT_DER' }), invalid],
      [
        'the wrong algorithm',
        withSignature({ signingAlgorithmSpec: 'SIGNING_ALGORITHM_SPEC_EC_DSA_SHA_256' }),
        invalid,
      ],
      ['the wrong key', withSignature({ signedBy: createSigner().fingerprint }), invalid],
      ['another signature', withSignature({ signature: Buffer.from('gipfeli').toString('base64') }), invalid],
      [
        'an invalid party',
        withSignature({}, { party: 'x' }),
        invalidField('SinglePartySignatures.party', 'Invalid unique identifier `x` with missing namespace.'),
      ],
      [
        'no party',
        withSignature({}, { party: '' }),
        invalidField('SinglePartySignatures.party', 'Daml-LF Party is empty'),
      ],
      [
        'an invalid submission id',
        { ...body, submissionId: 'a%' },
        invalidField('submission_id', 'non expected character 0x25 in Daml-LF Ledger String "a%"'),
      ],
    ]
    for (const [title, changed, want] of cases) {
      const refusal = refusalOf(await signing.post(waitPath, changed))
      const [status, code, words] = want
      assert.deepEqual(refusal.slice(0, 2), [status, code], title)
      if (words instanceof RegExp) assert.match(String(refusal[2]), words)
      else assert.equal(refusal[2], words, title)
    }
    const many = {
      ...body,
      partySignatures: {
        signatures: [
          {
            party,
            signatures: Array.from({ length: 51 }, (_, index) => ({
              ...signed.signatures[0],
              signature: Buffer.of(index).toString('base64'),
            })),
          },
        ],
      },
    }
    assert.deepEqual(
      refusalOf(await signing.post(waitPath, many)),
      failed('One or more parties provided more than the maximum number of signatures allowed (50)'),
    )
    const local = (await signing.prepare([createTarget([alice])], { actAs: [alice] })).json
    assert.deepEqual(
      refusalOf(await signing.post(waitPath, signing.executionOf(local, { [alice]: [signer] }))),
      failed(`Could not find party signing keys for ${short(alice)}.`),
    )
  })

  test('callers without the rights', async () => {
    const { ledger } = signing
    const body = signing.executionOf(prepared, { [who.party]: [who.signer] })
    const stranger = await ledger.userWith('stranger')
    for (const [path, sent] of [
      [preparePath, { commands: [createTarget([who.party])], commandId: 'c', actAs: [who.party] }],
      [executePath, body],
      [waitPath, body],
      [forTransactionPath, body],
    ] as const) {
      assert.equal((await signing.post(path, sent, { token: stranger })).status, 403, path)
      assert.equal((await signing.post(path, sent, { token: null })).status, 401, path)
    }
    const reader = await ledger.userWith('reader', right('CanReadAs', who.party))
    const executor = await ledger.userWith('executor', right('CanExecuteAs', who.party))
    const unsigned = { ...body, partySignatures: { signatures: [] } }
    for (const path of [executePath, waitPath, forTransactionPath]) {
      assert.equal((await signing.post(path, unsigned, { token: reader })).status, 403, path)
      assert.equal((await signing.post(path, unsigned, { token: executor })).status, 400, path)
      assert.equal((await signing.post(path, { ...unsigned, userId: 'reader' }, { token: executor })).status, 403, path)
    }
    const format = { transactionFormat: transactionFormat(filtersFor([who.party])) }
    assert.equal((await signing.post(forTransactionPath, { ...unsigned, ...format }, { token: executor })).status, 403)
  })

  test('a transaction with any changed byte', async () => {
    const { party, signer } = who
    const bytes = Buffer.from(prepared.preparedTransaction, 'base64')
    const body = signing.executionOf(prepared, { [party]: [signer] })
    for (let at = 0; at < bytes.length; at += 1) {
      const changed = Buffer.from(bytes)
      changed[at]! ^= 1 << (at % 8)
      const answer = await signing.post(waitPath, { ...body, preparedTransaction: changed.toString('base64') })
      assert.ok(answer.status >= 400 && answer.status < 500, `byte ${at}: ${answer.status} ${answer.text}`)
    }
    assert.equal((await signing.post(waitPath, body)).status, 200)
  })
})
