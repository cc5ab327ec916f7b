// The cost of a thousand open WebSockets: memory while idle, and latency for clients that submit at the same time.
import type { Duplex } from 'node:stream'
import { residentBytes } from './large-ledger.ts'
import { type BenchLedger, createAndExercise, post, startLedger } from './ledger.ts'
import { median, temporaryFolder } from './processes.ts'
import { openStream } from './websocket-client.ts'

const streams = 1_000
const submissions = 100

/** Kilobytes of resident memory per stream, against the aim. */
export async function memoryOfIdleStreams() {
  const aimKb = 50
  using folder = temporaryFolder()
  await using ledger = await startLedger(folder.path)
  await medianSubmission(ledger)
  const before = residentBytes(ledger.server.pid)
  const sockets = await follow(ledger)
  await new Promise((resolve) => setTimeout(resolve, 2_000))
  const eachKb = (residentBytes(ledger.server.pid) - before) / 1024 / streams
  for (const socket of sockets) socket.destroy()
  return { ours: Math.round(eachKb), theirs: aimKb, unit: 'kB', ratio: eachKb / aimKb }
}

/** Median latency of submit-and-wait while all streams receive the update, against none. */
export async function submittingBesideStreams() {
  using folder = temporaryFolder()
  await using ledger = await startLedger(folder.path)
  await medianSubmission(ledger) // Warm-up.
  const alone = await medianSubmission(ledger)
  const sockets = await follow(ledger)
  await medianSubmission(ledger)
  const beside = await medianSubmission(ledger)
  for (const socket of sockets) socket.destroy()
  return { ours: Math.round(beside * 1000), theirs: Math.round(alone * 1000), unit: 'µs', ratio: beside / alone }
}

async function follow({ server, headers, parties, call }: BenchLedger): Promise<Duplex[]> {
  const { offset } = (await call('GET', '/v2/state/ledger-end')) as { offset: number }
  const request = JSON.stringify({ beginExclusive: offset, filter: { filtersByParty: { [parties[0]]: {} } } })
  const sockets: Duplex[] = []
  while (sockets.length < streams) {
    sockets.push(
      ...(await Promise.all(
        Array.from({ length: 50 }, () => openStream(`${server.url}/v2/updates`, headers, request)),
      )),
    )
  }
  for (const socket of sockets) socket.on('error', () => undefined).resume()
  return sockets
}

/** With a pause after each, as an interactive user has. */
async function medianSubmission({ server, headers, parties }: BenchLedger): Promise<number> {
  const tookMs: number[] = []
  for (let count = 0; count < submissions; count += 1) {
    const body = JSON.stringify(createAndExercise(parties, `${count}-${Math.random()}`))
    const startedMs = performance.now()
    await post(`${server.url}/v2/commands/submit-and-wait`, headers, body)
    tookMs.push(performance.now() - startedMs)
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  return median(tookMs)
}
