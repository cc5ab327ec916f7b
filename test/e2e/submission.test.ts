// Command submission over HTTP, on both databases: the meaning of every field of a composite command, each refusal
// (status, code, text, order of checks), and the completions.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { createTestClock } from '../../src/base/clock.ts'
import {
  archiveIou,
  createTarget,
  doing,
  effectsDar,
  eventOf,
  exercise,
  filtersFor,
  holdingType,
  iouType,
  type Json,
  keys,
  keysDar,
  kindsOf,
  proposalType,
  quickstart,
  settled,
  startTestLedger,
  type TestLedger,
  target,
  targetType,
  templateFilter,
  transactionFormat,
} from '../fixtures/ledger.ts'
import { type Answer, refusalOf, startTestNode, stores } from '../fixtures/node.ts'
import { until } from '../fixtures/until.ts'
import { message, text } from '../support/lf/proto-writer.ts'

const async = '/v2/commands/async/submit'
const wait = '/v2/commands/submit-and-wait'
const forTransaction = '/v2/commands/submit-and-wait-for-transaction'
const forTree = '/v2/commands/submit-and-wait-for-transaction-tree'

const invalidArgument = (reason: string) => [
  400,
  'INVALID_ARGUMENT',
  `The submitted request has invalid arguments: ${reason}`,
]
const missingField = (field: string) => [
  400,
  'MISSING_FIELD',
  `The submitted command is missing a mandatory field: ${field}`,
]
const invalidField = (field: string, reason: string) => [
  400,
  'INVALID_FIELD',
  `The submitted command has a field with invalid value: Invalid field ${field}: ${reason}`,
]
const undecodable = (reason: string) => [400, `Invalid value for: body (${reason})`]

/** Status, code and the beginning of the cause of a refusal, or the whole cause if the row has it. */
type Refused = [title: string, commands: readonly object[], fields: object, want: unknown[]]

const createWallet = (owner: string, packageReference = '#quickstart') => ({
  CreateCommand: { templateId: `${packageReference}:Wallet:Wallet`, createArguments: { owner } },
})
const keyedType = `${keys}:Keys:Keyed`
const keyOf = (party: string, name: string) => ({ maintainers: [party], name, maintainersFault: 'Fine' })
const createKeyed = (party: string, name: string, note = 'note') => ({
  CreateCommand: {
    templateId: keyedType,
    createArguments: { signatories: [party], observers: [], key: keyOf(party, name), keyFault: 'Fine', note },
  },
})
/** As Canton names it among the resources of an error. */
const keyInProtobuf = (party: string, name: string): string => {
  const fields = [message(11, message(1, text(7, party))), text(8, name), message(15, text(1, 'Fine'))]
  return message(13, ...fields.map((field) => message(1, message(1, field)))).toString('base64')
}
const exerciseByKey = (party: string, name: string, choice: string) => ({
  ExerciseByKeyCommand: {
    templateId: keyedType,
    contractKey: keyOf(party, name),
    choice,
    choiceArgument: choice === 'Archive' ? {} : { controllers: [party], program: [] },
  },
})
const runProgram = (party: string, ...program: readonly object[]) => ({
  CreateAndExerciseCommand: {
    templateId: targetType,
    createArguments: target([party]),
    choice: 'Keep',
    choiceArgument: doing([party], ...program),
  },
})

const longId = 'a'.repeat(256)
const badText = 'non expected character 0x25 in Daml-LF Ledger String "a%"'
const tooLong = 'Daml-LF Ledger String is too long (max: 255)'
const badParty = 'non expected character 0x25 in Daml-LF Party "%"'

/** Malformed fields: each is refused before any look-up. */
function malformedFields({ alice, createIou }: TestLedger): Refused[] {
  const iou = [createIou()]
  const about = (fields: object, want: unknown[]): Refused => [JSON.stringify(fields).slice(0, 90), iou, fields, want]
  return [
    about({ workflowId: 'a%' }, invalidArgument(badText)),
    about({ workflowId: longId }, invalidArgument(tooLong)),
    about({ commandId: 'a%' }, invalidField('command_id', badText)),
    about({ commandId: longId }, invalidField('command_id', tooLong)),
    about({ commandId: '' }, missingField('command_id')),
    about({ submissionId: 'a%' }, invalidField('submission_id', badText)),
    about({ submissionId: longId }, invalidField('submission_id', tooLong)),
    about({ actAs: ['%'] }, invalidArgument(`Invalid party in actAs/act_as: ${badParty}`)),
    about({ actAs: [''] }, invalidArgument('Invalid party in actAs/act_as: Daml-LF Party is empty')),
    about({ readAs: ['%'] }, invalidArgument(badParty)),
    about({ readAs: [''] }, invalidArgument('Daml-LF Party is empty')),
    about({ readAs: [longId] }, invalidArgument('Daml-LF Party is too long (max: 255)')),
    about(
      { synchronizerId: 'x' },
      invalidField('synchronizer_id', 'Invalid unique identifier `x` with missing namespace.'),
    ),
    about(
      { synchronizerId: '::x' },
      invalidField('synchronizer_id', 'Invalid unique identifier `::x` with empty identifier.'),
    ),
    about({ commands: [] }, missingField('commands')),
    about(
      { deduplicationPeriod: { DeduplicationDuration: { value: { seconds: -1 } } } },
      invalidField('deduplication_period', 'Duration must be positive'),
    ),
    about(
      { deduplicationPeriod: { DeduplicationDuration: { value: { seconds: 1, nanos: -1_000_001_000 } } } },
      invalidField('deduplication_period', 'Duration must be positive'),
    ),
    about({ deduplicationPeriod: { DeduplicationOffset: { value: -3 } } }, [
      400,
      'NEGATIVE_OFFSET',
      'Offset -3 in deduplication_period is a negative integer: the deduplication offset has to be a non-negative ' +
        'integer and not -3',
    ]),
    about(
      { deduplicationPeriod: { Tomorrow: {} } },
      undecodable("JSON decoding to CNil should never happen at 'deduplicationPeriod'"),
    ),
    about(
      { minLedgerTimeAbs: 'yesterday' },
      undecodable("Text 'yesterday' could not be parsed at index 0 at 'minLedgerTimeAbs'"),
    ),
    about(
      { packageIdSelectionPreference: ['%'] },
      invalidArgument('packageIdSelectionPreferences: non expected character 0x25 in Daml-LF Package ID "%"'),
    ),
    about(
      { packageIdSelectionPreference: [''] },
      invalidArgument('packageIdSelectionPreferences: Daml-LF Package ID is empty'),
    ),
    about(
      { prefetchContractKeys: [{ templateId: keyedType, contractKey: keyOf(alice, 'k'), limit: 0 }] },
      invalidArgument('limit must be a positive integer, but got 0'),
    ),
    about({ tapsMaxPasses: 0 }, invalidArgument('taps_max_passes must be strictly positive, but got 0.')),
    about({ tapsMaxPasses: 'many' }, undecodable("Int at 'tapsMaxPasses'")),
  ]
}

/** Well-formed names that do not exist. */
function unknownThings({ bob, createIou }: TestLedger): Refused[] {
  const nowhere = `${'ab'.repeat(32)}:Iou:Iou`
  const create = (templateId: string) => [{ CreateCommand: { templateId, createArguments: {} } }]
  const noTemplate = (id: string) => [404, 'TEMPLATES_OR_INTERFACES_NOT_FOUND', `Templates do not exist: [${id}].`]
  const noSynchronizer =
    'Cannot submit transaction to prescribed synchronizer `x::1220ab` because: cannot resolve to physical ' +
    'synchronizer; ensure the node is connected to x::1220ab'
  const unknownInformees = [
    404,
    'UNKNOWN_INFORMEES',
    'The participant is not connected to any synchronizer where the given informees are known.',
  ]
  return [
    [
      'an unknown package name',
      create('#nowhere:Iou:Iou'),
      {},
      [
        404,
        'PACKAGE_NAMES_NOT_FOUND',
        'The following package names do not match upgradable packages uploaded on this participant: [nowhere].',
      ],
    ],
    ['an unknown package id', create(nowhere), {}, noTemplate(nowhere)],
    ['a template that a named package lacks', create('#quickstart:Iou:No'), {}, noTemplate(`${quickstart}:Iou:No`)],
    ['a template that a package lacks', create(`${quickstart}:No:Iou`), {}, noTemplate(`${quickstart}:No:Iou`)],
    ['an interface to create', create(holdingType), {}, noTemplate(`${quickstart}:Holding:Holding`)],
    [
      'an invalid reference',
      create('###x:Iou:Iou'),
      {},
      invalidArgument(
        'Value does not match the package-id or package-name formats: non expected character 0x23 in Daml-LF Package ' +
          'Name "##x"',
      ),
    ],
    [
      'an invalid identifier',
      create('Iou'),
      {},
      undecodable(
        'Invalid identifier format (Iou) not matching the expected format (<package>:<moduleName>:<entityName>) at ' +
          "'commands[0].CreateCommand.templateId'",
      ),
    ],
    [
      'a choice that a template lacks',
      [exercise(iouType, `00${'ab'.repeat(68)}`, 'Iou_Burn')],
      {},
      invalidArgument(`Invalid template:${quickstart}:Iou:Iou or choice:Iou_Burn`),
    ],
    [
      'an unknown kind of command',
      [{ BurnCommand: {} }],
      {},
      undecodable("JSON decoding to CNil should never happen at 'commands[0]'"),
    ],
    ['no contract', [exercise(iouType, '', 'Archive')], {}, missingField('contract_id')],
    [
      'an invalid contract id',
      [exercise(iouType, 'xyz', 'Archive')],
      {},
      invalidField('contract_id', 'cannot parse ContractId "xyz"'),
    ],
    [
      'a contract id of another version',
      [exercise(iouType, `ff${'00'.repeat(40)}`, 'Archive')],
      {},
      invalidField('contract_id', `cannot parse ContractId "ff${'00'.repeat(40)}"`),
    ],
    [
      'a contract id that is too short',
      [exercise(iouType, `00${'ab'.repeat(10)}`, 'Archive')],
      {},
      invalidField('contract_id', `cannot parse ContractId "00${'ab'.repeat(10)}"`),
    ],
    [
      'a short contract id of version 2',
      [exercise(iouType, `01${'ab'.repeat(3)}`, 'Archive')],
      {},
      invalidField('contract_id', 'cannot parse ContractId "01ababab"'),
    ],
    [
      'a contract id without its suffix',
      [exercise(iouType, `00${'ab'.repeat(32)}`, 'Archive')],
      {},
      [
        400,
        'COMMAND_PREPROCESSING_FAILED',
        `Illegal Contract ID "00${'ab'.repeat(32)}", non-suffixed V1 Contract IDs are forbidden`,
      ],
    ],
    [
      'a synchronizer by name',
      [createIou()],
      { synchronizerId: 'x::1220ab' },
      [400, 'INVALID_PRESCRIBED_SYNCHRONIZER_ID', noSynchronizer],
    ],
    [
      'a synchronizer, for a package by id',
      [createWallet(bob, quickstart)],
      { actAs: [bob], synchronizerId: 'x::1220ab' },
      [400, 'INVALID_PRESCRIBED_SYNCHRONIZER_ID', noSynchronizer],
    ],
    ['an observer', [createIou({ observers: ['nobody::1220ab'] })], {}, unknownInformees],
    [
      'a template of keys to prefetch',
      [createIou()],
      { prefetchContractKeys: [{ templateId: nowhere, contractKey: {} }] },
      noTemplate(nowhere),
    ],
    [
      'a key of a template that has none',
      [createIou()],
      { prefetchContractKeys: [{ templateId: `${quickstart}:Iou:Iou`, contractKey: {} }] },
      noTemplate(`${quickstart}:Iou:Iou`),
    ],
    [
      'a key of another type',
      [createIou()],
      { prefetchContractKeys: [{ templateId: keyedType, contractKey: {} }] },
      [400, 'COMMAND_PREPROCESSING_FAILED', 'Missing non-optional fields: Set(maintainers, name, maintainersFault)'],
    ],
    [
      'a package to prefer for a name',
      [createIou()],
      { packageIdSelectionPreference: ['ab'] },
      [400, 'JSON_API_PACKAGE_SELECTION_FAILED', 'Package-id ab not known'],
    ],
    [
      'a package to prefer',
      [createWallet(bob, quickstart)],
      { actAs: [bob], packageIdSelectionPreference: ['ab'] },
      invalidArgument('user-specified pkg id (ab) could not be found'),
    ],
  ]
}

/** Daml values of the wrong type. Where Canton answers 500, this node answers 400 and names the place (COMPAT.md). */
function misfits({ alice, createIou }: TestLedger): Refused[] {
  const about = (fields: object, ...want: unknown[]): Refused => [
    JSON.stringify(fields),
    [createIou(fields)],
    {},
    [400, ...want],
  ]
  const invalid = (reason: string) => invalidArgument(reason).slice(1)
  const programs = (action: object): readonly object[] => [runProgram(alice, action)]
  return [
    about(
      { amount: undefined, currency: undefined },
      'COMMAND_PREPROCESSING_FAILED',
      'Missing non-optional fields: HashSet(amount, currency)',
    ),
    about({ extra: 1 }, ...invalid('Unexpected fields: extra')),
    about({ amount: 'x' }, ...invalid('Could not read Numeric string "x"')),
    about({ amount: '1.12345678901' }, 'COMMAND_PREPROCESSING_FAILED'),
    about({ amount: true }, 'INVALID_ARGUMENT'),
    about({ owner: '%' }, ...invalid(badParty)),
    about({ owner: 3 }, 'INVALID_ARGUMENT'),
    about({ currency: 3 }, 'INVALID_ARGUMENT'),
    about({ observers: {} }, 'INVALID_ARGUMENT'),
    [
      'an argument of null',
      [{ CreateCommand: { templateId: iouType, createArguments: null } }],
      {},
      [400, 'INVALID_ARGUMENT'],
    ],
    [
      'a variant without a tag',
      programs({ value: 'x' }),
      {},
      invalidArgument("Variant type json must have 'tag' and 'value' fields."),
    ],
    ['a variant without a value', programs({ tag: 'Error' }), {}, [400, 'INVALID_ARGUMENT']],
    ['an unknown tag', programs({ tag: 'Nope', value: 'x' }), {}, invalidArgument('Unexpected variant tag: Nope')],
    [
      'an unknown constructor',
      [
        createTarget([alice], {
          faults: { precondition: 'Nope', signatories: 'Fine', observers: 'Fine', view: 'Fine' },
        }),
      ],
      {},
      invalidArgument('Unexpected case: Nope'),
    ],
    [
      'an invalid contract id in a value',
      programs({ tag: 'Fetch', value: { tag: 'Given', value: '#1:0' } }),
      {},
      invalidArgument('cannot parse ContractId "#1:0"'),
    ],
  ]
}

/** The form of a ledger refusal, apart from its text. */
type Interpreted = [
  title: string,
  commands: readonly object[],
  fields: object,
  want: [status: number, code: string, cause: string | RegExp, category: number, resources: [string, string][]],
]

for (const store of stores) {
  describe(`commands on ${store}`, () => {
    let ledger: TestLedger
    let iou: string
    before(async () => {
      ledger = await startTestLedger({ store, settings: { dars: [keysDar, effectsDar] } })
      iou = (await ledger.submit([ledger.createIou()])).contractId
    })
    after(() => ledger[Symbol.asyncDispose]())

    const send = (path: string, commands: readonly object[], fields: object = {}) =>
      ledger.post(path, ledger.commandsOf(commands, fields))

    const groups: [title: string, rows: (ledger: TestLedger) => Refused[]][] = [
      ['that are malformed', malformedFields],
      ['that name unknown things', unknownThings],
      ['with values that do not fit', misfits],
    ]
    for (const [title, rowsOf] of groups) {
      test(`${title} are refused, and nothing has happened`, async (t) => {
        const end = await ledger.end()
        for (const [what, commands, fields, want] of rowsOf(ledger)) {
          await t.test(what, async () => {
            for (const path of [async, wait]) {
              const answer = await send(path, commands, { submissionId: 'mine', ...fields })
              const [status, code, cause = ''] = refusalOf(answer) as [number, string, string?]
              const [wantStatus, wantCode, wantCause = ''] = want as [number, string, string?]
              assert.deepEqual([status, code], [wantStatus, wantCode], answer.text)
              assert.ok(cause.startsWith(wantCause), `${cause}\n${wantCause}`)
            }
          })
        }
        assert.equal(await ledger.end(), end)
      })
    }

    test('are checked in an order', async () => {
      const { alice } = ledger
      const disclosed = { createdEventBlob: '' }
      const steps: [fields: object, ...want: unknown[]][] = [
        [{ workflowId: 'a%' }, ...invalidArgument(badText)],
        [{ commandId: 'a%' }, ...invalidField('command_id', badText)],
        [{ submissionId: 'a%' }, ...invalidField('submission_id', badText)],
        [{ readAs: ['%'] }, ...invalidArgument(badParty)],
        [
          { synchronizerId: 'x' },
          ...invalidField('synchronizer_id', 'Invalid unique identifier `x` with missing namespace.'),
        ],
        [{ commands: [] }, ...missingField('commands')],
        [
          { minLedgerTimeAbs: '2020-01-01T00:00:00Z', minLedgerTimeRel: {} },
          ...invalidArgument('min_ledger_time_abs cannot be specified at the same time as min_ledger_time_rel'),
        ],
        [
          { deduplicationPeriod: { DeduplicationDuration: { value: { seconds: -1 } } } },
          ...invalidField('deduplication_period', 'Duration must be positive'),
        ],
        [{ disclosedContracts: [disclosed] }, ...missingField('DisclosedContract.createdEventBlob')],
        [{ packageIdSelectionPreference: ['ab'] }, ...invalidArgument('user-specified pkg id (ab) could not be found')],
        [
          { prefetchContractKeys: [{ templateId: keyedType, contractKey: keyOf(alice, 'k'), limit: 0 }] },
          ...invalidArgument('limit must be a positive integer, but got 0'),
        ],
        [{ tapsMaxPasses: 0 }, ...invalidArgument('taps_max_passes must be strictly positive, but got 0.')],
      ]
      for (const [index, [, ...want]] of steps.entries()) {
        const fields = Object.assign({}, ...steps.slice(index).map(([wrong]) => wrong))
        assert.deepEqual(refusalOf(await send(async, [createWallet(alice, quickstart)], fields)), want)
      }
    })

    test('that fail are reported with their submission id', async (t) => {
      const { alice, bank, bob, createIou } = ledger
      const nowhere = `00${'ab'.repeat(68)}`
      const lies = { precondition: 'Lies', signatories: 'Fine', observers: 'Fine', view: 'Fine' }
      const rows: Interpreted[] = [
        [
          'an unknown contract',
          [archiveIou(nowhere)],
          {},
          [404, 'CONTRACT_NOT_FOUND', `Contract could not be found with id ${nowhere}`, 11, [['CONTRACT_ID', nowhere]]],
        ],
        [
          'a contract that the submitter does not see',
          [exercise(iouType, iou, 'Iou_Show', { viewers: [] })],
          { actAs: [bob] },
          [404, 'CONTRACT_NOT_FOUND', `Contract could not be found with id ${iou}`, 11, [['CONTRACT_ID', iou]]],
        ],
        [
          'a contract that is used up',
          [archiveIou(iou), archiveIou(iou)],
          {},
          [
            404,
            'CONTRACT_NOT_ACTIVE',
            /^CONTRACT_NOT_ACTIVE\(11,my-submi\): Interpretation error: Error: Update failed due to fetch of an inactive/,
            11,
            [
              ['TEMPLATE_ID', `${quickstart}:Iou:Iou`],
              ['CONTRACT_ID', iou],
            ],
          ],
        ],
        [
          'a signatory that does not act',
          [createIou()],
          { actAs: [alice] },
          [
            400,
            'DAML_AUTHORIZATION_ERROR',
            `Interpretation error: Error: node NodeId(0) (${quickstart}:Iou:Iou) requires authorizers ` +
              `${alice},${bank}, but only ${alice} were given`,
            8,
            [],
          ],
        ],
        [
          'a controller that does not act',
          [exercise(iouType, iou, 'Iou_Show', { viewers: [] })],
          { actAs: [bank] },
          [
            400,
            'DAML_AUTHORIZATION_ERROR',
            `Interpretation error: Error: node NodeId(0) (${quickstart}:Iou:Iou) requires authorizers ${alice}, ` +
              `but only ${bank} were given`,
            8,
            [],
          ],
        ],
        [
          'a precondition',
          [createTarget([alice], { faults: lies })],
          {},
          [
            400,
            'TEMPLATE_PRECONDITION_VIOLATED',
            /^Interpretation error: Error: Update failed due to precondition/,
            8,
            [],
          ],
        ],
        [
          'an exception',
          [createIou({ amount: '0' })],
          {},
          [
            400,
            'DAML_FAILURE',
            'Interpretation error: Error: User failure: UNHANDLED_EXCEPTION/Iou:InvalidAmount (error category 9): ' +
              'Invalid amount 0.0: not positive',
            9,
            [],
          ],
        ],
        [
          'an abort',
          [runProgram(alice, { tag: 'Error', value: 'stop here' })],
          {},
          [
            400,
            'INTERPRETATION_USER_ERROR',
            'Interpretation error: Error: User abort: stop here',
            9,
            [['EXCEPTION_TEXT', 'stop here']],
          ],
        ],
        [
          'a contract of another template',
          [exercise(proposalType, iou, 'Archive')],
          {},
          [
            400,
            'WRONGLY_TYPED_CONTRACT',
            /wrongly typed contract id/,
            9,
            [
              ['CONTRACT_ID', iou],
              ['TEMPLATE_ID', `${quickstart}:Iou:IouProposal`],
              ['TEMPLATE_ID', `${quickstart}:Iou:Iou`],
            ],
          ],
        ],
        [
          'a key that nothing has',
          [exerciseByKey(alice, 'nothing', 'Keep')],
          {},
          [
            404,
            'CONTRACT_KEY_NOT_FOUND',
            /couldn't find key/,
            11,
            [
              ['TEMPLATE_ID', keyedType],
              ['CONTRACT_KEY', keyInProtobuf(alice, 'nothing')],
              ['PACKAGE_NAME', 'keys-lf23'],
            ],
          ],
        ],
        [
          'a key that is too large for the details of an error',
          [exerciseByKey(alice, 'n'.repeat(4000), 'Keep')],
          {},
          [
            404,
            'CONTRACT_KEY_NOT_FOUND',
            /couldn't find key/,
            11,
            [
              ['TEMPLATE_ID', keyedType],
              ['PACKAGE_NAME', 'keys-lf23'],
            ],
          ],
        ],
      ]
      const end = await ledger.end()
      for (const [title, commands, fields, [status, code, cause, category, resources]] of rows) {
        await t.test(title, async () => {
          for (const path of [async, wait, forTree]) {
            const answer = await send(path, commands, { ...fields, submissionId: 'my-submission' })
            const { json } = answer
            assert.deepEqual([answer.status, json.code, json.errorCategory], [status, code, category], answer.text)
            if (typeof cause === 'string') assert.equal(json.cause, cause)
            else assert.match(json.cause, cause)
            assert.equal(json.correlationId, 'my-submission')
            assert.match(json.traceId, /^[0-9a-f]{32}$/)
            assert.equal(json.context.category, String(category))
            const named = resources.map(([type, name]) => [`ErrorResource(${type})`, name])
            assert.deepEqual(json.resources, named)
          }
        })
      }
      assert.equal(await ledger.end(), end)
      const generated = await send(async, [archiveIou(nowhere)])
      assert.match(generated.json.correlationId, /^[0-9a-f]{8}-/)
      // Also refusals before interpretation.
      const early = await send(async, [createIou()], { submissionId: 'my-submission', workflowId: '%' })
      assert.equal(early.json.correlationId, 'my-submission')
    })

    test('are of four kinds', async () => {
      const { alice, bank, createIou } = ledger
      const created = await ledger.submit([createIou({ amount: '7' })])
      assert.equal(kindsOf(created.transaction), 'C')
      const split = await ledger.submit([exercise(iouType, created.contractId, 'Iou_Split', { amount: '3' })])
      assert.equal(kindsOf(split.transaction), 'ECC')
      const { choiceArgument, exerciseResult, consuming, actingParties, lastDescendantNodeId, interfaceId } = eventOf(
        split.transaction,
        'ExercisedEvent',
      )
      assert.deepEqual([choiceArgument, consuming, actingParties], [{ amount: '3.0000000000' }, true, [alice]])
      assert.deepEqual([lastDescendantNodeId, interfaceId], [2, null])
      const redeemed = await ledger.submit([exercise(holdingType, exerciseResult.rest, 'Holding_Redeem', null)])
      const redeem = eventOf(redeemed.transaction, 'ExercisedEvent')
      assert.deepEqual(
        [redeem.templateId, redeem.interfaceId, redeem.exerciseResult.amount],
        [`${quickstart}:Iou:Iou`, `${quickstart}:Holding:Holding`, '4.0000000000'],
      )
      const both = await ledger.submit([
        {
          CreateAndExerciseCommand: {
            ...(createIou() as Json).CreateCommand,
            choice: 'Iou_Show',
            choiceArgument: { viewers: [] },
          },
        },
      ])
      assert.equal(kindsOf(both.transaction), 'CE')

      const keyed = await ledger.submit([createKeyed(alice, 'mine')])
      const { contractKey, contractKeyHash } = eventOf(keyed.transaction, 'CreatedEvent')
      assert.deepEqual(contractKey, keyOf(alice, 'mine'))
      assert.equal(Buffer.from(contractKeyHash, 'base64').length, 32)
      const prefetchContractKeys = [{ templateId: keyedType, contractKey: keyOf(alice, 'mine'), limit: 3 }]
      const kept = await ledger.submit([exerciseByKey(alice, 'mine', 'Keep')], { prefetchContractKeys })
      assert.equal(eventOf(kept.transaction, 'ExercisedEvent').contractId, keyed.contractId)
      await ledger.submit([exerciseByKey(alice, 'mine', 'Archive')])
      const gone = await send(wait, [exerciseByKey(alice, 'mine', 'Keep')])
      assert.deepEqual([gone.status, gone.json.code], [404, 'CONTRACT_KEY_NOT_FOUND'])

      const several = await ledger.submit([createIou(), createWallet(bank), createIou({ amount: '1' })])
      assert.deepEqual(
        several.transaction.events.map(({ CreatedEvent }: Json) => [CreatedEvent.nodeId, CreatedEvent.offset]),
        [0, 1, 2].map((nodeId) => [nodeId, several.transaction.offset]),
      )
    })

    test('pass their ids on to updates and completions', async () => {
      const { alice, bank, synchronizerId, createIou } = ledger
      const traceId = '0af7651916cd43dd8448eb211c80319c'
      const headers = { traceparent: `00-${traceId}-b7ad6b7169203331-01`, tracestate: 'rojo=1' }
      const names = { commandId: 'a.b_c:d-e#f/g h', workflowId: 'my workflow', submissionId: 'my submission' }
      const body = { commands: ledger.commandsOf([createIou()], { ...names, synchronizerId, userId: 'app' }) }
      const answer = await ledger.post(forTransaction, body, { headers })
      assert.equal(answer.status, 200, answer.text)
      const { transaction } = answer.json
      assert.deepEqual(Object.keys(transaction), [
        'updateId',
        'commandId',
        'workflowId',
        'effectiveAt',
        'events',
        'offset',
        'synchronizerId',
        'traceContext',
        'recordTime',
        'externalTransactionHash',
        'paidTrafficCost',
      ])
      const { updateId, offset, recordTime } = transaction
      assert.match(updateId, /^1220[0-9a-f]{64}$/)
      assert.deepEqual([transaction.commandId, transaction.workflowId], [names.commandId, names.workflowId])
      const traced = ({ traceContext }: Json) => [traceContext.traceparent.split('-')[1], traceContext.tracestate]
      assert.deepEqual(traced(transaction), [traceId, 'rojo=1'])
      assert.notEqual(transaction.traceContext.traceparent, headers.traceparent)

      const completion = await ledger.completionOf(names.commandId)
      assert.deepEqual(traced(completion), [traceId, 'rojo=1'])
      assert.deepEqual(
        { ...completion, traceContext: undefined, actAs: completion.actAs.toSorted() },
        {
          commandId: names.commandId,
          status: { code: 0, message: '', details: [] },
          updateId,
          userId: 'app',
          actAs: [alice, bank].sort(),
          submissionId: names.submissionId,
          deduplicationPeriod: { DeduplicationOffset: { value: 0 } },
          traceContext: undefined,
          offset,
          synchronizerTime: { synchronizerId, recordTime },
          paidTrafficCost: 0,
        },
      )
      assert.deepEqual(Object.keys(completion), [
        'commandId',
        'status',
        'updateId',
        'userId',
        'actAs',
        'submissionId',
        'deduplicationPeriod',
        'traceContext',
        'offset',
        'synchronizerTime',
        'paidTrafficCost',
      ])
    })

    test('are answered in the requested form', async () => {
      const { alice, bank, bob, createIou } = ledger
      const submitted = await send(async, [createIou()], { commandId: 'in passing' })
      assert.deepEqual([submitted.status, submitted.text], [200, '{}'])
      assert.equal((await ledger.completionOf('in passing')).status.code, 0)

      const waited = await send(wait, [createIou()])
      assert.deepEqual(Object.keys(waited.json), ['updateId', 'completionOffset'])
      assert.equal(waited.json.completionOffset, await ledger.end())

      const tree = (await send(forTree, [createIou()])).json.transactionTree
      assert.deepEqual(Object.keys(tree), [
        'updateId',
        'commandId',
        'workflowId',
        'effectiveAt',
        'offset',
        'eventsById',
        'synchronizerId',
        'traceContext',
        'recordTime',
      ])
      assert.deepEqual(Object.keys(tree.eventsById['0']), ['CreatedTreeEvent'])

      const commands = (fields: object = {}) => ledger.commandsOf([createIou({ observers: [bob] })], fields)
      const witnesses = async (body: object) => {
        const { json, text, status } = await ledger.post(forTransaction, body)
        assert.equal(status, 200, text)
        return json.transaction.events.map(({ CreatedEvent }: Json) => CreatedEvent.witnessParties.toSorted())
      }
      assert.deepEqual(await witnesses({ commands: commands() }), [[alice, bank].sort()])
      assert.deepEqual(await witnesses({ commands: commands({ readAs: [bob] }) }), [[alice, bank, bob].sort()])
      const forBob = transactionFormat(filtersFor([bob]), 'LEDGER_EFFECTS')
      assert.deepEqual(await witnesses({ commands: commands(), transactionFormat: forBob }), [[bob]])
      // Nobody who asks sees it, but it is done all the same.
      const forCarol = transactionFormat(filtersFor([ledger.carol]))
      assert.deepEqual(await witnesses({ commands: commands(), transactionFormat: forCarol }), [])

      const formats: [format: object, want: unknown[]][] = [
        [{ transactionShape: 'TRANSACTION_SHAPE_ACS_DELTA' }, missingField('event_format')],
        [
          { eventFormat: filtersFor([alice]), transactionShape: 'TRANSACTION_SHAPE_UNSPECIFIED' },
          missingField('transaction_shape'),
        ],
        [
          transactionFormat({}),
          invalidArgument('filtersByParty and filtersForAnyParty cannot be empty simultaneously'),
        ],
      ]
      const end = await ledger.end()
      for (const [format, want] of formats) {
        const body = { commands: commands({ submissionId: 'formatted' }), transactionFormat: format }
        const refusal = await ledger.post(forTransaction, body)
        assert.deepEqual(refusalOf(refusal), want)
        assert.equal(refusal.json.correlationId, 'formatted')
        const wrong = { commands: commands({ workflowId: '%' }), transactionFormat: format }
        assert.deepEqual(refusalOf(await ledger.post(forTransaction, wrong)), want)
      }
      // Names are looked up when nothing is wrong with the command.
      const unknown = transactionFormat(filtersFor([alice], templateFilter('#nothing:A:B')))
      const withNames = (given: object) => ledger.post(forTransaction, { commands: given, transactionFormat: unknown })
      assert.equal((await withNames(commands())).json.code, 'PACKAGE_NAMES_NOT_FOUND')
      const gone = ledger.commandsOf([exercise(iouType, `00${'ab'.repeat(65)}`, 'Archive')])
      assert.equal((await withNames(gone)).json.code, 'CONTRACT_NOT_FOUND')
      assert.match((await withNames(commands({ workflowId: '%' }))).json.cause, /0x25 in Daml-LF Ledger String/)
      assert.equal(await ledger.end(), end)
    })

    test('are refused as duplicates in their completion, within the deduplication period', async () => {
      const { alice, bank, createIou } = ledger
      const commandId = 'again'
      const twice = async (deduplicationPeriod?: object) =>
        send(wait, [createIou()], {
          commandId,
          submissionId: 'second',
          ...(deduplicationPeriod && { deduplicationPeriod }),
        })
      const first = await send(wait, [createIou()], { commandId, submissionId: 'first' })
      const { completionOffset } = first.json
      const periods: [period: object | undefined][] = [
        [undefined],
        [{ Empty: {} }],
        [{ DeduplicationDuration: { value: { seconds: 3600 } } }],
        [{ DeduplicationDuration: { value: { seconds: 3600, nanos: -5 } } }],
        [{ DeduplicationOffset: { value: 0 } }],
        [{ DeduplicationOffset: { value: completionOffset - 1 } }],
      ]
      for (const [period] of periods) {
        const { status, json, text } = await twice(period)
        assert.deepEqual(
          [status, json.code, json.cause],
          [409, 'DUPLICATE_COMMAND', 'Command submission already exists.'],
        )
        assert.deepEqual([json.errorCategory, json.correlationId, json.resources], [10, null, []], text)
        assert.equal(json.context.completion_offset, String(completionOffset))
        assert.equal(json.context.definite_answer, 'true')
      }
      const rejected = (await ledger.completions(completionOffset)).filter((found) => found.commandId === commandId)
      assert.equal(rejected.length, periods.length)
      const [completion] = rejected
      const traceId = completion.traceContext.traceparent.split('-')[1]
      assert.equal(completion.status.code, 6)
      assert.equal(
        completion.status.message,
        `DUPLICATE_COMMAND(10,${traceId.slice(0, 8)}): Command submission already exists.`,
      )
      assert.deepEqual(typesOf(completion), ['ErrorInfo', 'RequestInfo'])
      const { reason, metadata } = detailOf(completion, 'ErrorInfo')
      assert.equal(reason, 'DUPLICATE_COMMAND')
      const { changeId, psid, ...others } = metadata
      assert.match(psid, /^global::1220[0-9a-f]{8}\.\.\.::\d+-0$/)
      assert.deepEqual(others, {
        completion_offset: String(completionOffset),
        participant: 'participant',
        accepted: 'true',
        existingSubmissionId: 'Some(first)',
        definite_answer: 'true',
        tid: traceId,
        category: '10',
      })
      assert.match(changeId, /^ChangeId\(app,again,Set\(/)
      assert.equal(detailOf(completion, 'RequestInfo').requestId, traceId)
      assert.deepEqual([completion.updateId, completion.submissionId], ['', 'second'])
      assert.deepEqual(completion.deduplicationPeriod, { DeduplicationOffset: { value: completionOffset - 1 } })

      const other = { commandId }
      assert.equal((await send(wait, [createWallet(alice)], { ...other, actAs: [alice] })).status, 200, 'others act')
      const reordered = await send(wait, [createIou()], { ...other, actAs: [alice, bank, alice] })
      assert.equal(reordered.json.code, 'DUPLICATE_COMMAND', 'actAs is a set')
      const accepted = await twice({ DeduplicationOffset: { value: completionOffset } })
      assert.equal(accepted.status, 200, accepted.text)
      const beyond = await twice({ DeduplicationOffset: { value: 1_000_000 } })
      assert.equal(beyond.status, 200, 'an offset beyond the end is allowed')
      // A rejected command did not happen, so it may be retried.
      const failed = await send(wait, [archiveIou(`00${'ab'.repeat(68)}`)], { commandId: 'retried' })
      assert.equal(failed.status, 404)
      assert.equal((await send(wait, [createIou()], { commandId: 'retried' })).status, 200)
    })

    test('that compete for a contract succeed once', async () => {
      const { contractId, transaction } = await ledger.submit([ledger.createIou()])
      const ids = Array.from({ length: 8 }, (_, index) => `taker-${index}`)
      const answers = await Promise.all(
        ids.map((commandId, index) => send(index % 2 === 0 ? wait : async, [archiveIou(contractId)], { commandId })),
      )
      const completions: Json[] = []
      for (const [index, answer] of answers.entries()) {
        if (answer.json.code === 'CONTRACT_NOT_FOUND') continue // Too late even to be interpreted.
        completions.push(await ledger.completionOf(ids[index]!))
        if (answer.json.code !== undefined) checkVerdict(answer, contractId)
      }
      assert.equal(completions.filter(({ status }) => status.code === 0).length, 1)
      for (const completion of completions) if (completion.status.code !== 0) checkInactive(completion, contractId)
      const offsets = (await ledger.completions(transaction.offset)).map(({ offset }) => offset)
      assert.deepEqual(
        offsets,
        [...new Set(offsets)].sort((a, b) => a - b),
      )
    })

    test('that are identical succeed once', async () => {
      const answers = await Promise.all(
        Array.from({ length: 8 }, () => send(wait, [ledger.createIou()], { commandId: 'same' })),
      )
      const refused = answers.filter(({ status }) => status !== 200)
      assert.equal(refused.length, 7)
      for (const { json } of refused) assert.match(json.code, /^(DUPLICATE_COMMAND|SUBMISSION_ALREADY_IN_FLIGHT)$/)
    })

    test('may use disclosed contracts', async (t) => {
      const { alice, bob, synchronizerId } = ledger
      const { contractId, transaction } = await ledger.submit([createTarget([alice])], { actAs: [alice] })
      const blobs = transactionFormat(
        filtersFor([alice], { identifierFilter: { WildcardFilter: { value: { includeCreatedEventBlob: true } } } }),
      )
      const blobOf = async (offset: number): Promise<string> => {
        const found = await ledger.post('/v2/updates/transaction-by-offset', { offset, transactionFormat: blobs })
        return eventOf(found.json.transaction, 'CreatedEvent').createdEventBlob
      }
      const createdEventBlob = await blobOf(transaction.offset)
      const other = await ledger.submit([createTarget([alice], { note: 'other' })], { actAs: [alice] })
      const otherBlob = await blobOf(other.transaction.offset)
      const bytes = Buffer.from(createdEventBlob, 'base64')
      const changed = bytes.toString('latin1').replace('note', 'nope')
      const tampered = Buffer.from(changed, 'latin1').toString('base64')
      assert.notEqual(tampered, createdEventBlob)
      const good = { createdEventBlob, templateId: targetType, contractId, synchronizerId }
      const byBob = (disclosedContracts: readonly object[]) =>
        send(wait, [exercise(targetType, contractId, 'Keep', doing([bob]))], { actAs: [bob], disclosedContracts })
      const notFound = [404, 'CONTRACT_NOT_FOUND', `Contract could not be found with id ${contractId}`]
      const mismatch = (field: string, given: string, actual: string) =>
        invalidArgument(
          `Mismatch between DisclosedContract.${field} (${given}) and ${field} from decoded ` +
            `DisclosedContract.created_event_blob (${actual})`,
        )
      const rows: [title: string, contracts: readonly object[], want: unknown[]][] = [
        ['none', [], notFound],
        ['the one', [good], [200]],
        ['the one, and nothing about it', [{ createdEventBlob }], [200]],
        ['the same twice', [good, good], [200]],
        ['another', [{ createdEventBlob: otherBlob }], notFound],
        ['no blob', [{ ...good, createdEventBlob: '' }], missingField('DisclosedContract.createdEventBlob')],
        [
          'a blob that is not Base64',
          [{ ...good, createdEventBlob: 'no base64!' }],
          undecodable("The string is not a valid Base64: no base64! at 'disclosedContracts[0].createdEventBlob'"),
        ],
        [
          'a blob of something else',
          [{ ...good, createdEventBlob: 'AAAA' }],
          invalidArgument('Unable to decode disclosed contract event payload: '),
        ],
        [
          'an invalid contract id',
          [{ ...good, contractId: 'xyz' }],
          invalidField('DisclosedContract.contract_id', 'cannot parse ContractId "xyz"'),
        ],
        [
          'the id of another',
          [{ ...good, contractId: other.contractId }],
          mismatch('contract_id', other.contractId, contractId),
        ],
        [
          'the template of another',
          [{ ...good, templateId: `${quickstart}:Iou:Iou` }],
          mismatch('template_id', `${quickstart}:Iou:Iou`, targetType),
        ],
        [
          'an invalid synchronizer',
          [{ ...good, synchronizerId: 'x' }],
          invalidField('DisclosedContract.synchronizer_id', 'Invalid unique identifier `x` with missing namespace.'),
        ],
        ['a changed one', [{ createdEventBlob: tampered }], [400]],
        ['two versions of one', [good, { createdEventBlob: tampered }], [400, 'NA']],
      ]
      for (const [title, contracts, want] of rows) {
        await t.test(title, async () => {
          const answer = await byBob(contracts)
          const got = refusalOf(answer)
          assert.deepEqual(got.slice(0, Math.min(want.length, 2)), want.slice(0, 2), answer.text)
          if (want.length === 3) assert.ok(String(got[2]).startsWith(want[2] as string), String(got[2]))
        })
      }
      // An archived contract stays archived, disclosed or not.
      await ledger.submit([exercise(targetType, contractId, 'Archive')], { actAs: [alice] })
      const late = await byBob([good])
      assert.deepEqual([late.status, late.json.code], [404, 'LOCAL_VERDICT_INACTIVE_CONTRACTS'], late.text)
    })

    test('that are rejected name the contracts and the confirming parties of the first root node', async () => {
      const { alice, bob, carol } = ledger
      const archived = async (signatory: string) => {
        const actAs = [signatory]
        const { contractId, transaction } = await ledger.submit([createTarget(actAs, { observers: [bob] })], { actAs })
        const wildcard = { identifierFilter: { WildcardFilter: { value: { includeCreatedEventBlob: true } } } }
        const format = transactionFormat(filtersFor(actAs, wildcard))
        const body = { offset: transaction.offset, transactionFormat: format }
        const { json } = await ledger.post('/v2/updates/transaction-by-offset', body)
        await ledger.submit([exercise(targetType, contractId, 'Archive')], { actAs })
        return { contractId, createdEventBlob: eventOf(json.transaction, 'CreatedEvent').createdEventBlob }
      }
      const disclosedContracts = [await archived(alice), await archived(carol), await archived(carol)]
      const [first, second, third] = disclosedContracts.map(({ contractId }) => contractId) as [string, string, string]
      const keep = (contractId: string, ...fetched: string[]) => {
        const program = fetched.map((value) => ({ tag: 'Fetch', value: { tag: 'Given', value } }))
        return exercise(targetType, contractId, 'Keep', doing([bob], ...program))
      }
      const live = await ledger.submit([createTarget([bob])], { actAs: [bob] })
      const rows: [commands: object[], contracts: string[], confirmers: string[]][] = [
        [[keep(first)], [first], [alice, bob]],
        [[keep(first), keep(second)], [first], [alice, bob]],
        [[createTarget([bob]), keep(second)], [second], [carol, bob]],
        [
          [keep(live.contractId, third, first), keep(second)],
          [third, first],
          [bob, carol, alice],
        ],
      ]
      const { participantId } = (await ledger.node.call('GET', '/v2/parties/participant-id')).json
      for (const [commands, contracts, confirmers] of rows) {
        const { json } = await send(wait, commands, { actAs: [bob], readAs: [alice, carol], disclosedContracts })
        const { CONTRACT_ID, confirming_parties } = json.context
        assert.deepEqual(
          [json.code, CONTRACT_ID, confirming_parties],
          [
            'LOCAL_VERDICT_INACTIVE_CONTRACTS',
            `List(${contracts.join(', ')})`,
            [participantId, ...confirmers].join(', '),
          ],
          json.cause,
        )
      }
    })

    test('may read as others', async () => {
      const { alice, bob, carol } = ledger
      const { contractId } = await ledger.submit([createTarget([alice], { observers: [carol] })], { actAs: [alice] })
      const keep = [exercise(targetType, contractId, 'Keep', doing([bob]))]
      const rows: [readAs: string[] | undefined, status: number][] = [
        [undefined, 404],
        [[], 404],
        [[bob], 404],
        [[carol], 200],
        [[alice, bob], 200],
      ]
      for (const [readAs, status] of rows) {
        const answer = await send(wait, keep, { actAs: [bob], ...(readAs && { readAs }) })
        assert.equal(answer.status, status, answer.text)
      }
    })

    test('may choose packages', async () => {
      const { alice } = ledger
      const chosen: [preference: string[], status: number, code?: string][] = [
        [[quickstart], 200],
        [[keys], 200],
        [[quickstart, keys], 200],
        [[quickstart, keys, quickstart], 400, 'INVALID_ARGUMENT'],
      ]
      for (const [packageIdSelectionPreference, status, code] of chosen) {
        for (const reference of ['#quickstart', quickstart]) {
          const fields = { actAs: [alice], packageIdSelectionPreference }
          const answer = await send(wait, [createWallet(alice, reference)], fields)
          assert.deepEqual([answer.status, answer.json.code], [status, code], answer.text)
        }
      }
    })

    test('need vetted packages', async () => {
      const { alice, synchronizerId } = ledger
      const { contractId } = await ledger.submit([createWallet(alice)], { actAs: [alice] })
      const vet = (operation: string) =>
        ledger.node.call('POST', '/v2/package-vetting/update', {
          body: { changes: [{ operation: { [operation]: { value: { packages: [{ packageId: quickstart }] } } } }] },
        })
      assert.equal((await vet('Unvet')).status, 200)
      const byName = createWallet(alice)
      const byId = createWallet(alice, quickstart)
      const archive = exercise(`${quickstart}:Wallet:Wallet`, contractId, 'Archive')
      const noName = "No package with package-name 'quickstart' is consistently vetted by all hosting participants of"
      const noId =
        /Some packages are not known to all informees on synchronizer .*\nParticipant PAR::.* has not vetted /
      const rows: [command: object, fields: object, code: string, cause: RegExp][] = [
        [byName, {}, 'JSON_API_PACKAGE_SELECTION_FAILED', new RegExp(noName)],
        [byName, { synchronizerId }, 'JSON_API_PACKAGE_SELECTION_FAILED', new RegExp(noName)],
        [byId, {}, 'NO_SYNCHRONIZER_FOR_SUBMISSION', noId],
        [byId, { synchronizerId }, 'INVALID_PRESCRIBED_SYNCHRONIZER_ID', noId],
        [archive, {}, 'INVALID_PRESCRIBED_SYNCHRONIZER_ID', noId],
      ]
      const end = await ledger.end()
      for (const [command, fields, code, cause] of rows) {
        const { status, json } = await send(async, [command], { actAs: [alice], ...fields })
        assert.deepEqual([status, json.code, json.errorCategory], [400, code, 9])
        assert.match(json.cause, cause)
      }
      assert.equal(await ledger.end(), end)
      assert.equal((await vet('Vet')).status, 200)
      assert.equal((await send(wait, [archive], { actAs: [alice] })).status, 200)
    })

    test('have completions for those who acted', async () => {
      const { alice, bank, bob, carol, createIou } = ledger
      const begin = await ledger.end()
      await send(wait, [createIou()], { commandId: 'both' })
      await send(wait, [createWallet(bob)], { commandId: 'bobs', actAs: [bob] })
      const seenBy = async (...parties: string[]) =>
        (await ledger.completions(begin, parties)).map(({ commandId, actAs }) => [commandId, actAs])
      assert.deepEqual(await seenBy(alice), [['both', [alice]]])
      assert.deepEqual(await seenBy(bob, alice), [
        ['both', [alice]],
        ['bobs', [bob]],
      ])
      assert.deepEqual(await seenBy(carol), [])
      const everybody = async (body: object) => {
        const path = '/v2/commands/command-completions?stream_idle_timeout_ms=50'
        const { json } = await ledger.post(path, { beginExclusive: begin, ...body })
        return json.flatMap(({ completionResponse }: Json) => completionResponse.Completion?.value ?? [])
      }
      assert.deepEqual(
        (await everybody({})).map(({ commandId, actAs }: Json) => [commandId, actAs.toSorted()]),
        [
          ['both', [alice, bank].sort()],
          ['bobs', [bob]],
        ],
      )
      assert.deepEqual(
        (await everybody({ parties: [bank] })).map(({ actAs }: Json) => actAs),
        [[bank]],
      )
      const end = await ledger.end()
      const path = '/v2/commands/completions'
      const refused: [body: object, want: unknown[]][] = [
        [{ parties: [] }, missingField('parties')],
        [{ parties: ['%'] }, invalidArgument(badParty)],
        [
          { parties: [alice], beginExclusive: -1 },
          [
            400,
            'NEGATIVE_OFFSET',
            'Offset -1 in begin_exclusive is a negative integer: the offset in begin_exclusive field has to be a ' +
              'non-negative integer (>=0)',
          ],
        ],
        [
          { parties: [alice], beginExclusive: end + 1 },
          [400, 'OFFSET_AFTER_LEDGER_END', `Begin offset (${end + 1}) is after ledger end (${end})`],
        ],
        [{ userId: 'a b', parties: [] }, invalidField('user_id', 'User ID "a b" does not match regex')],
      ]
      for (const [body, want] of refused) {
        const got = refusalOf(await ledger.post(path, body))
        assert.deepEqual(got.slice(0, 2), want.slice(0, 2))
        assert.ok(String(got[2]).startsWith(String(want[2])), String(got[2]))
      }
    })
  })

  describe(`commands without tokens on ${store}`, () => {
    test('name their user, and unknown parties are refused', async () => {
      await using node = await startTestNode({ store, settings: { auth: { mode: 'off' } } })
      const party: string = (await node.call('POST', '/v2/parties', { body: {} })).json.partyDetails.party
      const unknownSubmitters = [
        404,
        'UNKNOWN_SUBMITTERS',
        'The participant is not connected to any synchronizer where the given submitters are known.',
      ]
      const unknownInformees = [
        404,
        'UNKNOWN_INFORMEES',
        'The participant is not connected to any synchronizer where the given informees are known.',
      ]
      const pattern = "[a-zA-Z0-9@^$.!`\\-#+'~_|:\\(\\)]{1,128}"
      const badUser = (userId: string) =>
        invalidField('user_id', `User ID "${userId}" does not match regex "${pattern}"`)
      const byName = [createWallet(party)]
      const byId = [createWallet(party, quickstart)]
      const rows: [commands: object[], fields: object, want: unknown[]][] = [
        [byName, { userId: 'a b' }, badUser('a b')],
        [byName, { userId: 'x'.repeat(129) }, badUser('x'.repeat(129))],
        [
          byName,
          { workflowId: '%', userId: 'a b' },
          invalidArgument('non expected character 0x25 in Daml-LF Ledger String "%"'),
        ],
        [byName, { userId: 'a b', commandId: '' }, badUser('a b')],
        [byName, { actAs: [party, '%'] }, invalidArgument(badParty)],
        [byName, { actAs: ['nobody'] }, unknownInformees],
        [byId, { actAs: ['nobody'] }, unknownSubmitters],
        [byName, { actAs: [party, 'nobody'] }, unknownSubmitters],
        [byId, { actAs: [party, 'nobody'] }, unknownSubmitters],
        [byName, { readAs: ['nobody'] }, [200]],
        [byName, { userId: "it's@a.user(1)", commandId: 'odd' }, [200]],
      ]
      for (const [commands, fields, want] of rows) {
        const body = { commands, commandId: 'c', actAs: [party], userId: 'user', ...fields }
        const got = refusalOf(await node.call('POST', wait, { body, token: null }))
        assert.deepEqual(got.slice(0, want.length), want, JSON.stringify(fields))
      }
    })
  })

  describe(`commands in time on ${store}`, () => {
    const startMs = Date.parse('2026-01-01T00:00:00Z')
    /** No other timer of a node has this length. */
    const whileMs = 5_007
    const inAWhile = { seconds: 5, nanos: 7_000_000 }

    test('wait until their minimum ledger time', async () => {
      const clock = createWatchedClock(startMs)
      await using ledger = await startTestLedger({ store, clock })
      const { createIou } = ledger
      const effectiveAt = async (fields: object, advanceMs: number) => {
        const answer = ledger.post(forTransaction, { commands: ledger.commandsOf([createIou()], fields) })
        if (advanceMs > 0) {
          await clock.timersOf(advanceMs, 1)
          clock.advance(advanceMs)
        }
        return (await answer).json.transaction?.effectiveAt
      }
      assert.equal(await effectiveAt({}, 0), '2026-01-01T00:00:00Z')
      assert.equal(await effectiveAt({ minLedgerTimeAbs: '2020-01-01T00:00:00Z' }, 0), '2026-01-01T00:00:00Z')
      assert.equal(await effectiveAt({ minLedgerTimeRel: { seconds: -5 } }, 0), '2025-12-31T23:59:55Z')
      assert.equal(await effectiveAt({ minLedgerTimeRel: inAWhile }, whileMs), '2026-01-01T00:00:05.007Z')
      assert.equal(await effectiveAt({ minLedgerTimeAbs: '2026-01-01T00:00:07.5Z' }, 2493), '2026-01-01T00:00:07.500Z')
      const tooFar = await ledger.post(
        async,
        ledger.commandsOf([createIou()], { minLedgerTimeRel: { seconds: 253_402_300_800 } }),
      )
      assert.deepEqual(refusalOf(tooFar).slice(0, 2), [400, 'INVALID_ARGUMENT'])
      assert.match(
        tooFar.json.cause,
        /Can not represent command ledger time \+10056-01-01T00:00:07.500Z as a Daml timestamp/,
      )
    })

    test('are rejected if their contract is archived while they wait', async () => {
      const clock = createWatchedClock(startMs)
      await using ledger = await startTestLedger({ store, clock })
      const { contractId } = await ledger.submit([ledger.createIou()])
      const archive = [archiveIou(contractId)]
      const late = { commandId: 'late', minLedgerTimeRel: inAWhile }
      const answer = ledger.post(wait, ledger.commandsOf(archive, late))
      await clock.timersOf(whileMs, 1)
      await ledger.submit(archive)
      clock.advance(whileMs)
      checkVerdict(await answer, contractId)
      const completions = await settled(ledger.completions(), clock, 100, ledger.node)
      checkInactive(completions.find(({ commandId }) => commandId === 'late')!, contractId)
    })

    test('are refused while another with their change id is in flight', async () => {
      const clock = createWatchedClock(startMs)
      await using ledger = await startTestLedger({ store, clock })
      const body = ledger.commandsOf([ledger.createIou()], { commandId: 'same', minLedgerTimeRel: inAWhile })
      const answers = Promise.all([ledger.post(wait, body), ledger.post(wait, body)])
      await clock.timersOf(whileMs, 2)
      clock.advance(whileMs)
      const [done, refused] = (await answers).sort((a, b) => a.status - b.status)
      assert.equal(done!.status, 200, done!.text)
      const { code, cause, errorCategory, retryInfo, context } = refused!.json
      assert.deepEqual(
        [refused!.status, code, cause, errorCategory, retryInfo],
        [409, 'SUBMISSION_ALREADY_IN_FLIGHT', 'The submission is already in-flight', 2, '1 second'],
      )
      assert.match(context.changeId, /^ChangeId\(app,same,/)
    })

    test('have checkpoints among their completions once there is news', async () => {
      const clock = createTestClock(startMs)
      await using ledger = await startTestLedger({ store, clock })
      const { alice, createIou, synchronizerId } = ledger
      const begin = await ledger.end()
      /** Offsets count from where the first command comes. */
      const read = async (after: number): Promise<string[]> => {
        const beginExclusive = begin + after
        const path = '/v2/commands/completions?stream_idle_timeout_ms=2000'
        const answer = await settled(ledger.post(path, { parties: [alice], beginExclusive }), clock, 100, ledger.node)
        return answer.json.map(({ completionResponse }: Json) => {
          const { Completion: completion, OffsetCheckpoint: checkpoint } = completionResponse
          if (completion !== undefined) return `completion ${completion.value.offset - begin}`
          const times: Json[] = checkpoint.value.synchronizerTimes
          assert.ok(times.some((time) => time.synchronizerId === synchronizerId))
          assert.equal(times.length, 2)
          return `checkpoint ${checkpoint.value.offset - begin}`
        })
      }
      await ledger.submit([createIou()])
      await ledger.submit([createIou()])
      assert.deepEqual(await read(0), ['completion 1', 'completion 2'])
      clock.advance(15_000)
      assert.deepEqual(await read(0), ['completion 1', 'completion 2', 'checkpoint 2'])
      assert.deepEqual(await read(2), ['checkpoint 2'])
      await ledger.submit([createIou()])
      assert.deepEqual(await read(1), ['completion 2', 'checkpoint 2', 'completion 3'])
    })

    test('are duplicates within the period that they name', async () => {
      const clock = createTestClock(startMs)
      await using ledger = await startTestLedger({ store, clock })
      const { createIou, node } = ledger
      const again = async (seconds: number | undefined) => {
        const deduplicationPeriod =
          seconds === undefined ? undefined : { DeduplicationDuration: { value: { seconds } } }
        const fields = { commandId: 'again', ...(deduplicationPeriod && { deduplicationPeriod }) }
        const token = await node.token('app')
        return (await ledger.post(wait, ledger.commandsOf([createIou()], fields), { token })).json.code
      }
      const day = 86_400_000
      assert.equal(await again(undefined), undefined)
      clock.advance(day)
      assert.equal(await again(86_400), 'DUPLICATE_COMMAND')
      assert.equal(await again(86_399), undefined)
    })

    test('may not name a pruned offset as the beginning of their deduplication period', async () => {
      await using ledger = await startTestLedger({ store })
      const { createIou } = ledger
      const submitAfter = (offset: number, commandId: string) => {
        const deduplicationPeriod = { DeduplicationOffset: { value: offset } }
        return ledger.post(wait, ledger.commandsOf([createIou()], { commandId, deduplicationPeriod }))
      }
      assert.equal((await submitAfter(0, 'first')).status, 200)
      const pruneUpTo = await ledger.end()
      await ledger.submit([createIou()])
      assert.equal((await ledger.node.call('POST', '/v2/pruning', { body: { pruneUpTo } })).status, 200)
      for (const offset of [0, pruneUpTo - 1]) {
        const { status, json } = await submitAfter(offset, `after ${offset}`)
        assert.deepEqual([status, json.code], [400, 'INVALID_DEDUPLICATION_PERIOD'])
        assert.equal(json.context.earliest_offset, String(pruneUpTo))
        assert.equal((await submitAfter(offset, 'first')).json.code, 'DUPLICATE_COMMAND') // Still known.
      }
      assert.equal((await submitAfter(pruneUpTo, 'since')).status, 200)
      assert.equal((await submitAfter(pruneUpTo, 'since')).json.code, 'DUPLICATE_COMMAND')
    })
  })
}

/** Whether an answer has come, after everything that could run has run. */
/** A clock that tells which timers were set, so that a test knows what waits. */
function createWatchedClock(startMs: number) {
  const clock = createTestClock(startMs)
  const delays: number[] = []
  return {
    ...clock,
    after(delayMs: number, action: () => void) {
      delays.push(delayMs)
      return clock.after(delayMs, action)
    },
    timersOf: (delayMs: number, count: number) => until(() => delays.filter((ms) => ms === delayMs).length === count),
  }
}

function typesOf(completion: Json): string[] {
  return completion.status.details.map(({ typeUrl }: Json) => typeUrl.replace('type.googleapis.com/google.rpc.', ''))
}

function detailOf(completion: Json, type: string): Json {
  return completion.status.details[typesOf(completion).indexOf(type)].valueDecoded
}

function checkInactive(completion: Json, contractId: string): void {
  assert.equal(completion.updateId, '')
  assert.deepEqual(
    [completion.status.code, completion.status.message.replace(/,[0-9a-f]{8}/, '')],
    [5, 'LOCAL_VERDICT_INACTIVE_CONTRACTS(11): Rejected transaction is referring to inactive contracts '],
  )
  assert.deepEqual(typesOf(completion), ['ErrorInfo', 'RequestInfo', 'ResourceInfo'])
  assert.deepEqual(detailOf(completion, 'ErrorInfo'), {
    reason: 'LOCAL_VERDICT_INACTIVE_CONTRACTS',
    domain: '',
    metadata: inactiveContext(detailOf(completion, 'ErrorInfo').metadata, contractId),
    unknownFields: { fields: {} },
  })
  assert.deepEqual(detailOf(completion, 'ResourceInfo'), {
    resourceType: 'CONTRACT_ID',
    resourceName: contractId,
    owner: '',
    description: '',
    unknownFields: { fields: {} },
  })
}

/** What a participant tells when it rejects, with its own id. */
function inactiveContext(told: Json, contractId: string): object {
  const { reported_by_participant_id, confirming_parties, psid, tid } = told
  assert.match(reported_by_participant_id, /^PAR::participant::1220[0-9a-f]{64}$/)
  assert.match(psid, /^\w+::1220[0-9a-f]{8}\.\.\.::35-0$/)
  assert.match(confirming_parties, /^participant::\w+, alice::\w+, bank::\w+$/)
  const place = { participant: 'participant', psid, tid, reported_by_participant_id, confirming_parties }
  return { CONTRACT_ID: `List(${contractId})`, definite_answer: 'false', category: '11', ...place }
}

/** The same as an answer. */
function checkVerdict({ status, json }: Answer, contractId: string): void {
  assert.equal(status, 404)
  assert.deepEqual(json, {
    code: 'LOCAL_VERDICT_INACTIVE_CONTRACTS',
    cause: 'Rejected transaction is referring to inactive contracts ',
    correlationId: null,
    traceId: json.context.tid,
    context: inactiveContext(json.context, contractId),
    resources: [['ErrorResource(CONTRACT_ID)', contractId]],
    errorCategory: 11,
    grpcCodeValue: 5,
    retryInfo: null,
    definiteAnswer: null,
  })
}
