// Who sees which node.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { handleWithUnit, run, sample } from '../../../test/support/engine/run-sample.ts'
import { ContractId, unit } from '../../lf/values/values.ts'
import type { Effects } from '../code/code.ts'
import { witnessesOf } from './blinding.ts'
import { informeesOf } from './nodes.ts'

type Step = (effects: Effects) => unknown
const held = sample.stored(2, sample.target, sample.targetOf({ signatories: ['Alice', 'Bob'], observers: ['Charlie'] }))
const own = sample.stored(3, sample.target, sample.targetOf({ signatories: ['Alice'] }))
const inOrder =
  (...steps: Step[]): Step =>
  (effects) => {
    for (const step of steps) step(effects)
    return unit
  }
const exercise =
  (choice: string, { id }: { id: string }, ...steps: Step[]): Step =>
  (effects) =>
    effects.exercise(
      sample.target,
      choice,
      new ContractId(id),
      sample.doing({ controllers: ['Alice'], observers: ['Zoe'], body: inOrder(...steps) }),
    )
const create =
  (...observers: string[]): Step =>
  (effects) =>
    effects.create(sample.target, sample.targetOf({ signatories: ['Alice'], observers }))
const fetch =
  ({ id }: { id: string }): Step =>
  (effects) =>
    effects.fetch(sample.target, new ContractId(id))

function seen(...steps: Step[]) {
  return seenFor(['Alice'], ...steps)
}

function seenFor(actAs: string[], ...steps: Step[]) {
  const transaction = run(inOrder(...steps), { actAs, contracts: [held, own] })
  const witnesses = witnessesOf(transaction)
  const informees = transaction.nodes.map((node) => (node.kind === 'rollback' ? '' : informeesOf(node).join(' ')))
  return { informees, witnesses: witnesses.map((parties) => parties.join(' ')) }
}

test('a create concerns its stakeholders', () => {
  assert.deepEqual(seen(create('Olga')).witnesses, ['Alice Olga'])
})

test('a consuming exercise concerns stakeholders, a non-consuming one signatories; both actors and choice observers', () => {
  const { informees } = seen(exercise('Keep', held), exercise('Consume', held))
  assert.deepEqual(informees, ['Alice Bob Zoe', 'Alice Bob Charlie Zoe'])
})

test('a fetch concerns signatories and actors', () => {
  assert.deepEqual(seen(fetch(held)).informees, ['Alice Bob'])
  assert.deepEqual(seenFor(['Charlie', 'Dora'], fetch(held)).informees, ['Alice Bob Charlie'])
})

test('parties that see an exercise see what is inside it, and not what is beside it', () => {
  const { witnesses } = seen(exercise('Keep', held, create('Kurt')), create('Karl'))
  assert.deepEqual(witnesses, ['Alice Bob Zoe', 'Alice Bob Kurt Zoe', 'Alice Karl'])
})

test('a rollback is seen by the parties that see what is around it', () => {
  const undone: Step = (effects) =>
    effects.tryCatch((inner) => {
      fetch(own)(inner)
      return sample.raise('undone')
    }, handleWithUnit)
  assert.deepEqual(seen(undone, exercise('Keep', held, undone)).witnesses, [
    '',
    'Alice',
    'Alice Bob Zoe',
    'Alice Bob Zoe',
    'Alice Bob Zoe',
  ])
})
