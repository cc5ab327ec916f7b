import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  type AddressChanges,
  type ContractOrder,
  filtersInAddress,
  newestFirst,
  orderInAddress,
  pageInAddress,
  placeFrom,
} from './contract-address.ts'

/** As `setQuery` writes it into the address. */
function addressWith(...changes: readonly AddressChanges[]): URLSearchParams {
  const query = new URLSearchParams()
  for (const [name, value] of changes.flatMap((one) => Object.entries(one))) {
    query.delete(name)
    for (const item of [value ?? []].flat()) query.append(name, item)
  }
  return new URLSearchParams(query.toString())
}

const filters = [
  { field: 'amount', test: 'greater', value: '100' },
  { field: 'iou.currency', test: 'equals', value: 'EUR' },
  { field: 'note', test: 'contains', value: 'a & b = c\nless d' },
  { field: 'note', test: 'equals', value: '' },
] as const

test('filters, order and page survive the address', () => {
  const order: ContractOrder = { by: 'field', field: 'amount', isDescending: true }
  const place = placeFrom(addressWith(filtersInAddress(filters), orderInAddress(order), pageInAddress(50, 'a.b+c/d==')))
  assert.deepEqual(place, { at: undefined, text: '', filters, order, page: { rowsBefore: 50, token: 'a.b+c/d==' } })
})

const orders: [title: string, order: ContractOrder, text: string][] = [
  ['the newest first needs no words', newestFirst, ''],
  ['the oldest first', { by: 'created', isDescending: false }, 'sort=created'],
  ['a field', { by: 'field', field: 'amount', isDescending: false }, 'sort=amount'],
  ['a field from the largest', { by: 'field', field: 'amount', isDescending: true }, 'sort=amount+descending'],
  [
    'a field that is named as a column is',
    { by: 'field', field: 'created', isDescending: false },
    'sort=field%3Acreated',
  ],
]
for (const [title, order, text] of orders) {
  test(`order in the address: ${title}`, () => {
    const query = addressWith(orderInAddress(order))
    assert.equal(query.toString(), text)
    assert.deepEqual(placeFrom(query).order, order)
  })
}

test('a changed filter or order begins at the first page', () => {
  const page = pageInAddress(50, 'token')
  assert.equal(placeFrom(addressWith(page, filtersInAddress(filters))).page, undefined)
  assert.equal(placeFrom(addressWith(page, orderInAddress(newestFirst))).page, undefined)
})

test('what an address says wrongly is left out', () => {
  const query = new URLSearchParams('at=-1&where=amount+above+1&where=amount&sort=a+b&page=x.y&text=eur')
  assert.deepEqual(placeFrom(query), { at: undefined, text: 'eur', filters: [], order: newestFirst, page: undefined })
})
