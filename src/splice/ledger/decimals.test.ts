import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decimalFrom, dividedUp, sumOf, timesRatio, unitsFrom } from './decimals.ts'

test('sums of decimals are exact', () => {
  assert.equal(sumOf(['0.1', '0.2', '99999999999999999999.9999999999']), '100000000000000000000.2999999999')
  assert.equal(decimalFrom(unitsFrom('-0.0000000001')!), '-0.0000000001')
  assert.equal(sumOf([]), '0.0000000000')
})

test('quotients are rounded up', () => {
  assert.equal(decimalFrom(dividedUp(unitsFrom('10')!, unitsFrom('0.005')!)), '2000.0000000000')
  assert.equal(decimalFrom(dividedUp(unitsFrom('1')!, unitsFrom('3')!)), '0.3333333334')
})

test('products are rounded to the nearest, and in the middle to an even digit', () => {
  const product = (one: string, other: string) => decimalFrom(timesRatio(unitsFrom(one)!, unitsFrom(other)!))
  assert.equal(product('4', '0.25'), '1.0000000000')
  assert.equal(product('0.0000000001', '0.5'), '0.0000000000')
  assert.equal(product('0.0000000003', '0.5'), '0.0000000002')
  assert.equal(product('-0.0000000003', '0.5'), '-0.0000000002')
  assert.equal(product('0.0000000001', '0.6'), '0.0000000001')
})

test('what is no decimal has no units', () => {
  for (const text of ['', 'x', '1e5', '1.', '.5', '1.12345678901', 'NaN']) assert.equal(unitsFrom(text), undefined)
})
