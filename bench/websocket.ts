// Updates over WebSockets: updates per second for one reader or a hundred, against pages over HTTP and against a bare
// WebSocket server with the same messages in memory. Readers only count bytes, so that the servers are the bottleneck.
import { writeFileSync } from 'node:fs'
import { Agent, request as httpRequest } from 'node:http'
import { join } from 'node:path'
import type { BenchLedger } from './ledger.ts'
import { baseline, median, startServer, temporaryFolder } from './processes.ts'
import { startFilled } from './reading.ts'
import { openStream } from './websocket-client.ts'

const rounds = 3
const pageUpdates = 200
/** Offsets that are no transactions: the parties were allocated. */
const othersMax = 10

export async function updatesOverWebSocket(readers: number, against: 'pages' | 'bare') {
  const updates = readers === 1 ? 20_000 : 2_000
  using folder = temporaryFolder()
  await using ledger = await startFilled(folder.path, updates)
  const file = join(folder.path, 'updates.ndjson')
  writeFileSync(file, await lines(ledger, updates))
  await using bare = await startServer(baseline('websocket.mjs', file), '/')
  const request = JSON.stringify(updatesBetween(ledger, 0, updates))
  const perSecond = async (read: () => Promise<void>) => {
    const startedMs = performance.now()
    await Promise.all(Array.from({ length: readers }, read))
    return ((updates * readers) / (performance.now() - startedMs)) * 1000
  }
  const ours = () => perSecond(() => readSocket(ledger.server.url, ledger.headers, request))
  const theirs = () =>
    perSecond(() => (against === 'bare' ? readSocket(bare.url, {}, request) : readPages(ledger, updates)))
  await ours() // Warm-up.
  await theirs()
  const results: [number, number][] = []
  for (let round = 0; round < rounds; round += 1) results.push([await ours(), await theirs()])
  const [a, b] = [median(results.map(([one]) => one)), median(results.map(([, other]) => other))]
  return { ours: Math.round(a), theirs: Math.round(b), unit: 'updates/s', ratio: a / b }
}

export function updatesBetween({ parties }: BenchLedger, beginExclusive: number, endInclusive: number): object {
  return { beginExclusive, endInclusive, filter: { filtersByParty: { [parties[0]]: {} } } }
}

async function lines(ledger: BenchLedger, updates: number): Promise<string> {
  const response = await fetch(`${ledger.server.url}/v2/updates`, {
    method: 'POST',
    headers: { ...ledger.headers, accept: 'application/x-ndjson' },
    body: JSON.stringify(updatesBetween(ledger, 0, updates)),
  })
  const text = await response.text()
  const count = text.split('\n').length - 1
  if (count < updates - othersMax) throw new Error(`there are ${count} updates, not ${updates}: ${text.slice(-500)}`)
  return text
}

/** One page after the other, over its own connection. */
async function readPages(ledger: BenchLedger, updates: number): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  for (let begin = 0; begin < updates; begin += pageUpdates) {
    const body = JSON.stringify(updatesBetween(ledger, begin, begin + pageUpdates))
    await new Promise<void>((resolve, reject) => {
      const sent = httpRequest(
        `${ledger.server.url}/v2/updates`,
        { method: 'POST', agent, headers: ledger.headers },
        (response) => {
          response.on('data', () => undefined)
          response.on('end', () =>
            response.statusCode === 200 ? resolve() : reject(new Error(`${response.statusCode}`)),
          )
        },
      )
      sent.on('error', reject)
      sent.end(body)
    })
  }
  agent.destroy()
}

const normalClose = Buffer.from([0x88, 0x02, 0x03, 0xe8])

/** Reads bytes until the last four are the server's close frame. */
export async function readSocket(
  url: string,
  headers: Readonly<Record<string, string>>,
  request: string,
): Promise<void> {
  const socket = await openStream(`${url}/v2/updates`, headers, request)
  await new Promise<void>((resolve, reject) => {
    socket.on('data', (chunk: Buffer) => {
      if (!chunk.subarray(-4).equals(normalClose)) return
      resolve()
      socket.destroy()
    })
    socket.on('error', reject)
    socket.on('close', () => reject(new Error(`${url}: closed too early`)))
  })
}
