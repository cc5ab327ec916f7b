import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { PackageRecord } from '../../store/core/administration-records.ts'
import type { Records } from '../../store/core/store.ts'
import { createStore } from '../../store/records/create-store.ts'
import { migrate } from '../../store/schema/migrate.ts'
import { openSqliteInMemory } from '../../store/sqlite/sqlite.ts'
import { createPackageState } from './known-packages.ts'

async function openState() {
  const database = openSqliteInMemory()
  await migrate(database)
  const store = createStore(database)
  return { store, state: createPackageState(store), [Symbol.asyncDispose]: () => database[Symbol.asyncDispose]() }
}

const recordOf = (id: string): PackageRecord => {
  return { id, name: 'a', version: '1', languageVersion: '2.1', isUpgradable: true, size: 0, uploadedAtMs: 0 }
}

const adding = (id: string) => async (records: Records) => {
  await records.packages.insert(recordOf(id), new Uint8Array())
  return { result: id, change: { added: [{ record: recordOf(id), contents: { interfaces: [], templates: {} } }] } }
}

describe('known packages', () => {
  test('are complete, whether loaded before, during or after a change', async () => {
    await using parts = await openState()
    const { state } = parts
    const during = Promise.withResolvers<void>()
    const first = state.change(async (records) => {
      during.resolve()
      return adding('first')(records)
    })
    await during.promise
    const loading = state.load()
    const second = state.change(adding('second'))
    assert.deepEqual(await Promise.all([first, second]), ['first', 'second'])
    const known = await loading
    await state.change(adding('third'))
    assert.deepEqual(
      known.named('a').map(({ id }) => id),
      ['first', 'second', 'third'],
    )
    assert.equal(await state.load(), known)
  })

  test('do not change when a transaction fails', async () => {
    await using parts = await openState()
    const { state, store } = parts
    const known = await state.load()
    let changes = 0
    state.onChange(() => {
      changes += 1
    })
    await assert.rejects(
      state.change(async (records) => {
        await adding('lost')(records)
        throw new Error('no')
      }),
    )
    assert.deepEqual([known.get('lost'), await store.packages.ids(), changes], [undefined, [], 0])
    await state.change(adding('kept'))
    assert.deepEqual([known.get('kept')?.id, changes], ['kept', 1])
  })

  test('are loaded again after loading failed', async () => {
    await using parts = await openState()
    let isDown = true
    const { store } = parts
    const list = () => (isDown ? Promise.reject(new Error('down')) : store.packages.list())
    const state = createPackageState({ ...store, packages: { ...store.packages, list } })
    await assert.rejects(state.load(), { message: 'down' })
    isDown = false
    assert.deepEqual([...(await state.load()).names()], [])
  })
})
