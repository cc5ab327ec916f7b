import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Store } from '../../store/core/store.ts'
import { createStaticTime } from './ledger-time.ts'

describe('static time', () => {
  test('is set by only one of two concurrent callers, so that it never goes back', async () => {
    const { store, stored } = slowStore()
    const time = await createStaticTime(store, 1_000_000n, 0n)
    const [first, second] = await Promise.allSettled([
      time.set(1_000_000n, 3_000_000n),
      time.set(1_000_000n, 2_000_000n),
    ])
    assert.equal(first.status, 'fulfilled')
    assert.match(
      String((second as PromiseRejectedResult).reason),
      /current_time mismatch\..* Actual: 1970-01-01T00:00:03Z$/,
    )
    assert.deepEqual([time.now(), stored()], [3_000_000n, '3000000'])
  })
})

/** Takes a while to write, like a disk. */
function slowStore(): { store: Store; stored(): string | undefined } {
  let kept: Buffer | undefined
  const node = {
    get: async () => kept,
    async put(_name: string, value: Buffer) {
      await new Promise<void>((resolve) => setImmediate(resolve))
      kept = value
    },
  }
  const transaction = (body: (records: { node: typeof node }) => Promise<unknown>) => body({ node })
  return { store: { node, transaction } as unknown as Store, stored: () => kept?.toString() }
}
