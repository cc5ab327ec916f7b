import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { errorInfo } from '../../../../test/fixtures/error-details.ts'
import { openMemoryStore } from '../../../../test/fixtures/stores.ts'
import {
  delta,
  effects,
  forAnybody,
  forParties,
  template,
  updates,
  viewOf,
  wildcard,
} from '../../../../test/support/reading/sample-formats.ts'
import {
  blobOf,
  contractIdOf,
  samplePackageId,
  synchronizerId,
  timeOf,
  updateIdOf,
} from '../../../../test/support/reading/sample-ledger.ts'
import {
  collect,
  createSampleReading,
  type Json,
  never,
  parsed,
} from '../../../../test/support/reading/sample-reading.ts'
import type { EventFormat, TransactionFormat } from '../requests/queries.ts'

const reading = createSampleReading(await openMemoryStore())
const { ledger, viewRequests } = reading
const labels = new Map(['c1', 'c2', 'c3', 't1', 'broken'].map((label) => [contractIdOf(label), label]))

// 1: alice creates c1, which bob observes. 2: bob exercises it, which creates c2 for carol: bob is only a witness.
// 3: alice archives c1 for c3 and the transient t1; frank submits it too, and sees nothing of it.
// 4: a contract whose view fails.
before(async () => {
  const c1 = { contract: 'c1', signatories: ['alice'], observers: ['bob'] }
  const c2 = { contract: 'c2', template: 'Main:Asset', signatories: ['alice'], observers: ['carol'] }
  const t1 = { contract: 't1', signatories: ['alice'] }
  await ledger.commit({
    actAs: ['alice'],
    commandId: 'first',
    workflowId: 'work',
    nodes: [{ ...c1, kind: 'create' }],
  })
  await ledger.commit({
    actAs: ['bob'],
    commandId: 'second',
    nodes: [{ ...c1, kind: 'exercise', isConsuming: false, actors: ['bob'], children: [{ ...c2, kind: 'create' }] }],
  })
  await ledger.commit({
    actAs: ['alice', 'frank'],
    commandId: 'third',
    nodes: [
      {
        ...c1,
        kind: 'exercise',
        isConsuming: true,
        actors: ['alice', 'erin'],
        children: [
          { contract: 'c3', kind: 'create', signatories: ['alice'], observers: ['dave'] },
          { ...t1, kind: 'create' },
          { ...t1, kind: 'exercise', isConsuming: true, actors: ['alice'] },
        ],
      },
    ],
  })
  await ledger.commit({ nodes: [{ contract: 'broken', kind: 'create', signatories: ['zoe'] }] })
})

/** "2 exercise c1 to alice,bob" */
function eventText(wrapped: Json): string {
  const [[kind, event]] = Object.entries(wrapped) as [[string, Json]]
  const word = kind.replace('Event', '').toLowerCase()
  const flag = event.acsDelta === undefined ? '' : event.acsDelta ? ' delta' : ' no delta'
  return `${event.nodeId} ${word} ${labels.get(event.contractId)} to ${event.witnessParties.join()}${flag}`
}

async function transactionsFor(format: TransactionFormat): Promise<Json[]> {
  const query = { beginExclusive: 0n, endInclusive: 3n, descending: false, format: updates(format) }
  const found = await collect(reading.updates.stream({ ...query, form: 'transaction' }, never))
  return found.map(({ update }) => update.Transaction.value)
}

describe('a reader', () => {
  const rows: [title: string, format: TransactionFormat, want: Record<number, string[]>][] = [
    [
      'sees creates and archives as a stakeholder',
      delta(forParties('alice')),
      {
        1: ['0 created c1 to alice delta'],
        2: ['1 created c2 to alice delta'],
        3: ['0 archived c1 to alice', '1 created c3 to alice delta'],
      },
    ],
    [
      'sees no non-consuming exercise and nothing divulged in a delta',
      delta(forParties('bob')),
      { 1: ['0 created c1 to bob delta'], 3: ['0 archived c1 to bob'] },
    ],
    ['sees no archive in a delta just for acting', delta(forParties('erin')), {}],
    [
      'sees all effects as a witness, transient contracts too',
      effects(forParties('alice')),
      {
        1: ['0 created c1 to alice delta'],
        2: ['0 exercised c1 to alice no delta', '1 created c2 to alice delta'],
        3: [
          '0 exercised c1 to alice delta',
          '1 created c3 to alice delta',
          '2 created t1 to alice no delta',
          '3 exercised t1 to alice no delta',
        ],
      },
    ],
    [
      'sees divulged contracts among effects, without a delta',
      effects(forParties('bob')),
      {
        1: ['0 created c1 to bob delta'],
        2: ['0 exercised c1 to bob no delta', '1 created c2 to bob no delta'],
        3: [
          '0 exercised c1 to bob delta',
          '1 created c3 to bob no delta',
          '2 created t1 to bob no delta',
          '3 exercised t1 to bob no delta',
        ],
      },
    ],
    [
      'sees the consequences of an exercise only from there',
      effects(forParties('carol')),
      { 2: ['1 created c2 to carol delta'] },
    ],
    [
      'does not see other witnesses',
      effects(forParties('carol', 'dave')),
      { 2: ['1 created c2 to carol delta'], 3: ['1 created c3 to dave delta'] },
    ],
    [
      'for anybody sees all witnesses',
      delta(forAnybody()),
      {
        1: ['0 created c1 to alice,bob delta'],
        2: ['1 created c2 to alice,carol delta'],
        3: ['0 archived c1 to alice,bob', '1 created c3 to alice,dave delta'],
      },
    ],
    [
      'sees only the requested templates',
      delta(forParties(['alice', template('Asset')])),
      { 2: ['1 created c2 to alice delta'] },
    ],
    [
      'sees only the requested templates, for anybody',
      effects(forAnybody(template('Asset'))),
      { 2: ['1 created c2 to alice,bob,carol delta'] },
    ],
    [
      'lists witnesses among all parties of the request, not only those whose filter selects the event',
      delta(forParties('carol', ['alice', template('Iou')])),
      {
        1: ['0 created c1 to alice delta'],
        2: ['1 created c2 to alice,carol delta'],
        3: ['0 archived c1 to alice', '1 created c3 to alice delta'],
      },
    ],
    [
      'for anybody sees all witnesses, and by filters of parties too',
      delta({ ...forParties('carol'), filtersForAnyParty: [template('Iou')] }),
      {
        1: ['0 created c1 to alice,bob delta'],
        2: ['1 created c2 to alice,carol delta'],
        3: ['0 archived c1 to alice,bob', '1 created c3 to alice,dave delta'],
      },
    ],
    [
      'sees the templates of an interface',
      delta(forParties(['dave', viewOf('Token')])),
      { 3: ['1 created c3 to dave delta'] },
    ],
    ['sees nothing through an interface without implementations', delta(forParties(['alice', viewOf('Lonely')])), {}],
    [
      'by such an interface is not even listed as a witness',
      delta(forParties('bob', ['alice', viewOf('Lonely')])),
      { 1: ['0 created c1 to bob delta'], 3: ['0 archived c1 to bob'] },
    ],
    ['that is no party of the ledger sees nothing', effects(forParties('nobody')), {}],
  ]
  for (const [title, format, want] of rows) {
    test(title, async () => {
      const found = await transactionsFor(format)
      assert.deepEqual(Object.fromEntries(found.map(({ offset, events }) => [offset, events.map(eventText)])), want)
    })
  }

  const commands: [format: EventFormat, commandIds: string[]][] = [
    [forParties('alice'), ['first', '', 'third']],
    [forParties('bob'), ['', 'second', '']],
    [forParties('alice', 'bob'), ['first', 'second', 'third']],
    [forParties('bob', 'frank'), ['', 'second', 'third']],
    [forAnybody(), ['first', 'second', 'third']],
  ]
  for (const [format, commandIds] of commands) {
    test(`${[...format.filtersByParty.keys()].join(' and ') || 'anybody'} sees its own command ids`, async () => {
      const found = await transactionsFor(effects(format))
      assert.deepEqual(
        found.map(({ commandId }) => commandId),
        commandIds,
      )
      assert.equal(found[0].workflowId, 'work')
    })
  }
})

describe('the JSON of a transaction', () => {
  const time = (offset: bigint) => new Date(Number(timeOf(offset) / 1000n)).toISOString().replace('.000', '')
  const created = (label: string, templateName: string, rest: object) => ({
    contractId: contractIdOf(label),
    templateId: `${samplePackageId}:Main:${templateName}`,
    contractKey: null,
    contractKeyHash: '',
    createArgument: { label },
    createdEventBlob: '',
    interfaceViews: [],
    ...rest,
  })
  const exercised = {
    offset: 2,
    nodeId: 0,
    contractId: contractIdOf('c1'),
    templateId: `${samplePackageId}:Main:Iou`,
    interfaceId: null,
    choice: 'Go',
    choiceArgument: {},
    actingParties: ['bob'],
    consuming: false,
    witnessParties: ['bob'],
    lastDescendantNodeId: 1,
    exerciseResult: {},
    packageName: 'sample',
    implementedInterfaces: [],
    acsDelta: false,
  }
  const asset = {
    offset: 2,
    nodeId: 1,
    ...created('c2', 'Asset', {
      witnessParties: ['bob'],
      signatories: ['alice'],
      observers: ['carol'],
      createdAt: time(2n),
      packageName: 'sample',
      representativePackageId: samplePackageId,
      acsDelta: false,
    }),
  }
  const head = { updateId: updateIdOf(2n), commandId: 'second', workflowId: '', effectiveAt: time(2n) }

  test('has its keys in order, in the shape with effects', async () => {
    const bytes = await reading.updates.transactionAt(2n, effects(forParties('bob')), 'transaction')
    const want = {
      ...head,
      events: [{ ExercisedEvent: exercised }, { CreatedEvent: asset }],
      offset: 2,
      synchronizerId,
      traceContext: null,
      recordTime: time(2n),
      externalTransactionHash: null,
      paidTrafficCost: 0,
    }
    assert.equal(bytes.toString(), JSON.stringify(want))
  })

  test('has its keys in order, as a tree', async () => {
    const bytes = await reading.updates.transactionAt(2n, effects(forParties('bob')), 'tree')
    const want = {
      ...head,
      offset: 2,
      eventsById: {
        0: { ExercisedTreeEvent: { value: exercised } },
        1: { CreatedTreeEvent: { value: asset } },
      },
      synchronizerId,
      traceContext: null,
      recordTime: time(2n),
    }
    assert.equal(bytes.toString(), JSON.stringify(want))
  })

  test('has no archived events in a tree', async () => {
    const tree = parsed(await reading.updates.transactionAt(3n, delta(forParties('alice')), 'tree'))
    assert.deepEqual(Object.keys(tree.eventsById), ['1'])
  })

  test('has complete archived events', async () => {
    const { events } = parsed(await reading.updates.transactionAt(3n, delta(forParties('bob')), 'transaction'))
    const archived = {
      offset: 3,
      nodeId: 0,
      contractId: contractIdOf('c1'),
      templateId: `${samplePackageId}:Main:Iou`,
      witnessParties: ['bob'],
      packageName: 'sample',
      implementedInterfaces: [],
    }
    assert.equal(JSON.stringify(events), JSON.stringify([{ ArchivedEvent: archived }]))
  })
})

describe('blobs and views', () => {
  const token = `${samplePackageId}:Main:Token`
  const shown = (label: string) => ({
    interfaceId: token,
    viewStatus: { code: 0, message: '', details: [] },
    viewValue: { shows: `blob of ${label}` },
    implementationPackageId: samplePackageId,
  })
  const base64 = (label: string) => Buffer.from(blobOf(label)).toString('base64')

  const rows: [title: string, format: EventFormat, offset: bigint, blob: string, views: object[]][] = [
    ['are absent by default', forParties('alice'), 1n, '', []],
    ['come by a wildcard filter', forParties(['alice', wildcard(true)]), 1n, base64('c1'), []],
    ['come by a template filter', forParties(['alice', template('Iou', true)]), 1n, base64('c1'), []],
    ['are absent for another template', forParties(['alice', wildcard(), template('Asset', true)]), 1n, '', []],
    ['come by an interface filter', forParties(['alice', viewOf('Token', false, true)]), 1n, base64('c1'), []],
    ['come as views', forParties(['alice', viewOf('Token')]), 1n, '', [shown('c1')]],
    ['come as views of what a wildcard selects', forParties('bob', ['alice', viewOf('Token')]), 1n, '', [shown('c1')]],
    ['are absent for a party that is no witness', forParties('bob', ['carol', viewOf('Token')]), 1n, '', []],
    [
      'come by the filter for anybody',
      { ...forParties('bob'), filtersForAnyParty: [viewOf('Token')] },
      1n,
      '',
      [shown('c1')],
    ],
  ]
  for (const [title, format, offset, blob, views] of rows) {
    test(title, async () => {
      const { events } = parsed(await reading.updates.transactionAt(offset, delta(format), 'transaction'))
      assert.equal(events[0].CreatedEvent.createdEventBlob, blob)
      assert.deepEqual(events[0].CreatedEvent.interfaceViews, views)
    })
  }

  test('show the reason when a view fails', async () => {
    const format = delta(forAnybody(viewOf('Token'), viewOf('Rare')))
    const { events } = parsed(await reading.updates.transactionAt(4n, format, 'transaction'))
    assert.deepEqual(events[0].CreatedEvent.interfaceViews, [
      {
        interfaceId: token,
        viewStatus: {
          code: 3,
          message: 'DAML_FAILURE(8,0): Interpretation error: Error: no view',
          details: [errorInfo('DAML_FAILURE', { definite_answer: 'false', error_id: 'no-view', category: '8' })],
        },
        viewValue: null,
        implementationPackageId: samplePackageId,
      },
      {
        interfaceId: `${samplePackageId}:Main:Rare`,
        viewStatus: {
          code: 9,
          message: 'NO_VETTED_INTERFACE_IMPLEMENTATION_PACKAGE(9,0): it is not vetted',
          details: [
            errorInfo('NO_VETTED_INTERFACE_IMPLEMENTATION_PACKAGE', { definite_answer: 'false', category: '9' }),
          ],
        },
        viewValue: null,
        implementationPackageId: null,
      },
    ])
  })

  test('are cached, except failures', async () => {
    const look = (offset: bigint) =>
      reading.updates.transactionAt(offset, delta(forAnybody(viewOf('Token'))), 'transaction')
    for (const offset of [1n, 4n]) await look(offset)
    viewRequests.length = 0
    for (const offset of [1n, 4n, 4n]) await look(offset)
    assert.equal(viewRequests.length, 2)
  })

  test('are named on archives, and on exercises that archive', async () => {
    const format = forParties(['alice', viewOf('Token')])
    const ofArchive = parsed(await reading.updates.transactionAt(3n, delta(format), 'transaction'))
    assert.deepEqual(ofArchive.events[0].ArchivedEvent.implementedInterfaces, [token])
    const ofExercise = parsed(await reading.updates.transactionAt(3n, effects(format), 'transaction'))
    assert.deepEqual(ofExercise.events[0].ExercisedEvent.implementedInterfaces, [token])
    const ofOther = parsed(await reading.updates.transactionAt(2n, effects(format), 'transaction'))
    assert.deepEqual(ofOther.events[0].ExercisedEvent.implementedInterfaces, [])
  })
})
