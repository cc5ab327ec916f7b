import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createDice } from '../../../../test/fixtures/dice.ts'
import { mergeNumbers, type NumberList } from './merged-numbers.ts'

const ascending = (a: bigint, b: bigint) => (a < b ? -1 : 1)

/** Counts the numbers that it gives. */
function listOf(numbers: readonly bigint[], counts: { given: number }, knowsFirst: boolean): NumberList {
  const [first] = numbers
  return {
    ...(knowsFirst && first !== undefined && { first }),
    async next(after, limit) {
      const some = numbers.filter((number) => number > after).slice(0, limit)
      counts.given += some.length
      return some
    },
  }
}

test('random lists are merged in order, each number once, however many are taken at a time', async () => {
  const dice = createDice(11)
  for (let round = 0; round < 200; round += 1) {
    const lists = Array.from({ length: dice(12) }, () =>
      [...new Set(Array.from({ length: dice(60) }, () => BigInt(1 + dice(150))))].sort(ascending),
    )
    const counts = { given: 0 }
    const merged = mergeNumbers(
      lists.map((numbers) => listOf(numbers, counts, dice(2) === 0)),
      0n,
    )
    const found: bigint[] = []
    for (let count = 1 + dice(30); ; ) {
      const some = await merged.take(count)
      found.push(...some)
      if (some.length < count) break
    }
    assert.deepEqual(found, [...new Set(lists.flat())].sort(ascending), `round ${round}`)
  }
})

test('numbers that are added later come in their place, and once', async () => {
  const merged = mergeNumbers([listOf([1n, 4n, 9n], { given: 0 }, false)], 0n)
  assert.deepEqual(await merged.take(1), [1n])
  merged.add([9n, 3n, 7n])
  assert.deepEqual(await merged.take(10), [3n, 4n, 7n, 9n])
})

test('taking a few from many lists reads little more than they have to tell', async () => {
  const counts = { given: 0 }
  const lists = Array.from({ length: 100 }, (_, index) =>
    Array.from({ length: 1_000 }, (_, n) => BigInt(1 + n * 100 + index)),
  )
  const merged = mergeNumbers(
    lists.map((numbers) => listOf(numbers, counts, true)),
    0n,
  )
  assert.equal((await merged.take(50)).length, 50)
  assert.ok(counts.given <= 50 * 8, `${counts.given}`)
})
