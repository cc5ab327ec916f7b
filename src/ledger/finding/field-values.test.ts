import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { fieldContaining, sortKeyOf, valueAt } from './field-values.ts'

describe('a sort key', () => {
  const ascending = [
    '-9223372036854775808',
    '-9223372036854775807',
    '-10.5',
    '-10.49',
    '-10',
    '-9.9',
    '-0.25',
    '-0.2',
    '0',
    '0.0000000001',
    '0.1',
    '0.15',
    '1',
    '1.5',
    '9',
    '10.0000000000',
    '10.0000000001',
    '9223372036854775806',
    '9223372036854775807',
    '9999999999999999999999999999.9999999999',
    '',
    '2025-01-01',
    '2025-01-02',
    'Alice',
    'alice',
    'é',
  ]

  test('sorts numbers by their size, before all texts', () => {
    const shuffled = ascending.toSorted((a, b) => (a + a > b + b ? 1 : -1)).reverse()
    const sorted = shuffled.toSorted((a, b) => (sortKeyOf(a) < sortKeyOf(b) ? -1 : 1))
    assert.deepEqual(sorted, ascending)
  })

  for (const [one, other] of [
    ['1', '1.0000000000'],
    ['-0', '0.0'],
    ['0.10', '0.1'],
    ['-2.50', '-2.5'],
    ['007', '7'],
  ] as const) {
    test(`is the same for ${one} and ${other}`, () => assert.equal(sortKeyOf(one), sortKeyOf(other)))
  }

  test('of a long text has its beginning only', () => assert.equal(sortKeyOf('x'.repeat(100_000)).length, 257))
})

describe('a field', () => {
  const contract = { owner: 'alice::1220', amount: { value: '12.5', tags: ['Red', 'blue'] }, note: null, paid: false }
  const at = (path: string) => valueAt(contract, path.split('.'))

  test('is found by its path', () => {
    assert.equal(at('amount.value'), '12.5')
    assert.equal(at('amount.tags.1'), 'blue')
    assert.equal(at('paid'), 'false')
    assert.equal(at('amount'), '{"value":"12.5","tags":["Red","blue"]}')
  })
  test('that is empty or not there has no value', () => {
    for (const path of ['note', 'note.x', 'amount.missing', 'owner.length', 'constructor', '__proto__.x', 'toString']) {
      assert.equal(at(path), undefined, path)
    }
  })
  test('is found by what it contains', () => {
    assert.deepEqual(fieldContaining(contract, 'red'), { path: ['amount', 'tags', '0'], value: 'Red' })
    assert.equal(fieldContaining(contract, 'owner'), undefined, 'names of fields are no values')
  })
  test('that is an id is found by its beginning, and a party also by its name', () => {
    const [fingerprint, hash] = [`1220${'c0ffee42'.repeat(8)}`, `00${'feed17'.repeat(11)}`]
    const rows: [value: string, found: string[], missed: string[]][] = [
      [`Alice::${fingerprint}`, ['alice', 'lic', 'ice::1220', 'alice::1220c0'], ['42', 'c0ffee', '1220', fingerprint]],
      [hash, ['00fe', hash], ['17', 'feed']],
      [`see ${hash}`, ['17', 'feed'], []],
    ]
    for (const [value, found, missed] of rows) {
      for (const text of found) assert.equal(fieldContaining({ value }, text)?.value, value, text)
      for (const text of missed) assert.equal(fieldContaining({ value }, text), undefined, text)
    }
  })
})
