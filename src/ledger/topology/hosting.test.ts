import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createStore } from '../../store/records/create-store.ts'
import { migrate } from '../../store/schema/migrate.ts'
import { openSqliteInMemory } from '../../store/sqlite/sqlite.ts'
import { createHosting } from './hosting.ts'

test('the hosting of a party is read once, and again after a change', async () => {
  await using database = openSqliteInMemory()
  await migrate(database)
  const store = createStore(database)
  const asked: string[] = []
  const synchronizersOf = (party: string) => {
    asked.push(party)
    return store.parties.synchronizersOf(party)
  }
  const hosting = createHosting({ ...store, parties: { ...store.parties, synchronizersOf } }, 2)
  assert.deepEqual(await hosting.of('a'), [])
  for (const party of ['a', 'b', 'c']) await store.parties.host(party, [1n, 3n])
  for (const party of ['a', 'a', 'b', 'b']) assert.deepEqual(await hosting.of(party), [1n, 3n])
  assert.deepEqual(asked, ['a', 'a', 'b'])
  for (const party of ['c', 'b', 'c', 'a']) assert.deepEqual(await hosting.of(party), [1n, 3n]) // The oldest is gone.
  assert.deepEqual(asked, ['a', 'a', 'b', 'c', 'a'])
  await store.parties.host('a', [2n])
  hosting.forget('a')
  assert.deepEqual(await hosting.of('a'), [1n, 2n, 3n])
})
