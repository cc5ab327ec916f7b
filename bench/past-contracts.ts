// Active contracts at a past offset: a page costs as much as at the ledger end, however much was archived since.
import { createStore } from '../src/store/records/create-store.ts'
import { migrate } from '../src/store/schema/migrate.ts'
import { openSqlite } from '../src/store/sqlite/sqlite.ts'
import { post, startLedger } from './ledger.ts'
import { median, temporaryFolder } from './processes.ts'
import { startFilled } from './reading.ts'

const contracts = 301_000
const archives = 300_000
const perStep = 1_000
const rounds = 15

/** Milliseconds for a page of 200 at the offset before the archives, against one at the end of the same ledger. */
export async function pastActiveContracts() {
  using folder = temporaryFolder()
  {
    await using _ = await startFilled(folder.path, contracts)
  }
  const before = await archiveFirst(folder.path)
  await using ledger = await startLedger(folder.path)
  const { headers, parties, server } = ledger
  const page = async (activeAtOffset: number) => {
    const eventFormat = { filtersByParty: { [parties[0]]: {} } }
    const body = JSON.stringify({ activeAtOffset, eventFormat, maxPageSize: 200 })
    const startedMs = performance.now()
    await post(`${server.url}/v2/state/active-contracts-page`, headers, body)
    return performance.now() - startedMs
  }
  const [past, now]: [number[], number[]] = [[], []]
  for (let round = 0; round < rounds; round += 1) {
    past.push(await page(Number(before)))
    now.push(await page(Number(before) + archives / perStep))
  }
  const [a, b] = [median(past), median(now)]
  return { ours: Math.round(a * 1000), theirs: Math.round(b * 1000), unit: 'µs', ratio: a / b }
}

/** Archives a thousand contracts at one offset; returns the offset before. */
async function archiveFirst(folder: string): Promise<bigint> {
  await using database = openSqlite(folder)
  await migrate(database)
  const store = createStore(database)
  const { end } = await store.state.get()
  for (let from = 0; from < archives; from += perStep) {
    await store.transaction(async (records) => {
      const state = await records.state.get()
      const archivedOffset = state.end + 1n
      const numbers = Array.from({ length: perStep }, (_, index) => BigInt(from + index + 1))
      const rows = (await records.contracts.at(numbers)).map(({ number, template, stakeholders, createdOffset }) => {
        const parties = [0n, ...stakeholders.split(',').filter(Boolean).map(BigInt)]
        return { number, template, parties, createdOffset, archivedOffset }
      })
      await records.contracts.archive(rows)
      await records.contracts.deactivate(
        rows.flatMap(({ number, template, parties }) => parties.map((party) => ({ party, template, number }))),
      )
      await records.state.put({ ...state, end: archivedOffset })
    })
  }
  return end
}
