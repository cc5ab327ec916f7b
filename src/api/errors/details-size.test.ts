import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Entry, fitDetails } from './details-size.ts'

const entry = (name: string, length: number): Entry => [name, 'x'.repeat(length)]

test('what fits stays as it is', () => {
  const details = { context: [entry('commands', 500), entry('a', 3)], resources: [entry('CONTRACT_ID', 138)] }
  const { context, resources } = fitDetails(details, 500)
  assert.deepEqual(context.toSorted(), details.context.toSorted())
  assert.deepEqual(resources, details.resources)
})

test('the longest entries of the context are cut, and others get what short ones leave', () => {
  const { context } = fitDetails(
    { context: [entry('long', 9000), entry('b', 9000), entry('c', 10)], resources: [] },
    96,
  )
  assert.deepEqual(
    context.map(([name, value]) => [name, value.length, value.endsWith('...')]),
    [
      ['c', 10, false],
      ['b', 1978, true],
      ['long', 1976, true],
    ],
  )
})

test('a resource is whole, or left out', () => {
  const resources = [entry('CONTRACT_KEY', 1000), entry('EXCEPTION_VALUE', 4000), entry('PARTY', 70)]
  assert.deepEqual(fitDetails({ context: [], resources }, 100).resources, [resources[0], resources[2]])
})

test('names that metadata may not have lose what is wrong with them, and what is empty is left out', () => {
  const context: Entry[] = [
    ['ä.b c', 'value'],
    ['empty', ''],
    ['...', 'value'],
    ['k'.repeat(100), 'value'],
  ]
  assert.deepEqual(fitDetails({ context, resources: [] }, 0).context, [
    ['bc', 'value'],
    ['k'.repeat(63), 'value'],
  ])
})

test('without room nothing is told', () => {
  const details = { context: [entry('a', 10)], resources: [entry('b', 10)] }
  assert.deepEqual(fitDetails(details, 5000), { context: [], resources: [] })
})
