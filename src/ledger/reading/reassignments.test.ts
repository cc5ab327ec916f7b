import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { needsPostgres } from '../../../test/fixtures/postgres.ts'
import { openMemoryStore, openPostgresStore } from '../../../test/fixtures/stores.ts'
import {
  delta,
  effects,
  forAnybody,
  forParties,
  template,
  viewOf,
  wildcard,
} from '../../../test/support/reading/sample-formats.ts'
import {
  blobOf,
  contractIdOf,
  samplePackageId,
  synchronizerIdOf,
  updateIdOf,
} from '../../../test/support/reading/sample-ledger.ts'
import { collect, createSampleReading, type Json, never, parsed } from '../../../test/support/reading/sample-reading.ts'
import { reassignmentIdOf } from '../../../test/support/reading/sample-reassignments.ts'
import { reassignmentsContract } from './reassignments.contract.ts'
import type { EventFormat, UpdateFormat } from './requests/queries.ts'

reassignmentsContract('SQLite', openMemoryStore, [1, 2, 3])
describe('on PostgreSQL', needsPostgres, () => reassignmentsContract('PostgreSQL', openPostgresStore, [1]))

const store = await openMemoryStore()
const reading = createSampleReading(store)
const { ledger, unassign, assign, updates, activeContracts, contractEvents } = reading
const labels = new Map(['c1', 'c2', 'c3'].map((label) => [contractIdOf(label), label]))
const [first, second] = [synchronizerIdOf(1n), synchronizerIdOf(2n)]
const notFound = { code: 'UPDATE_NOT_FOUND', message: 'Update not found, or not visible.' }

// 1: alice creates c1, which bob observes, c2 and c3. 2: she unassigns c1 and c2. 3: bob assigns them. 4: bob unassigns
// c1 again, which stays in transit. 5: alice archives c2 where it is now.
before(async () => {
  const c2 = { contract: 'c2', template: 'Main:Asset', signatories: ['alice'] }
  await ledger.commit({
    workflowId: 'creating',
    nodes: [
      { kind: 'create', contract: 'c1', signatories: ['alice'], observers: ['bob'] },
      { ...c2, kind: 'create' },
      { kind: 'create', contract: 'c3', signatories: ['carol'] },
    ],
  })
  const away = { contracts: ['c1', 'c2'], target: 2n, submitter: 'alice', commandId: 'leave', workflowId: 'leaving' }
  const id = await unassign(away)
  await assign(id, { submitter: 'bob', commandId: 'arrive', workflowId: 'arriving' })
  await unassign({ contracts: ['c1'], target: 1n, submitter: 'bob', workflowId: 'returning' })
  const archive = { ...c2, kind: 'exercise', isConsuming: true, actors: ['alice'] } as const
  await ledger.commit({ synchronizer: 2n, nodes: [archive] })
})

const moves = (reassignments: EventFormat): UpdateFormat => ({
  transactions: undefined,
  reassignments,
  topology: undefined,
})

/** "0 c1 to alice,bob" */
function eventText(wrapped: Json): string {
  const event = wrapped.JsUnassignedEvent?.value ?? wrapped.JsAssignmentEvent.createdEvent
  return `${event.nodeId} ${labels.get(event.contractId)} to ${event.witnessParties.join()}`
}

const createdC1 = {
  offset: 3,
  nodeId: 0,
  contractId: contractIdOf('c1'),
  templateId: `${samplePackageId}:Main:Iou`,
  contractKey: null,
  contractKeyHash: '',
  createArgument: { label: 'c1' },
  createdEventBlob: '',
  interfaceViews: [],
  witnessParties: ['bob'],
  signatories: ['alice'],
  observers: ['bob'],
  createdAt: '2023-11-14T22:13:21Z',
  packageName: 'sample',
  representativePackageId: samplePackageId,
  acsDelta: true,
}

const unassignedC1 = {
  reassignmentId: reassignmentIdOf(2n),
  contractId: contractIdOf('c1'),
  templateId: `${samplePackageId}:Main:Iou`,
  packageName: 'sample',
  source: first,
  target: second,
  submitter: 'alice',
  reassignmentCounter: 1,
  assignmentExclusivity: '2023-11-14T22:14:22Z',
  witnessParties: ['bob'],
  offset: 2,
  nodeId: 0,
}

describe('a reassignment', () => {
  test('has its keys in order when contracts leave', async () => {
    const want = {
      updateId: updateIdOf(2n),
      commandId: '',
      workflowId: 'leaving',
      offset: 2,
      events: [{ JsUnassignedEvent: { value: unassignedC1 } }],
      traceContext: null,
      recordTime: '2023-11-14T22:13:22Z',
      synchronizerId: first,
      paidTrafficCost: null,
    }
    const found = await updates.updateAt(2n, moves(forParties('bob')))
    assert.equal(found.toString(), `{"Reassignment":{"value":${JSON.stringify(want)}}}`)
  })

  test('has its keys in order when contracts arrive', async () => {
    const { reassignmentId } = unassignedC1
    const head = { source: first, target: second, reassignmentId, submitter: 'bob', reassignmentCounter: 1 }
    const want = {
      updateId: updateIdOf(3n),
      commandId: 'arrive',
      workflowId: 'arriving',
      offset: 3,
      events: [{ JsAssignmentEvent: { ...head, createdEvent: createdC1 } }],
      traceContext: null,
      recordTime: '2023-11-14T22:13:23Z',
      synchronizerId: second,
      paidTrafficCost: 0,
    }
    const found = await updates.updateWithId(updateIdOf(3n), moves(forParties('bob')))
    assert.equal(found.toString(), `{"Reassignment":{"value":${JSON.stringify(want)}}}`)
  })

  const rows: [title: string, format: EventFormat, events: string[], commands: [leave: string, arrive: string]][] = [
    ['a stakeholder of all', forParties('alice'), ['0 c1 to alice', '1 c2 to alice'], ['leave', '']],
    ['a stakeholder of some', forParties('bob'), ['0 c1 to bob'], ['', 'arrive']],
    ['nobody else', forParties('carol'), [], ['', '']],
    ['anybody', forAnybody(), ['0 c1 to alice,bob', '1 c2 to alice'], ['leave', 'arrive']],
    ['anybody, by template', forAnybody(template('Asset')), ['1 c2 to alice'], ['leave', 'arrive']],
    ['a party, by template', forParties(['alice', template('Asset')]), ['1 c2 to alice'], ['leave', '']],
    ['a party, by an interface', forParties(['alice', viewOf('Rare', false)]), ['0 c1 to alice'], ['leave', '']],
    ['nobody, by an interface without templates', forParties(['alice', viewOf('Lonely')]), [], ['', '']],
    [
      'parties whose filter selects other contracts, as witnesses of what another sees',
      forParties(['alice', template('Asset')], 'bob'),
      ['0 c1 to alice,bob', '1 c2 to alice'],
      ['leave', 'arrive'],
    ],
  ]
  for (const [title, format, events, commands] of rows) {
    test(`is seen by ${title}`, async () => {
      const query = { beginExclusive: 1n, endInclusive: 3n, descending: false, format: moves(format) }
      const found = await collect(updates.stream({ ...query, form: 'tree' }, never))
      const values = found.map(({ update }) => update.Reassignment.value)
      assert.deepEqual(
        values.map((value) => value.events.map(eventText)),
        events.length === 0 ? [] : [events, events],
      )
      assert.deepEqual(
        values.map(({ commandId }) => commandId),
        events.length === 0 ? [] : commands,
      )
    })
  }

  test('is filtered independently of transactions', async () => {
    const format = { ...moves(forParties(['alice', template('Asset')])), transactions: effects(forParties('carol')) }
    const query = { beginExclusive: 0n, endInclusive: 5n, descending: false, format, form: 'transaction' } as const
    const found = await collect(updates.stream(query, never))
    assert.deepEqual(
      found.flatMap(({ update }) => Object.keys(update)),
      ['Transaction', 'Reassignment', 'Reassignment'],
    )
    const [{ value: transaction }] = Object.values(found[0].update) as [Json]
    assert.equal(labels.get(transaction.events[0].CreatedEvent.contractId), 'c3')
    assert.deepEqual(found[1].update.Reassignment.value.events.map(eventText), ['1 c2 to alice'])
  })

  test('brings blobs and views with contracts that arrive', async () => {
    const format = forParties(['bob', wildcard(true), viewOf('Token')])
    const [event] = parsed(await updates.updateAt(3n, moves(format))).Reassignment.value.events
    const { createdEvent } = event.JsAssignmentEvent
    assert.equal(createdEvent.createdEventBlob, Buffer.from(blobOf('c1')).toString('base64'))
    assert.deepEqual(createdEvent.interfaceViews[0].viewValue, { shows: 'blob of c1' })
  })

  test('is not found as a transaction, nor by a format without reassignments', async () => {
    const everything = delta(forAnybody())
    const lookups = [
      updates.transactionAt(2n, everything, 'transaction'),
      updates.transactionAt(3n, effects(forAnybody()), 'tree'),
      updates.transactionWithId(updateIdOf(2n), everything, 'transaction'),
      updates.updateAt(2n, { ...moves(forAnybody()), transactions: everything, reassignments: undefined }),
      updates.updateAt(2n, moves(forParties('carol'))),
      updates.updateAt(1n, moves(forAnybody())),
    ]
    for (const lookup of lookups) await assert.rejects(lookup, notFound)
  })

  test('is returned to its submitter, with the requested events', async () => {
    const whole = parsed(await updates.updateAt(2n, moves(forAnybody()))).Reassignment.value
    assert.deepEqual(parsed(await updates.reassignmentWithId(updateIdOf(2n), forAnybody())), whole)
    assert.deepEqual(parsed(await updates.reassignmentWithId(updateIdOf(2n), undefined)), { ...whole, events: [] })
    const resources = [['UPDATE_ID', updateIdOf(2n)]]
    const unseen = updates.reassignmentWithId(updateIdOf(2n), forParties('carol'))
    await assert.rejects(unseen, { ...notFound, details: { resources } })
    const refusal = { code: 'NO_TEMPLATES_FOR_PACKAGE_NAME_AND_QUALIFIED_NAME' }
    await assert.rejects(updates.checksOfReassignment(forAnybody(template('Nothing'))).checkNames(), refusal)
    assert.throws(() => updates.checksOfReassignment(forParties('')).checkForm(), { code: 'INVALID_ARGUMENT' })
  })
})

describe('an active contract that moved', () => {
  const created = { ...createdC1, offset: 1 }
  const returning = {
    ...unassignedC1,
    reassignmentId: reassignmentIdOf(4n),
    source: second,
    target: first,
    submitter: 'bob',
    reassignmentCounter: 2,
    assignmentExclusivity: '2023-11-14T22:14:24Z',
    offset: 4,
  }
  const rows: [offset: bigint, workflowId: string, entry: Json][] = [
    [1n, 'creating', { JsActiveContract: { createdEvent: created, synchronizerId: first, reassignmentCounter: 0 } }],
    [2n, 'leaving', { JsIncompleteUnassigned: { createdEvent: created, unassignedEvent: unassignedC1 } }],
    [3n, 'arriving', { JsActiveContract: { createdEvent: createdC1, synchronizerId: second, reassignmentCounter: 1 } }],
    [4n, 'returning', { JsIncompleteUnassigned: { createdEvent: createdC1, unassignedEvent: returning } }],
    [5n, 'returning', { JsIncompleteUnassigned: { createdEvent: createdC1, unassignedEvent: returning } }],
  ]
  for (const [activeAtOffset, workflowId, contractEntry] of rows) {
    test(`is shown as it was at ${activeAtOffset}`, async () => {
      const query = { activeAtOffset, format: forParties('bob'), continuationToken: '' }
      const [[text]] = (await Array.fromAsync(activeContracts.stream(query, never), (batch) => [...batch])) as [
        [string],
      ]
      const { streamContinuationToken } = parsed(text)
      assert.equal(text, JSON.stringify({ workflowId, contractEntry, streamContinuationToken }))
    })
  }

  test('brings its blob and its views in transit too', async () => {
    const format = forParties(['bob', wildcard(true), viewOf('Token')])
    const query = { activeAtOffset: 2n, format, continuationToken: '' }
    const [element] = await collect(activeContracts.stream(query, never))
    const { createdEvent } = element.contractEntry.JsIncompleteUnassigned
    assert.equal(createdEvent.createdEventBlob, Buffer.from(blobOf('c1')).toString('base64'))
    assert.equal(createdEvent.interfaceViews.length, 1)
  })

  test('needs a read of its moves, and other contracts need none', async () => {
    const asked: bigint[] = []
    const reassignments = {
      ...store.reassignments,
      async lastMoves(contracts: readonly bigint[], upTo: bigint) {
        asked.push(...contracts)
        return store.reassignments.lastMoves(contracts, upTo)
      },
    }
    const { contents, names, end } = reading.parts
    const { activeContracts: reader } = createSampleReading({ ...store, reassignments }, { contents, names, end })
    const list = async (format: EventFormat) =>
      (await collect(reader.stream({ activeAtOffset: 5n, format, continuationToken: '' }, never))).length
    assert.deepEqual([await list(forParties('carol')), asked.length], [1, 0])
    assert.deepEqual([await list(forAnybody()), asked.length], [2, 1])
  })
})

describe('the events of a contract that moved', () => {
  test('are its creation and its archive, on the synchronizer of its creation', async () => {
    const { created, archived } = parsed(await contractEvents.byContractId(contractIdOf('c2'), forParties('alice')))
    assert.deepEqual([created.createdEvent.offset, created.synchronizerId], [1, first])
    assert.deepEqual([archived.archivedEvent.offset, archived.synchronizerId], [5, first])
    const [element] = await collect(
      updates.stream(
        {
          beginExclusive: 4n,
          endInclusive: 5n,
          descending: false,
          format: { transactions: delta(forAnybody()), reassignments: forAnybody(), topology: undefined },
          form: 'transaction',
        },
        never,
      ),
    )
    assert.equal(element.update.Transaction.value.synchronizerId, second)
  })

  test('are only its creation while it is in transit', async () => {
    const { created, archived } = parsed(await contractEvents.byContractId(contractIdOf('c1'), forParties('bob')))
    assert.deepEqual([created.createdEvent.offset, created.synchronizerId, archived], [1, first, null])
    const contract = parsed(await contractEvents.contract(contractIdOf('c1'), ['bob']))
    assert.equal(contract.createdEvent.offset, 1)
  })
})
