// What more processes over one PostgreSQL give: commands and reads per second, against one process of the same kind.
// The database, the processes and the load share the machine's cores, so the ratio says as much about their number.
import autocannon from 'autocannon'
import { startSeveral } from './ledger.ts'
import { median } from './processes.ts'
import { loadFor } from './submit.ts'

const rounds = 3
const warmRounds = 2
const readSeconds = 4

export async function commandsOf(processes: number) {
  const [ours, theirs] = [await commandsPerSecond(processes), await commandsPerSecond(1)]
  return { ours: Math.round(ours), theirs: Math.round(theirs), unit: 'per s', ratio: ours / theirs }
}

async function commandsPerSecond(processes: number): Promise<number> {
  await using ledger = await startSeveral(processes)
  const { committed } = loadFor(ledger)
  for (let round = 0; round < warmRounds; round += 1) await committed()
  const rates: number[] = []
  for (let round = 0; round < rounds; round += 1) rates.push(await committed())
  return median(rates)
}

export async function readsOf(processes: number) {
  const [ours, theirs] = [await readsPerSecond(processes), await readsPerSecond(1)]
  return { ours: Math.round(ours), theirs: Math.round(theirs), unit: 'per s', ratio: ours / theirs }
}

/** Pages of ten updates. */
async function readsPerSecond(processes: number): Promise<number> {
  await using ledger = await startSeveral(processes)
  await loadFor(ledger, { seconds: 1 }).committed()
  const eventFormat = { filtersByParty: { [ledger.parties[0]]: {} }, verbose: true }
  const updateFormat = { includeTransactions: { eventFormat, transactionShape: 'TRANSACTION_SHAPE_ACS_DELTA' } }
  const read = () =>
    autocannon({
      url: `${ledger.server.url}/v2/updates/get-updates-page`,
      method: 'POST',
      headers: ledger.headers,
      body: JSON.stringify({ beginOffsetExclusive: 0, maxPageSize: 10, updateFormat }),
      connections: 32,
      duration: readSeconds,
    })
  await read()
  const rates: number[] = []
  for (let round = 0; round < rounds; round += 1) {
    const { non2xx, requests } = await read()
    if (non2xx > 0) throw new Error(`${non2xx} reads were refused`)
    rates.push(requests.average)
  }
  return median(rates)
}
