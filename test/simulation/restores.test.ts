// The random ledger goes on from a snapshot that was restored while 32 clients used the node, and agrees with the model.
// TALLYSTICK_SIMULATION_SEED repeats a seed, TALLYSTICK_SIMULATION_RETURNS returns more often, on both stores.
import { randomBytes } from 'node:crypto'
import { describe, test } from 'node:test'
import { simulate } from './simulation.ts'

const { TALLYSTICK_SIMULATION_SEED: given, TALLYSTICK_SIMULATION_RETURNS: times } = process.env
const seed = given ?? `fresh-${randomBytes(4).toString('hex')}`

describe('a ledger that returns to a snapshot does what the model does', () => {
  for (const store of times === undefined ? (['sqlite'] as const) : (['memory', 'sqlite'] as const)) {
    test(`on ${store}, seed ${seed}`, () => simulate({ seed, store, steps: 10, returns: Number(times ?? 1) }))
  }
})
