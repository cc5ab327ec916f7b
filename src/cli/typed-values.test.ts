import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { PackageTypes, TypeDescription } from '../codegen/type-description.ts'
import { valueFromWords } from './typed-values.ts'

const data = (id: string, ...args: TypeDescription[]): TypeDescription => ({ kind: 'Data', id, args })
const field = (name: string, type: TypeDescription) => ({ name, type })
const party: TypeDescription = { kind: 'Party' }
const text: TypeDescription = { kind: 'Text' }
const int: TypeDescription = { kind: 'Int64' }

const types: PackageTypes['types'] = {
  Loan: {
    kind: 'record',
    parameters: [],
    fields: [
      field('lender', party),
      field('sum', { kind: 'Numeric', scale: 10 }),
      field('terms', data('Pair', int, { kind: 'Bool' })),
      field('kind', data('Kind')),
      field('state', data('State')),
      field('watchers', { kind: 'List', of: party }),
      field('notes', { kind: 'List', of: text }),
      field('limits', { kind: 'TextMap', of: int }),
      field('before', { kind: 'Optional', of: { kind: 'ContractId', of: data('Loan') } }),
    ],
  },
  Pair: {
    kind: 'record',
    parameters: ['a', 'b'],
    fields: [field('first', { kind: 'Variable', name: 'a' }), field('second', { kind: 'Variable', name: 'b' })],
  },
  Kind: { kind: 'enum', parameters: [], names: ['Short', 'Long'] },
  State: {
    kind: 'variant',
    parameters: [],
    constructors: [field('Open', { kind: 'Unit' }), field('Paid', data('Pair', int, text))],
  },
}
const names = { party: async (name: string) => `${name}::id`, contract: async (id: string) => `${id}-whole` }
const read = (words: string, type = data('Loan')) => valueFromWords(words.split(' '), type, types, names)

const complete =
  'lender=bank sum=12.5 terms.first=7 terms.second=true kind=Long state.Paid.first=3 state.Paid.second=cash ' +
  'watchers=ann,bob watchers=carl notes=one,two notes=three limits.low=1 limits.high=9 before=00ab'

test('words become values of the types of their fields', async () => {
  assert.deepEqual(await read(complete), {
    lender: 'bank::id',
    sum: '12.5',
    terms: { first: '7', second: true },
    kind: 'Long',
    state: { tag: 'Paid', value: { first: '3', second: 'cash' } },
    watchers: ['ann::id', 'bob::id', 'carl::id'],
    notes: ['one,two', 'three'],
    limits: { low: '1', high: '9' },
    before: '00ab-whole',
  })
})

test('lists may be empty, optional values absent, cases without a value bare, and a text may have the sign =', async () => {
  const words =
    'lender=bank sum=1 terms:={"first":1,"second":false} kind=Short state=Open watchers= notes=a=b limits:={}'
  const value = (await read(words)) as Record<string, unknown>
  assert.deepEqual([value.watchers, value.notes, value.state], [[], ['a=b'], { tag: 'Open', value: {} }])
  assert.equal(Object.hasOwn(value, 'before'), false)
})

test('JSON may name parties by their hints, and keeps every digit', async () => {
  const pair = data('Pair', int, { kind: 'List', of: party })
  assert.deepEqual(await read('first:=9007199254740993 second:=["ann","bob"]', pair), {
    first: '9007199254740993',
    second: ['ann::id', 'bob::id'],
  })
})

describe('mistakes are named with their place', () => {
  const mistakes: [words: string, message: RegExp][] = [
    ['lendr=bank', /^there is no field lendr; did you mean lender\?$/],
    ['lender=bank', /^sum \(Decimal\), terms \(Pair Int64 Bool\), kind \(Kind\), .* are missing$/],
    [complete.replace('sum=12.5', 'sum=much'), /^sum: much is not a number$/],
    [complete.replace('first=7', 'first=7.5'), /^terms\.first: 7\.5 is not a whole number$/],
    [complete.replace('second=true', 'second=yes'), /^terms\.second: yes is neither true nor false$/],
    [complete.replace('kind=Long', 'kind=Lnog'), /^kind: there is no value Lnog; did you mean Long\?$/],
    [complete.replace(/state\S+ state\S+/, 'state.Payd=1'), /^state: there is no case Payd; did you mean Paid\?$/],
    [complete.replace(/state\S+ state\S+/, 'state='), /^state: there is no case ; there are Open, Paid$/],
    [complete.replace(/terms\S+ terms\S+/, 'terms=7'), /^terms: it has fields: write terms\.first=VALUE$/],
    [`${complete} lender=ann`, /^lender: it is given twice$/],
    [`${complete} lender.name=ann`, /^lender: it is Party and has no name$/],
    ['lender', /^lender is neither KEY=VALUE nor KEY:=JSON$/],
    ['terms:={', /^terms: not JSON: /],
  ]
  for (const [words, message] of mistakes) {
    test(String(message), () => assert.rejects(read(words), { message }))
  }
})
