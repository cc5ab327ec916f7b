// The cost of one streamed update, over gRPC and over a WebSocket: microseconds of CPU by thread, and of time.
//   node bench/stream-cost.ts [CHECKOUT…]
// Measures the sources of this checkout, or those of others in turns. Linux only.
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { threadsOf } from './command-load.ts'
import { fillLedger } from './fill-ledger.ts'
import { getUpdates, updatesRequest } from './grpc.ts'
import { connectGrpc } from './grpc-client.ts'
import { ledgerOf, startLedger } from './ledger.ts'
import { median, startServer, temporaryFolder } from './processes.ts'
import { readSocket, updatesBetween } from './websocket.ts'

const updates = 20_000
const warmRounds = 3
const rounds = 5

const own = fileURLToPath(new URL('..', import.meta.url))
using folder = temporaryFolder()
{
  await using _ = await startLedger(folder.path) // Creates the parties and the user.
}
await fillLedger(folder.path, updates)
for (const checkout of process.argv.length > 2 ? process.argv.slice(2) : [own]) await measure(checkout)

async function measure(checkout: string): Promise<void> {
  const main = join(resolve(checkout), 'src/cli/main.ts')
  const settings = ['--port', '0', '--grpc-port', '0', '--log-level', 'warn', '--data', folder.path]
  await using ledger = await ledgerOf(await startServer([main, 'start', ...settings], '/readyz'))
  using connection = connectGrpc(ledger.server)
  const overSocket = JSON.stringify(updatesBetween(ledger, 0, updates))
  const overGrpc = updatesRequest(ledger, updates)
  const ways: Readonly<Record<string, () => Promise<unknown>>> = {
    grpc: () => connection.call(getUpdates, overGrpc, ledger.token),
    websocket: () => readSocket(ledger.server.url, ledger.headers, overSocket),
  }
  for (const [way, read] of Object.entries(ways)) {
    for (let round = 0; round < warmRounds; round += 1) await read()
    const spent = new Map<string, number[]>()
    for (let round = 0; round < rounds; round += 1) {
      for (const [name, us] of await spentBy(ledger.server.pid, read)) {
        spent.set(name, [...(spent.get(name) ?? []), us / updates])
      }
    }
    const columns = [...spent].map(([name, all]) => `${name} ${median(all).toFixed(1)}`)
    process.stdout.write(`${checkout} ${way}: ${columns.join(', ')}\n`)
  }
}

/** Microseconds by thread, of all threads, and that passed. */
async function spentBy(pid: number, read: () => Promise<unknown>): Promise<Map<string, number>> {
  const before = threadsOf(pid)
  const startedMs = performance.now()
  await read()
  const spent = new Map([
    ['time', 1000 * (performance.now() - startedMs)],
    ['CPU', 0],
  ])
  for (const [id, { name, cpuUs }] of threadsOf(pid)) {
    const used = cpuUs - (before.get(id)?.cpuUs ?? 0)
    for (const key of ['CPU', name]) spent.set(key, (spent.get(key) ?? 0) + used)
  }
  return spent
}
