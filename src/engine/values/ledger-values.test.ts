// Contract ids inside values.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { OrderedMap } from '../../lf/values/ordered-map.ts'
import { createRecordType } from '../../lf/values/structures.ts'
import { Cons, ContractId, type LfRecord, type LfValue, listFromArray, Some, unit } from '../../lf/values/values.ts'
import { replaceContractIds, someContractId } from './ledger-values.ts'

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

test('parts with nothing to replace are shared', () => {
  const tail = listFromArray([b, 2])
  const list = new Cons(a, tail)
  assert.equal((replaceContractIds(list, full) as Cons).tail, tail)
  for (const value of [tail, new two.create(b, 1), textMap(['k', b]), new Some(b), unit, 'text']) {
    assert.equal(replaceContractIds(value, full), value)
  }
})
