// Committed commands per second, and the latency of a single command.
import autocannon from 'autocannon'
import { databaseAlone } from './database-alone.ts'
import { type BenchLedger, createAndExercise, post, type StoreKind, startLedger } from './ledger.ts'
import { baseline, median, startServer, temporaryFolder } from './processes.ts'

const rounds = 3
const roundSeconds = 6
/** V8 optimises the whole path of a command only after some ten thousand of them. */
const warmRounds = 4

/** Updates per second at the ledger end, 32 connections. */
export async function submitAsync(kind: StoreKind) {
  using folder = temporaryFolder()
  await using ours = await startLedger(folder.path, kind)
  await using theirs = await startServer(baseline('json.mjs'), '/')
  const { load, committed } = loadFor(ours)
  for (let round = 0; round < warmRounds; round += 1) await committed()
  await load(theirs.url)
  const results: [number, number][] = []
  for (let round = 0; round < rounds; round += 1) {
    results.push([await committed(), (await load(theirs.url)).requests.average])
  }
  const [a, b] = [median(results.map(([one]) => one)), median(results.map(([, other]) => other))]
  return { ours: Math.round(a), theirs: Math.round(b), unit: 'per s', ratio: a / b }
}

/** Updates per second, against the database alone writing the same rows. */
export async function submitAgainstDatabase() {
  using folder = temporaryFolder()
  const rates: number[] = []
  {
    await using ours = await startLedger(folder.path, 'sqlite')
    const { committed } = loadFor(ours)
    for (let round = 0; round < warmRounds; round += 1) await committed()
    for (let round = 0; round < rounds; round += 1) rates.push(await committed())
  }
  const [a, b] = [median(rates), await databaseAlone(folder.path)]
  return { ours: Math.round(a), theirs: Math.round(b), unit: 'per s', ratio: a / b }
}

type LoadOptions = {
  readonly seconds?: number
  /** As many as the connections can send, if absent. */
  readonly perSecond?: number
  /** Of the command ids, which must be new to the ledger. */
  readonly prefix?: string
}

export function loadFor(ours: BenchLedger, options: LoadOptions = {}) {
  const { seconds = roundSeconds, perSecond, prefix = 'bench' } = options
  const [before, after] = JSON.stringify(createAndExercise(ours.parties, `${prefix}-NUMBER`)).split('NUMBER') as [
    string,
    string,
  ]
  let number = 0
  const load = (url: string) =>
    autocannon({
      url: `${url}/v2/commands/async/submit`,
      method: 'POST',
      headers: ours.headers,
      requests: [{ setupRequest: (request) => ({ ...request, body: `${before}${number++}${after}` }) }],
      connections: 32,
      duration: seconds,
      ...(perSecond !== undefined && { overallRate: perSecond }),
    })
  return {
    load,
    /** Commands per second. */
    async committed() {
      const start = await ledgerEnd(ours)
      const startedMs = performance.now()
      const { non2xx } = await load(ours.server.url)
      if (non2xx > 0) throw new Error(`${non2xx} submissions were refused`)
      const { end, atMs } = await settledEnd(ours)
      return ((end - start) / (atMs - startedMs)) * 1000
    },
  }
}

/** Median latency of sequential submit-and-wait calls over one connection. */
export async function submitAndWait(kind: StoreKind) {
  const count = 1_500
  using folder = temporaryFolder()
  await using ours = await startLedger(folder.path, kind)
  await using theirs = await startServer(baseline('json.mjs'), '/')
  let number = 0
  const medianOf = async (url: string) => {
    const tookMs: number[] = []
    for (let turn = 0; turn < count; turn += 1) {
      const body = JSON.stringify(createAndExercise(ours.parties, `wait-${number++}`))
      const startedMs = performance.now()
      await post(`${url}/v2/commands/submit-and-wait`, ours.headers, body)
      tookMs.push(performance.now() - startedMs)
    }
    return median(tookMs)
  }
  const warm = (url: string) =>
    autocannon({
      url: `${url}/v2/commands/submit-and-wait`,
      method: 'POST',
      headers: ours.headers,
      requests: [
        {
          setupRequest: (request) => ({
            ...request,
            body: JSON.stringify(createAndExercise(ours.parties, `warm-${number++}`)),
          }),
        },
      ],
      connections: 32,
      duration: roundSeconds * warmRounds,
    })
  await warm(ours.server.url)
  await medianOf(ours.server.url)
  await warm(theirs.url)
  const results: [number, number][] = []
  for (let round = 0; round < rounds; round += 1) {
    results.push([await medianOf(ours.server.url), await medianOf(theirs.url)])
  }
  const [a, b] = [median(results.map(([one]) => one)), median(results.map(([, other]) => other))]
  return { ours: Math.round(a * 1000), theirs: Math.round(b * 1000), unit: 'µs', ratio: a / b }
}

export async function ledgerEnd({ call }: BenchLedger): Promise<number> {
  return ((await call('GET', '/v2/state/ledger-end')) as { offset: number }).offset
}

/** A commit of many commands may take long; the end that moves no more for so long is the last one. */
const stillMs = 500

/** The ledger end, once it stops moving, and when it was reached. */
export async function settledEnd(ledger: BenchLedger): Promise<{ readonly end: number; readonly atMs: number }> {
  let end = await ledgerEnd(ledger)
  let atMs = performance.now()
  while (performance.now() - atMs < stillMs) {
    await new Promise((resolve) => setTimeout(resolve, 20))
    const next = await ledgerEnd(ledger)
    if (next === end) continue
    end = next
    atMs = performance.now()
  }
  return { end, atMs }
}
