// A ledger of a million updates and as many active contracts, created once for all rows that need it.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type BenchLedger, startLedger } from './ledger.ts'
import { median, startServer, tallystick, temporaryFolder } from './processes.ts'
import { readingAtSize, startFilled } from './reading.ts'

export const updates = 1_000_000
let folder: string | undefined

export async function large(): Promise<BenchLedger> {
  if (folder !== undefined) return startLedger(folder)
  folder = mkdtempSync(join(tmpdir(), 'tallystick-bench-'))
  process.once('exit', () => rmSync(folder!, { recursive: true, force: true }))
  return startFilled(folder, updates)
}

export async function readingLarge(what: 'transaction-by-offset' | 'page') {
  await using ledger = await large()
  return await readingAtSize(what, ledger, updates)
}

/** From the start of the process to its first answered request, against an empty ledger. */
export async function startLarge() {
  {
    await using _ = await large()
  }
  using empty = temporaryFolder()
  const startIn = async (data: string) => {
    await using server = await startServer(
      tallystick('start', '--port', '0', '--log-level', 'warn', '--data', data),
      '/readyz',
    )
    return server.readyMs
  }
  await startIn(empty.path)
  const results: [number, number][] = []
  for (let round = 0; round < 9; round += 1) results.push([await startIn(folder!), await startIn(empty.path)])
  const [a, b] = [median(results.map(([one]) => one)), median(results.map(([, other]) => other))]
  return { ours: Math.round(a), theirs: Math.round(b), unit: 'ms', ratio: a / b }
}

/** Resident memory of a node that has answered requests and is idle, against the aim. */
export async function memory(ledger: 'quickstart' | 'large') {
  const aimMb = ledger === 'large' ? 500 : 150
  using own = temporaryFolder()
  await using node = ledger === 'large' ? await large() : await startLedger(own.path)
  await node.call('POST', '/v2/state/active-contracts?limit=200', {
    activeAtOffset: ledger === 'large' ? updates : 0,
    eventFormat: { filtersByParty: { [node.parties[0]]: {} } },
  })
  await new Promise((resolve) => setTimeout(resolve, 3_000))
  const residentMb = residentBytes(node.server.pid) / 1024 / 1024
  return { ours: Math.round(residentMb), theirs: aimMb, unit: 'MB', ratio: residentMb / aimMb }
}

export function residentBytes(pid: number): number {
  if (process.platform === 'linux') {
    return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) * 1024
  }
  return Number(execFileSync('ps', ['-o', 'rss=', '-p', String(pid)]).toString()) * 1024
}
