// Reading the ledger over HTTP, on both databases: what each party sees, in every form and through every operation, and
// how reads are refused.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { createTestClock } from '../../src/base/clock.ts'
import {
  createTarget,
  doing,
  effects,
  effectsDar,
  eventOf,
  exercise,
  filtersFor,
  holdingType,
  interfaceFilter,
  iouType,
  type Json,
  kindsOf,
  quickstart,
  type Shape,
  settled,
  startTestLedger,
  type TestLedger,
  target,
  targetType,
  templateFilter,
  transactionFormat,
  updateFormat,
} from '../fixtures/ledger.ts'
import { refusalOf, stores } from '../fixtures/node.ts'

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
const negative = (offset: number, field: string) => [
  400,
  'NEGATIVE_OFFSET',
  `Offset ${offset} in ${field} is a negative integer: the offset in ${field} field has to be a non-negative integer (>=0)`,
]
const notPositive = (offset: number, field: string, rule = 'a positive integer (>0)') => [
  400,
  'NON_POSITIVE_OFFSET',
  `Offset ${offset} in ${field} is not a positive integer: the offset has to be ${rule}`,
]
const afterEnd = (what: string, offset: number, end: number) => [
  400,
  'OFFSET_AFTER_LEDGER_END',
  `${what} offset (${offset}) is after ledger end (${end})`,
]
const wildcard = 'filtersByParty and filtersForAnyParty cannot be empty simultaneously'
const anyParty = { filtersForAnyParty: {} }
const byId = '/v2/updates/update-by-id'
const byOffset = '/v2/updates/update-by-offset'
const page = '/v2/updates/get-updates-page'

/** What happened, by offset; the first eight are the four parties, each on two synchronizers. */
type Story = {
  readonly ledger: TestLedger
  readonly end: number
  readonly updateIds: readonly string[]
  /** The IOU of offset 9, which is split at 11. */
  readonly iou: string
  readonly wallet: string
}

async function tellStory(ledger: TestLedger): Promise<Story> {
  const { alice, bob, carol, createIou, submit } = ledger
  const steps: Json[] = []
  const step = async (commands: readonly object[], fields?: object) => {
    const done = await submit(commands, fields)
    steps.push(done.transaction)
    return done.contractId
  }
  const iou = await step([createIou({ observers: [bob] })], { workflowId: 'story' }) // 9
  await step([exercise(iouType, iou, 'Iou_Show', { viewers: [carol] })]) // 10: carol is shown it.
  await step([exercise(iouType, iou, 'Iou_Split', { amount: '3' })]) // 11
  const createWallet = {
    CreateCommand: { templateId: '#quickstart:Wallet:Wallet', createArguments: { owner: carol } },
  }
  const wallet = await step([createWallet], { actAs: [carol] }) // 12
  const transient = { ...(createIou() as Json).CreateCommand, choice: 'Archive', choiceArgument: {} }
  await step([{ CreateAndExerciseCommand: transient }]) // 13: created and archived at once.
  const thing = await step([createTarget([alice])], { actAs: [alice] }) // 14
  const watched = {
    ...doing([alice], { tag: 'Create', value: target([alice], { note: 'inner' }) }),
    observers: [carol],
  }
  await step([exercise(targetType, thing, 'Keep', watched)], { actAs: [alice] }) // 15: carol witnesses its creation.
  assert.deepEqual(
    steps.map(({ offset }) => offset),
    [9, 10, 11, 12, 13, 14, 15],
  )
  return { ledger, end: 15, updateIds: steps.map(({ updateId }) => updateId), iou, wallet }
}

/** Offsets with the kinds of their events: "9 C, 11 ACC". */
function outlineOf(elements: Json[]): string {
  return elements
    .map(({ update }) => update.Transaction.value)
    .map((transaction) => `${transaction.offset} ${kindsOf(transaction)}`)
    .join(', ')
}

for (const store of stores) {
  describe(`updates on ${store}`, () => {
    let story: Story
    let ledger: TestLedger
    before(async () => {
      ledger = await startTestLedger({ store, settings: { dars: [effectsDar] } })
      story = await tellStory(ledger)
    })
    after(() => ledger[Symbol.asyncDispose]())

    const read = async (format: object, fields: object = {}): Promise<Json[]> => {
      const body = { beginExclusive: 0, endInclusive: story.end, updateFormat: format, ...fields }
      const answer = await ledger.post('/v2/updates', body)
      assert.equal(answer.status, 200, answer.text)
      return answer.json
    }

    test('show each party what concerns it', async () => {
      const { alice, bank, bob, carol } = ledger
      const everything = '9 C, 10 E, 11 ECC, 12 C, 13 CE, 14 C, 15 EC'
      const rows: [who: object, shape: Shape, want: string][] = [
        [filtersFor([alice]), 'ACS_DELTA', '9 C, 11 ACC, 14 C, 15 C'],
        [filtersFor([bank]), 'ACS_DELTA', '9 C, 11 ACC'],
        [filtersFor([bob]), 'ACS_DELTA', '9 C, 11 ACC'],
        [filtersFor([carol]), 'ACS_DELTA', '12 C'],
        [filtersFor(['stranger']), 'ACS_DELTA', ''],
        [filtersFor([bob, carol]), 'ACS_DELTA', '9 C, 11 ACC, 12 C'],
        [anyParty, 'ACS_DELTA', '9 C, 11 ACC, 12 C, 14 C, 15 C'],
        [filtersFor([alice]), 'LEDGER_EFFECTS', '9 C, 10 E, 11 ECC, 13 CE, 14 C, 15 EC'],
        [filtersFor([bank]), 'LEDGER_EFFECTS', '9 C, 10 E, 11 ECC, 13 CE'],
        [filtersFor([bob]), 'LEDGER_EFFECTS', '9 C, 11 ECC'], // An observer does not see non-consuming exercises.
        [filtersFor([carol]), 'LEDGER_EFFECTS', '10 E, 12 C, 15 EC'],
        [filtersFor(['stranger']), 'LEDGER_EFFECTS', ''],
        [anyParty, 'LEDGER_EFFECTS', everything],
        [{ ...filtersFor([bob]), ...anyParty }, 'LEDGER_EFFECTS', everything],
      ]
      for (const [who, shape, want] of rows) {
        assert.equal(outlineOf(await read(updateFormat(who, shape))), want, JSON.stringify([who, shape]))
        const backwards = await read(updateFormat(who, shape), { descendingOrder: true })
        assert.equal(outlineOf(backwards), want.split(', ').reverse().join(', '))
      }
      assert.deepEqual(await read({}), [], 'nothing is asked for')
    })

    test('name the requesting parties that see it, and the submitter only to itself', async () => {
      const { alice, bank, bob, carol } = ledger
      const of = async (parties: readonly string[], offset: number, shape: Shape = 'LEDGER_EFFECTS') => {
        const format = updateFormat(parties.length === 0 ? anyParty : filtersFor(parties), shape)
        const [element] = await read(format, { beginExclusive: offset - 1, endInclusive: offset })
        return element.update.Transaction.value
      }
      const sorted = (...parties: string[]) => parties.toSorted()
      const witnesses = ({ events }: Json) =>
        events.map((event: Json) => (Object.values(event)[0] as Json).witnessParties.toSorted())
      assert.deepEqual(witnesses(await of([alice, bob], 9)), [sorted(alice, bob)])
      assert.deepEqual(witnesses(await of([], 9)), [sorted(alice, bank, bob)])
      assert.deepEqual(witnesses(await of([carol], 15)), [[carol], [carol]])
      assert.deepEqual(witnesses(await of([alice, carol], 15)), [sorted(alice, carol), sorted(alice, carol)])
      assert.deepEqual(witnesses(await of([alice, carol], 15, 'ACS_DELTA')), [[alice]])
      const isDelta = ({ events }: Json) => events.map((event: Json) => (Object.values(event)[0] as Json).acsDelta)
      assert.deepEqual(isDelta(await of([alice], 15)), [false, true])
      assert.deepEqual(isDelta(await of([carol], 15)), [false, false])
      assert.deepEqual(isDelta(await of([alice], 13)), [false, false])
      assert.deepEqual(isDelta(await of([bob], 11)), [true, true, true])
      for (const [parties, isTold] of [
        [[alice], true],
        [[bob], false],
        [[bob, bank], true],
        [[], true],
      ] as const) {
        const { commandId, workflowId, paidTrafficCost } = await of(parties, 9)
        assert.deepEqual([commandId !== '', workflowId, paidTrafficCost], [isTold, 'story', isTold ? 0 : null])
      }
    })

    test('can be narrowed to templates and interfaces', async () => {
      const { alice, carol } = ledger
      const ious = '9 C, 10 E, 11 ECC, 13 CE'
      const all = '9 C, 10 E, 11 ECC, 13 CE, 14 C, 15 EC'
      const targets = '14 C, 15 EC'
      const asset = '#effects-lf21:Effects:Asset'
      const wildcardFilter = { identifierFilter: { WildcardFilter: { value: { includeCreatedEventBlob: false } } } }
      const rows: [filters: object[], want: string][] = [
        [[templateFilter(iouType)], ious],
        [[templateFilter('#quickstart:Wallet:Wallet')], ''],
        [[interfaceFilter(holdingType)], ious],
        [[interfaceFilter(holdingType, false)], ious],
        [[interfaceFilter(asset)], targets],
        [[templateFilter(iouType), interfaceFilter(asset)], all],
        [[templateFilter(iouType), wildcardFilter], all],
        [[{ identifierFilter: { Empty: {} } }], all],
        [[{ identifierFilter: { Empty: {} } }, templateFilter(iouType)], ious],
        [[{}], all],
      ]
      for (const [filters, want] of rows) {
        const format = updateFormat(filtersFor([alice], ...filters), 'LEDGER_EFFECTS')
        assert.equal(outlineOf(await read(format)), want, JSON.stringify(filters))
      }
      const byParty = {
        filtersByParty: {
          ...filtersFor([alice], templateFilter(iouType)).filtersByParty,
          ...filtersFor([carol]).filtersByParty,
        },
      }
      assert.equal(outlineOf(await read(updateFormat(byParty))), '9 C, 11 ACC, 12 C')

      const noPackage = (...names: string[]) => [
        404,
        'PACKAGE_NAMES_NOT_FOUND',
        `The following package names do not match upgradable packages uploaded on this participant: [${names.join(', ')}].`,
      ]
      const pair = (kind: string, name: string) =>
        `The following package-name/${kind} qualified-name pairs do not reference any ${kind}-id uploaded on this ` +
        `participant: [(quickstart,${name})].`
      const refused: [filters: object[], want: unknown[]][] = [
        [[templateFilter('#nowhere:A:B'), interfaceFilter('#never:A:B')], noPackage('nowhere', 'never')],
        [
          [templateFilter('#quickstart:Iou:No')],
          [404, 'NO_TEMPLATES_FOR_PACKAGE_NAME_AND_QUALIFIED_NAME', pair('template', 'Iou:No')],
        ],
        [
          [templateFilter(holdingType)],
          [404, 'NO_TEMPLATES_FOR_PACKAGE_NAME_AND_QUALIFIED_NAME', pair('template', 'Holding:Holding')],
        ],
        [
          [interfaceFilter(iouType)],
          [404, 'NO_INTERFACE_FOR_PACKAGE_NAME_AND_QUALIFIED_NAME', pair('interface', 'Iou:Iou')],
        ],
        [
          [templateFilter(`${quickstart}:Iou:Iou`)],
          invalidField(
            'packageId',
            `Received an identifier with package ID ${quickstart}, but expected a package name.`,
          ),
        ],
        [[{ identifierFilter: { TemplateFilter: { value: {} } } }], missingField('templateId')],
        [[{ identifierFilter: { InterfaceFilter: { value: {} } } }], missingField('interfaceId')],
        [
          [templateFilter('#quickstart:I%u:Iou')],
          invalidField('module_name', 'non expected non first character 0x25 in Daml-LF Name "I%u"'),
        ],
      ]
      for (const [filters, want] of refused) {
        // Also if there would be nothing to read.
        for (const endInclusive of [story.end, 9]) {
          const body = { beginExclusive: 9, endInclusive, updateFormat: updateFormat(filtersFor([alice], ...filters)) }
          assert.deepEqual(refusalOf(await ledger.post('/v2/updates', body)), want)
        }
      }
    })

    test('include views and blobs on request', async () => {
      const { alice, bank, bob } = ledger
      const at = async (eventFormat: object, offset: number, shape?: Shape) => {
        const body = { offset, transactionFormat: transactionFormat(eventFormat, shape) }
        return (await ledger.post('/v2/updates/transaction-by-offset', body)).json.transaction
      }
      const created = async (eventFormat: object, offset = 9) => eventOf(await at(eventFormat, offset), 'CreatedEvent')
      const viewed = await created(filtersFor([alice], interfaceFilter(holdingType)))
      assert.deepEqual(viewed.interfaceViews, [
        {
          interfaceId: `${quickstart}:Holding:Holding`,
          viewStatus: { code: 0, message: '', details: [] },
          viewValue: { issuer: bank, owner: alice, amount: '100.0000000000', currency: 'EUR' },
          implementationPackageId: quickstart,
        },
      ])
      assert.equal(viewed.createdEventBlob, '')
      const plain = await created(filtersFor([alice], interfaceFilter(holdingType, false, true)))
      assert.deepEqual(plain.interfaceViews, [])
      assert.notEqual(plain.createdEventBlob, '')
      const withBlob = await created(filtersFor([bob], templateFilter(iouType, true)))
      assert.equal(withBlob.createdEventBlob, plain.createdEventBlob)
      // A filter of a party that does not see the event adds nothing.
      const others = {
        filtersByParty: {
          ...filtersFor([alice]).filtersByParty,
          stranger: filtersFor(['x'], interfaceFilter(holdingType, true, true)).filtersByParty.x!,
        },
      }
      const unseen = await created(others)
      assert.deepEqual([unseen.interfaceViews, unseen.createdEventBlob], [[], ''])

      const implemented = [`${quickstart}:Holding:Holding`]
      const split = await at(filtersFor([alice], interfaceFilter(holdingType)), 11)
      assert.deepEqual(eventOf(split, 'ArchivedEvent').implementedInterfaces, implemented)
      const effects3 = await at(filtersFor([alice], interfaceFilter(holdingType)), 11, 'LEDGER_EFFECTS')
      assert.deepEqual(eventOf(effects3, 'ExercisedEvent').implementedInterfaces, implemented)
      const shown = await at(filtersFor([alice], interfaceFilter(holdingType)), 10, 'LEDGER_EFFECTS')
      assert.deepEqual(eventOf(shown, 'ExercisedEvent').implementedInterfaces, [])
    })

    test('report a failed view without failing', async () => {
      const { alice } = ledger
      const faulty = {
        CreateCommand: { templateId: targetType, createArguments: target([alice], {}, { view: 'Errors' }) },
      }
      const { transaction } = await ledger.submit([faulty], { actAs: [alice] })
      const format = transactionFormat(filtersFor([alice], interfaceFilter('#effects-lf21:Effects:Asset')))
      const body = { offset: transaction.offset, transactionFormat: format }
      const answer = await ledger.post('/v2/updates/transaction-by-offset', body)
      const [view] = eventOf(answer.json.transaction, 'CreatedEvent').interfaceViews
      assert.deepEqual([view.viewValue, view.implementationPackageId, view.viewStatus.code], [null, effects, 9])
      assert.match(
        view.viewStatus.message,
        /^INTERPRETATION_USER_ERROR\(9,.{1,8}\): Interpretation error: Error: User abort: view$/,
      )
      const [info, resource] = view.viewStatus.details.map(({ valueDecoded }: Json) => valueDecoded)
      assert.equal(info.reason, 'INTERPRETATION_USER_ERROR')
      assert.deepEqual([resource.resourceType, resource.resourceName], ['EXCEPTION_TEXT', 'view'])
    })

    test('are the same in the older forms', async () => {
      const { alice, bob } = ledger
      const bounds = { beginExclusive: 0, endInclusive: story.end }
      const filter = filtersFor([alice, bob])
      const post = async (path: string, body: object) => (await ledger.post(path, { ...bounds, ...body })).json
      const modern = await post('/v2/updates', { updateFormat: updateFormat(filter) })
      for (const path of ['/v2/updates', '/v2/updates/flats']) {
        for (const verbose of [undefined, false, true]) assert.deepEqual(await post(path, { filter, verbose }), modern)
      }
      const verbose = await post('/v2/updates', { updateFormat: updateFormat({ ...filter, verbose: true }) })
      assert.deepEqual(verbose, modern, 'labels are always there')
      const narrow = { filter: filtersFor([alice], templateFilter('#effects-lf21:Effects:Target')) }
      assert.equal(outlineOf(await post('/v2/updates', narrow)), '14 C, 15 C')

      const everything = await post('/v2/updates', { updateFormat: updateFormat(filter, 'LEDGER_EFFECTS') })
      const trees = await post('/v2/updates/trees', { filter })
      assert.equal(trees.length, everything.length)
      for (const [index, { update }] of trees.entries()) {
        const { eventsById, ...head } = update.TransactionTree.value
        const {
          events,
          externalTransactionHash: _hash,
          paidTrafficCost: _cost,
          ...same
        } = everything[index].update.Transaction.value
        assert.deepEqual(head, same)
        const unwrapped = Object.entries(eventsById as Json).map(([nodeId, event]: [string, Json]) => {
          const { value } = event.CreatedTreeEvent ?? event.ExercisedTreeEvent
          assert.equal(String(value.nodeId), nodeId)
          return value
        })
        assert.deepEqual(
          unwrapped,
          events.map((event: Json) => event.CreatedEvent ?? event.ExercisedEvent),
        )
      }
      const query = `parties=${encodeURIComponent(alice)}&parties=${encodeURIComponent(bob)}`
      for (const path of [
        `/v2/updates/transaction-tree-by-offset/11?${query}`,
        `/v2/updates/transaction-tree-by-id/${story.updateIds[2]}?${query}`,
      ]) {
        const { json } = await ledger.node.call('GET', path, { token: ledger.token })
        assert.deepEqual(json, { transaction: trees[2].update.TransactionTree.value })
      }
    })

    test('are found by offset and by id', async () => {
      const { alice, bob, carol } = ledger
      const { updateIds, end } = story
      const whole = await read(updateFormat(anyParty, 'LEDGER_EFFECTS'))
      for (const [index, element] of whole.entries()) {
        const wanted = updateFormat(anyParty, 'LEDGER_EFFECTS')
        const format = wanted.includeTransactions
        const [offset, updateId] = [index + 9, updateIds[index]!]
        assert.deepEqual((await ledger.post(byOffset, { offset, updateFormat: wanted })).json, element)
        assert.deepEqual((await ledger.post(byId, { updateId, updateFormat: wanted })).json, element)
        const upper = { updateId: updateId.toUpperCase(), updateFormat: wanted }
        assert.deepEqual((await ledger.post(byId, upper)).json, element)
        const older = { transaction: element.update.Transaction.value }
        const byOlderOffset = { offset, transactionFormat: format }
        assert.deepEqual((await ledger.post('/v2/updates/transaction-by-offset', byOlderOffset)).json, older)
        const byOlderId = { updateId, transactionFormat: format }
        assert.deepEqual((await ledger.post('/v2/updates/transaction-by-id', byOlderId)).json, older)
      }

      const notFound: [offset: number, format: object][] = [
        [10, updateFormat(filtersFor([bob]), 'LEDGER_EFFECTS')], // Not visible to bob.
        [10, updateFormat(filtersFor([alice]))], // Changes no active contract.
        [13, updateFormat(filtersFor([alice]))], // Created and archived at once.
        [9, updateFormat(filtersFor([alice], templateFilter('#quickstart:Wallet:Wallet')))],
        [9, {}],
        [9, { includeReassignments: filtersFor([alice]) }],
        [9, updateFormat(filtersFor([carol, 'stranger']))],
      ]
      const refusal = [404, 'UPDATE_NOT_FOUND', 'Update not found, or not visible.']
      for (const [offset, format] of notFound) {
        const updateId = updateIds[offset - 9]!
        const found = await ledger.post(byOffset, { offset, updateFormat: format })
        assert.deepEqual(refusalOf(found), refusal)
        assert.deepEqual(found.json.resources, [['ErrorResource(OFFSET)', String(offset)]])
        const foundById = await ledger.post(byId, { updateId: updateId.toUpperCase(), updateFormat: format })
        assert.deepEqual(refusalOf(foundById), refusal)
        assert.deepEqual(foundById.json.resources, [['ErrorResource(UPDATE_ID)', updateId]])
      }
      const beyond = { offset: end + 1000, requestingParties: [alice] }
      assert.deepEqual(refusalOf(await ledger.post('/v2/updates/transaction-by-offset', beyond)), refusal)

      const format = updateFormat(filtersFor([alice]))
      const ids: [updateId: string, want: unknown[]][] = [
        ['', missingField('update_id')],
        ['%', invalidArgument('non expected character 0x25 in Daml-LF Ledger String "%"')],
        ['a'.repeat(256), invalidArgument('Daml-LF Ledger String is too long (max: 255)')],
        ['xyz', invalidArgument('Failed to parse hex string: xyz')],
        ['122', invalidArgument('Failed to parse hex string: 122')],
        ['13200a', invalidArgument('Invalid hash algorithm: Unknown hash algorithm for index: 19')],
        ['12', invalidArgument('Failed to decode unsigned var-int: Input bytes already consumed')],
        ['1210', invalidArgument('Invalid hash algorithm: Mismatch of lengths for SHA-256: given 16, expected 32')],
        ['1220ab', invalidArgument('Size of given hash 1 does not match expected size 32 for SHA-256')],
        [`1220${'ab'.repeat(32)}`, refusal],
      ]
      for (const [updateId, want] of ids) {
        assert.deepEqual(refusalOf(await ledger.post(byId, { updateId, updateFormat: format })), want)
        const older = { updateId, requestingParties: [alice] }
        assert.deepEqual(refusalOf(await ledger.post('/v2/updates/transaction-by-id', older)), want)
      }
      const requests: [path: string, body: object, want: unknown[]][] = [
        [byOffset, { updateFormat: format }, notPositive(0, 'offset')],
        [byOffset, { offset: -5 }, notPositive(-5, 'offset')],
        [byOffset, { offset: 1 }, missingField('update_format')],
        [byId, { updateId: updateIds[0] }, missingField('update_format')],
        [byOffset, { offset: 1, updateFormat: updateFormat({}) }, invalidArgument(wildcard)],
        [
          '/v2/updates/transaction-by-offset',
          { offset: 1, transactionFormat: { transactionShape: 'TRANSACTION_SHAPE_ACS_DELTA' } },
          missingField('event_format'),
        ],
      ]
      for (const [path, body, want] of requests) assert.deepEqual(refusalOf(await ledger.post(path, body)), want)
      const trees: [path: string, want: unknown[]][] = [
        ['transaction-tree-by-offset/x?parties=a', [400, 'Invalid value for: path parameter offset']],
        ['transaction-tree-by-offset/1', invalidArgument(wildcard)],
        ['transaction-tree-by-offset/0?parties=a', notPositive(0, 'offset')],
        [
          'transaction-tree-by-offset/1?parties=a,b',
          invalidArgument('non expected character 0x2c in Daml-LF Party "a,b"'),
        ],
        ['transaction-tree-by-id/xyz?parties=a', invalidArgument('Failed to parse hex string: xyz')],
        ['transaction-tree-by-offset/1?parties=stranger', refusal],
      ]
      for (const [path, want] of trees) {
        assert.deepEqual(refusalOf(await ledger.node.call('GET', `/v2/updates/${path}`, { token: ledger.token })), want)
      }
    })

    test('require bounds in order', async () => {
      const end = await ledger.end()
      const filter = filtersFor([ledger.alice])
      const ascendingEnd = 'either a positive integer (>0) or not defined at all'
      const rows: [fields: object, want: unknown[]][] = [
        [{ beginExclusive: -1, endInclusive: 1 }, negative(-1, 'begin_exclusive')],
        [{ beginExclusive: -1, descendingOrder: true }, negative(-1, 'begin_exclusive')],
        [{ endInclusive: 0 }, notPositive(0, 'end_inclusive', ascendingEnd)],
        [{ endInclusive: -7 }, notPositive(-7, 'end_inclusive', ascendingEnd)],
        [{ endInclusive: 0, descendingOrder: true }, notPositive(0, 'end_inclusive')],
        [{ beginExclusive: end + 1 }, afterEnd('Begin', end + 1, end)],
        [{ beginExclusive: end + 2, endInclusive: end + 1 }, afterEnd('Begin', end + 2, end)],
        [{ endInclusive: end + 1 }, afterEnd('End', end + 1, end)],
        [
          { beginExclusive: 3, endInclusive: 2 },
          [400, 'OFFSET_OUT_OF_RANGE', 'End offset 2 is before begin offset 3.'],
        ],
        [{ beginExclusive: 3, endInclusive: end + 1, filter: {} }, afterEnd('End', end + 1, end)],
        [{ beginExclusive: 3, endInclusive: 2, filter: {} }, invalidArgument(wildcard)],
        [{ beginExclusive: '3', endInclusive: 3 }, [200]],
        [{ beginExclusive: end, endInclusive: end }, [200]],
      ]
      for (const [fields, want] of rows) {
        for (const path of ['/v2/updates', '/v2/updates/flats', '/v2/updates/trees']) {
          const answer = await ledger.post(path, { beginExclusive: 0, filter, ...fields })
          assert.deepEqual(refusalOf(answer).slice(0, want.length), want, JSON.stringify(fields))
          if (want[0] === 200) assert.equal(answer.text, '[]')
        }
      }
      const outOfRange = await ledger.post('/v2/updates', { beginExclusive: end + 1, filter })
      assert.deepEqual([outOfRange.json.errorCategory, outOfRange.json.retryInfo], [12, '1 second'])
    })

    test('come in pages', async () => {
      const format = updateFormat(anyParty, 'LEDGER_EFFECTS')
      const { end } = story
      const bounded = { endOffsetInclusive: end, updateFormat: format }
      const ask = async (body: object) => {
        const answer = await ledger.post(page, body)
        assert.equal(answer.status, 200, answer.text)
        return answer.json
      }
      const walk = async (body: object) => {
        const pages: string[] = []
        let pageToken: string | null | undefined
        while (pageToken !== null) {
          const found: Json = await ask({ ...body, ...(pageToken && { pageToken }) })
          const { updates, lowestPageOffsetExclusive: low, highestPageOffsetInclusive: high, nextPageToken } = found
          const offsets = updates.map(({ update }: Json) => update.Transaction.value.offset)
          pages.push(`${offsets} of ${low}-${high}`)
          pageToken = nextPageToken
        }
        return pages
      }
      assert.deepEqual(await walk({ ...bounded, maxPageSize: 3 }), [
        '9,10,11 of 0-11',
        '12,13,14 of 11-14',
        '15 of 14-15',
      ])
      assert.deepEqual(await walk(bounded), ['9,10,11,12,13,14,15 of 0-15'])
      assert.deepEqual(await walk({ ...bounded, beginOffsetExclusive: 12, maxPageSize: 2 }), [
        '13,14 of 12-14',
        '15 of 14-15',
      ])
      assert.deepEqual(await walk({ ...bounded, maxPageSize: 3, descendingOrder: true }), [
        '15,14,13 of 12-15',
        '12,11,10 of 9-12',
        '9 of 0-9',
      ])
      const carols = updateFormat(filtersFor([ledger.carol]), 'LEDGER_EFFECTS')
      assert.deepEqual(await walk({ ...bounded, updateFormat: carols, maxPageSize: 2 }), [
        '10,12 of 0-14',
        '15 of 14-15',
      ])
      assert.deepEqual(await walk({ ...bounded, beginOffsetExclusive: end }), [` of ${end}-${end}`])
      const whole = await ask(bounded)
      assert.deepEqual(whole.updates, await read(format))

      // Without an end there is always a next page.
      const open = { updateFormat: format, beginOffsetExclusive: await ledger.end() }
      const first = await ask(open)
      assert.deepEqual(first.updates, [])
      assert.equal(typeof first.nextPageToken, 'string')
      await ledger.submit([ledger.createIou()])
      const next = await ask({ ...open, pageToken: first.nextPageToken })
      assert.equal(next.updates.length, 1)

      const current = await ledger.end()
      const { nextPageToken } = await ask({ ...bounded, maxPageSize: 3 })
      const badToken = (reason: string) => [
        400,
        'INVALID_UPDATES_PAGE_TOKEN',
        'The submitted command contains an invalid page token. Tokens used in GetUpdatesPage requests must be taken ' +
          'from a valid GetUpdatesPageResponse and used with the same EventFormat settings, the same begin and end ' +
          `with the same Canton participant running the same Canton version. ${reason}`,
      ]
      const otherRequest = badToken('Next page token was obtained with different request parameters')
      const rows: [body: object, want: unknown[]][] = [
        [{ ...bounded, maxPageSize: 4, pageToken: nextPageToken }, otherRequest],
        [{ ...bounded, maxPageSize: 3, descendingOrder: true, pageToken: nextPageToken }, otherRequest],
        [{ ...bounded, maxPageSize: 3, updateFormat: carols, pageToken: nextPageToken }, otherRequest],
        [{ ...bounded, pageToken: 'AAAA' }, invalidField('page_token', 'Invalid page token for GetUpdatesPageRequest')],
        [{ ...bounded, maxPageSize: 0 }, invalidArgument('Requested page size must be positive, but got 0')],
        [{ ...bounded, maxPageSize: 2001 }, invalidArgument('Requested page size must not exceed 2000, but got 2001')],
        [{ ...bounded, endOffsetInclusive: 0 }, notPositive(0, 'endOffsetInclusive')],
        [{ ...bounded, beginOffsetExclusive: -1 }, negative(-1, 'beginOffsetExclusive')],
        [{ ...bounded, endOffsetInclusive: current + 1 }, afterEnd('endOffsetInclusive', current + 1, current)],
        [
          { ...bounded, beginOffsetExclusive: 5, endOffsetInclusive: 4 },
          invalidArgument('beginOffsetExclusive is after endOffsetInclusive'),
        ],
        [{ endOffsetInclusive: 1 }, missingField('update_format')],
      ]
      for (const [body, want] of rows) assert.deepEqual(refusalOf(await ledger.post(page, body)), want)
    })

    test('of one contract are its events', async () => {
      const { alice, bob, carol } = ledger
      const { iou, wallet } = story
      const events = '/v2/events/events-by-contract-id'
      const contract = '/v2/contracts/contract-by-id'
      const { created, archived } = (await ledger.post(events, { contractId: iou, eventFormat: filtersFor([bob]) }))
        .json
      assert.deepEqual([created.createdEvent.offset, archived.archivedEvent.offset], [9, 11])
      assert.deepEqual(
        [created.synchronizerId, archived.synchronizerId],
        [ledger.synchronizerId, ledger.synchronizerId],
      )
      assert.deepEqual([created.createdEvent.witnessParties, archived.archivedEvent.witnessParties], [[bob], [bob]])
      const active = (await ledger.post(events, { contractId: wallet, eventFormat: anyParty })).json
      assert.deepEqual([active.created.createdEvent.acsDelta, active.archived], [true, null])
      const transient = (await read(updateFormat(anyParty, 'LEDGER_EFFECTS')))[4].update.Transaction.value
      const { contractId: transientId } = eventOf(transient, 'CreatedEvent')
      const both = (await ledger.post(events, { contractId: transientId, eventFormat: filtersFor([alice]) })).json
      assert.deepEqual([both.created.createdEvent.acsDelta, both.archived.archivedEvent.offset], [false, 13])

      const one = (await ledger.post(contract, { contractId: iou, queryingParties: [bob, carol] })).json.createdEvent
      assert.deepEqual([one.offset, one.nodeId, one.acsDelta, one.witnessParties], [1, 0, false, [bob]])
      assert.notEqual(one.createdEventBlob, '')
      const nowhere = `00${'ab'.repeat(68)}`
      const noEvents = [404, 'CONTRACT_EVENTS_NOT_FOUND', 'Contract events not found, or not visible.']
      const noContract = [404, 'CONTRACT_PAYLOAD_NOT_FOUND', 'Contract payload not found, or not visible.']
      const rows: [path: string, body: object, want: unknown[]][] = [
        [events, { contractId: iou, eventFormat: filtersFor([carol]) }, noEvents],
        [events, { contractId: nowhere, eventFormat: anyParty }, noEvents],
        [
          events,
          { contractId: iou, eventFormat: filtersFor([alice], templateFilter('#quickstart:Wallet:Wallet')) },
          noEvents,
        ],
        [events, { eventFormat: anyParty }, missingField('contract_id')],
        [events, { contractId: 'xyz' }, invalidField('contract_id', 'cannot parse ContractId "xyz"')],
        [events, { contractId: 'ff00' }, invalidField('contract_id', 'cannot parse ContractId "ff00"')],
        [events, { contractId: iou }, missingField('event_format')],
        [events, { contractId: iou, eventFormat: {} }, invalidArgument(wildcard)],
        [contract, { contractId: iou, queryingParties: [carol] }, noContract],
        [contract, { contractId: nowhere }, noContract],
        [contract, {}, missingField('contract_id')],
        [
          contract,
          { contractId: 'xyz', queryingParties: ['%'] },
          invalidField('contract_id', 'cannot parse ContractId "xyz"'),
        ],
        [
          contract,
          { contractId: iou, queryingParties: ['%'] },
          invalidArgument('non expected character 0x25 in Daml-LF Party "%"'),
        ],
      ]
      for (const [path, body, want] of rows) {
        const answer = await ledger.post(path, body)
        assert.deepEqual(refusalOf(answer), want)
        const named = 'contractId' in body ? [['ErrorResource(CONTRACT_ID)', body.contractId]] : []
        if (answer.status === 404) assert.deepEqual(answer.json.resources, named)
      }
    })

    const active = '/v2/state/active-contracts'
    const activePage = '/v2/state/active-contracts-page'
    const offsetsOf = (elements: Json[]) =>
      elements.map(({ contractEntry }) => contractEntry.JsActiveContract.createdEvent.offset).join()
    const activeAt = async (activeAtOffset: number, eventFormat: object) =>
      (await ledger.post(active, { activeAtOffset, eventFormat })).json

    test('leave contracts active', async () => {
      const { alice, bank, bob, carol } = ledger
      const rows: [offset: number, who: object, want: string][] = [
        [0, anyParty, ''],
        [9, filtersFor([alice]), '9'],
        [10, filtersFor([bob]), '9'],
        [11, filtersFor([bob]), '11,11'],
        [11, filtersFor([carol]), ''],
        [12, filtersFor([carol]), '12'],
        [15, filtersFor([alice]), '11,11,14,15'],
        [15, filtersFor([bank]), '11,11'],
        [15, filtersFor([carol]), '12'], // Divulged contracts are not carol's.
        [15, anyParty, '11,11,12,14,15'],
        [15, filtersFor([alice], templateFilter('#effects-lf21:Effects:Target')), '14,15'],
        [15, filtersFor([alice, carol], interfaceFilter(holdingType)), '11,11'],
        [15, filtersFor(['stranger']), ''],
      ]
      for (const [offset, who, want] of rows) {
        const elements = await activeAt(offset, who)
        assert.equal(offsetsOf(elements), want)
        const older = { activeAtOffset: offset, filter: who, verbose: true }
        // Tokens depend on the form of the request.
        const bare = (list: Json[]) => list.map((element) => ({ ...element, streamContinuationToken: '' }))
        assert.deepEqual(bare((await ledger.post(active, older)).json), bare(elements))
        if (offset === 0) continue
        const whole = (await ledger.post(activePage, { activeAtOffset: offset, eventFormat: who })).json
        assert.deepEqual(whole, { activeContracts: bare(elements), activeAtOffset: offset, nextPageToken: null })
      }
      const [first] = await activeAt(9, filtersFor([bob], interfaceFilter(holdingType)))
      assert.deepEqual(Object.keys(first), ['workflowId', 'contractEntry', 'streamContinuationToken'])
      assert.equal(first.workflowId, 'story')
      const { createdEvent, synchronizerId, reassignmentCounter } = first.contractEntry.JsActiveContract
      assert.deepEqual([synchronizerId, reassignmentCounter], [ledger.synchronizerId, 0])
      assert.deepEqual([createdEvent.witnessParties, createdEvent.acsDelta], [[bob], true])
      assert.equal(createdEvent.interfaceViews[0].viewValue.currency, 'EUR')
    })

    test('leave contracts active, which are read in parts', async () => {
      const { end } = story
      const all = await activeAt(end, anyParty)
      for (const [index, { streamContinuationToken }] of all.entries()) {
        const rest = await ledger.post(active, { activeAtOffset: end, eventFormat: anyParty, streamContinuationToken })
        assert.deepEqual(rest.json, all.slice(index + 1))
      }
      const pages: string[] = []
      let pageToken: string | null | undefined
      while (pageToken !== null) {
        const body = { activeAtOffset: end, eventFormat: anyParty, maxPageSize: 2, ...(pageToken && { pageToken }) }
        const found: Json = (await ledger.post(activePage, body)).json
        pages.push(offsetsOf(found.activeContracts))
        pageToken = found.nextPageToken
      }
      assert.deepEqual(pages, ['11,11', '12,14', '15'])
      const latest = (await ledger.post(activePage, { eventFormat: anyParty })).json
      assert.equal(latest.activeAtOffset, await ledger.end())

      const limited = await ledger.post(`${active}?limit=2`, { activeAtOffset: end, eventFormat: anyParty })
      assert.equal(offsetsOf(limited.json), '11,11')
    })

    test('leave contracts active, which are read only by a valid request', async () => {
      const { alice } = ledger
      const { end } = story
      const current = await ledger.end()
      const either = 'Please use either backwards compatible arguments (filter and verbose) or event_format'
      const token = (await activeAt(end, anyParty))[0].streamContinuationToken
      const badContinuation = [
        400,
        'INVALID_CONTINUATION_TOKEN',
        'The submitted command contains an invalid continuation token. Tokens used in ACS requests must be taken from a ' +
          'valid GetActiveContractsResponse and used with the same EventFormat settings, with the same Canton ' +
          'participant running the same Canton version.',
      ]
      const refused: [path: string, body: object, want: unknown[]][] = [
        [
          active,
          { eventFormat: anyParty, filter: anyParty },
          invalidArgument(`Both event_format and filter are set. ${either}, but not both.`),
        ],
        [
          active,
          { eventFormat: anyParty, verbose: true },
          invalidArgument(`Both event_format and verbose are set. ${either}, but not both.`),
        ],
        [active, {}, invalidArgument(`Either filter/verbose or event_format is required. ${either}.`)],
        [active, { eventFormat: {}, activeAtOffset: -1 }, invalidArgument(wildcard)],
        [active, { eventFormat: anyParty, activeAtOffset: -1 }, negative(-1, 'active_at_offset')],
        [
          active,
          { eventFormat: anyParty, activeAtOffset: current + 1 },
          afterEnd('active_at_offset', current + 1, current),
        ],
        [
          active,
          { eventFormat: filtersFor([alice]), activeAtOffset: end, streamContinuationToken: token },
          badContinuation,
        ],
        [active, { eventFormat: anyParty, activeAtOffset: end - 1, streamContinuationToken: token }, badContinuation],
        [
          active,
          { eventFormat: anyParty, activeAtOffset: end, streamContinuationToken: 'AAAA' },
          invalidField('stream_continuation_token', 'Invalid continuation token for GetActiveContractsRequest'),
        ],
        [activePage, {}, missingField('event_format')],
        [
          activePage,
          { eventFormat: anyParty, maxPageSize: 0 },
          invalidArgument('Requested page size must be positive, but got 0'),
        ],
        [
          activePage,
          { eventFormat: anyParty, maxPageSize: 10_001 },
          invalidArgument('Requested page size must not exceed 10000, but got 10001'),
        ],
        [
          activePage,
          { eventFormat: anyParty, pageToken: 'AAAA' },
          invalidField('page_token', 'Invalid page token for GetActiveContractsPageRequest'),
        ],
        [activePage, { eventFormat: anyParty, activeAtOffset: -1 }, negative(-1, 'active_at_offset')],
      ]
      for (const [path, body, want] of refused) {
        assert.deepEqual(refusalOf(await ledger.post(path, body)), want, JSON.stringify(body))
      }
    })
  })

  describe(`lists of updates on ${store}`, () => {
    test('hold 200 elements, or as many as were requested', async () => {
      await using ledger = await startTestLedger({ store })
      const { createIou, commandsOf } = ledger
      const submit = () => ledger.post('/v2/commands/submit-and-wait', commandsOf([createIou()]))
      await Promise.all(Array.from({ length: 200 }, submit))
      const filter = filtersFor([ledger.alice])
      const list = async (query: string) => {
        const body = { beginExclusive: 0, endInclusive: await ledger.end(), filter }
        return ledger.post(`/v2/updates${query}`, body)
      }
      assert.equal((await list('')).json.length, 200)
      await submit()
      const tooMany = await list('')
      assert.deepEqual(refusalOf(tooMany), [
        413,
        'JSON_API_MAXIMUM_LIST_ELEMENTS_NUMBER_REACHED',
        'The number of matching elements (201) is greater than the node limit (200).',
      ])
      const { errorCategory, grpcCodeValue, retryInfo, definiteAnswer } = tooMany.json
      assert.deepEqual([errorCategory, grpcCodeValue, retryInfo, definiteAnswer], [2, 10, '1 second', false])
      const limits: [limit: string, want: number | string][] = [
        ['200', 200],
        ['7', 7],
        ['0', 0],
        ['-1', 0],
        ['201', '413'],
        ['100000', '413'],
      ]
      for (const [limit, want] of limits) {
        const answer = await list(`?limit=${limit}`)
        if (typeof want === 'number') assert.equal(answer.json.length, want)
        else assert.equal(String(answer.status), want)
      }
      for (const parameter of ['limit', 'stream_idle_timeout_ms']) {
        assert.deepEqual(refusalOf(await list(`?${parameter}=many`)), [
          400,
          `Invalid value for: query parameter ${parameter}`,
        ])
      }
      const body = { activeAtOffset: await ledger.end(), filter }
      assert.equal((await ledger.post('/v2/state/active-contracts', body)).status, 413)
    })

    test('without an end wait for more, until nothing arrives for a while', async () => {
      const clock = createTestClock(Date.parse('2026-01-01T00:00:00Z'))
      await using ledger = await startTestLedger({ store, clock })
      const { alice, createIou } = ledger
      const filter = filtersFor([alice])
      const shown = (elements: Json[]) =>
        elements.map(({ update }) => {
          const [kind, { value }] = Object.entries(update)[0] as [string, Json]
          return `${kind} ${value.offset}`
        })
      const tail = (beginExclusive: number, query = '') =>
        ledger.post(`/v2/updates${query}`, { beginExclusive, filter }).then(({ json }) => shown(json))
      const silent = <T>(answer: Promise<T>) => settled(answer, clock, 25, ledger.node)
      assert.deepEqual(await silent(tail(0)), [])
      await ledger.submit([createIou()])
      assert.deepEqual(await silent(tail(0)), ['Transaction 9'])

      // An update that arrives meanwhile is part of the answer and restarts the wait.
      const waiting = tail(0, '?stream_idle_timeout_ms=2000&limit=3')
      for (let index = 0; index < 2; index += 1) {
        await settled(ledger.node.call('GET', '/v2/parties'), clock, 1, ledger.node)
        clock.advance(1500)
        await ledger.submit([createIou()])
      }
      assert.deepEqual(await silent(waiting), ['Transaction 9', 'Transaction 10', 'Transaction 11'])

      // After a while it sends a checkpoint, even if nothing was for this reader.
      clock.advance(15_000)
      const end = await ledger.end()
      assert.deepEqual(await silent(tail(end, '?stream_idle_timeout_ms=1000')), [`OffsetCheckpoint ${end}`])
      const bounded = await ledger.post('/v2/updates', { beginExclusive: 0, endInclusive: end, filter })
      assert.deepEqual(shown(bounded.json), ['Transaction 9', 'Transaction 10', 'Transaction 11'])
      const nothing = ledger.post('/v2/updates?stream_idle_timeout_ms=1000', { beginExclusive: 0, updateFormat: {} })
      assert.deepEqual(shown((await silent(nothing)).json), [`OffsetCheckpoint ${end}`])
    })
  })

  describe(`updates that were pruned on ${store}`, () => {
    test('are gone, and active contracts stay', async () => {
      await using ledger = await startTestLedger({ store, settings: { dars: [effectsDar] } })
      const { iou, wallet, updateIds, end } = await tellStory(ledger)
      const { alice, carol } = ledger
      const prune = (body: object) => ledger.node.call('POST', '/v2/pruning', { body })
      const none = 'Offset -1 in prune_up_to is not a positive integer: the offset has to be a positive integer (>0)'
      const refused: [body: object, want: unknown[]][] = [
        [{}, invalidArgument('prune_up_to not specified or zero')],
        [{ pruneUpTo: 0 }, invalidArgument('prune_up_to not specified or zero')],
        [{ pruneUpTo: -1 }, [400, 'NON_POSITIVE_OFFSET', none]],
        [
          { pruneUpTo: end },
          [400, 'OFFSET_OUT_OF_RANGE', `prune_up_to needs to be before ledger end Some(Offset(${end}))`],
        ],
        [
          { pruneUpTo: 1, olderThan: '1d' },
          invalidArgument('prune_up_to cannot be specified at the same time as older_than'),
        ],
      ]
      for (const [body, want] of refused) assert.deepEqual(refusalOf(await prune(body)), want)
      const offsets = async () => (await ledger.node.call('GET', '/v2/state/latest-pruned-offsets')).json
      assert.deepEqual(await offsets(), {
        participantPrunedUpToInclusive: 0,
        allDivulgedContractsPrunedUpToInclusive: 0,
      })
      assert.deepEqual((await prune({ pruneUpTo: 13 })).json, { prunedUpTo: 13 })
      assert.deepEqual((await prune({ pruneUpTo: 11 })).json, { prunedUpTo: 13 })
      assert.deepEqual(await offsets(), {
        participantPrunedUpToInclusive: 13,
        allDivulgedContractsPrunedUpToInclusive: 13,
      })

      const pruned = (cause: string) => [400, 'PARTICIPANT_PRUNED_DATA_ACCESSED', `${cause} pruned offset 13`]
      const filter = filtersFor([alice])
      const notFound = [404, 'UPDATE_NOT_FOUND', 'Update not found, or not visible.']
      const rows: [path: string, body: object, want: unknown[]][] = [
        [
          '/v2/updates',
          { beginExclusive: 12, endInclusive: 15, filter },
          pruned('Transactions request from 13 to 15 precedes'),
        ],
        ['/v2/updates', { filter }, pruned('Transactions request from 1 to 15 precedes')],
        ['/v2/updates', { beginExclusive: 12, endInclusive: 12, filter }, [200]],
        ['/v2/updates', { beginExclusive: 13, endInclusive: 15, filter }, [200]],
        [
          '/v2/updates',
          { beginExclusive: 0, endInclusive: 15, filter, descendingOrder: true },
          pruned('Transactions request from 1 to 15 precedes'),
        ],
        ['/v2/updates/transaction-by-offset', { offset: 11, requestingParties: [alice] }, notFound],
        ['/v2/updates/transaction-by-offset', { offset: 14, requestingParties: [alice] }, [200]],
        [byId, { updateId: updateIds[0], updateFormat: updateFormat(filter) }, notFound],
        [
          page,
          { beginOffsetExclusive: 0, updateFormat: updateFormat(filter) },
          pruned('Transactions request from 1 to 15 precedes'),
        ],
        [page, { updateFormat: updateFormat(filter) }, [200]],
        [
          '/v2/commands/completions',
          { parties: [alice], beginExclusive: 10 },
          pruned('Command completions request from 11 to 15 overlaps with'),
        ],
        [
          '/v2/state/active-contracts',
          { activeAtOffset: 12, filter },
          pruned('Active contracts request at offset 12 precedes'),
        ],
        ['/v2/state/active-contracts', { activeAtOffset: 13, filter }, [200]],
        [
          '/v2/events/events-by-contract-id',
          { contractId: iou, eventFormat: filter },
          [404, 'CONTRACT_EVENTS_NOT_FOUND', 'Contract events not found, or not visible.'],
        ],
        ['/v2/events/events-by-contract-id', { contractId: wallet, eventFormat: filtersFor([carol]) }, [200]],
        [
          '/v2/contracts/contract-by-id',
          { contractId: iou },
          [404, 'CONTRACT_PAYLOAD_NOT_FOUND', 'Contract payload not found, or not visible.'],
        ],
        ['/v2/contracts/contract-by-id', { contractId: wallet }, [200]],
      ]
      for (const [path, body, want] of rows) {
        const answer = await ledger.post(path, body)
        assert.deepEqual(refusalOf(answer).slice(0, want.length), want, JSON.stringify(body))
        if (want[1] === 'PARTICIPANT_PRUNED_DATA_ACCESSED') {
          assert.deepEqual([answer.json.errorCategory, answer.json.context.earliest_offset], [9, '13'])
        }
      }
      const first = (await ledger.post(page, { updateFormat: updateFormat(filter) })).json
      assert.equal(first.lowestPageOffsetExclusive, 13)
      assert.equal(outlineOf(first.updates), '14 C, 15 C')
      const archive = exercise('#quickstart:Wallet:Wallet', wallet, 'Archive')
      const { transaction } = await ledger.submit([archive], { actAs: [carol] })
      assert.equal(kindsOf(transaction), 'E')
    })
  })
}
