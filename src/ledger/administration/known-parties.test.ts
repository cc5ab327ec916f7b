import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createStore } from '../../store/create-store.ts'
import { migrate } from '../../store/migrate.ts'
import { openSqliteInMemory } from '../../store/sqlite.ts'
import { createKnownParties } from './known-parties.ts'

test('a party is known from when it is allocated on, and asked for once', async () => {
  await using database = openSqliteInMemory()
  await migrate(database)
  const store = createStore(database)
  const asked: string[] = []
  const get = (party: string) => {
    asked.push(party)
    return store.parties.get(party)
  }
  const isKnown = createKnownParties({ ...store, parties: { ...store.parties, get } }, 2)
  assert.equal(await isKnown('a'), false)
  for (const party of ['a', 'b', 'c']) {
    await store.parties.insert({ party, isLocal: true, identityProviderId: '', resourceVersion: 0n, annotations: {} })
  }
  for (const party of ['a', 'a', 'b', 'b']) assert.equal(await isKnown(party), true)
  assert.deepEqual(asked, ['a', 'a', 'b'])
  for (const party of ['c', 'b', 'c', 'a']) assert.equal(await isKnown(party), true) // The oldest made room.
  assert.deepEqual(asked, ['a', 'a', 'b', 'c', 'a'])
})
