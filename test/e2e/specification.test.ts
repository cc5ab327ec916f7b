// The product's specification, rule by rule: what makes a request invalid ("Errors"), what is required, and the
// defaults. Each rule over HTTP, on both databases, and in both modes where Canton differs. A refused request changes
// nothing.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Settings } from '../../src/base/settings.ts'
import {
  filtersFor,
  interfaceFilter,
  iouType,
  kindsOf,
  right,
  startTestLedger,
  type TestLedger,
  templateFilter,
  transactionFormat,
  updateFormat,
} from '../fixtures/ledger.ts'
import { refusalOf, startTestNode, stores } from '../fixtures/node.ts'

type Mode = Settings['compatibility']
const modes: readonly Mode[] = ['specification', 'canton-3.5']

const invalid = (reason: string) => [400, 'INVALID_ARGUMENT', `The submitted request has invalid arguments: ${reason}`]
const missingField = (field: string) => [
  400,
  'MISSING_FIELD',
  `The submitted command is missing a mandatory field: ${field}`,
]
const undecodable = (reason: string) => [400, `Invalid value for: body (${reason})`]
const accepted = [200]

const older = 'Please use either backwards compatible arguments (filter and verbose) or update_format'
const olderLookup = 'Please use either backwards compatible arguments (requesting_parties) or transaction_format'

/** The expected answer in the mode of the specification, and in Canton's if it differs. */
type Row = [title: string, path: string, body: object, want: unknown[], wantOfCanton?: unknown[]]

const submit = '/v2/commands/async/submit'
const trees = '/v2/updates/trees'
const lookup = '/v2/updates/transaction-by-offset'

function rowsAbout({ alice, bob, createIou, commandsOf }: TestLedger): Row[] {
  const commands = (fields: object) => commandsOf([createIou()], fields)
  const filter = filtersFor([alice])
  const required = (...fields: string[]) =>
    undecodable(fields.map((field) => `Missing required field at '${field}'`).join(', '))
  const bounded = { beginExclusive: 0, endInclusive: 1 }
  return [
    // 1. commands empty or actAs empty on submit.
    ['no commands', submit, commands({ commands: [] }), missingField('commands')],
    ['no acting party', submit, commands({ actAs: [] }), missingField('act_as/actAs')],
    ['none of what is required', submit, {}, required('commands', 'commandId', 'actAs')],
    ['no command id', submit, commands({ commandId: undefined }), required('commandId')],
    ['an empty command id', submit, commands({ commandId: '' }), missingField('command_id')],
    // 2. Both minLedgerTimeAbs and minLedgerTimeRel set.
    [
      'two least ledger times',
      submit,
      commands({ minLedgerTimeAbs: '2020-01-01T00:00:00Z', minLedgerTimeRel: { seconds: 0 } }),
      invalid('min_ledger_time_abs cannot be specified at the same time as min_ledger_time_rel'),
    ],
    // 4. descendingOrder selected without endInclusive.
    ...[trees, '/v2/updates', '/v2/updates/flats'].map(
      (path): Row => [
        `latest first without a latest on ${path}`,
        path,
        { beginExclusive: 0, filter, descendingOrder: true },
        [400, 'DESCENDING_ORDER_MISSING_END', 'end_inclusive is not provided when descending_order is true'],
      ],
    ),
    // 5. updateFormat set on update-trees; non-empty template filters on update-trees.
    [
      'updateFormat on trees',
      trees,
      { ...bounded, updateFormat: updateFormat(filter) },
      invalid(
        'update_format must be unset for update trees. Please use the backwards compatible arguments (filter and verbose).',
      ),
      accepted,
    ],
    [
      'updateFormat and filter on trees',
      trees,
      { ...bounded, updateFormat: {}, filter },
      invalid(`Both update_format and filter are set. ${older}, but not both.`),
    ],
    [
      'updateFormat and verbose on trees',
      trees,
      { ...bounded, updateFormat: {}, verbose: true },
      invalid(`Both update_format and verbose are set. ${older}, but not both.`),
    ],
    [
      'neither updateFormat nor filter on trees',
      trees,
      { ...bounded, verbose: true },
      invalid(`Either filter/verbose or update_format is required. ${older}.`),
    ],
    ...[templateFilter(iouType), interfaceFilter('#quickstart:Holding:Holding')].flatMap((condition): Row[] => [
      [
        `a filter by ${Object.keys(condition.identifierFilter)[0]} on trees`,
        trees,
        { ...bounded, filter: filtersFor([alice], condition) },
        invalid('template filters must be empty for update trees'),
        accepted,
      ],
      [
        `a filter by ${Object.keys(condition.identifierFilter)[0]} for any party on trees`,
        trees,
        { ...bounded, filter: { filtersForAnyParty: { cumulative: [condition] } } },
        invalid('template filters must be empty for update trees'),
        accepted,
      ],
    ]),
    [
      'a template filter by package id',
      '/v2/updates',
      { ...bounded, filter: filtersFor([alice], templateFilter('abc:Iou:Iou')) },
      [
        400,
        'INVALID_FIELD',
        'The submitted command has a field with invalid value: Invalid field packageId: Received an identifier with ' +
          'package ID abc, but expected a package name.',
      ],
    ],
    // What the two reads require.
    ['no beginExclusive on trees', trees, { endInclusive: 1, filter }, required('beginExclusive'), accepted],
    ['a begin that is not a number', trees, { beginExclusive: 'x', filter }, undecodable("Long at 'beginExclusive'")],
    [
      'a negative begin',
      trees,
      { beginExclusive: -1, filter },
      [
        400,
        'NEGATIVE_OFFSET',
        'Offset -1 in begin_exclusive is a negative integer: the offset in begin_exclusive field has to be a ' +
          'non-negative integer (>=0)',
      ],
    ],
    [
      'no offset of a transaction',
      lookup,
      { requestingParties: [alice] },
      required('offset'),
      [
        400,
        'NON_POSITIVE_OFFSET',
        'Offset 0 in offset is not a positive integer: the offset has to be a positive integer (>0)',
      ],
    ],
    // 7. offset that is not a positive absolute offset on transaction lookup.
    ...[0, -1, -21].map(
      (offset): Row => [
        `the offset ${offset} of a transaction`,
        lookup,
        { offset, requestingParties: [alice] },
        [
          400,
          'NON_POSITIVE_OFFSET',
          `Offset ${offset} in offset is not a positive integer: the offset has to be a positive integer (>0)`,
        ],
      ],
    ),
    // 8. transactionFormat set together with requestingParties.
    [
      'transactionFormat and requestingParties',
      lookup,
      { offset: 1, requestingParties: [alice], transactionFormat: transactionFormat(filter) },
      invalid(`Both transaction_format and requesting_parties are set. ${olderLookup} but not both.`),
    ],
    [
      'neither transactionFormat nor requestingParties',
      lookup,
      { offset: 1 },
      invalid(`Either transaction_format or requesting_parties is required. ${olderLookup}.`),
    ],
    // 10. tapsMaxPasses above the participant configuration limit.
    [
      'more passes than the node allows',
      submit,
      commands({ tapsMaxPasses: 5 }),
      invalid('taps_max_passes must not exceed 4, but got 5.'),
      accepted,
    ],
    ['as many passes as the node allows', submit, commands({ tapsMaxPasses: 4 }), accepted],
    ...[0, -1].map(
      (tapsMaxPasses): Row => [
        `${tapsMaxPasses} passes`,
        submit,
        commands({ tapsMaxPasses }),
        invalid(`taps_max_passes must be strictly positive, but got ${tapsMaxPasses}.`),
      ],
    ),
    // 11. Authorization missing for an actAs or readAs party.
    ...(['actAs', 'readAs'] as const).map(
      (field): Row => [
        `no right for a party of ${field}`,
        submit,
        { ...commandsOf([createIou()], { actAs: [alice] }), [field]: [alice, 'stranger'] },
        [
          403,
          'NA',
          `User plain may not do this: the right Can${field[0]!.toUpperCase()}${field.slice(1)} stranger is missing`,
        ],
      ],
    ),
    ['no right for a party whose updates are read', trees, { ...bounded, filter: filtersFor([bob]) }, [403, 'NA']],
  ]
}

for (const store of stores) {
  for (const mode of modes) {
    describe(`the specification on ${store}, as ${mode} has it`, () => {
      let ledger: TestLedger
      before(async () => {
        ledger = await startTestLedger({ store, settings: { compatibility: mode } })
        await ledger.submit([ledger.createIou()])
      })
      after(() => ledger[Symbol.asyncDispose]())

      test('refuses invalid requests, which change nothing', async (t) => {
        const plain = await ledger.userWith('plain', right('CanActAs', ledger.alice))
        const done = async () => (await ledger.completions()).map(({ commandId }) => commandId)
        const wantedDone = await done()
        for (const [title, path, body, want, wantOfCanton = want] of rowsAbout(ledger)) {
          await t.test(title, async () => {
            const wanted = mode === 'specification' ? want : wantOfCanton
            const known = await ledger.end()
            const answer = await ledger.post(path, body, wanted[0] === 403 ? { token: plain } : {})
            assert.deepEqual(refusalOf(answer).slice(0, wanted.length), wanted, answer.text)
            if (wanted === accepted && 'commandId' in body) {
              wantedDone.push(body.commandId)
              await ledger.completionOf(body.commandId as string)
            } else assert.equal(await ledger.end(), known)
          })
        }
        assert.deepEqual(await done(), wantedDone)
      })

      test('has defaults for omitted fields', async () => {
        const { alice, bank } = ledger
        const commandId = 'with-defaults'
        const answer = await ledger.post('/v2/commands/submit-and-wait-for-transaction', {
          commands: { commands: [ledger.createIou()], commandId, actAs: [bank, alice] },
        })
        assert.equal(answer.status, 200, answer.text)
        const { transaction } = answer.json
        assert.equal(kindsOf(transaction), 'C')
        const { offset, workflowId } = transaction
        assert.equal(workflowId, '')
        const completion = await ledger.completionOf(commandId)
        assert.deepEqual([completion.userId, completion.offset], ['app', offset])
        assert.match(completion.submissionId, /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)

        // requestingParties acts as a format: all templates, ACS deltas, for the parties that ask.
        const byParties = await ledger.post(lookup, { offset, requestingParties: [alice, bank] })
        const format = transactionFormat({ ...filtersFor([alice, bank]), verbose: true })
        const byFormat = await ledger.post(lookup, { offset, transactionFormat: format })
        assert.deepEqual(byParties.json, byFormat.json)
        assert.deepEqual(byParties.json, { transaction })

        const fromTrees = await ledger.post(trees, {
          beginExclusive: offset - 1,
          endInclusive: offset,
          filter: filtersFor([alice, bank]),
        })
        assert.equal(fromTrees.json.length, 1)
        assert.deepEqual(Object.keys(fromTrees.json[0].update), ['TransactionTree'])
      })
    })
  }

  describe(`the specification on ${store}`, () => {
    test('requires a user id without a user token', async () => {
      await using node = await startTestNode({ store, settings: { auth: { mode: 'off' } } })
      const party = (await node.call('POST', '/v2/parties', { body: {} })).json.partyDetails.party
      const command = {
        CreateCommand: { templateId: '#quickstart:Wallet:Wallet', createArguments: { owner: party } },
      }
      const body = { commands: [command], commandId: 'c', actAs: [party] }
      assert.deepEqual(refusalOf(await node.call('POST', submit, { body })), [
        400,
        'INVALID_TOKEN',
        'The submitted request is missing a user-id: Cannot default user_id field because claims do not specify an ' +
          'user-id. Is authentication turned on?',
      ])
      assert.equal((await node.call('POST', submit, { body: { ...body, userId: 'u' } })).text, '{}')
    })

    test('refuses to read pruned data', async () => {
      await using ledger = await startTestLedger({ store })
      const { alice } = ledger
      for (let index = 0; index < 3; index += 1) await ledger.submit([ledger.createIou()])
      const end = await ledger.end()
      assert.equal((await ledger.node.call('POST', '/v2/pruning', { body: { pruneUpTo: end - 1 } })).status, 200)
      const read = (beginExclusive: number) =>
        ledger.post(trees, { beginExclusive, endInclusive: end, filter: filtersFor([alice]) })
      const answer = await read(end - 2)
      assert.deepEqual(refusalOf(answer), [
        400,
        'PARTICIPANT_PRUNED_DATA_ACCESSED',
        `Transactions request from ${end - 1} to ${end} precedes pruned offset ${end - 1}`,
      ])
      assert.deepEqual([answer.json.errorCategory, answer.json.context.earliest_offset], [9, String(end - 1)])
      assert.equal((await read(end - 1)).json.length, 1)
    })

    test('requires an update mask with existing fields', async () => {
      await using node = await startTestNode({ store })
      const config = { identityProviderId: 'acme', issuer: 'https://acme.example', jwksUrl: 'https://acme.example/k' }
      await node.call('POST', '/v2/idps', { body: { identityProviderConfig: config } })
      const failed = (reason: string) => [
        400,
        'INVALID_IDENTITY_PROVIDER_UPDATE_REQUEST',
        `Update operation for identity provider config 'acme' failed due to: ${reason}`,
      ]
      const rows: [updateMask: object | undefined, want: unknown[]][] = [
        [{ paths: [] }, failed('The update mask contains no entries')],
        [{}, failed('The update mask contains no entries')],
        [{ paths: ['nothing'] }, failed("The update path: 'nothing' points to an unknown field.")],
        [{ paths: ['isDeactivated'] }, failed("The update path: 'isDeactivated' points to an unknown field.")],
        [{ paths: ['issuer', 'issuer'] }, failed("The update path: 'issuer' is duplicated.")],
        [undefined, missingField('update_mask')],
      ]
      const known = (await node.call('GET', '/v2/idps')).text
      for (const [updateMask, want] of rows) {
        const body = { identityProviderConfig: { ...config, issuer: 'https://other.example' }, updateMask }
        assert.deepEqual(refusalOf(await node.call('PATCH', '/v2/idps/acme', { body })), want)
        assert.equal((await node.call('GET', '/v2/idps')).text, known)
      }
    })
  })
}
