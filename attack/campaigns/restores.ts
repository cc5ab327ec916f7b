// Snapshots that are restored while clients use the node, and resets without end: a development node must neither mix two
// ledgers nor grow.
import { createDice } from '../../test/fixtures/dice.ts'
import { startTestLedger } from '../../test/fixtures/ledger.ts'
import { checkGrowth, resetAgainAndAgain } from '../../test/fixtures/resets.ts'
import { restoreUnderLoad } from '../../test/fixtures/restore-load.ts'
import type { Campaign } from '../campaign.ts'
import { runRounds } from '../rounds.ts'

const stores = ['memory', 'sqlite'] as const

export const restores: Campaign[] = [
  {
    name: 'restores',
    attack: 'snapshots are taken and restored while 32 clients submit, read and follow',
    invariant: 'No answer mixes two ledgers, and each refused request and each ended stream has one clear error',
    unit: 'restores',
    full: 300,
    short: 0, // test/e2e/restore-load.test.ts does the same.
    run: (plan) => runRounds(plan, restoreOften, { timesPerRound: 10, failureKind: 'broken' }),
  },
  {
    name: 'resets',
    attack: 'the ledger of a development node is reset again and again',
    invariant: 'Neither memory nor files, threads or database handles grow',
    unit: 'resets',
    full: 2_000,
    short: 0, // test/e2e/resets.test.ts resets both stores.
    run: (plan) => runRounds(plan, resetOften, { timesPerRound: 1_000, failureKind: 'broken' }),
  },
]

async function restoreOften(seed: number, times: number): Promise<number> {
  const store = stores[seed % stores.length]!
  await using ledger = await startTestLedger({ store, settings: { limits: { listElementsMax: 100_000 } } })
  const { node, token, bank, alice } = ledger
  await node.call('POST', '/dev/snapshots', { body: { name: 'base' } })
  const parts = { node, token, actAs: [bank, alice], snapshot: 'base', base: await ledger.end() } as const
  await restoreUnderLoad({ ...parts, dice: createDice(seed) }, times)
  return times
}

async function resetOften(seed: number, times: number): Promise<number> {
  const { before, after } = await resetAgainAndAgain([stores[seed % stores.length]!], times)
  checkGrowth(before, after)
  return times
}
