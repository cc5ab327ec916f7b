// What readers see of parties that come to be hosted, over any store: between other updates and alone, for all parties
// and for some, in streams, pages and lookups, and after pruning.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  delta,
  effects,
  forAnybody,
  forParties,
  template,
  updates,
} from '../../../test/support/reading/sample-formats.ts'
import { synchronizerIdOf, updateIdOf } from '../../../test/support/reading/sample-ledger.ts'
import { collect, createSampleReading, type Json, never, parsed } from '../../../test/support/reading/sample-reading.ts'
import { createHealth } from '../../base/health.ts'
import { createLog } from '../../base/log.ts'
import type { Store } from '../../store/core/store.ts'
import { createPruning } from '../commit/pruning.ts'
import { createWallTime } from '../model/ledger-time.ts'
import type { UpdateFormat } from './requests/queries.ts'

const parties = ['alice', 'bob', 'carol']
const count = 900

/** At 3n a party is hosted, in turn; the others are transactions of a party; every fifth number has another template. */
const isTopology = (n: number) => n % 3 === 0
const partyAt = (n: number) => parties[(isTopology(n) ? n / 3 : n) % parties.length]!
const isAsset = (n: number) => n % 5 === 0

async function hosted(store: Store) {
  const reading = createSampleReading(store)
  for (let n = 1; n <= count; n++) {
    if (isTopology(n)) await reading.ledger.host([partyAt(n)], n % 2 === 0 ? 1n : 2n)
    else {
      const name = isAsset(n) ? 'Main:Asset' : 'Main:Iou'
      await reading.ledger.write({
        nodes: [{ kind: 'create', contract: `c${n}`, template: name, signatories: [partyAt(n)] }],
      })
    }
  }
  reading.ledger.publish(BigInt(count))
  return reading
}

type Row = [
  title: string,
  transactions: UpdateFormat['transactions'],
  topology: UpdateFormat['topology'],
  isTransactionSeen: (n: number) => boolean,
  isTopologySeen: (n: number) => boolean,
]

const of = (party: string) => (n: number) => partyAt(n) === party
const [always, nothing] = [() => true, () => false]

const rows: Row[] = [
  ['of all parties', undefined, [], nothing, always],
  ['of a party', undefined, ['bob'], nothing, of('bob')],
  ['of two parties and an unknown one', undefined, ['bob', 'x', 'alice'], nothing, (n) => !of('carol')(n)],
  ['of an unknown party', undefined, ['x'], nothing, nothing],
  ['of all parties, with transactions of anybody', delta(forAnybody()), [], always, always],
  ['of all parties, with transactions of a party', delta(forParties('alice')), [], of('alice'), always],
  ['of a party, with its transactions', delta(forParties('alice')), ['alice'], of('alice'), of('alice')],
  ['of a party, with those of another', effects(forParties('alice')), ['bob'], of('alice'), of('bob')],
  ['of a party, with transactions of anybody', delta(forAnybody()), ['bob'], always, of('bob')],
  ['of all parties, with a template', delta(forAnybody(template('Asset'))), [], isAsset, always],
  [
    'of a party, with its transactions of a template',
    delta(forParties(['alice', template('Asset')])),
    ['alice'],
    (n) => of('alice')(n) && isAsset(n),
    of('alice'),
  ],
  ['not asked for, of anybody', delta(forAnybody()), undefined, always, nothing],
  ['not asked for, of a party', delta(forParties('carol')), undefined, of('carol'), nothing],
  ['not asked for, of a template', delta(forAnybody(template('Iou'))), undefined, (n) => !isAsset(n), nothing],
]

export function topologyContract(name: string, open: () => Promise<Store>): void {
  describe(`changes of the topology over ${name}`, () => {
    test('are in streams and pages, complete and in order', async (t) => {
      await using store = await open()
      const { updates: reader } = await hosted(store)
      for (const [title, transactions, topology, isTransactionSeen, isTopologySeen] of rows) {
        const format = { transactions, reassignments: undefined, topology }
        const [begin, end] = [20, count - 30]
        const want = Array.from({ length: count }, (_, index) => index + 1).filter((n) => {
          return n > begin && n <= end && (isTopology(n) ? isTopologySeen(n) : isTransactionSeen(n))
        })
        for (const descending of [false, true]) {
          await t.test(`${title}${descending ? ', descending' : ''}`, async () => {
            const query = { beginExclusive: BigInt(begin), endInclusive: BigInt(end), descending, format }
            const found = await collect(reader.stream({ ...query, form: 'transaction' }, never))
            assert.deepEqual(found.map(offsetOf), descending ? want.toReversed() : want)
            assert.ok(found.every((one) => isTopology(offsetOf(one)) === 'TopologyTransaction' in one.update))
            const paged: Json[] = []
            let pageToken: string | null = ''
            while (pageToken !== null) {
              const page: Json = parsed(await reader.page({ ...query, maxPageSize: 70, pageToken }))
              paged.push(...page.updates)
              pageToken = page.nextPageToken
            }
            assert.deepEqual(paged, found)
          })
        }
      }
    })

    test('reach a stream that follows the ledger', async () => {
      await using store = await open()
      const { ledger, updates: reader } = createSampleReading(store)
      await ledger.host(['alice'])
      for (const [topology, want] of [
        [[], [1, 2, 3, 4]],
        [['bob'], [3, 4]],
        [undefined, [4]],
      ] as const) {
        const gone = new AbortController()
        const format = { ...updates(delta(forParties('bob'))), topology }
        const query = { beginExclusive: 0n, endInclusive: undefined, descending: false, format }
        const stream = reader.stream({ ...query, form: 'transaction' }, gone.signal)
        const found: number[] = []
        const following = (async () => {
          for await (const some of stream) {
            found.push(...some.map(parsed).map(offsetOf))
            if (found.includes(4)) gone.abort()
          }
        })()
        if (ledger.end.current().offset === 1n) {
          await ledger.host(['carol'])
          await ledger.host(['bob'], 2n)
          await ledger.commit({ nodes: [{ kind: 'create', contract: 'c', signatories: ['bob'] }] })
        }
        await following
        assert.deepEqual(found, want)
      }
    })

    test('show the events of the parties that are asked for', async () => {
      await using store = await open()
      const { ledger, updates: reader } = createSampleReading(store)
      await ledger.host(['alice', 'bob'], 2n)
      const added = (partyId: string) => {
        const value = {
          partyId,
          participantId: 'participant::1220',
          participantPermission: 'PARTICIPANT_PERMISSION_SUBMISSION',
        }
        return { event: { ParticipantAuthorizationAdded: { value } } }
      }
      const whole = {
        updateId: updateIdOf(1n),
        offset: 1,
        synchronizerId: synchronizerIdOf(2n),
        recordTime: '2023-11-14T22:13:21Z',
        events: [added('alice'), added('bob')],
        traceContext: null,
      }
      const asked = (...topology: string[]) => ({ ...updates(undefined), topology })
      for (const [format, events] of [
        [asked(), whole.events],
        [asked('bob'), [added('bob')]],
        [asked('bob', 'alice'), whole.events],
      ] as const) {
        const want = { TopologyTransaction: { value: { ...whole, events } } }
        assert.deepEqual(parsed(await reader.updateAt(1n, format)), want)
        assert.deepEqual(parsed(await reader.updateWithId(updateIdOf(1n), format)), want)
      }
      const notFound = { code: 'UPDATE_NOT_FOUND' }
      const everybody = { ...updates(effects(forAnybody())), reassignments: forAnybody() }
      for (const format of [asked('carol'), everybody]) {
        await assert.rejects(reader.updateAt(1n, format), notFound)
        await assert.rejects(reader.updateWithId(updateIdOf(1n), format), notFound)
      }
      for (const form of ['transaction', 'tree'] as const) {
        await assert.rejects(reader.transactionAt(1n, effects(forAnybody()), form), notFound)
        await assert.rejects(reader.transactionWithId(updateIdOf(1n), effects(forAnybody()), form), notFound)
      }
    })

    test('are left out of trees', async () => {
      await using store = await open()
      const { ledger, updates: reader } = createSampleReading(store)
      await ledger.host(['alice'])
      await ledger.commit({ nodes: [{ kind: 'create', contract: 'c', signatories: ['alice'] }] })
      const range = { beginExclusive: 0n, endInclusive: 2n, descending: false } as const
      const format = { ...updates(effects(forParties('alice'))), topology: [] }
      const found = await collect(reader.stream({ ...range, format, form: 'tree' }, never))
      assert.deepEqual(
        found.map(({ update }) => update.TransactionTree.value.offset),
        [2],
      )
    })

    test('are pruned with the rest, from every list', async () => {
      await using store = await open()
      const reading = createSampleReading(store)
      const { ledger, updates: reader } = reading
      for (let n = 1; n <= 20; n++) await ledger.host([parties[n % 3]!])
      const { names, limits, clock } = reading.parts
      const [log, time] = [createLog('silent'), createWallTime(clock, 0n)]
      const health = createHealth(clock, log)
      await using pruning = createPruning({ store, end: ledger.end, names, time, limits, health, clock, log })
      await pruning.prune(12n)
      await pruning.settled()
      const query = { beginExclusive: 12n, endInclusive: 20n, descending: false, form: 'transaction' } as const
      const found = await collect(reader.stream({ ...query, format: { ...updates(undefined), topology: [] } }, never))
      assert.deepEqual(found.map(offsetOf), [13, 14, 15, 16, 17, 18, 19, 20])
      const numbers = await store.names.numbers([...parties, '#topology'])
      for (const number of numbers.values()) {
        assert.deepEqual(await store.updates.seenBy(number, { after: 0n, upTo: 12n, limit: 99 }), [])
      }
      await assert.rejects(reader.updateAt(12n, { ...updates(undefined), topology: [] }), { code: 'UPDATE_NOT_FOUND' })
    })
  })
}

function offsetOf({ update }: Json): number {
  const [{ value }] = Object.values<Json>(update) as [Json]
  return value.offset
}
