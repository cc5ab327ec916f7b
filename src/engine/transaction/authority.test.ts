// Who must authorize what: tables of actions, parties and Canton's answers. Texts are recorded from the reference
// engine.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { failureOf, outcomeOf, run, sample } from '../../../test/support/engine/run-sample.ts'
import { contractIdOf } from '../../../test/support/engine/sample-code.ts'
import { ContractId, unit } from '../../lf/values/values.ts'
import type { Effects } from '../code/code.ts'

const held = {
  ...sample.stored(2, sample.target, sample.targetOf({ signatories: ['Alice', 'Bob'], observers: ['Charlie'] })),
  isDisclosed: true,
}
const heldId = new ContractId(held.id)
const target = `${sample.package.id}:Effects:Target`

const create = (signatories: string[]) => (effects: Effects) =>
  effects.create(sample.target, sample.targetOf({ signatories }))
const keep =
  (controllers: string[], body: (effects: Effects) => unknown = () => unit) =>
  (effects: Effects) =>
    effects.exercise(sample.target, 'Keep', heldId, sample.doing({ controllers, body }))
const fetch = (effects: Effects) => effects.fetch(sample.target, heldId)

const keyed = `${sample.package.id}:Effects:Keyed`
const createKeyed = (signatories: string[], maintainers: string[]) => (effects: Effects) =>
  effects.create(sample.keyed, sample.keyedOf({ signatories, key: sample.keyNamed({ maintainers, name: 'k' }) }))
const query = (maintainers: string[]) => (effects: Effects) =>
  effects.queryByKey(sample.keyed, 1, sample.keyNamed({ maintainers, name: 'k' }))

type Step = (effects: Effects) => unknown
const cases: [name: string, step: Step, actAs: string[], error: string | undefined][] = [
  ['create for Alice and Bob', create(['Bob', 'Alice']), ['Bob', 'Alice'], undefined],
  [
    'create for Alice and Bob',
    create(['Bob', 'Alice']),
    ['Alice'],
    `node NodeId(0) (${target}) requires authorizers Alice,Bob, but only Alice were given`,
  ],
  [
    'create for Alice and Bob',
    create(['Bob', 'Alice']),
    [],
    `node NodeId(0) (${target}) requires authorizers Alice,Bob, but only  were given`,
  ],
  ['create for nobody', create([]), ['Alice'], `node NodeId(0) (${target}) has no signatories`],
  ['create with a key of Alice and Bob', createKeyed(['Alice', 'Bob'], ['Bob', 'Alice']), ['Alice', 'Bob'], undefined],
  [
    'create with a key of Bob, who authorizes and does not sign',
    createKeyed(['Alice'], ['Bob']),
    ['Alice', 'Bob'],
    `node NodeId(0) (${keyed}) has maintainers Bob which are not a subset of the signatories TreeSet(Alice)`,
  ],
  ['query a key of Alice and Bob', query(['Alice', 'Bob']), ['Bob', 'Alice'], undefined],
  [
    'query a key of Alice and Bob',
    query(['Alice', 'Bob']),
    ['Alice'],
    `node NodeId(0) (${keyed}) requires authorizers Alice,Bob for lookup by key, but it only has Alice`,
  ],
  ['a choice of Charlie', keep(['Charlie']), ['Charlie'], undefined],
  [
    'a choice of Charlie',
    keep(['Charlie']),
    ['Alice', 'Bob'],
    `node NodeId(0) (${target}) requires authorizers Charlie, but only Alice,Bob were given`,
  ],
  ['a choice of nobody', keep([]), ['Alice', 'Bob'], `node NodeId(0) (${target}) has no controllers`],
  [
    'a choice that creates for signatories and controller',
    keep(['Charlie'], create(['Alice', 'Bob', 'Charlie'])),
    ['Charlie'],
    undefined,
  ],
  [
    'a choice that creates for submitters only',
    keep(['Charlie'], create(['Dora'])),
    ['Charlie', 'Dora'],
    `node NodeId(1) (${target}) requires authorizers Dora, but only Alice,Bob,Charlie were given`,
  ],
  ['fetch by a signatory', fetch, ['Alice'], undefined],
  ['fetch by an observer', fetch, ['Charlie'], undefined],
  [
    'fetch by another',
    fetch,
    ['Dora'],
    'node NodeId(0) requires one of the stakeholders TreeSet(Alice, Bob, Charlie) of the fetched contract to be an authorizer, but authorizers were Set(Dora)',
  ],
  ['fetch inside a choice of another', keep(['Dora'], fetch), ['Dora'], undefined],
]

for (const [name, step, actAs, error] of cases) {
  test(`${name} by ${actAs.join(', ') || 'nobody'} is ${error === undefined ? 'fine' : 'refused'}`, () => {
    const outcome = outcomeOf(step, { actAs, contracts: [held] })
    if (error === undefined) return assert.ok('transaction' in outcome)
    assert.ok('failure' in outcome)
    assert.equal(outcome.failure.code, 'DAML_AUTHORIZATION_ERROR')
    assert.equal(outcome.failure.message, error)
  })
}

test('inside an exercise Canton writes authorizers as a sorted set', () => {
  const other = { ...sample.stored(3, sample.target, sample.targetOf({ signatories: ['Erin'] })), isDisclosed: true }
  const { message } = failureOf(
    keep(['Charlie'], (effects) => effects.fetch(sample.target, new ContractId(other.id))),
    { actAs: ['Charlie'], contracts: [held, other] },
  )
  assert.match(message, /authorizers were TreeSet\(Alice, Bob, Charlie\)$/)
})

test('details name the missing parties, and the exercises on the way', () => {
  const { details } = failureOf(keep(['Charlie'], create(['Dora', 'Bob'])), { actAs: ['Charlie'], contracts: [held] })
  assert.deepEqual(details, {
    choice: `${target}:Keep`,
    exercises: `${target}:Keep (${held.id})`,
    TEMPLATE_ID: target,
    required: 'Bob,Dora',
    authorizers: 'Alice,Bob,Charlie',
    missing: 'Dora',
  })
})

test('actors of a fetch are the stakeholders that authorize it', () => {
  const { nodes } = run(fetch, { actAs: ['Charlie', 'Alice', 'Dora'], contracts: [held] })
  assert.deepEqual(nodes[0]?.kind === 'fetch' && nodes[0].actors, ['Alice', 'Charlie'])
})

const sight: [
  name: string,
  given: { actAs: string[]; readAs: string[] },
  isDisclosed: boolean,
  error: string | undefined,
][] = [
  ['a submitting stakeholder', { actAs: ['Charlie'], readAs: [] }, false, undefined],
  ['a party that reads as a stakeholder', { actAs: ['Dora'], readAs: ['Charlie'] }, false, 'DAML_AUTHORIZATION_ERROR'],
  ['another', { actAs: ['Dora'], readAs: ['Erin'] }, false, 'CONTRACT_NOT_FOUND'],
  ['a party to which it is disclosed', { actAs: ['Dora'], readAs: [] }, true, 'DAML_AUTHORIZATION_ERROR'],
]

for (const [name, given, isDisclosed, error] of sight) {
  test(`${name} fetches: ${error ?? 'fine'}`, () => {
    const outcome = outcomeOf(fetch, { ...given, contracts: [{ ...held, isDisclosed }] })
    assert.equal('failure' in outcome ? outcome.failure.code : undefined, error)
  })
}

test('an unknown contract is not found', () => {
  const failure = failureOf((effects) => effects.fetch(sample.target, new ContractId(contractIdOf(9))))
  assert.equal(failure.code, 'CONTRACT_NOT_FOUND')
  assert.equal(failure.message, `Contract could not be found with id ${contractIdOf(9)}`)
})
