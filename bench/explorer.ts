// The explorer on a large, busy ledger, in a real browser: the memory of its pages, and what they cost the node.
// BENCH_SHORT=1 measures for a minute, on a tenth of the contracts; BENCH_SECONDS and BENCH_CONTRACTS say how long and on how
// many.
import type { CDPSession, Page } from 'playwright-core'
import { samplesIn } from '../src/explorer/api/metrics.ts'
import { startBrowser } from '../test/fixtures/browser.ts'
import { large, updates as largeContracts } from './large-ledger.ts'
import type { BenchLedger } from './ledger.ts'
import { cpuMsOf, median, temporaryFolder } from './processes.ts'
import { startFilled } from './reading.ts'
import { loadFor } from './submit.ts'

const isShort = process.env.BENCH_SHORT === '1'
const watchedSeconds = Number(process.env.BENCH_SECONDS ?? (isShort ? 60 : 600))
const samples = Math.ceil(watchedSeconds / 30)
/** With each page. */
const rounds = isShort ? 1 : 4
/** V8 optimises the whole path of a command only after some ten thousand of them. */
const warmRounds = 4
const perSecond = 1_000
const contracts = Number(process.env.BENCH_CONTRACTS ?? (isShort ? 100_000 : largeContracts))
const heapAimMb = 150
const paths = ['', '/updates', '/contracts'] as const

/** Megabytes of JavaScript heap of the largest page, garbage included, against the aim. */
export async function heapOfPages() {
  using folder = temporaryFolder()
  await using ledger = await busyLedger(folder.path)
  await using pages = await openPages(ledger)
  const load = loadFor(ledger, { seconds: watchedSeconds / samples, perSecond, prefix: 'watched' })
  const most = new Map<string, number>()
  const rates: number[] = []
  for (let sample = 0; sample < samples; sample += 1) {
    const rate = await load.committed()
    rates.push(rate)
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
  const note = `${watchedSeconds} s at ${Math.round(median(rates))} updates per s, ${contracts} contracts at the start`
  return { ours: Math.round(heapMb), theirs: heapAimMb, unit: 'MB', ratio: heapMb / heapAimMb, note }
}

/**
 * Commands per second beside one open page, each of them in turn, against the same without. The browser is on the same
 * machine: on few cores it takes processor time from the node, so a note says what the node itself used.
 */
export async function submittingBesidePage() {
  using folder = temporaryFolder()
  await using ledger = await busyLedger(folder.path)
  await using pages = await openPages(ledger)
  const load = loadFor(ledger, { prefix: 'beside' })
  for (let round = 0; round < warmRounds; round += 1) await load.committed() // Beside the pages: their reads get warm, too.
  await pages.leave()
  const [open, closed]: [Round[], Round[]] = [[], []]
  for (let round = 0; round < rounds * paths.length; round += 1) {
    const watched = pages.watched[round % paths.length]!
    // Which of the two comes first alternates, because a ledger that grows and code that gets warm favour one of them.
    for (const isOpen of round % 2 === 0 ? [false, true] : [true, false]) {
      if (isOpen) await pages.enter(watched)
      const result = await roundOf(ledger, load)
      if (isOpen) await pages.leave()
      ;(isOpen ? open : closed).push(result)
      const { cpuMs, rate, asked } = result
      report(
        `${isOpen ? `beside ${watched.path}` : 'alone'}: ${Math.round(rate)} commands per s, ` +
          `${microseconds(cpuMs)} of the node's processor time for each, ${asked.toFixed(1)} reads per s`,
      )
    }
  }
  const medianOf = (results: readonly Round[], figure: 'rate' | 'cpuMs') => median(results.map((one) => one[figure]))
  const [a, b] = [medianOf(open, 'rate'), medianOf(closed, 'rate')]
  const note = `the node's own processor time: ${microseconds(medianOf(open, 'cpuMs'))} against ${microseconds(medianOf(closed, 'cpuMs'))}`
  return { ours: Math.round(a), theirs: Math.round(b), unit: 'per s', ratio: a / b, note }
}

const microseconds = (ms: number) => `${(ms * 1000).toFixed(0)} µs`

type Round = {
  readonly rate: number
  readonly cpuMs: number
  /** Requests that are no submissions, per second. */
  readonly asked: number
}

async function roundOf(ledger: BenchLedger, load: ReturnType<typeof loadFor>): Promise<Round> {
  const end = async () => ((await ledger.call('GET', '/v2/state/ledger-end')) as { offset: number }).offset
  const [endBefore, askedBefore] = [await end(), await questionsTo(ledger)]
  const [cpuBefore, startedMs] = [cpuMsOf(ledger.server.pid), performance.now()]
  const rate = await load.committed()
  const [cpuMs, seconds] = [cpuMsOf(ledger.server.pid) - cpuBefore, (performance.now() - startedMs) / 1000]
  return {
    rate,
    cpuMs: cpuMs / ((await end()) - endBefore),
    asked: ((await questionsTo(ledger)) - askedBefore) / seconds,
  }
}

/** Reads that were answered so far, also those of this program. */
async function questionsTo({ server, headers }: BenchLedger): Promise<number> {
  const text = await (await fetch(`${server.url}/metrics`, { headers })).text()
  return samplesIn(text)
    .filter(({ name }) => name === 'tallystick_http_requests_total')
    .filter(({ labels }) => !labels.get('operation')?.includes('submit'))
    .reduce((total, { value }) => total + value, 0)
}

const busyLedger = (folder: string): Promise<BenchLedger> =>
  contracts === largeContracts ? large() : startFilled(folder, contracts)

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
  const enter = async ({ page, path }: Watched) => {
    await page.goto(url(path === '/' ? '' : path))
    await page.locator('h1').waitFor()
  }
  for (const each of watched) await enter(each)
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
