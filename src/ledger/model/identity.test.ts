// The identity of a participant, while another node over the same database creates or changes it.
import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { testSettings } from '../../../test/fixtures/node.ts'
import { createSeededRandom, type Random } from '../../base/random.ts'
import type { Database } from '../../store/core/database.ts'
import type { Store } from '../../store/core/store.ts'
import { createStore } from '../../store/records/create-store.ts'
import { migrate } from '../../store/schema/migrate.ts'
import { openSqliteInMemory } from '../../store/sqlite/sqlite.ts'
import { keyFromSeed, publicIdentityOf, writeKeyFile } from '../keys/participant-key.ts'
import { loadIdentity } from './identity.ts'

const { participant } = testSettings({})

/** `meanwhile` runs before the given query outside a transaction, counted from 0. */
function interrupted(database: Database, at: number, meanwhile: () => Promise<unknown>): Store & { queries(): number } {
  let queries = 0
  const store = createStore({
    ...database,
    async query(sql, ...params) {
      if (queries++ === at) await meanwhile()
      return database.query(sql, ...params)
    },
  })
  return { ...store, queries: () => queries }
}

test('a node that starts beside another over an empty database takes its identity, whenever that is stored', async () => {
  let at = 0
  for (let isReached = true; isReached; at += 1) {
    await using database = openSqliteInMemory()
    await migrate(database)
    const sibling = () => loadIdentity(createStore(database), createSeededRandom('sibling'), participant)
    const store = interrupted(database, at, sibling)
    const identity = await loadIdentity(store, createSeededRandom('node'), participant)
    assert.deepEqual(identity, await sibling(), `stored before query ${at}`)
    isReached = at < store.queries()
  }
  assert.ok(at > 1, 'the identity is read')
})

test('a node that starts beside another without a key file uses the key that the other one writes', async () => {
  await using database = openSqliteInMemory()
  await migrate(database)
  const folder = mkdtempSync(join(tmpdir(), 'tallystick-key-'))
  try {
    const settings = { ...participant, keyFile: join(folder, 'key.pem') }
    const keyOfSibling = keyFromSeed(createSeededRandom('sibling').bytes(32))
    const random: Random = {
      ...createSeededRandom('node'),
      /** The node has seen that there is no file, and makes a key. */
      bytes(count) {
        writeKeyFile(settings.keyFile, keyOfSibling, undefined)
        return createSeededRandom('node').bytes(count)
      },
    }
    const { namespace } = await loadIdentity(createStore(database), random, settings)
    assert.equal(namespace, publicIdentityOf(keyOfSibling).namespace)
    assert.deepEqual(readdirSync(folder), ['key.pem'])
  } finally {
    rmSync(folder, { recursive: true })
  }
})
