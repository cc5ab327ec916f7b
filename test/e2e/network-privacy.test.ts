// Random commands over three participants and two synchronizers: every read of every participant shows exactly what its
// parties may know, and all participants tell the same of it.
import { after, before, test } from 'node:test'
import { keysDar } from '../fixtures/ledger.ts'
import { type EffectsNetwork, startEffectsNetwork } from '../fixtures/network-effects.ts'
import { fc, testSeed } from '../fixtures/seed.ts'
import { networkOptions, workloads } from '../simulation/network/set-up.ts'
import { createSimulation } from '../simulation/network/simulation.ts'

const numRuns = Number(process.env.TALLYSTICK_NETWORK_RUNS ?? 3)

let network: EffectsNetwork
before(async () => {
  network = await startEffectsNetwork(networkOptions, keysDar)
})
after(() => network[Symbol.asyncDispose]())

test(`each participant shows what its parties may know, and nothing else (seed ${testSeed})`, async () => {
  const simulation = createSimulation(network)
  const property = fc.asyncProperty(workloads, async (workload) => void (await simulation.run(workload)))
  // The limit is for finding a smaller failure.
  await fc.assert(property, { numRuns, interruptAfterTimeLimit: 120_000 })
})
