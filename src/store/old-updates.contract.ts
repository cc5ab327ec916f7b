// Updates of older versions are rewritten over any database, once, and damage among them stays damage.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { LedgerError } from '../base/errors.ts'
import { checksumOf } from './checksum.ts'
import { createStore } from './create-store.ts'
import type { Database } from './database.ts'
import { migrate } from './migrate.ts'
import { migrateTo } from './testing/older-schema.ts'

const body = Buffer.from('{"pieces"}')

const transaction = (more = '') =>
  '{"kind":"transaction","updateId":"1220d473","commandId":"second","workflowId":"","submitters":["alice","dora"],' +
  '"effectiveAt":"2023-11-14T22:13:22Z","recordTime":"2023-11-14T22:13:23Z","synchronizerId":"sync::1220",' +
  `"traceContext":null,${more}"parties":["alice","bob"],"templates":["#sample:Main:Iou","#sample:Main:Asset"],` +
  '"events":[{"kind":"exercise","nodeId":0,"template":0,"witnesses":[0,1],"stakeholders":[0,1],"isConsuming":true,' +
  '"isDelta":true,"ends":[238,333,377,399]},{"kind":"create","nodeId":1,"template":1,"witnesses":[0,1],' +
  '"stakeholders":[0],"isConsuming":false,"isDelta":true,"ends":[711,900]}]}'

const lines = (hash = 'null') =>
  [
    '"updateId":"1220d473","commandId":"second","workflowId":"","effectiveAt":"2023-11-14T22:13:22Z"',
    '"synchronizerId":"sync::1220","traceContext":null,"recordTime":"2023-11-14T22:13:23Z"',
    hash,
    '[238,333,377,399,711,900]',
    '{"submitters":[0,"dora"],"parties":["alice","bob"],"templates":["#sample:Main:Iou","#sample:Main:Asset"],' +
      '"events":[["exercise",0,0,[0,1],[0,1],true,true],["create",1,1,[0,1],[0],false,true]]}',
  ].join('\n')

const reassignment = '{"kind":"reassignment","direction":"assignment","updateId":"1220d473"}'

const rewritten: [title: string, before: string, after: string][] = [
  ['a transaction', transaction(), lines()],
  ['one of external parties', transaction('"externalTransactionHash":"ab",'), lines('"ab"')],
  ['a reassignment', reassignment, `reassignment\n${reassignment}`],
  ['one in the new form', lines(), lines()],
]

export function oldUpdatesContract(name: string, open: () => Promise<Database>): void {
  describe(`old updates on ${name}`, () => {
    test('are rewritten, with their checksums or without', async () => {
      await using database = await open()
      await migrateTo(database, 10)
      for (const [index, [, before]] of rewritten.entries()) {
        await insert(database, BigInt(2 * index + 1), before)
        await insert(database, BigInt(2 * index + 2), before, null)
      }
      await migrate(database)
      await migrate(database)
      const { updates } = createStore(database)
      for (const [index, [title, , after]] of rewritten.entries()) {
        const rows = await updates.at([BigInt(2 * index + 1), BigInt(2 * index + 2)])
        assert.deepEqual(
          rows.map(({ meta }) => meta),
          [after, after],
          title,
        )
      }
      assert.deepEqual(await database.query('SELECT * FROM old_updates'), [])
    })

    test('are rewritten however many there are', async () => {
      await using database = await open()
      await migrateTo(database, 10)
      for (let offset = 1n; offset <= 450n; offset += 1n) await insert(database, offset, transaction())
      await migrate(database)
      const rest = await database.query("SELECT update_offset FROM updates WHERE meta LIKE '{%'")
      assert.deepEqual(rest, [])
    })

    test('that are damaged are still reported', async () => {
      await using database = await open()
      await migrateTo(database, 10)
      await insert(database, 1n, transaction(), 7n)
      await insert(database, 2n, `${transaction()}}`, null)
      await migrate(database)
      const { updates } = createStore(database)
      for (const offset of [1n, 2n]) await assert.rejects(updates.at([offset]), LedgerError)
    })
  })
}

/** Without a sum of its own, a row gets the right one. */
async function insert(database: Database, offset: bigint, meta: string, sum?: bigint | null): Promise<void> {
  const checksum = sum === undefined ? checksumOf(offset, meta, body) : sum
  const columns = ['update_offset', 'id_key', 'templates', 'meta', 'body', 'checksum']
  await database.insert('updates', columns, [[offset, 1n, ',1,', meta, body, checksum]])
}
