// Random commands of several parties against a real node, compared with a small model of the ledger, update by update.
// TALLYSTICK_SIMULATION_STEPS makes runs longer.
import { describe, test } from 'node:test'
import { stores } from '../fixtures/node.ts'
import { testSeed } from '../fixtures/seed.ts'
import { simulate } from './simulation.ts'

const steps = Number(process.env.TALLYSTICK_SIMULATION_STEPS ?? 60)
const seeds = ['m1', String(testSeed)]

for (const store of stores) {
  // The rules are the same on both stores, so PostgreSQL needs fewer runs.
  const own = store === 'postgres' ? seeds.slice(-1) : seeds
  describe(`a ledger on ${store} does what the model does`, () => {
    for (const seed of own) test(`seed ${seed}`, () => simulate({ seed, store, steps }))
  })
}
