// Pruned rows are deleted from any database with few statements, however long each of them takes.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createSampleReading, sampleLimits } from '../../../test/support/reading/sample-reading.ts'
import { createTestClock } from '../../base/clock.ts'
import type { Database, Queries } from '../../store/core/database.ts'
import { createStore } from '../../store/records/create-store.ts'
import { createWallTime } from '../model/ledger-time.ts'
import { createPrunedRows } from './pruned-rows.ts'

const updates = 400

export function prunedRowsContract(name: string, open: () => Promise<Database>): void {
  describe(`pruned rows on ${name}`, () => {
    test('are deleted with less than one statement for two offsets, though each statement takes a millisecond', async () => {
      await using database = await open()
      const clock = createTestClock(0)
      let statements = 0
      // Nothing but the statement takes this long where nobody waits for it.
      const counting = countingStatements(database, () => {
        statements += 1
        if (database.beside !== undefined) clock.advance(1)
      })
      const store = createStore(counting)
      const { ledger } = createSampleReading(createStore(database))
      const iou = (contract: string) => ({ contract, signatories: ['alice'], observers: ['bob'] })
      for (let n = 0; n < updates; n += 1) {
        const archived = { ...iou(`c${n - 1}`), kind: 'exercise', isConsuming: true, actors: ['alice'] } as const
        const nodes = n % 2 === 0 ? [] : [archived]
        await ledger.commit({ nodes: [{ ...iou(`c${n}`), kind: 'create' }, ...nodes] })
      }
      const time = createWallTime(clock, 0n)
      const rows = createPrunedRows({ store, names: ledger.names, time, limits: sampleLimits, clock })
      const upTo = BigInt(updates)
      let steps = 0
      for (let deleted = 0n; deleted < upTo; steps += 1) deleted = await rows.deleteSome(deleted, upTo)
      assert.equal(await store.updates.first(), undefined)
      const kept = await store.contracts.events(Array.from({ length: updates }, (_, index) => BigInt(index + 1)))
      assert.equal(kept.size, updates / 2, 'active contracts keep their events')
      assert.ok(statements < updates / 2, `${statements} statements in ${steps} steps for ${updates} offsets`)
    })
  })
}

function countingStatements(database: Database, count: () => void): Database {
  const counted = <A extends unknown[], R>(run: (...args: A) => R) => {
    return (...args: A): R => {
      count()
      return run(...args)
    }
  }
  const over = ({ query, insert, update, delete: remove }: Queries): Queries => ({
    query: counted(query),
    insert: counted(insert),
    update: counted(update),
    delete: counted(remove),
  })
  const { beside } = database
  return {
    ...database,
    transaction: (body) => database.transaction((tx) => body(over(tx))),
    ...(beside && { beside: (body) => beside((tx) => body(over(tx))) }),
  }
}
