// Figures about nodes over PostgreSQL, of this checkout or of others in turns, because whatever else runs on the machine
// slows all of them. Linux only.
//   node bench/compare-checkouts.ts processes|pruning|misses [--rounds N] [CHECKOUT…]
// `processes`: the CPU of a command, database included, over SQLite, over PostgreSQL by one process, by two processes, and
// by two nodes with databases of their own. The last tells what halves of a load cost on this machine when nothing is shared.
// `pruning`: what deletion takes from commands. `misses`: what one node has answered and another does not find.
import { mkdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { type CommandLoad, inTurns, loadOn, loadOnAll } from './database-cost.ts'
import { type BenchLedger, type StoreKind, startLedger, startSeveral } from './ledger.ts'
import { missesOf, triesPerWay } from './other-nodes.ts'
import { median, temporaryFolder } from './processes.ts'
import { pruningCost, type Round } from './pruning.ts'

const subjects = { processes, pruning, misses }

const own = fileURLToPath(new URL('..', import.meta.url))
const { values: flags, positionals } = parseArgs({
  allowPositionals: true,
  options: { rounds: { type: 'string', default: '5' } },
})
const [subject = 'processes', ...given] = positionals
const checkouts = (given.length === 0 ? [own] : given).map((path) => resolve(path))
const rounds = Number(flags.rounds)
await subjects[subject as keyof typeof subjects]()

async function processes(): Promise<void> {
  await using parts = new AsyncDisposableStack()
  const folder = parts.use(temporaryFolder())
  const loads: CommandLoad[] = []
  const started = async (ledger: Promise<BenchLedger>) => parts.use(await ledger)
  for (const [index, checkout] of checkouts.entries()) {
    const data = join(folder.path, String(index))
    mkdirSync(data)
    loads.push(loadOn(await started(startLedger(data, 'sqlite', { checkout }))))
    loads.push(loadOn(await started(startSeveral(1, checkout))))
    loads.push(loadOn(await started(startSeveral(2, checkout))))
    loads.push(loadOnAll([await started(startSeveral(1, checkout)), await started(startSeveral(1, checkout))]))
  }
  const spent = await inTurns(loads, rounds)
  for (const [index, checkout] of checkouts.entries()) {
    const [sqlite, one, two, apart] = spent.slice(4 * index, 4 * index + 4) as [number[], number[], number[], number[]]
    print(checkout, {
      'one node over SQLite, µs of CPU': range(sqlite, 0),
      'one process over PostgreSQL': range(one, 0),
      'two processes over PostgreSQL': range(two, 0),
      'two nodes with databases of their own': range(apart, 0),
      'PostgreSQL to SQLite': range(ratios(one, sqlite), 2),
      'two processes to one': range(ratios(two, one), 2),
      'two nodes apart to one': range(ratios(apart, one), 2),
    })
  }
}

async function pruning(): Promise<void> {
  for (const kind of ['postgres', 'sqlite'] as const satisfies StoreKind[]) {
    for (const checkout of checkouts) {
      const { without, beside } = await pruningCost(kind, { checkout, rounds })
      const values = (of: readonly Round[], name: keyof Round) => of.map((round) => round[name])
      print(`${checkout}, ${kind}`, {
        'without pruning, µs of CPU per command': range(values(without, 'cpuUs'), 0),
        'beside pruning': range(values(beside, 'cpuUs'), 0),
        'beside to without': range(ratios(values(beside, 'cpuUs'), values(without, 'cpuUs')), 2),
        'commands per second, without': range(values(without, 'perSecond'), 0),
        'commands per second, beside': range(values(beside, 'perSecond'), 0),
        'offsets deleted per second': range(values(beside, 'deletedPerSecond'), 0),
        'offsets deleted per command': range(values(beside, 'deletedPerCommand'), 2),
      })
    }
  }
}

async function misses(): Promise<void> {
  for (const checkout of checkouts) {
    const counts = [...(await missesOf(checkout))].map(([way, missed]) => [way, `${missed} of ${triesPerWay}`])
    print(checkout, Object.fromEntries(counts))
  }
}

/** Divides each round of ours by the same round of theirs. */
function ratios(ours: readonly number[], theirs: readonly number[]): number[] {
  return ours.map((value, round) => value / theirs[round]!)
}

function range(values: readonly number[], digits: number): string {
  const [least, middle, most] = [Math.min(...values), median(values), Math.max(...values)]
  return `${middle.toFixed(digits)} (${least.toFixed(digits)} to ${most.toFixed(digits)})`
}

function print(title: string, lines: Readonly<Record<string, string>>): void {
  const rows = Object.entries(lines).map(([name, value]) => `  ${name.padEnd(42)}${value}\n`)
  process.stdout.write(`${title}\n${rows.join('')}`)
}
