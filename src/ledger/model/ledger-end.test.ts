import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { createLedgerEnd } from './ledger-end.ts'

const never = new AbortController().signal
const at = (offset: bigint) => ({ offset, synchronizerTimes: [] })

describe('the ledger end', () => {
  test('wakes its waiters in batches, in order, and each once', async () => {
    const end = createLedgerEnd(at(0n), 0n)
    const woken: number[] = []
    const waits = Array.from({ length: 100 }, (_, index) => end.moved(0n, never).then(() => woken.push(index)))
    end.publish(at(1n))
    await Promise.resolve()
    await Promise.resolve()
    const first = woken.length
    assert.ok(first > 0 && first < 100)
    end.publish(at(2n)) // While others have yet to be woken.
    await Promise.all(waits)
    assert.deepEqual(
      woken,
      Array.from({ length: 100 }, (_, index) => index),
    )
  })

  test('does not wake a waiter again that waits for the next end', async () => {
    const end = createLedgerEnd(at(0n), 0n)
    let wakes = 0
    async function follow() {
      for (let after = 0n; ; after = end.current().offset) {
        await end.moved(after, never)
        wakes += 1
      }
    }
    for (let index = 0; index < 100; index += 1) void follow()
    end.publish(at(1n))
    for (let count = 0; count < 10; count += 1) await turn()
    assert.equal(wakes, 100)
    end.publish(at(2n))
    for (let count = 0; count < 10; count += 1) await turn()
    assert.equal(wakes, 200)
  })

  test('releases a waiter whose signal is aborted', async () => {
    const end = createLedgerEnd(at(0n), 0n)
    const leaving = new AbortController()
    const stayed = end.moved(0n, never).then(() => 'woken')
    let released = 0
    for (let index = 0; index < 100; index += 1) void end.moved(0n, leaving.signal).then(() => (released += 1))
    end.publish(at(0n)) // No move: nobody is woken.
    await turn()
    assert.equal(released, 0)
    leaving.abort()
    await turn()
    assert.equal(released, 100)
    assert.equal(await Promise.race([stayed, turn('waiting')]), 'waiting')
    assert.equal(await Promise.race([end.moved(0n, AbortSignal.abort()), turn('waiting')]), undefined)
    end.publish(at(1n))
    assert.equal(await stayed, 'woken')
  })
})
