// Reading large updates, contracts and completions, over any store: at most a batch at a time, no more than requested,
// and charged to the reader's account while it holds them.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { delta, forAnybody, forParties, updates as updatesOf } from '../../../../test/support/reading/sample-formats.ts'
import { createSampleReading, type Json, never, parsed } from '../../../../test/support/reading/sample-reading.ts'
import { createByteBudget } from '../../../base/byte-budget.ts'
import { createTestClock } from '../../../base/clock.ts'
import type { OffsetRange } from '../../../store/core/ledger-records.ts'
import type { Store } from '../../../store/core/store.ts'
import { batchBytesMax, copies, freeBytes, type ReadHints } from '../reader.ts'
import type { Elements } from '../requests/queries.ts'

const large = 1024 * 1024
const small = 1_000
/** Every third is large; the others fit into one batch. */
const sizes = Array.from({ length: 12 }, (_, index) => (index % 3 === 2 ? large : small))
const largeCount = sizes.filter((size) => size === large).length

/** Records what is loaded separately, and the limits of queries. */
async function filled(store: Store) {
  const loaded: number[] = []
  const limits: number[] = []
  const noting = Object.assign(Object.create(store), {
    updates: {
      ...store.updates,
      range(range: OffsetRange) {
        limits.push(range.limit)
        return store.updates.range(range)
      },
      whole(offsets: readonly bigint[]) {
        loaded.push(offsets.length)
        return store.updates.whole(offsets)
      },
    },
    contracts: {
      ...store.contracts,
      events(numbers: readonly bigint[]) {
        if (numbers.length > 0) loaded.push(numbers.length)
        return store.contracts.events(numbers)
      },
    },
  }) as Store
  const reading = createSampleReading(noting)
  for (const [index, size] of sizes.entries()) {
    const argument = `{"label":"${index}","text":"${'é'.repeat(size / 2)}"}`
    await reading.ledger.commit({
      nodes: [{ kind: 'create', contract: `c${index}`, signatories: ['alice'], argument }],
    })
  }
  await store.completions.insert(
    sizes.map((size, index) => ({
      offset: BigInt(index + 1),
      userId: 'user',
      actAs: ['alice'],
      head: `{"commandId":"c${index}","actAs":`,
      tail: `,"text":"${'x'.repeat(size)}"}`,
    })),
  )
  return { ...reading, loaded, limits }
}

type Reading = Awaited<ReturnType<typeof filled>>

const end = BigInt(sizes.length)

const streams: [title: string, open: (reading: Reading, signal: AbortSignal, hints: ReadHints) => Elements][] = [
  ...([forAnybody(), forParties('alice'), forParties('alice', 'bob')] as const).flatMap((format, index) => {
    const who = ['anybody', 'a party', 'two parties'][index]
    const query = { beginExclusive: 0n, format: updatesOf(delta(format)), form: 'transaction' } as const
    return [false, true].map((descending): (typeof streams)[0] => [
      `updates of ${who}${descending ? ', latest first' : ''}`,
      ({ updates }, signal, hints) => updates.stream({ ...query, endInclusive: end, descending }, signal, hints),
    ])
  }),
  [
    'updates that go on',
    ({ updates }, signal, hints) => {
      const format = updatesOf(delta(forAnybody()))
      const query = { beginExclusive: 0n, endInclusive: undefined, descending: false, form: 'transaction' } as const
      return updates.stream({ ...query, format }, signal, hints)
    },
  ],
  [
    'active contracts',
    ({ activeContracts }, signal, hints) => {
      const query = { activeAtOffset: end, format: forParties('alice'), continuationToken: '' }
      return activeContracts.stream(query, signal, hints)
    },
  ],
  [
    'completions',
    ({ completions }, signal, hints) =>
      completions.stream({ userId: 'user', parties: ['alice'], beginExclusive: 0n }, signal, hints),
  ],
]

export function largeRowsContract(name: string, open: () => Promise<Store>): void {
  describe(`large rows over ${name}`, () => {
    test('are read one at a time, and small ones in batches', async (t) => {
      await using store = await open()
      const reading = await filled(store)
      for (const [title, stream] of streams) {
        await t.test(title, async () => {
          const budget = createByteBudget({
            ...{ bytesMax: 4 * large, stalledMs: 120_000, freeBytes, clock: createTestClock(0) },
          })
          const gone = new AbortController()
          reading.loaded.length = 0
          let [found, charged]: [Json[], number] = [[], 0]
          const account = budget.open()
          for await (const batch of stream(reading, gone.signal, { account })) {
            const bytes = batch.reduce((sum, element) => sum + element.length, 0)
            assert.ok(batch.length === 1 || bytes <= 2 * batchBytesMax, `${batch.length} elements of ${bytes}`)
            found = [...found, ...batch.map(parsed)]
            charged = Math.max(charged, budget.chargedBytes())
            if (found.length === sizes.length) gone.abort()
          }
          assert.equal(found.length, sizes.length)
          assert.ok(reading.loaded.every((count) => count === 1))
          assert.ok(charged > 0 && charged <= copies * large, `${charged} were on the account`)
          assert.equal(budget.chargedBytes(), 0)
          if (title !== 'completions') assert.equal(reading.loaded.length, largeCount)
        })
      }
    })

    test('are not read beyond what is requested', async (t) => {
      await using store = await open()
      const reading = await filled(store)
      for (const [title, stream] of streams) {
        await t.test(title, async () => {
          reading.loaded.length = 0
          reading.limits.length = 0
          const elements = stream(reading, never, { elementsMax: 1 })[Symbol.asyncIterator]()
          const { value } = await elements.next()
          await elements.return?.()
          assert.ok(reading.loaded.length <= 1)
          if (title === 'updates that go on') return // Rows that many streams follow are read once for all.
          assert.equal(value.length, 1)
          assert.ok(reading.limits.every((limit) => limit === 1))
        })
      }
    })
  })
}
