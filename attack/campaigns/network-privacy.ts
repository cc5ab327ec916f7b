// Random commands over the participants of a network, and then every read of each: a participant shows what its parties may
// know. npm test runs a few workloads (test/e2e/network-privacy.test.ts).
import fc from 'fast-check'
import { keysDar } from '../../test/fixtures/ledger.ts'
import { startEffectsNetwork } from '../../test/fixtures/network-effects.ts'
import { networkOptions, workloads } from '../../test/simulation/network/set-up.ts'
import { createSimulation } from '../../test/simulation/network/simulation.ts'
import type { Campaign } from '../campaign.ts'
import { runRounds } from '../rounds.ts'

export const networkPrivacy: Campaign = {
  name: 'network-privacy',
  attack:
    'random commands over three participants and two synchronizers, with disclosed contracts, keys, contracts in transit and participants that are away, read in every way',
  invariant: 'A participant shows exactly what its parties may know, and all participants tell the same of it',
  unit: 'workloads',
  full: 200,
  short: 0,
  run: (plan) => runRounds(plan, simulate, { timesPerRound: 10, failureKind: 'leaked' }),
}

async function simulate(seed: number, count: number): Promise<number> {
  await using network = await startEffectsNetwork(networkOptions, keysDar)
  const simulation = createSimulation(network)
  for (const workload of fc.sample(workloads, { seed, numRuns: count })) await simulation.run(workload)
  return count
}
