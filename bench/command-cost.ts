// The cost of one command: CPU by thread and by stage, and bytes of SQLite by table and index.
//   node bench/command-cost.ts [--rounds N] [--commands N] [--wait] [--four] [--no-stages] [CHECKOUT…]
// Measures the sources of this checkout, or those of others in turns, because whatever else runs on the machine slows
// all of them. `--wait` submits and waits, over one connection; `--four` has four events instead of three. Linux only.
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { bytesPerCommand } from './command-bytes.ts'
import { engineStages } from './command-engine.ts'
import { type Load, type Spent, spentOn } from './command-load.ts'
import { type Profile, stagesOf } from './command-stages.ts'
import { median, temporaryFolder } from './processes.ts'

const own = fileURLToPath(new URL('..', import.meta.url))
const { values: flags, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: 'string', default: '1' },
    commands: { type: 'string', default: '20000' },
    wait: { type: 'boolean', default: false },
    four: { type: 'boolean', default: false },
    'no-stages': { type: 'boolean', default: false },
  },
})
const load: Load = { commands: Number(flags.commands), waits: flags.wait, events: flags.four ? 4 : 3 }
const checkouts = positionals.length === 0 ? [own] : positionals

/** Their JavaScript is divided into stages; other threads are rows of their own. */
const [mainThread, engineThread] = ['node-MainThread', 'engine']

/** Smaller values are noise. */
const leastShown = 0.5

type Sizes = ReadonlyMap<string, number>
type Round = { readonly tables: ReadonlyMap<string, Sizes>; readonly latencyUs: number }

const rounds = new Map<string, Round[]>(checkouts.map((checkout) => [checkout, []]))
for (let round = 0; round < Number(flags.rounds); round += 1) {
  for (const [checkout, measured] of rounds) measured.push(await measure(checkout))
}
for (const title of rounds.values().next().value![0]!.tables.keys()) print(title)
if (load.waits)
  printLine(
    'median latency, µs',
    columnsOf(({ latencyUs }) => latencyUs),
  )

/** The stages come from a second node: a profiler takes time, too. */
async function measure(checkout: string): Promise<Round> {
  using folder = temporaryFolder()
  const spent = await spentOn(checkout, folder.path, load, [])
  const tables = new Map<string, Sizes>([['CPU by thread, µs per command', spent.threads]])
  if (!flags['no-stages']) tables.set('CPU by stage, µs per command', await stages(checkout, spent))
  tables.set('SQLite, bytes per command', bytesPerCommand(folder.path, 2 * load.commands))
  const sums = [...tables].map(([title, sizes]) => `${title} ${sumOf(sizes).toFixed(0)}`)
  process.stderr.write(`${checkout}: ${sums.join('; ')}\n`)
  return { tables, latencyUs: spent.latencyUs }
}

async function stages(checkout: string, { threads }: Spent): Promise<Sizes> {
  using folder = temporaryFolder()
  using profiles = temporaryFolder()
  const profiler = ['--cpu-prof', `--cpu-prof-dir=${profiles.path}`, '--cpu-prof-interval=500']
  const span = await spentOn(checkout, folder.path, load, profiler)
  const [main] = globSync(join(profiles.path, 'CPU.*.0.*.cpuprofile'))
  const profile: Profile = JSON.parse(readFileSync(main!, 'utf8'))
  const [onMain, inEngine] = [stagesOf(profile, span), await engineStages(checkout, load.commands)]
  const sizes = new Map<string, number>()
  for (const stage of onMain.keys()) {
    const mainUs = onMain.get(stage)! * threads.get(mainThread)!
    sizes.set(stage, mainUs + inEngine.get(stage)! * (threads.get(engineThread) ?? 0))
  }
  for (const [name, us] of threads) if (name !== mainThread && name !== engineThread) sizes.set(`thread ${name}`, us)
  return sizes
}

/** For each checkout, the median of its rounds. */
function columnsOf(value: (round: Round) => number): number[] {
  return [...rounds.values()].map((measured) => median(measured.map(value)))
}

function print(title: string): void {
  const tablesOf = [...rounds.values()].flat().map(({ tables }) => tables.get(title)!)
  process.stdout.write(`${title}\n`)
  for (const name of new Set(tablesOf.flatMap((sizes) => [...sizes.keys()]))) {
    const values = columnsOf(({ tables }) => tables.get(title)!.get(name) ?? 0)
    if (values.some((value) => value >= leastShown)) printLine(name, values)
  }
  printLine(
    'all',
    columnsOf(({ tables }) => sumOf(tables.get(title)!)),
  )
}

function sumOf(sizes: Sizes): number {
  return [...sizes.values()].reduce((sum, size) => sum + size, 0)
}

function printLine(name: string, values: readonly number[]): void {
  process.stdout.write(`  ${name.padEnd(64)}${values.map((value) => value.toFixed(0).padStart(8)).join('')}\n`)
}
