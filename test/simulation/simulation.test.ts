// Random commands of several parties against a real node, compared with a small model of the ledger, update by update.
// TALLYSTICK_SIMULATION_SEED repeats a seed, TALLYSTICK_SIMULATION_STEPS makes runs longer.
import { randomBytes } from 'node:crypto'
import { describe, test } from 'node:test'
import { stores } from '../fixtures/node.ts'
import { simulate } from './simulation.ts'

const { TALLYSTICK_SIMULATION_SEED: given, TALLYSTICK_SIMULATION_STEPS: length } = process.env
const steps = Number(length ?? 60)
const fresh = `fresh-${randomBytes(4).toString('hex')}`
const seeds = given === undefined ? ['m1', 'first2', fresh] : [given]

for (const store of stores) {
  // The rules are the same on both stores, so PostgreSQL needs fewer runs.
  const own = store === 'postgres' ? seeds.slice(-1) : seeds
  describe(`a ledger on ${store} does what the model does`, () => {
    for (const seed of own) test(`seed ${seed}`, () => simulate({ seed, store, steps }))
  })
}
