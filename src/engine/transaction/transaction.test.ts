// Effects one by one: the order of checks, what can be caught, and what becomes of contracts.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  failureOf,
  handleWithUnit,
  outcomeOf,
  outlineOf,
  run,
  sample,
} from '../../../test/support/engine/run-sample.ts'
import {
  contractIdOf,
  createSampleCode,
  type Fault,
  handleWith,
  rethrow,
} from '../../../test/support/engine/sample-code.ts'
import { ContractId, unit } from '../../lf/values/values.ts'
import type { Effects } from '../code/code.ts'
import { traceText } from './open-exercises.ts'

type Step = (effects: Effects) => unknown
const alice = { signatories: ['Alice'] }
const on = (number: number) => new ContractId(contractIdOf(number))
const held = sample.stored(2, sample.target, sample.targetOf(alice))
const held3 = sample.stored(3, sample.target, sample.targetOf(alice))
const other = sample.stored(4, sample.other, sample.otherOf('Alice'))
const contracts = [held, held3, other]

const inOrder =
  (...steps: Step[]): Step =>
  (effects) => {
    for (const step of steps) step(effects)
    return unit
  }
const create: Step = (effects) => effects.create(sample.target, sample.targetOf(alice))
const fetch =
  (id = on(2)): Step =>
  (effects) =>
    effects.fetch(sample.target, id)
const exercise =
  (choice: string, id: ContractId, argument: Parameters<typeof sample.doing>[0]): Step =>
  (effects) =>
    effects.exercise(sample.target, choice, id, sample.doing(argument))
const keep = (...steps: Step[]) => exercise('Keep', on(2), { controllers: ['Alice'], body: inOrder(...steps) })
const consume = (...steps: Step[]) => exercise('Consume', on(2), { controllers: ['Alice'], body: inOrder(...steps) })
const archive =
  (id = on(2)): Step =>
  (effects) =>
    effects.exercise(sample.target, 'Archive', id, unit)
const attempt =
  (body: Step, handler: () => unknown = handleWithUnit): Step =>
  (effects) =>
    effects.tryCatch(body, handler)
const raise =
  (text: string): Step =>
  () =>
    sample.raise(text)
const undone = (...steps: Step[]) => attempt(inOrder(...steps, raise('undone')))

/** The code, and the part of the text that says which of several faults it was. */
function toldBy(step: Step): string {
  const outcome = outcomeOf(step, { contracts })
  if ('transaction' in outcome) return outlineOf(outcome.transaction) || 'nothing'
  const { code, message } = outcome.failure
  if (code === 'INTERPRETATION_USER_ERROR') return message.replace('User abort: ', 'error: ')
  return code === 'DAML_FAILURE' ? message.replace(/^.*: Oops: /, 'thrown: ') : code
}

// ── The order of checks

const faulty =
  (faults: Record<string, Fault>, signatories = ['Alice']): Step =>
  (effects) =>
    effects.create(sample.target, sample.targetOf({ signatories, faults }))
const faultyChoice = (controllers: string[], faults: Record<string, Fault>, id = on(2), body: Step = () => unit) =>
  exercise('Keep', id, { controllers, faults, body })

const order: [name: string, step: Step, told: string][] = [
  [
    'precondition before signatories',
    faulty({ precondition: 'errors', signatories: 'errors', observers: 'errors' }),
    'error: precondition',
  ],
  [
    'precondition False before signatories',
    faulty({ precondition: 'lies', signatories: 'errors' }),
    'TEMPLATE_PRECONDITION_VIOLATED',
  ],
  ['signatories before observers', faulty({ signatories: 'errors', observers: 'errors' }), 'error: signatories'],
  ['observers before authorization', faulty({ observers: 'errors' }, ['Bob']), 'error: observers'],
  ['the contract before the controllers', faultyChoice([], { controllers: 'errors' }, on(9)), 'CONTRACT_NOT_FOUND'],
  ['its type before the controllers', faultyChoice([], { controllers: 'errors' }, on(4)), 'WRONGLY_TYPED_CONTRACT'],
  [
    'inactive before the controllers',
    inOrder(archive(), faultyChoice([], { controllers: 'errors' })),
    'CONTRACT_NOT_ACTIVE',
  ],
  [
    'controllers before choice observers',
    faultyChoice([], { controllers: 'errors', observers: 'errors' }),
    'error: controllers',
  ],
  ['choice observers before authorization', faultyChoice(['Bob'], { observers: 'errors' }), 'error: choice observers'],
  ['authorization before the body', faultyChoice(['Bob'], {}, on(2), raise('body')), 'DAML_AUTHORIZATION_ERROR'],
  [
    'the interface before authorization',
    (effects) => effects.exerciseInterface(sample.badge, 'Badge_Keep', on(2), sample.doing({ controllers: ['Bob'] })),
    'CONTRACT_DOES_NOT_IMPLEMENT_INTERFACE',
  ],
]

for (const [name, step, told] of order) test(`${name}: ${told}`, () => assert.equal(toldBy(step), told))

// ── What can be caught

const stored = (faults: Record<string, Fault>) => sample.stored(2, sample.target, sample.targetOf({ ...alice, faults }))
const catching: [name: string, step: Step, told: string][] = [
  ['a precondition that throws at create', faulty({ precondition: 'throws' }), 'nothing'],
  ['signatories that throw at create', faulty({ signatories: 'throws' }), 'nothing'],
  ['observers that throw at create', faulty({ observers: 'throws' }), 'nothing'],
  ['a precondition that is False', faulty({ precondition: 'lies' }), 'TEMPLATE_PRECONDITION_VIOLATED'],
  ['an error', faulty({ precondition: 'errors' }), 'error: precondition'],
  ['controllers that throw', faultyChoice(['Alice'], { controllers: 'throws' }), 'thrown: controllers'],
  ['choice observers that throw', faultyChoice(['Alice'], { observers: 'throws' }), 'thrown: choice observers'],
  ['a body that throws', keep(raise('body')), 'rollback(keep)'],
  ['a missing contract', fetch(on(9)), 'CONTRACT_NOT_FOUND'],
  ['missing authority', faultyChoice(['Bob'], {}), 'DAML_AUTHORIZATION_ERROR'],
]

for (const [name, step, told] of catching) {
  test(`caught: ${name}: ${told}`, () => assert.equal(toldBy(attempt(step)), told))
}

for (const part of ['precondition', 'signatories', 'observers']) {
  test(`${part} that throws cannot be caught for a contract that exists`, () => {
    for (const step of [fetch(), keep()]) {
      const failure = failureOf(attempt(step), { contracts: [stored({ [part]: 'throws' })] })
      assert.equal(failure.message, `User failure: UNHANDLED_EXCEPTION/Effects:Oops (error category 9): Oops: ${part}`)
      assert.equal(failure.details.errorId, 'UNHANDLED_EXCEPTION/Effects:Oops')
    }
  })
}

test('an exception whose message throws says so', () => {
  const { message } = failureOf(() => sample.raise('mute', 'speechless'))
  assert.match(
    message,
    /UNHANDLED_EXCEPTION\/Effects:Speechless .* <Failed to calculate message as Effects:Oops was thrown during conversion>$/,
  )
})

// ── Activeness

const activeness: [name: string, step: Step, told: string][] = [
  ['fetch after archive', inOrder(archive(), fetch()), 'CONTRACT_NOT_ACTIVE'],
  ['archive twice', inOrder(archive(), archive()), 'CONTRACT_NOT_ACTIVE'],
  ['a consuming choice fetches its contract', consume(fetch()), 'CONTRACT_NOT_ACTIVE'],
  ['a non-consuming choice archives its contract', keep(archive()), 'keep(archive)'],
  ['a non-consuming choice after another', inOrder(keep(), keep()), 'keep keep'],
  [
    'a local contract is archived once',
    (effects) => {
      const id = effects.create(sample.target, sample.targetOf(alice))
      archive(id)(effects)
      return archive(id)(effects)
    },
    'CONTRACT_NOT_ACTIVE',
  ],
]

for (const [name, step, told] of activeness) test(`${name}: ${told}`, () => assert.equal(toldBy(step), told))

test('an inactive contract is reported with the node that consumed it', () => {
  const { message } = failureOf(inOrder(keep(create), archive(), fetch()), { contracts })
  assert.equal(
    message,
    `Update failed due to fetch of an inactive contract ${contractIdOf(2)} (Effects:Target@abababab).\n` +
      'The contract had been consumed in sub-transaction #NodeId(2):',
  )
})

// ── Rollback

/** Effects that cannot be undone end the command. */
const effectful = 'DAML_EFFECTFUL_ROLLBACK_ERROR'
const rollbacks: [name: string, step: Step, outline: string][] = [
  ['a try without exception leaves no node', attempt(create), 'create'],
  ['an empty try leaves no node', undone(), 'nothing'],
  ['a create', undone(create), effectful],
  ['an archive', inOrder(undone(archive()), fetch()), effectful],
  ['a fetch', undone(fetch()), 'rollback(fetch)'],
  ['a keep with a fetch', undone(keep(fetch())), 'rollback(keep(fetch))'],
  ['a keep with a create', undone(keep(create)), effectful],
  ['thrown inside an exercise', attempt(keep(fetch(), raise('inside'))), 'rollback(keep(fetch))'],
  ['thrown inside a consuming exercise', attempt(consume(raise('inside'))), effectful],
  ['caught inside an exercise', keep(undone(fetch(on(3))), fetch()), 'keep(rollback(fetch) fetch)'],
  [
    'rethrown to an outer try',
    attempt(inOrder(fetch(), attempt(inOrder(fetch(on(3)), raise('inner')), rethrow))),
    'rollback(fetch fetch)',
  ],
  [
    'the handler goes on outside',
    attempt(inOrder(fetch(), raise('x')), handleWith(fetch(on(3)))),
    'rollback(fetch) fetch',
  ],
]

for (const [name, step, outline] of rollbacks) {
  test(`rollback, ${name}: ${outline}`, () => {
    const outcome = outcomeOf(step, { contracts })
    assert.equal('failure' in outcome ? outcome.failure.code : outlineOf(outcome.transaction) || 'nothing', outline)
  })
}

test('an effectful rollback names archives, then creates', () => {
  const { message } = failureOf(undone(create, archive()), { contracts })
  assert.match(
    message,
    /^Tried to rollback side-effectful node\(s\): Consuming exercise of Archive on Effects:Target@abababab \( 00\w+ca12\w+ \), \nCreate of Effects:Target@abababab \( 00\w{64} \)$/,
  )
})

test('seeds count on through rollbacks, and exercises without a result stay without', () => {
  const ids: string[] = []
  const note: Step = (effects) => ids.push(effects.create(sample.target, sample.targetOf(alice)).text)
  const steps = inOrder(note, undone(fetch(), keep()), note)
  const { nodes } = run(steps, { contracts })
  const plain = run(inOrder(create, fetch(), keep(), create), { contracts })
  assert.equal(ids[1], plain.nodes[3]?.kind === 'create' && plain.nodes[3].contractId)
  const aborted = run(attempt(keep(raise('inside'))), { contracts }).nodes[1]
  assert.equal(aborted?.kind === 'exercise' && aborted.result, undefined)
  assert.deepEqual(
    nodes.map(({ kind }) => kind),
    ['create', 'rollback', 'fetch', 'exercise', 'create'],
  )
})

// ── Interfaces

test('an exercise by interface records the template, the interface and the choice of the interface', () => {
  const { nodes } = run(
    inOrder(
      (effects) =>
        effects.exerciseInterface(sample.asset, 'Asset_Keep', on(2), sample.doing({ controllers: ['Alice'] })),
      (effects) => effects.fetchInterface(sample.asset, on(2)),
    ),
    { contracts },
  )
  const [exercised, fetched] = nodes
  assert.ok(exercised?.kind === 'exercise' && fetched?.kind === 'fetch')
  for (const node of [exercised, fetched]) {
    assert.deepEqual([node.templateId, node.interfaceId], [sample.target.id, sample.asset.id])
  }
  assert.equal(exercised.choice, 'Asset_Keep')
})

test('by interface, a package without a preferred version is not resolved', () => {
  const step: Step = (effects) => effects.fetchInterface(sample.asset, on(2))
  const { code, message } = failureOf(step, { contracts, preferredPackage: () => undefined })
  assert.equal(code, 'UNRESOLVED_PACKAGE_NAME')
  assert.equal(message, 'Update failed due to a failed package name resolution: sample')
})

// ── What the ledger has, against what the template says

const differing: [name: string, differing: Parameters<typeof sample.stored>[3]][] = [
  ['signatories', { signatories: ['Alice', 'Bob'], stakeholders: ['Alice', 'Bob'] }],
  ['observers', { stakeholders: ['Alice', 'Bob'] }],
  ['package name', { packageName: 'another' }],
]

for (const [name, difference] of differing) {
  test(`other ${name} than stored are refused`, () => {
    const contract = sample.stored(2, sample.target, sample.targetOf(alice), difference)
    const { code } = failureOf(fetch(), { contracts: [contract] })
    assert.equal(code, 'INTERPRETATION_UPGRADE_ERROR_VALIDATION_FAILED')
  })
}

test('a contract that its id does not commit to is refused', () => {
  const { code } = failureOf(fetch(), { contracts, isAuthentic: () => false })
  assert.equal(code, 'INTERPRETATION_UPGRADE_ERROR_AUTHENTICATION_FAILED')
})

test('a contract of another version of the template is converted', () => {
  const older = createSampleCode({ id: 'cd'.repeat(32), version: '0.9.0' })
  const contract = older.stored(2, older.target, older.targetOf({ ...alice, note: 'old' }))
  const converted = sample.targetOf({ ...alice, note: 'new' })
  run(
    (effects) => {
      assert.equal(effects.fetch(sample.target, on(2)), converted)
      return unit
    },
    { contracts: [contract], convert: () => converted },
  )
})

test('a contract is looked up and checked once', () => {
  let asked = 0
  const lookUpContract = (id: string) => {
    asked += 1
    return contracts.find((contract) => contract.id === id)
  }
  const { inputContracts } = run(inOrder(fetch(), keep(fetch()), fetch(on(3)), fetch()), { lookUpContract })
  assert.equal(asked, 2)
  assert.deepEqual(
    inputContracts.map(({ id }) => id),
    [contractIdOf(2), contractIdOf(3)],
  )
})

// ── Where it happened

test('the trace names open exercises from the inside out, as Canton does', () => {
  const deep = keep(exercise('Keep', on(3), { controllers: ['Alice'], body: raise('deep') }))
  const outcome = outcomeOf(deep, { contracts })
  assert.ok('failure' in outcome)
  assert.equal(
    traceText(outcome.open),
    '    in choice abababab:Effects:Target:Keep on contract 0000000000 (#1)\n' +
      '    in choice abababab:Effects:Target:Keep on contract 0000000000 (#0)\n',
  )
})

test('nodes record actors, children, results and types', () => {
  const { nodes, packages } = run(keep(create), { contracts })
  const [exercised, created] = nodes
  assert.ok(exercised?.kind === 'exercise' && created?.kind === 'create')
  assert.deepEqual([exercised.actors, exercised.isConsuming, exercised.children], [['Alice'], false, [1]])
  assert.deepEqual([exercised.result?.value, exercised.result?.type.kind], [unit, 'constructor'])
  assert.deepEqual(created.argument.type, { kind: 'constructor', id: sample.target.id, args: [] })
  assert.deepEqual(packages, [sample.package.id])
})
