import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { test } from 'node:test'
import { createStore } from '../../store/records/create-store.ts'
import { migrate } from '../../store/schema/migrate.ts'
import { openSqliteInMemory } from '../../store/sqlite/sqlite.ts'
import { createPartyKeys } from './party-keys.ts'

test('keys of a party, and their absence, are read once, and again after an allocation', async () => {
  await using database = openSqliteInMemory()
  await migrate(database)
  const store = createStore(database)
  const asked: string[] = []
  const of = (party: string) => {
    asked.push(party)
    return store.externalParties.of(party)
  }
  const partyKeys = createPartyKeys({ ...store, externalParties: { ...store.externalParties, of } }, 2)
  const keyData = generateKeyPairSync('ed25519').publicKey.export({ format: 'der', type: 'spki' })
  const keys = [{ keySpec: 'SIGNING_KEY_SPEC_EC_CURVE25519', keyData }]

  for (const party of ['a', 'a', 'b']) assert.equal((await partyKeys.of(party)).size, 0)
  assert.deepEqual(asked, ['a', 'b'])

  const overtaken = partyKeys.of('c')
  await store.externalParties.insert({ party: 'c', synchronizer: 2n, keys, threshold: 1 })
  partyKeys.forget('c')
  await overtaken
  for (const _ of [1, 2]) assert.deepEqual([...(await partyKeys.of('c')).keys()], [2n])
  assert.deepEqual(asked, ['a', 'b', 'c', 'c'])

  const [found] = (await partyKeys.of('c')).values()
  assert.deepEqual([found!.threshold, found!.keys.length], [1, 1])
  assert.match(found!.keys[0]!.fingerprint, /^1220[0-9a-f]{64}$/)
  await partyKeys.of('a') // The oldest entry was evicted.
  assert.deepEqual(asked, ['a', 'b', 'c', 'c', 'a'])
})
