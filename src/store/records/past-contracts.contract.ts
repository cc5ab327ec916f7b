// The index of past contracts over any database: it finds all and nothing else, and reads no more than it finds.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createDice } from '../../../test/fixtures/dice.ts'
import type { ContractRecord, PastContract, PastQuery } from '../core/contract-records.ts'
import type { Database } from '../core/database.ts'
import type { Store } from '../core/store.ts'
import { migrate } from '../schema/migrate.ts'
import { createStore } from './create-store.ts'

const template = 7n
const noBytes = new Uint8Array()

function recordOf({ number, createdOffset, parties }: PastContract): ContractRecord {
  const rest = { nodeId: 0, synchronizer: 1n, workflowId: '', keyHash: undefined, eventCut: 0 }
  const stakeholders = `,${parties.filter((party) => party !== 0n).join()},`
  const contractId = `00${number.toString(16).padStart(64, '0')}`
  return { ...rest, number, contractId, template, createdOffset, stakeholders, event: noBytes, blob: noBytes }
}

/** Contract n is created at offset n and archived at random; an offset may archive several, and some stay. */
function randomContracts(count: number): (Omit<PastContract, 'archivedOffset'> & { archivedOffset?: bigint })[] {
  const dice = createDice(7)
  return Array.from({ length: count }, (_, index) => {
    const number = BigInt(index + 1)
    const lasts = [1, 2, 10, count][dice(4)]!
    const parties = [0n, ...[1n, 2n, 3n].filter(() => dice(2) === 0)]
    const place = { number, template, parties, createdOffset: number }
    return dice(5) === 0 ? place : { ...place, archivedOffset: number + BigInt(dice(lasts)) }
  })
}

const isArchived = (contract: ReturnType<typeof randomContracts>[0]): contract is PastContract =>
  contract.archivedOffset !== undefined

async function pastOf({ contracts }: Store, query: PastQuery, pageSize: number): Promise<bigint[]> {
  const found: bigint[] = []
  let after = 0n
  for (;;) {
    const page = await contracts.past(query, after, pageSize)
    found.push(...page)
    if (page.length < pageSize) return found
    after = page.at(-1)!
  }
}

type PlanOf = (database: Database, sql: string, params: readonly bigint[]) => Promise<string>

/** `planOf` returns the query plan for a large table. */
export function pastContractsContract(name: string, open: () => Promise<Database>, planOf: PlanOf): void {
  describe(`past contracts over ${name}`, () => {
    const count = 150
    const known = randomContracts(count)
    const end = BigInt(3 * count)

    async function checkAll(store: Store): Promise<void> {
      for (let activeAt = 1n; activeAt <= end; activeAt += activeAt < BigInt(count) ? 1n : 37n) {
        for (const party of [0n, 2n]) {
          const lastNumber = await store.contracts.lastCreated(activeAt)
          assert.equal(lastNumber, activeAt < BigInt(count) ? activeAt : BigInt(count))
          const query = { party, template, activeAt, archivedUpTo: end, lastNumber }
          const want = known
            .filter(isArchived)
            .filter((c) => c.createdOffset <= activeAt && c.archivedOffset > activeAt)
          assert.deepEqual(
            await pastOf(store, query, 7),
            want.filter(({ parties }) => parties.includes(party)).map(({ number }) => number),
            `at ${activeAt}`,
          )
        }
      }
    }

    async function filled(): Promise<{ database: Database; store: Store }> {
      const database = await open()
      await migrate(database)
      const store = createStore(database)
      await store.contracts.insert(known.map((contract) => recordOf({ archivedOffset: 0n, ...contract })))
      await store.contracts.archive(known.filter(isArchived))
      return { database, store }
    }

    test('are those at the offset, page after page, in the order of their numbers', async () => {
      const { database, store } = await filled()
      await using _ = database
      await checkAll(store)
      assert.deepEqual(await store.contracts.pastTemplates(2n), [template])
      assert.deepEqual(await store.contracts.pastTemplates(99n), [])
    })

    test('are in order also where too many were archived to sort them', async () => {
      await using database = await open()
      await migrate(database)
      const store = createStore(database)
      const dice = createDice(3)
      // All of them were active at offset 8,192, the highest node; half are archived soon after it.
      const many = Array.from({ length: 8_000 }, (_, index): PastContract => {
        const number = BigInt(index + 1)
        const archivedOffset = 8_193n + BigInt(dice(index % 2 === 0 ? 100 : 8_000))
        return { number, template, parties: [0n, 1n], createdOffset: number, archivedOffset }
      })
      await store.contracts.insert(many.map(recordOf))
      await store.contracts.archive(many)
      const query = { party: 1n, template, activeAt: 8_400n, archivedUpTo: 20_000n, lastNumber: 8_000n }
      const want = many.filter(({ archivedOffset }) => archivedOffset > 8_400n).map(({ number }) => number)
      assert.ok(want.length > 2_000)
      assert.deepEqual(await pastOf(store, query, 500), want)
    })

    test('are gone after pruning', async () => {
      const { database, store } = await filled()
      await using _ = database
      await store.contracts.prune({ after: 0n, upTo: end, limit: 1 })
      assert.deepEqual(await database.query('SELECT * FROM past_contracts'), [])
    })

    test('are found without reading others', async () => {
      await using database = await open()
      const asked: string[] = []
      const noting: Database = {
        ...database,
        query(sql, ...params) {
          asked.push(sql)
          return database.query(sql, ...params)
        },
      }
      await migrate(database)
      const { contracts } = createStore(noting)
      const query = { party: 1n, template, activeAt: 100_000n, archivedUpTo: 1_000_000n, lastNumber: 500_000n }
      await contracts.past(query, 0n, 200)
      await contracts.active(1n, template, 0n, 500_000n, 200)
      await contracts.archivedAfter({ archivedOffset: 5n, number: 5n }, 200)
      assert.ok(asked.filter((sql) => sql.includes('past_contracts')).length <= 1 + 20) // log₂ of the offsets.
      for (const sql of new Set(asked)) {
        const params = Array.from({ length: (sql.match(/\$\d/g) ?? []).length }, () => 1n)
        const plan = await planOf(database, sql, params)
        assert.doesNotMatch(plan, /SCAN|Seq Scan|TEMP B-TREE|^[ >-]*Sort(?! Key)/m, `${sql}\n${plan}`)
      }
    })
  })
}
