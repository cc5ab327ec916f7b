// The explorer on a large, busy ledger, in a real browser: the memory of its pages, and what they cost the node.
// BENCH_SHORT=1 measures for a minute, on a tenth of the contracts.
import type { CDPSession, Page } from 'playwright-core'
import { startBrowser } from '../test/fixtures/browser.ts'
import { large } from './large-ledger.ts'
import type { BenchLedger } from './ledger.ts'
import { cpuMsOf, median, temporaryFolder } from './processes.ts'
import { startFilled } from './reading.ts'
import { loadFor } from './submit.ts'

const isShort = process.env.BENCH_SHORT === '1'
const watchedSeconds = isShort ? 60 : 600
const samples = isShort ? 6 : 20
const rounds = isShort ? 3 : 5
const perSecond = 1_000
const contractsShort = 100_000
const heapAimMb = 150
const paths = ['', '/updates', '/contracts'] as const

/** Megabytes of JavaScript heap of the largest page, garbage included, against the aim. */
export async function heapOfPages() {
  using folder = temporaryFolder()
  await using ledger = await busyLedger(folder.path)
  await using pages = await openPages(ledger)
  const load = loadFor(ledger, { seconds: watchedSeconds / samples, perSecond, prefix: 'watched' })
  const most = new Map<string, number>()
  for (let sample = 0; sample < samples; sample += 1) {
    const rate = await load.committed()
    for (const watched of pages.watched) {
      const { heapMb, nodes } = await sizeOf(watched)
      most.set(watched.path, Math.max(heapMb, most.get(watched.path) ?? 0))
      report(`${watched.path}: ${heapMb.toFixed(1)} MB, ${nodes} nodes, ${Math.round(rate)} updates per s`)
    }
  }
  for (const watched of pages.watched) {
    await watched.session.send('HeapProfiler.collectGarbage')
    report(`${watched.path}: ${(await sizeOf(watched)).heapMb.toFixed(1)} MB after a garbage collection`)
  }
  const heapMb = Math.max(...most.values())
  return { ours: Math.round(heapMb), theirs: heapAimMb, unit: 'MB', ratio: heapMb / heapAimMb }
}

/** Commands per second beside open pages, against the same without. The browser runs on the same machine. */
export async function submittingBesidePages() {
  using folder = temporaryFolder()
  await using ledger = await busyLedger(folder.path)
  await using pages = await openPages(ledger)
  const load = loadFor(ledger, { prefix: 'beside' })
  await pages.leave()
  await load.committed() // Warm-up.
  const results: { open: Round; closed: Round }[] = []
  for (let round = 0; round < rounds; round += 1) {
    const closed = await roundOf(ledger, load)
    await pages.enter()
    const open = await roundOf(ledger, load)
    await pages.leave()
    report(`node's processor time per command: ${open.cpuMs.toFixed(3)} ms, alone ${closed.cpuMs.toFixed(3)} ms`)
    results.push({ open, closed })
  }
  const [a, b] = [median(results.map(({ open }) => open.rate)), median(results.map(({ closed }) => closed.rate))]
  return { ours: Math.round(a), theirs: Math.round(b), unit: 'per s', ratio: a / b }
}

type Round = { readonly rate: number; readonly cpuMs: number }

async function roundOf({ server, call }: BenchLedger, load: ReturnType<typeof loadFor>): Promise<Round> {
  const end = async () => ((await call('GET', '/v2/state/ledger-end')) as { offset: number }).offset
  const [cpuBefore, endBefore] = [cpuMsOf(server.pid), await end()]
  const rate = await load.committed()
  return { rate, cpuMs: (cpuMsOf(server.pid) - cpuBefore) / ((await end()) - endBefore) }
}

const busyLedger = (folder: string): Promise<BenchLedger> => (isShort ? startFilled(folder, contractsShort) : large())

type Watched = { readonly path: string; readonly page: Page; readonly session: CDPSession }

/** Each in a process of its own: contexts share nothing. */
async function openPages({ server, headers }: BenchLedger) {
  const browser = await startBrowser()
  const token = headers.authorization!.replace('Bearer ', '')
  const url = (path: string) => `${server.url}/explorer${path}`
  const watched: Watched[] = []
  for (const path of paths) {
    const context = await browser.newContext({ viewport: { width: 1280, height: 860 } })
    context.setDefaultTimeout(120_000)
    await context.addInitScript((given) => sessionStorage.setItem('tallystick-token', given), token)
    const page = await context.newPage()
    const session = await context.newCDPSession(page)
    await session.send('Performance.enable')
    watched.push({ path: path || '/', page, session })
  }
  const enter = async () => {
    for (const { page, path } of watched) {
      await page.goto(url(path === '/' ? '' : path))
      await page.locator('h1').waitFor()
    }
  }
  await enter()
  return {
    watched,
    enter,
    leave: async () => {
      for (const { page } of watched) await page.goto('about:blank')
    },
    [Symbol.asyncDispose]: () => browser.close(),
  }
}

async function sizeOf({ session }: Watched): Promise<{ heapMb: number; nodes: number }> {
  const { metrics } = await session.send('Performance.getMetrics')
  const metric = (wanted: string) => metrics.find(({ name }) => name === wanted)!.value
  return { heapMb: metric('JSHeapUsedSize') / 1024 / 1024, nodes: metric('Nodes') }
}

function report(line: string): void {
  process.stderr.write(`  ${line}\n`)
}
