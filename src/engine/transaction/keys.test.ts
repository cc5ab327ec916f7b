// Contract keys: which contracts are found, in which order, and when the ledger contradicts itself. The outcomes were
// compared with the reference engine.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { failureOf, handleWithUnit, outcomeOf, run, sample } from '../../../test/support/engine/run-sample.ts'
import { contractIdOf, hashKey } from '../../../test/support/engine/sample-code.ts'
import { fullName } from '../../lf/syntax/names.ts'
import { arrayFromList, ContractId, type LfRecord, type List, type Some, unit } from '../../lf/values/values.ts'
import type { Effects } from '../code/code.ts'

type Step = (effects: Effects) => unknown
const key = sample.keyNamed({ maintainers: ['Alice'], name: 'k' })
const keyed = (note: string) => sample.keyedOf({ signatories: ['Alice'], key, note })
const onLedger = ['two', 'three', 'four'].map((note, index) => sample.stored(index + 2, sample.keyed, keyed(note)))
const on = (number: number) => new ContractId(contractIdOf(number))

const create =
  (note: string): Step =>
  (effects) =>
    effects.create(sample.keyed, keyed(note))
const archive =
  (number: number): Step =>
  (effects) =>
    effects.exercise(sample.keyed, 'Archive', on(number), unit)
const fetch =
  (number: number): Step =>
  (effects) =>
    effects.fetch(sample.keyed, on(number))
const consumeByKey: Step = (effects) =>
  effects.exerciseByKey(sample.keyed, 'Consume', key, sample.doing({ controllers: ['Alice'] }))
const query =
  (count: number): Step =>
  (effects) =>
    effects.queryByKey(sample.keyed, count, key)
const inOrder =
  (...steps: Step[]): Step =>
  (effects) => {
    for (const step of steps) step(effects)
    return unit
  }

function notesOf(result: unknown): string[] {
  const found = arrayFromList((result as Some).value as List) as LfRecord[]
  return found.map((pair) => {
    const contract = pair.type.fieldsOf(pair)[1] as LfRecord
    return contract.type.fieldsOf(contract)[2] as string
  })
}

const queries: [name: string, before: Step[], count: number, notes: string[], isExhaustive: boolean][] = [
  ['as many as asked for', [], 2, ['two', 'three'], false],
  ['exactly all', [], 3, ['two', 'three', 'four'], false],
  ['fewer than asked for', [], 4, ['two', 'three', 'four'], true],
  ['own contracts first, newest first', [create('a'), create('b')], 3, ['b', 'a', 'two'], false],
  ['own contracts are enough', [create('a'), create('b')], 2, ['b', 'a'], false],
  ['none that are archived', [archive(3)], 4, ['two', 'four'], true],
  ['none archived by key', [consumeByKey], 4, ['three', 'four'], true],
  ['those of an earlier query again', [query(2)], 4, ['two', 'three', 'four'], true],
  ['the ledger order, whatever was fetched', [fetch(4)], 3, ['two', 'three', 'four'], false],
]

for (const [name, before, count, notes, isExhaustive] of queries) {
  test(`a query returns ${name}`, () => {
    let found: unknown
    const { nodes } = run(
      inOrder(...before, (effects) => {
        found = effects.queryByKey(sample.keyed, count, key)
      }),
      { contracts: onLedger },
    )
    assert.deepEqual(notesOf(found), notes)
    const node = nodes.at(-1)
    assert.ok(node?.kind === 'query-by-key')
    assert.deepEqual([node.result.length, node.isExhaustive], [notes.length, isExhaustive])
    assert.deepEqual(node.key.maintainers, ['Alice'])
  })
}

test('the ledger is asked for no more than needed, and never twice', () => {
  let told = 0
  const lookUpKey = function* () {
    for (const contract of onLedger) {
      told += 1
      yield contract
    }
  }
  const { inputContracts, keyInputs } = run(inOrder(query(1), query(2), query(1)), { lookUpKey })
  assert.equal(told, 2)
  assert.equal(inputContracts.length, 2)
  assert.deepEqual(keyInputs, [
    {
      hash: hashKey(sample.keyed, { type: sample.keyed.key!.type, value: key }),
      ids: [contractIdOf(2), contractIdOf(3)],
    },
  ])
})

test('a fetch by key returns the pair of id and contract, and records how it was found', () => {
  let pair: LfRecord | undefined
  const { nodes } = run(
    (effects) => {
      pair = effects.fetchByKey(sample.keyed, key) as LfRecord
      return unit
    },
    { contracts: onLedger },
  )
  const [id, contract] = pair!.type.fieldsOf(pair!)
  assert.deepEqual([(id as ContractId).text, contract], [contractIdOf(2), onLedger[0]!.argument])
  assert.ok(nodes[0]?.kind === 'fetch' && nodes[0].isByKey)
})

const failing: [name: string, step: Step, code: string, message: RegExp][] = [
  [
    'nothing has the key',
    (effects) => effects.fetchByKey(sample.keyed, sample.keyNamed({ maintainers: ['Alice'], name: 'x' })),
    'CONTRACT_KEY_NOT_FOUND',
    /^dependency error: couldn't find key: GlobalKey\(\w+:Effects:Keyed, sample, .*, Hash\(\w+\)\)$/,
  ],
  [
    'all are consumed',
    inOrder(consumeByKey, consumeByKey, consumeByKey, consumeByKey),
    'CONTRACT_KEY_NOT_FOUND',
    /couldn't find key/,
  ],
  [
    'none is asked for',
    query(0),
    'INTERPRETER_ERROR',
    /^Invalid argument n for QueryNByKey: 0\. Expected a positive integer\.$/,
  ],
  [
    'nobody maintains it',
    (effects) => effects.queryByKey(sample.keyed, 1, sample.keyNamed({ maintainers: [], name: 'k' })),
    'FETCH_EMPTY_CONTRACT_KEY_MAINTAINERS',
    /when fetching or looking up by key sample \/ Effects:Keyed@abababab/,
  ],
  [
    'nobody maintains the new one',
    (effects) =>
      effects.create(
        sample.keyed,
        sample.keyedOf({ signatories: ['Alice'], key: sample.keyNamed({ maintainers: [], name: 'k' }) }),
      ),
    'CREATE_EMPTY_CONTRACT_KEY_MAINTAINERS',
    /when creating Effects:Keyed@abababab with/,
  ],
  [
    'a maintainer does not sign',
    (effects) =>
      effects.create(
        sample.keyed,
        sample.keyedOf({ signatories: ['Alice'], key: sample.keyNamed({ maintainers: ['Bob'], name: 'k' }) }),
      ),
    'DAML_AUTHORIZATION_ERROR',
    /has maintainers Bob which are not a subset of the signatories TreeSet\(Alice\)$/,
  ],
  [
    'a maintainer does not agree',
    (effects) => effects.queryByKey(sample.keyed, 1, sample.keyNamed({ maintainers: ['Bob', 'Alice'], name: 'k' })),
    'DAML_AUTHORIZATION_ERROR',
    /requires authorizers Alice,Bob for lookup by key, but it only has Alice$/,
  ],
]

for (const [name, step, code, message] of failing) {
  test(`it fails when ${name}`, () => {
    const failure = failureOf(step, { contracts: onLedger })
    assert.equal(failure.code, code)
    assert.match(failure.message, message)
  })
}

test('a key may not hold a contract id', () => {
  const withId = sample.keyNamed({ maintainers: ['Alice'], name: on(7) as unknown as string })
  const { code, message } = failureOf((effects) => effects.fetchByKey(sample.keyed, withId))
  assert.equal(code, 'CONTRACT_ID_IN_CONTRACT_KEY')
  assert.equal(message, `Contract IDs are not supported in contract keys: ${contractIdOf(7)}`)
})

const throwing: [where: string, step: Step, isCaught: boolean][] = [
  [
    'the key of a new contract',
    (effects) =>
      effects.create(sample.keyed, sample.keyedOf({ signatories: ['Alice'], key, faults: { key: 'throws' } })),
    true,
  ],
  [
    'the maintainers of a new contract',
    (effects) =>
      effects.create(
        sample.keyed,
        sample.keyedOf({
          signatories: ['Alice'],
          key: sample.keyNamed({ maintainers: ['Alice'], name: 'k', fault: 'throws' }),
        }),
      ),
    true,
  ],
  [
    'the maintainers of a query',
    (effects) =>
      effects.queryByKey(sample.keyed, 1, sample.keyNamed({ maintainers: ['Alice'], name: 'k', fault: 'throws' })),
    false,
  ],
  [
    'the maintainers of a fetch by key',
    (effects) =>
      effects.fetchByKey(sample.keyed, sample.keyNamed({ maintainers: ['Alice'], name: 'k', fault: 'throws' })),
    false,
  ],
]

for (const [where, step, isCaught] of throwing) {
  test(`what ${where} throws can ${isCaught ? '' : 'not '}be caught`, () => {
    const outcome = outcomeOf((effects) => effects.tryCatch(step, handleWithUnit))
    assert.equal('transaction' in outcome, isCaught)
  })
}

/** What names the key in a refusal; the text of a value is not made here. */
const keyDetails = {
  TEMPLATE_ID: fullName(sample.keyed.id),
  CONTRACT_KEY: '…',
  PACKAGE_NAME: sample.keyed.package.name,
}

test('a ledger that leaves out a contract we have seen is inconsistent', () => {
  const lookUpKey = () => onLedger.slice(0, 2)
  const step = inOrder(fetch(4), query(5))
  const { code, details } = failureOf(step, { contracts: onLedger, lookUpKey })
  assert.equal(code, 'INCONSISTENT_CONTRACT_KEY')
  assert.deepEqual(details, keyDetails)
  run(inOrder(fetch(4), query(2)), { contracts: onLedger, lookUpKey }) // It has not claimed to be complete.
})

test('a ledger that shows a contract after it said there was none is inconsistent', () => {
  const step = inOrder(query(5), fetch(4))
  const { code, details } = failureOf(step, { contracts: onLedger, lookUpKey: () => onLedger.slice(0, 2) })
  assert.equal(code, 'INCONSISTENT_CONTRACT_KEY')
  assert.deepEqual(details, keyDetails)
})

test('contracts that no reader may see are not found by key', () => {
  const hidden = sample.stored(8, sample.keyed, sample.keyedOf({ signatories: ['Zoe'], key, note: 'hidden' }))
  let found: unknown
  run(
    (effects) => {
      found = effects.queryByKey(sample.keyed, 9, key)
      return unit
    },
    { contracts: [hidden, ...onLedger] },
  )
  assert.deepEqual(notesOf(found), ['two', 'three', 'four'])
})
