// Which values may go onto a ledger, and what happens to the contract ids in them.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createRecordType } from '../lf/data-types.ts'
import { OrderedMap } from '../lf/ordered-map.ts'
import {
  Cons,
  ContractId,
  type LfRecord,
  type LfValue,
  listFromArray,
  none,
  Some,
  unit,
  Variant,
} from '../lf/values.ts'
import { Failure } from './failures.ts'
import { checkLedgerValue, replaceContractIds, someContractId } from './ledger-values.ts'

const id = { packageId: 'p', module: 'M', name: 'T' }
const two = createRecordType(id, ['first', 'second'])
const nested = (depth: number, innermost: LfValue = unit): LfValue => {
  let value = innermost
  for (let level = 0; level < depth; level += 1) value = new Some(value)
  return value
}
const byText = (a: LfValue, b: LfValue) => {
  const [x, y] = [a, b].map((key) => (key instanceof ContractId ? key.text : (key as string)))
  return x! < y! ? -1 : x! > y! ? 1 : 0
}
const textMap = (...entries: [LfValue, LfValue][]) =>
  entries.reduce((map, [key, value]) => map.with(key, value), OrderedMap.empty(byText))

const cases: [name: string, value: LfValue, problem: string | undefined][] = [
  ['100 levels', nested(100), undefined],
  ['101 levels', nested(101), 'Value exceeds maximum nesting value of 100'],
  ['100 levels and an empty list', nested(100, listFromArray([])), undefined],
  ['100 levels and a list of one', nested(100, listFromArray([1])), 'Value exceeds maximum nesting value of 100'],
  ['None at the end of a record, not stored', nested(100, new two.create(none, none)), undefined],
  ['None that is stored', nested(100, new two.create(none, 1)), 'Value exceeds maximum nesting value of 100'],
  ['a long list', listFromArray(Array.from({ length: 100_000 }, () => 1)), undefined],
  ['an astral text', '𝄞', undefined],
  ['a text with NUL', 'a\0', 'Text is malformed: Text contains null character'],
  ['a high surrogate alone', 'a\ud800b', 'Text is malformed: Text contains unpaired high surrogate'],
  ['a low surrogate alone', 'a\udc00\0', 'Text is malformed: Text contains unpaired low surrogate'],
  ['a high surrogate at the end', '𝄞\ud834', 'Text is malformed: Text contains unpaired high surrogate'],
  ['a key of a map', textMap(['\0', 1]), 'Text is malformed: Text contains null character'],
  [
    'inside a variant in a list',
    listFromArray([new Variant({ kind: 'variant', id, tags: ['A'] }, 0, '\0')]),
    'Text is malformed: Text contains null character',
  ],
]

for (const [name, value, problem] of cases) {
  test(`${name}: ${problem ?? 'fine'}`, () => {
    if (problem === undefined) checkLedgerValue(value)
    else
      assert.throws(
        () => checkLedgerValue(value),
        (error) => error instanceof Failure && error.message === problem,
      )
  })
}

const a = new ContractId('aa')
const b = new ContractId('bb')
const full = (contractId: ContractId) => (contractId === a ? new ContractId('aaff') : contractId)

test('the first contract id is found wherever it is', () => {
  assert.equal(someContractId(new two.create(1, new Some(listFromArray(['x', textMap(['k', b])])))), 'bb')
  assert.equal(someContractId(new two.create(1, nested(3))), undefined)
})

test('contract ids are replaced everywhere', () => {
  const record = new two.create(a, listFromArray([b, new Some(a)]))
  const replaced = replaceContractIds(record, full) as LfRecord
  assert.deepEqual(
    replaced,
    new two.create(new ContractId('aaff'), listFromArray([b, new Some(new ContractId('aaff'))])),
  )
  const map = replaceContractIds(textMap([a, 'one'], [b, a]), full) as OrderedMap
  assert.deepEqual(
    [...map.entries()],
    [
      [new ContractId('aaff'), 'one'],
      [b, new ContractId('aaff')],
    ],
  )
})

test('what holds nothing to replace is shared', () => {
  const tail = listFromArray([b, 2])
  const list = new Cons(a, tail)
  assert.equal((replaceContractIds(list, full) as Cons).tail, tail)
  for (const value of [tail, new two.create(b, 1), textMap(['k', b]), new Some(b), unit, 'text']) {
    assert.equal(replaceContractIds(value, full), value)
  }
})
