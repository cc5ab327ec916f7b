// Synchronizers from the settings, over the life of a ledger.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testSettings } from '../../../test/fixtures/node.ts'
import { openMemoryStore } from '../../../test/fixtures/stores.ts'
import { StartError } from '../../base/errors.ts'
import { createSeededRandom } from '../../base/random.ts'
import { loadSynchronizers } from './synchronizers.ts'

const named = (...aliases: string[]) =>
  testSettings({ synchronizers: aliases.map((alias, priority) => ({ alias, priority })) })

test('synchronizers are created when they are first named, and kept', async () => {
  await using store = await openMemoryStore()
  const random = createSeededRandom('synchronizers')
  const one = await loadSynchronizers(store, random, named('a'))
  const two = await loadSynchronizers(store, random, named('a', 'b'))
  assert.deepEqual(
    two.list().map(({ alias }) => alias),
    ['b', 'a'],
  )
  assert.equal(two.list()[1]!.id, one.list()[0]!.id)
  const left = await loadSynchronizers(store, random, named('b'))
  assert.equal(left.all().length, 2, 'contracts may be on one that is named no more')
})

test('disconnected synchronizers stay disconnected', async () => {
  await using store = await openMemoryStore()
  const random = createSeededRandom('synchronizers')
  const before = await loadSynchronizers(store, random, named('a', 'b'))
  let changes = 0
  before.onChange(() => {
    changes += 1
  })
  await before.setConnected('b', false)
  assert.equal(changes, 1)
  const after = await loadSynchronizers(store, random, named('a', 'b'))
  assert.deepEqual(
    after.list().map(({ alias }) => alias),
    ['a'],
  )
  assert.equal(after.byId(before.all()[1]!.id), undefined)
  await assert.rejects(after.setConnected('c', true), { code: 'SYNC_SERVICE_UNKNOWN_SYNCHRONIZER' })
})

test('two synchronizers with one alias are refused', async () => {
  await using store = await openMemoryStore()
  await assert.rejects(loadSynchronizers(store, createSeededRandom('s'), named('a', 'a')), StartError)
})
