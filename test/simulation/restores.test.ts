// The random ledger goes on from a snapshot that was restored while 32 clients used the node, and agrees with the model.
// TALLYSTICK_SIMULATION_RETURNS returns more often, on both stores.
import { describe, test } from 'node:test'
import { testSeed } from '../fixtures/seed.ts'
import { simulate } from './simulation.ts'

const times = process.env.TALLYSTICK_SIMULATION_RETURNS
const seed = String(testSeed)

describe('a ledger that returns to a snapshot does what the model does', () => {
  for (const store of times === undefined ? (['sqlite'] as const) : (['memory', 'sqlite'] as const)) {
    test(`on ${store}, seed ${seed}`, () => simulate({ seed, store, steps: 10, returns: Number(times ?? 1) }))
  }
})
