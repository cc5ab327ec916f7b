import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createTestClock } from '../../base/clock.ts'
import type { Log } from '../../base/log.ts'
import type { LocalNetwork } from '../founding/founding.ts'
import type { DsoReads } from '../ledger/dso-reads.ts'
import { type Automation, done, dueAt, earliest, nothingDue, runAutomations } from './automation.ts'

const startMs = Date.parse('2030-01-01T00:00:00Z')

/** A ledger whose clock the test moves, and automations that run over it. */
function running(...automations: Automation[]) {
  let ledgerMs = startMs
  const clock = createTestClock(0)
  const warnings: object[] = []
  const log = { isDebug: false, debug() {}, info() {}, warn: (fields: object) => warnings.push(fields), error() {} }
  const participant = { time: async () => new Date(ledgerMs).toISOString() }
  const network = { sv: { participant }, validators: [] } as unknown as LocalNetwork
  const runner = runAutomations({ network, dso: {} as DsoReads, automations, clock, log: log as unknown as Log })
  return {
    warnings,
    runner,
    async moveTime(byMs: number) {
      ledgerMs += byMs
      clock.advance(500)
      await settled()
    },
    async waitReal(ms: number) {
      clock.advance(ms)
      await settled()
    },
    [Symbol.asyncDispose]: () => runner[Symbol.asyncDispose](),
  }
}

/** All promises that can settle have settled. */
const settled = () => new Promise<void>((resolve) => setImmediate(() => setImmediate(resolve)))

test('every step that is due is done, one by one, and then nothing until the ledger says so', async () => {
  let left = 3
  let looks = 0
  await using run = running({
    name: 'a',
    async step() {
      looks += 1
      if (left === 0) return nothingDue
      left -= 1
      return done
    },
  })
  await settled()
  assert.deepEqual([left, looks], [0, 4])
  await run.moveTime(1_000_000)
  assert.equal(looks, 4)
  run.runner.wake()
  await settled()
  assert.equal(looks, 5)
})

test('a step that is due later is done when the ledger’s clock gets there', async () => {
  const times: number[] = []
  await using run = running({
    name: 'b',
    async step({ nowMs }) {
      const dueMs = startMs + (times.length + 1) * 600_000
      if (nowMs < dueMs) return dueAt(dueMs)
      times.push(nowMs - startMs)
      return done
    },
  })
  await settled()
  assert.deepEqual(times, [])
  await run.moveTime(599_999)
  assert.deepEqual(times, [])
  await run.moveTime(1)
  assert.deepEqual(times, [600_000])
  await run.moveTime(1_200_000) // Two steps at once.
  assert.deepEqual(times, [600_000, 1_800_000, 1_800_000])
})

test('a step that fails is tried again, and does not keep others from theirs', async () => {
  let failures = 2
  let others = 0
  await using run = running(
    {
      name: 'c',
      async step() {
        if (failures === 0) return nothingDue
        failures -= 1
        throw new Error('refused')
      },
    },
    {
      name: 'd',
      async step() {
        others += 1
        return nothingDue
      },
    },
  )
  await settled()
  for (let count = 0; count < 5; count += 1) await run.waitReal(60_000)
  assert.deepEqual([failures, others, run.warnings.length], [0, 3, 2])
})

test('of several times at which a step is due, the earliest counts', () => {
  assert.deepEqual(earliest([nothingDue, dueAt(5), dueAt(3)]), dueAt(3))
  assert.deepEqual(earliest([]), nothingDue)
})
