// How many rows a reader of updates costs the database.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { OffsetRange, SizedUpdate } from '../../../store/core/ledger-records.ts'
import type { Store } from '../../../store/core/store.ts'
import type { Names } from '../../model/name-numbers.ts'
import { readerOf } from '../reader.ts'
import { readUpdates } from './update-rows.ts'

const [steps, range] = [5, { after: 0n, upTo: 10_000n, descending: false }]

/** The numbers of rows that are read in the first steps, by a reader who wants so many of them. */
async function rowsRead(elementsMax: number, templates: 'all' | readonly string[]): Promise<number[]> {
  const limits: number[] = []
  const load = async ({ after, limit }: OffsetRange) => {
    limits.push(limit)
    return Array.from({ length: limit }, (_, index) => {
      return { offset: after + BigInt(index + 1), templates: ',2,', meta: '', body: Buffer.of(), bytes: 100n }
    }) as unknown as SizedUpdate[]
  }
  const at = async (offsets: readonly bigint[]) => offsets.map((offset) => ({ offset, meta: '', body: '', bytes: 1n }))
  const updates = { rangeSeenBy: (_party: bigint, page: OffsetRange) => load(page), at }
  const store = { updates: { ...updates, seenBy: updates.rangeSeenBy } } as unknown as Store
  const names = { numbers: async (all: readonly string[]) => new Map(all.map((name) => [name, 2n])) }
  const search = { kind: 'parties', parties: new Map([['alice', templates]]) } as const
  const reader = readerOf(new AbortController().signal, { elementsMax })
  let step = 0
  for await (const _rows of readUpdates({ store, names: names as unknown as Names }, search as never, range, reader)) {
    step += 1
    if (step === steps) break
  }
  return limits.slice(0, steps)
}

test('a reader of few updates costs few rows, and twice as many each time that they do not suffice', async () => {
  assert.deepEqual(await rowsRead(11, 'all'), [11, 22, 44, 88, 176])
  assert.deepEqual(await rowsRead(150, 'all'), [150, 200, 200, 200, 200])
})

test('a reader of all updates reads a few at first, and then as many as make a step', async () => {
  assert.deepEqual(await rowsRead(Infinity, 'all'), [32, 64, 128, 200, 200])
})

test('the list of what a party sees is read in the same way', async () => {
  assert.deepEqual((await rowsRead(11, ['#a:B:C'])).slice(0, 3), [11, 22, 44])
})
