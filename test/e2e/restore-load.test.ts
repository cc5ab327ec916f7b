// Snapshots are taken and restored while 32 clients submit, read and follow: nothing is torn.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createDice } from '../fixtures/dice.ts'
import { startTestLedger } from '../fixtures/ledger.ts'
import { restoreUnderLoad } from '../fixtures/restore-load.ts'
import { testSeed } from '../fixtures/seed.ts'

const times = Number(process.env.TALLYSTICK_RESTORES ?? 2)

/** A snapshot of a larger ledger shares its file. */
const variants = [
  ['memory', {}],
  ['sqlite', {}],
  ['sqlite', { snapshotCopyBytesMax: 0 }],
] as const

for (const [store, limits] of variants) {
  test(`restores under load on ${store} with ${JSON.stringify(limits)}, seed ${testSeed}`, async () => {
    const settings = { limits: { listElementsMax: 100_000, ...limits } }
    await using ledger = await startTestLedger({ store, settings })
    const { node, token, bank, alice } = ledger
    const { contractId } = await ledger.submit([ledger.createIou()])
    await node.call('POST', '/dev/snapshots', { body: { name: 'base' } })
    const base = await ledger.end()
    const parts = { node, token, actAs: [bank, alice], snapshot: 'base', base, dice: createDice(testSeed) } as const
    const { answers, streams } = await restoreUnderLoad(parts, times)
    assert.ok(answers > 0 && streams > 0)
    await ledger.submit([
      { ExerciseCommand: { templateId: '#quickstart:Iou:Iou', contractId, choice: 'Archive', choiceArgument: {} } },
    ])
    assert.equal(await ledger.end(), base + 1)
  })
}
