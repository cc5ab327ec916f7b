// The created event of a contract is read out of its update over any database, checked, and kept when the update goes.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { PackedWords } from '../../events/format/packed-text.ts'
import { unpackText } from '../../events/format/unpacking.ts'
import type { NewContract } from '../core/contract-records.ts'
import type { Database } from '../core/database.ts'
import { migrate } from '../schema/migrate.ts'
import { createStore } from './create-store.ts'

const alice = 'alice::1220'.padEnd(60, 'a')
const id = '00'.padEnd(138, 'c7')
const text = `"id":"${id}","owner":"${alice}","name":"é","issuer":"${alice}"`
const plain = Buffer.from(`"a":"${alice}"${text}"c":"${alice}"`)
const packing = new PackedWords()
const rest = packing.pack(plain.toString('latin1'), [alice, id])
const packed = Buffer.from(packing.line() + rest, 'latin1')
/** As it was packed when contract ids stayed hexadecimal. */
const packedBefore = Buffer.from(`${JSON.stringify([alice, id])}\n${rest}`, 'latin1')
const event = Buffer.from(text)
const [start, bytes] = [plain.indexOf(event), BigInt(event.length)]
const range = { after: 6n, upTo: 7n, limit: 10 }

const contract = (number: bigint, stored: NewContract['event'], createdOffset: bigint): NewContract => ({
  number,
  contractId: `00${number}`.padEnd(68, '0'),
  template: 1n,
  createdOffset,
  nodeId: 0,
  synchronizer: 1n,
  workflowId: '',
  stakeholders: ',1,',
  keyHash: undefined,
  event: stored,
  eventCut: 4,
  blob: Buffer.from('blob'),
})

export function contractEventsContract(name: string, open: () => Promise<Database>): void {
  describe(`created events on ${name}`, () => {
    async function filled() {
      const database = await open()
      await migrate(database)
      const store = createStore(database)
      const update = { idKey: 1n, templates: ',1,', meta: 'x' }
      await store.updates.insert([{ ...update, offset: 6n, body: packed, bodyBytes: plain.length }], [])
      await store.updates.insert([{ ...update, offset: 7n, body: plain }], [])
      await store.updates.insert([{ ...update, offset: 8n, body: packedBefore, bodyBytes: plain.length }], [])
      const place = { start, end: start + event.length }
      await store.contracts.insert([
        contract(1n, { body: packed, ...place }, 6n),
        contract(2n, { body: plain, ...place }, 7n),
        contract(3n, event, 7n),
        contract(4n, { body: packedBefore, ...place }, 8n),
      ])
      const numbers = [1n, 2n, 3n, 4n]
      async function read() {
        const sized = (await store.contracts.sized(numbers)).map((row) => [row.event, row.bytes])
        const found = (await store.contracts.at(numbers)).map((row) => [row.event, bytes])
        const loaded = [...(await store.contracts.events(numbers)).values()].map((one) => [one, bytes])
        return [...sized, ...found, ...loaded].map(([one, size]) => [String(Buffer.from(one as Uint8Array)), size])
      }
      return { database, store, read }
    }
    const all = Array.from({ length: 12 }, () => [text, bytes])

    test('are read from their update, or from a copy', async () => {
      const { database, store, read } = await filled()
      await using _ = database
      assert.deepEqual(await read(), all)
      const [first] = await database.query('SELECT octet_length(event) AS bytes FROM contracts WHERE number = 1')
      assert.equal(first?.bytes, 0n)
      const updates = await store.updates.at([6n, 7n, 8n])
      const size = BigInt(plain.length + 1)
      assert.deepEqual(
        updates.map((row) => [unpackText(row.body!), row.bytes]),
        updates.map(() => [String(plain), size]),
      )
      assert.equal(updates.length, 3)
    })

    test('are checked wherever they are', async () => {
      const { database, read } = await filled()
      await using _ = database
      const other = Buffer.from(packed)
      other[other.length - 2] = 0x78
      await database.query('UPDATE updates SET body = $1 WHERE update_offset = 6', other)
      await assert.rejects(read(), /the contract 001/)
      await database.query('DELETE FROM updates WHERE update_offset = 6')
      await assert.rejects(read(), /the contract 001/)
    })

    test('outlive their updates', async () => {
      const { database, store, read } = await filled()
      await using _ = database
      for (const step of [{ ...range, after: 0n, upTo: 6n }, range, { ...range, after: 7n, upTo: 8n }]) {
        await store.transaction(async (records) => {
          await records.contracts.prune(step)
          await records.updates.prune(step, [])
        })
      }
      assert.deepEqual(await store.updates.at([6n, 7n, 8n]), [])
      assert.deepEqual(await read(), all)
    })
  })
}
