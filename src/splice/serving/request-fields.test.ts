import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkFields, type Fields } from './request-fields.ts'
import { MalformedRequest } from './route.ts'

const fields: Fields = {
  required: { name: 'String', count: 'Long', items: 'C[A]' },
  optional: { flag: 'Boolean', price: 'BigDecimal' },
  texts: ['meta'],
}
const right = { name: 'x', count: 1, items: [], flag: null, price: '1.0', meta: { a: 'b' } }

test('a body with all fields passes, whatever else it has', () => {
  checkFields(right, fields)
  checkFields({ name: '', count: 0, items: [1], price: 1.5, more: {} }, fields)
})

const missing = 'Attempt to decode value on failed cursor'
const cases: readonly [unknown, string][] = [
  [undefined, `${missing}: DownField(name)`],
  [{ ...right, name: undefined }, `${missing}: DownField(name)`],
  [{ ...right, name: 1 }, 'String: DownField(name)'],
  [{ ...right, count: '1' }, 'Long: DownField(count)'],
  [{ ...right, count: 1.5 }, 'Long: DownField(count)'],
  [{ ...right, items: {} }, 'C[A]: DownField(items)'],
  [{ ...right, flag: 'yes' }, 'Boolean: DownField(flag)'],
  [{ ...right, price: [] }, 'BigDecimal: DownField(price)'],
  [{ ...right, meta: { a: 1 } }, 'String: DownField(meta)'],
  [{ ...right, meta: 'text' }, 'String: DownField(meta)'],
]

for (const [body, problem] of cases) {
  test(`${JSON.stringify(body)} is refused with ${problem}`, () => {
    assert.throws(
      () => checkFields(body, fields),
      (error) =>
        error instanceof MalformedRequest && error.message === `The request content was malformed:\n${problem}`,
    )
  })
}

test('a field is named with the objects that it is in', () => {
  assert.throws(
    () => checkFields({}, { required: { id: 'String' } }, 'settlement_ref', 'settlement'),
    /DownField\(id\),DownField\(settlement_ref\),DownField\(settlement\)/,
  )
})
