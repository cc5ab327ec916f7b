import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { needsPostgres } from '../../../test/fixtures/postgres.ts'
import { openMemoryStore, openPostgresStore } from '../../../test/fixtures/stores.ts'
import {
  delta,
  effects,
  forAnybody,
  forParties,
  sampleContents,
  template,
  updates,
  viewOf,
} from '../../../test/support/reading/sample-formats.ts'
import { type SampleTransaction, updateIdOf } from '../../../test/support/reading/sample-ledger.ts'
import { collect, createSampleReading, type Json, never, parsed } from '../../../test/support/reading/sample-reading.ts'
import { LedgerError } from '../../base/errors.ts'
import type { OffsetRange } from '../../store/core/ledger-records.ts'
import type { PackageContents } from '../packages/package-contents.ts'
import type { Elements, UpdatesQuery } from './requests/queries.ts'
import { updatesContract } from './updates.contract.ts'

updatesContract('SQLite', openMemoryStore)
describe('on PostgreSQL', needsPostgres, () => updatesContract('PostgreSQL', openPostgresStore))

const byAlice: SampleTransaction = { nodes: [{ kind: 'create', contract: 'a', signatories: ['alice'] }] }
const byBob: SampleTransaction = { nodes: [{ kind: 'create', contract: 'b', signatories: ['bob'] }] }
const alice = updates(delta(forParties('alice')))
const all: UpdatesQuery = {
  beginExclusive: 0n,
  endInclusive: undefined,
  descending: false,
  format: alice,
  form: 'transaction',
}

/** Packages before an upload; with it, `Iou` implements every interface. */
function beforeUpload() {
  let isUploaded = false
  const contents: PackageContents = {
    ...sampleContents,
    version: () => Number(isUploaded),
    implementersOf: () => (isUploaded ? ['#sample:Main:Iou'] : []),
    implementation: () => ({ interfaceId: 'aa:Main:Lonely', templateId: 'aa:Main:Iou' }),
  }
  return {
    contents,
    upload() {
      isUploaded = true
    },
  }
}

async function threeUpdates() {
  const reading = createSampleReading(await openMemoryStore())
  for (const transaction of [byAlice, byBob, byAlice]) await reading.ledger.commit(transaction)
  return reading
}

describe('a stream of updates', () => {
  const known = updates(delta(forAnybody(template('Nothing'))))
  const refused: [title: string, query: Partial<UpdatesQuery>, code: string, message: string][] = [
    [
      'a negative begin',
      { beginExclusive: -1n, endInclusive: 0n },
      'NEGATIVE_OFFSET',
      'Offset -1 in begin_exclusive is a negative integer: the offset in begin_exclusive field has to be a ' +
        'non-negative integer (>=0)',
    ],
    [
      'an end of 0',
      { endInclusive: 0n, beginExclusive: 9n },
      'NON_POSITIVE_OFFSET',
      'Offset 0 in end_inclusive is not a positive integer: the offset has to be either a positive integer (>0) or ' +
        'not defined at all',
    ],
    [
      'an end of 0, descending',
      { endInclusive: 0n, descending: true },
      'NON_POSITIVE_OFFSET',
      'Offset 0 in end_inclusive is not a positive integer: the offset has to be a positive integer (>0)',
    ],
    [
      'no end, descending',
      { descending: true },
      'DESCENDING_ORDER_MISSING_END',
      'end_inclusive is not provided when descending_order is true',
    ],
    [
      'a begin after the end',
      { beginExclusive: 4n },
      'OFFSET_AFTER_LEDGER_END',
      'Begin offset (4) is after ledger end (3)',
    ],
    [
      'an end after the ledger end, before a bad format',
      { endInclusive: 4n, format: updates(delta(forParties(''))) },
      'OFFSET_AFTER_LEDGER_END',
      'End offset (4) is after ledger end (3)',
    ],
    [
      'a bad format before unknown names',
      { format: { ...known, topology: [''] } },
      'INVALID_FIELD',
      'The submitted command has a field with invalid value: Invalid field parties: Daml-LF Party is empty',
    ],
    [
      'unknown names, even for an empty range',
      { format: known, beginExclusive: 1n, endInclusive: 1n },
      'NO_TEMPLATES_FOR_PACKAGE_NAME_AND_QUALIFIED_NAME',
      'The following package-name/template qualified-name pairs do not reference any template-id uploaded on this ' +
        'participant: [(sample,Main:Nothing)].',
    ],
    [
      'an end before the begin',
      { beginExclusive: 2n, endInclusive: 1n },
      'OFFSET_OUT_OF_RANGE',
      'End offset 1 is before begin offset 2.',
    ],
    [
      'a pruned range',
      { endInclusive: 3n },
      'PARTICIPANT_PRUNED_DATA_ACCESSED',
      'Transactions request from 1 to 3 precedes pruned offset 1',
    ],
    [
      'a pruned range without end',
      {},
      'PARTICIPANT_PRUNED_DATA_ACCESSED',
      'Transactions request from 1 to 3 precedes pruned offset 1',
    ],
  ]
  for (const [title, query, code, message] of refused) {
    test(`refuses ${title}`, async () => {
      const { ledger, updates: reader } = await threeUpdates()
      ledger.end.publishPruning(1n)
      await assert.rejects(collect(reader.stream({ ...all, ...query }, never)), { code, message })
    })
  }

  test('reports the earliest readable offset', async () => {
    const { ledger, updates: reader } = await threeUpdates()
    ledger.end.publishPruning(2n)
    const refusal = await collect(reader.stream({ ...all, endInclusive: 3n }, never)).catch((error) => error)
    assert.ok(refusal instanceof LedgerError)
    assert.deepEqual(refusal.details.context, { earliest_offset: '2' })
  })

  const good: [title: string, query: Partial<UpdatesQuery>, offsets: number[]][] = [
    ['from the pruning offset', { beginExclusive: 1n, endInclusive: 3n }, [3]],
    ['an empty range that is pruned', { beginExclusive: 0n + 1n, endInclusive: 1n }, []],
    ['a pruned range with an empty format', { endInclusive: 3n, format: updates(undefined) }, []],
  ]
  for (const [title, query, offsets] of good) {
    test(`reads ${title}`, async () => {
      const { ledger, updates: reader } = await threeUpdates()
      ledger.end.publishPruning(1n)
      const found = await collect(reader.stream({ ...all, ...query }, never))
      assert.deepEqual(found.map(offsetOf), offsets)
    })
  }

  test('wraps trees as trees', async () => {
    const { updates: reader } = await threeUpdates()
    const query: UpdatesQuery = { ...all, endInclusive: 1n, form: 'tree', format: updates(effects(forAnybody())) }
    const [found] = await collect(reader.stream(query, never))
    assert.deepEqual(Object.keys(found.update.TransactionTree.value.eventsById), ['0'])
  })

  test('ends with an error when unread updates are pruned', async () => {
    const { ledger, updates: reader } = createSampleReading(await openMemoryStore())
    for (let n = 0; n < 450; n++) await ledger.commit(byAlice)
    const stream = reader.stream({ ...all, endInclusive: 450n }, never)[Symbol.asyncIterator]()
    assert.equal((await stream.next()).value!.length, 32)
    ledger.end.publishPruning(32n)
    assert.equal((await stream.next()).value!.length, 64)
    ledger.end.publishPruning(97n)
    await assert.rejects(stream.next(), {
      message: 'Updates request from 1 to 450 precedes pruned offset 97',
    })
  })

  test('without end continues with new updates once they are published', async () => {
    const { ledger, updates: reader } = await threeUpdates()
    const aborted = new AbortController()
    const found: Json[] = []
    const reads = follow(reader.stream(all, aborted.signal), found)
    await settled()
    assert.deepEqual(found.map(offsetOf), [1, 3])
    await ledger.write(byAlice)
    await settled()
    assert.deepEqual(found.map(offsetOf), [1, 3])
    await ledger.write(byBob)
    await ledger.write(byAlice)
    ledger.publish(5n)
    await settled()
    assert.deepEqual(found.map(offsetOf), [1, 3, 4])
    ledger.publish(6n)
    await settled()
    assert.deepEqual(found.map(offsetOf), [1, 3, 4, 6])
    aborted.abort()
    await reads
  })

  test('without end sees new parties and templates', async () => {
    const { ledger, updates: reader } = await threeUpdates()
    const format = updates(delta(forParties(['zoe', template('Asset')])))
    const aborted = new AbortController()
    const found: Json[] = []
    const reads = follow(reader.stream({ ...all, format }, aborted.signal), found)
    await settled()
    await ledger.commit({
      nodes: [{ kind: 'create', contract: 'z', template: 'Main:Asset', signatories: ['zoe'] }],
    })
    await settled()
    assert.deepEqual(found.map(offsetOf), [4])
    aborted.abort()
    await reads
  })

  test('without end sees implementations of an interface that are uploaded later', async () => {
    const { contents, upload } = beforeUpload()
    const { ledger, updates: reader } = createSampleReading(await openMemoryStore(), { contents: async () => contents })
    const format = updates(delta(forParties(['alice', viewOf('Lonely')])))
    const aborted = new AbortController()
    const found: Json[] = []
    const reads = follow(reader.stream({ ...all, format }, aborted.signal), found)
    await ledger.commit(byAlice)
    await settled()
    upload()
    await ledger.commit(byAlice)
    await settled()
    assert.deepEqual(found.map(offsetOf), [2])
    aborted.abort()
    await reads
  })

  test('without end shares reads with others, and each reader sees its own', async () => {
    const store = await openMemoryStore()
    let reads = 0
    const counted = Object.assign(Object.create(store), {
      updates: {
        ...store.updates,
        range(range: OffsetRange) {
          reads += 1
          return store.updates.range(range)
        },
        seenBy: () => assert.fail('nobody looks for a party'),
      },
    }) as typeof store
    const { ledger, updates: reader } = createSampleReading(counted)
    const aborted = new AbortController()
    const bob = updates(delta(forParties('bob')))
    const followers = Array.from({ length: 50 }, (_, index) => {
      const found: Json[] = []
      void follow(reader.stream({ ...all, format: index % 2 === 0 ? alice : bob }, aborted.signal), found)
      return found
    })
    await settled()
    for (const transaction of [byAlice, byBob, byAlice]) {
      await ledger.commit(transaction)
      await settled()
    }
    assert.equal(reads, 3)
    for (const [index, found] of followers.entries()) {
      assert.deepEqual(found.map(offsetOf), index % 2 === 0 ? [1, 3] : [2])
    }
    aborted.abort()
  })

  /** Requests two pages, so that the third is read ahead; `change` happens before the third is requested. */
  async function thirdPage(change: (reading: Awaited<ReturnType<typeof threeUpdates>>) => void, then: UpdatesQuery) {
    const reading = await threeUpdates()
    for (const beginExclusive of [0n, 1n]) {
      await collect(reading.updates.stream({ ...all, beginExclusive, endInclusive: beginExclusive + 1n }, never))
    }
    await settled()
    change(reading)
    return collect(reading.updates.stream(then, never))
  }
  const third = { ...all, beginExclusive: 2n, endInclusive: 3n }

  test('has a page ready for a client that reads page after page', async () => {
    const found = await thirdPage(({ parts }) => {
      parts.store.updates.rangeSeenBy = () => assert.fail('it is read already')
    }, third)
    assert.deepEqual(found.map(offsetOf), [3])
  })

  test('does not give that page to a different request', async () => {
    const bob = updates(delta(forParties('bob')))
    assert.deepEqual(await thirdPage(() => undefined, { ...third, format: bob }), [])
    const [tree] = await thirdPage(() => undefined, { ...third, form: 'tree' })
    assert.deepEqual(Object.keys(tree.update), ['TransactionTree'])
  })

  test('does not give a page that was pruned after it was read', async () => {
    const code = 'PARTICIPANT_PRUNED_DATA_ACCESSED'
    await assert.rejects(
      thirdPage(({ ledger }) => ledger.end.publishPruning(3n), third),
      { code },
    )
  })

  test('ends at once for a reader that has disconnected', async () => {
    const { updates: reader } = await threeUpdates()
    assert.deepEqual(await collect(reader.stream(all, AbortSignal.abort())), [])
  })
})

describe('an update', () => {
  const notFound = { code: 'UPDATE_NOT_FOUND', message: 'Update not found, or not visible.' }

  test('is found by its offset and by its id, in upper or lower case', async () => {
    const { updates: reader } = await threeUpdates()
    const format = delta(forParties('bob'))
    const found = await reader.transactionAt(2n, format, 'transaction')
    assert.equal(parsed(found).updateId, updateIdOf(2n))
    for (const id of [updateIdOf(2n), updateIdOf(2n).toUpperCase()]) {
      assert.deepEqual(await reader.transactionWithId(id, format, 'transaction'), found)
    }
    assert.equal((await reader.updateAt(2n, updates(format))).toString(), `{"Transaction":{"value":${found}}}`)
    assert.equal(
      (await reader.updateWithId(updateIdOf(2n), updates(format))).toString(),
      `{"Transaction":{"value":${found}}}`,
    )
  })

  test('is seen through a cached format with the packages of now', async () => {
    const { contents, upload } = beforeUpload()
    const { ledger, updates: reader } = createSampleReading(await openMemoryStore(), { contents: async () => contents })
    await ledger.commit(byAlice)
    const format = delta(forParties(['alice', template('Asset'), viewOf('Lonely', false)]))
    const look = () => reader.transactionAt(1n, format, 'transaction')
    await assert.rejects(look(), notFound)
    upload()
    assert.equal(parsed(await look()).offset, 1)
  })

  test('is shown through a cached format with the vetting of now', async () => {
    let packageId = 'aa'
    const implementation = () => ({ interfaceId: 'aa:Main:Token', templateId: `${packageId}:Main:Iou` })
    const contents: PackageContents = { ...sampleContents, implementation }
    const { ledger, updates: reader } = createSampleReading(await openMemoryStore(), { contents: async () => contents })
    await ledger.commit(byAlice)
    const format = delta(forParties(['alice', viewOf('Token')]))
    for (const now of ['aa', 'bb']) {
      packageId = now
      const { events } = parsed(await reader.transactionAt(1n, format, 'transaction'))
      assert.equal(events[0].CreatedEvent.interfaceViews[0].implementationPackageId, now)
    }
  })

  test('is not found if it does not exist or is not visible', async () => {
    const { ledger, updates: reader } = await threeUpdates()
    await ledger.write(byAlice)
    ledger.end.publishPruning(1n)
    for (const offset of [1n, 2n, 4n, 9n]) {
      const resources = [['OFFSET', String(offset)]]
      await assert.rejects(reader.updateAt(offset, alice), { ...notFound, details: { resources } })
      await assert.rejects(reader.updateWithId(updateIdOf(offset), alice), notFound)
    }
    await assert.rejects(reader.updateAt(3n, updates(undefined)), notFound)
  })

  const argument = 'The submitted request has invalid arguments: '
  const zeros = '00'.repeat(32)
  const ids: [id: string, code: string, message: string][] = [
    ['', 'MISSING_FIELD', 'The submitted command is missing a mandatory field: update_id'],
    ['%', 'INVALID_ARGUMENT', `${argument}non expected character 0x25 in Daml-LF Ledger String "%"`],
    ['xyz', 'INVALID_ARGUMENT', `${argument}Failed to parse hex string: xyz`],
    ['123', 'INVALID_ARGUMENT', `${argument}Failed to parse hex string: 123`],
    ['80', 'INVALID_ARGUMENT', `${argument}Failed to decode unsigned var-int: Input bytes already consumed`],
    ['88'.repeat(15), 'INVALID_ARGUMENT', `${argument}Failed to decode unsigned var-int: Varint too long`],
    ['1320', 'INVALID_ARGUMENT', `${argument}Invalid hash algorithm: Unknown hash algorithm for index: 19`],
    [
      `1221${zeros}`,
      'INVALID_ARGUMENT',
      `${argument}Invalid hash algorithm: Mismatch of lengths for SHA-256: given 33, expected 32`,
    ],
    [
      `1220${zeros}00`,
      'INVALID_ARGUMENT',
      `${argument}Size of given hash 33 does not match expected size 32 for SHA-256`,
    ],
  ]
  for (const [id, code, message] of ids) {
    test(`cannot be looked up by ${id || 'an empty id'}`, async () => {
      const { updates: reader } = await threeUpdates()
      await assert.rejects(reader.updateWithId(id, undefined), { code, message })
    })
  }

  test('cannot be looked up without offset or format', async () => {
    const { updates: reader } = await threeUpdates()
    await assert.rejects(reader.updateAt(0n, undefined), {
      message: 'Offset 0 in offset is not a positive integer: the offset has to be a positive integer (>0)',
    })
    const message = 'The submitted command is missing a mandatory field: update_format'
    await assert.rejects(reader.updateAt(1n, undefined), { message })
    await assert.rejects(reader.updateWithId(updateIdOf(1n), undefined), { message })
  })
})

function offsetOf({ update }: Json): number {
  return update.Transaction.value.offset
}

async function follow(elements: Elements, found: Json[]): Promise<void> {
  for await (const some of elements) found.push(...some.map(parsed))
}

/** These stores answer at once: after a few turns nothing is pending. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await setImmediate()
}
