// Random commands over three participants and two synchronizers: every read of every participant shows exactly what its
// parties may know, and all participants tell the same of it.
import { after, before, test } from 'node:test'
import { type EffectsNetwork, startEffectsNetwork } from '../fixtures/network-effects.ts'
import { fc, testSeed } from '../fixtures/seed.ts'
import { createSimulation } from '../simulation/network/simulation.ts'

const numRuns = Number(process.env.TALLYSTICK_NETWORK_RUNS ?? 4)

let network: EffectsNetwork
before(async () => {
  network = await startEffectsNetwork({ settings: { grpc: { port: 0 }, limits: { listElementsMax: 10_000 } } })
})
after(() => network[Symbol.asyncDispose]())

test(`each participant shows what its parties may know, and nothing else (seed ${testSeed})`, async () => {
  const simulation = createSimulation(network)
  const numbers = fc.array(fc.nat(1 << 16), { minLength: 2, maxLength: 60, size: 'max' })
  const workloads = fc.array(numbers, { minLength: 1, maxLength: 12, size: 'max' })
  const property = fc.asyncProperty(workloads, async (workload) => void (await simulation.run(workload)))
  await fc.assert(property, { numRuns, interruptAfterTimeLimit: 60_000 })
})
