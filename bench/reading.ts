// Reading: the speed of pages, and that neither pages nor look-ups cost more on a large ledger.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fillLedger } from './fill-ledger.ts'
import { type BenchLedger, post, startLedger } from './ledger.ts'
import { baseline, median, startServer, temporaryFolder } from './processes.ts'

const rounds = 9
/** V8 optimises the whole path of a page only after a few hundred of them. */
const warmRounds = 8
const pageUpdates = 200

/** Bytes per second of all pages of updates/trees, one after the other. */
export async function pagesOfTrees() {
  const updates = 20_000
  using folder = temporaryFolder()
  await using ledger = await startFilled(folder.path, updates)
  const page = await post(...treesFrom(ledger, ledger.server.url, 0))
  const file = join(folder.path, 'page.json')
  writeFileSync(file, page)
  await using theirs = await startServer(baseline('page.mjs', file), '/')
  const bytesPerSecond = async (url: string) => {
    let bytes = 0
    const startedMs = performance.now()
    for (let begin = 0; begin < updates; begin += pageUpdates)
      bytes += (await post(...treesFrom(ledger, url, begin))).length
    return (bytes / (performance.now() - startedMs)) * 1000
  }
  for (let round = 0; round < warmRounds; round += 1) await bytesPerSecond(ledger.server.url)
  for (let round = 0; round < warmRounds; round += 1) await bytesPerSecond(theirs.url)
  const results: [number, number][] = []
  for (let round = 0; round < rounds; round += 1) {
    results.push([await bytesPerSecond(ledger.server.url), await bytesPerSecond(theirs.url)])
  }
  const [a, b] = [median(results.map(([one]) => one)), median(results.map(([, other]) => other))]
  return { ours: Math.round(a / 1e6), theirs: Math.round(b / 1e6), unit: 'MB/s', ratio: a / b }
}

/** Median time of a look-up or a page in the middle of a large ledger, against a small one. */
export async function readingAtSize(what: 'transaction-by-offset' | 'page', large: BenchLedger, size: number) {
  const count = what === 'page' ? 300 : 3_000
  const small = 1_000
  using folder = temporaryFolder()
  await using other = await startFilled(folder.path, small)
  const medianOf = async (ledger: BenchLedger, updates: number) => {
    const tookMs: number[] = []
    for (let turn = 0; turn < count; turn += 1) {
      const offset = 1 + Math.floor(Math.random() * (updates - pageUpdates))
      const startedMs = performance.now()
      if (what === 'page') await post(...treesFrom(ledger, ledger.server.url, offset))
      else {
        const body = JSON.stringify({ offset, requestingParties: ledger.parties })
        await post(`${ledger.server.url}/v2/updates/transaction-by-offset`, ledger.headers, body)
      }
      tookMs.push(performance.now() - startedMs)
    }
    return median(tookMs)
  }
  await medianOf(large, size) // Warm-up.
  await medianOf(other, small)
  const results: [number, number][] = []
  for (let round = 0; round < rounds; round += 1)
    results.push([await medianOf(large, size), await medianOf(other, small)])
  const [a, b] = [median(results.map(([one]) => one)), median(results.map(([, other]) => other))]
  return { ours: Math.round(a * 1000), theirs: Math.round(b * 1000), unit: 'µs', ratio: a / b }
}

export async function startFilled(
  folder: string,
  updates: number,
  flags: readonly string[] = [],
): Promise<BenchLedger> {
  {
    await using _ = await startLedger(folder) // Creates the parties and the user.
  }
  await fillLedger(folder, updates)
  return startLedger(folder, 'sqlite', { flags })
}

function treesFrom({ parties, headers }: BenchLedger, url: string, beginExclusive: number) {
  const body = JSON.stringify({
    beginExclusive,
    endInclusive: beginExclusive + pageUpdates,
    filter: { filtersByParty: { [parties[0]]: {} } },
  })
  return [`${url}/v2/updates/trees`, headers, body] as const
}
