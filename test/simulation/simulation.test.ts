// Random commands of several parties against a real node, compared with a small model of the ledger, update by update.
// TALLYSTICK_SIMULATION_SEED repeats a seed, TALLYSTICK_SIMULATION_STEPS makes runs longer.
import { randomBytes } from 'node:crypto'
import { describe, test } from 'node:test'
import { stores } from '../fixtures/node.ts'
import { simulate } from './simulation.ts'

const { TALLYSTICK_SIMULATION_SEED: given, TALLYSTICK_SIMULATION_STEPS: length } = process.env
const steps = Number(length ?? 80)
const fresh = `fresh-${randomBytes(4).toString('hex')}`
const seeds = given === undefined ? ['m1', 'first2', fresh] : [given]

for (const store of stores) {
  describe(`a ledger on ${store} does what the model does`, () => {
    for (const seed of seeds) test(`seed ${seed}`, () => simulate({ seed, store, steps }))
  })
}
