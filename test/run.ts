// Runs the tests: npm test [-- FILE|FOLDER… -t NAME]. It is `node --test` with bounds that always hold. A hanging test
// fails after --test-ms. A file ends with its last test, even with open servers and timers. A process of tests that runs
// longer than --file-ms is killed with all its child processes; `node --test` would wait forever. (`node --test
// --test-force-exit` skips the global teardown, so PostgreSQL would be left running.)
import { type ChildProcess, execFileSync } from 'node:child_process'
import { subscribe } from 'node:diagnostics_channel'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { run } from 'node:test'
import { spec } from 'node:test/reporters'
import { parseArgs } from 'node:util'
import { createFailureList } from './failure-list.ts'
import { runWithoutPostgres } from './fixtures/postgres.ts'
import { globalSetup, globalTeardown } from './global-setup.ts'
import { type Group, groupTests } from './groups.ts'
import { joinPackages } from './joined-packages.ts'
import { selectTests } from './selection.ts'

/** What a file took: from its start to its end, and of the processors with all the processes it waited for. */
type Cost = { readonly file: string; readonly wallMs: number; readonly cpuMs: number }

const root = join(import.meta.dirname, '..')

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    'test-ms': { type: 'string', default: '300000' },
    'file-ms': { type: 'string', default: '1200000' },
    /** Runs tests whose name, or that of a suite around them, matches this regular expression. */
    name: { type: 'string', short: 't', multiple: true, default: [] },
    /** Runs the tests beside the sources alone, without PostgreSQL (test/selection.ts). */
    unit: { type: 'boolean', default: false },
    /** Of random inputs and of the order of tests (test/fixtures/seed.ts): a number, or `fresh` to draw one. */
    seed: { type: 'string', default: '1' },
    'without-postgres': { type: 'boolean', default: false },
    /** Runs each file in a process of its own, to see what it costs or to find what disturbs it (test/groups.ts). */
    alone: { type: 'boolean', default: false },
    /** Prints this many files that took the most CPU time, or groups of files that share a process. */
    costliest: { type: 'string', default: '0' },
  },
})

/** Test files load mostly the same modules; without the cache, each strips their types and compiles them again. */
process.env.NODE_COMPILE_CACHE ??= join(root, 'node_modules', '.cache', 'tests')

const seed = values.seed === 'fresh' ? Math.floor(Math.random() * 2 ** 31) : Number(values.seed)
process.env.TALLYSTICK_TEST_SEED = String(seed)

process.stdout.write(`seed: ${seed}\n`)

const running = new Set<ChildProcess>()
const costs: Cost[] = []
const startMs = performance.now()
subscribe('child_process', (message) => watch((message as { process: ChildProcess }).process))
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => void end(130))

const folder = mkdtempSync(join(tmpdir(), 'tallystick-tests-'))
process.once('exit', () => rmSync(folder, { recursive: true }))
const groups = groupsToRun()
if (values['without-postgres'] || values.unit) runWithoutPostgres()
else await globalSetup()
await joinPackages()
addCost('the set-up of PostgreSQL', performance.now() - startMs)
await end((await runFiles()) ? 0 : 1)

function groupsToRun(): Group[] {
  try {
    const files = selectTests({ root, places: positionals, isUnit: values.unit })
    // Tests that have not the name end at once, before the next file of their process is loaded.
    return groupTests({ root, files, isEachAlone: values.alone || values.name.length > 0, folder })
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n`)
    process.exit(2)
  }
}

/** A run without any test fails, because a mistaken name must not pass as a success. */
async function runFiles(): Promise<boolean> {
  let isGood = true
  let tests = 0
  const loaded = await preloaded()
  const events = run({
    files: groups.map(({ module }) => module),
    testNamePatterns: values.name,
    // One more than there are cores, because files also wait: for processes, disks and databases. With two more, they take a tenth
    // more of the processors for the same tests.
    concurrency: availableParallelism() + 1,
    timeout: Number(values['test-ms']),
    execArgv: [
      '--test-force-exit',
      // For the tests in a process. With `randomize`, `run` would mix the processes, too; the longest have to start first.
      ...['--test-randomize', `--test-random-seed=${seed}`],
      ...loaded.flatMap((file) => ['--import', join(import.meta.dirname, file)]),
    ],
  })
  const failures = createFailureList(root)
  events.on('test:pass', failures.passed)
  events.on('test:fail', ({ todo, details, ...ended }) => {
    if (todo !== undefined && todo !== false) return
    isGood = false
    const name = groupOf(ended.name)?.name ?? ended.name
    failures.failed({ ...ended, name, failureType: (details.error as { failureType?: string }).failureType })
  })
  events.on('test:summary', ({ file, counts }) => {
    if (file !== undefined) tests += counts.tests
  })
  await pipeline(events.filter(isOfTest).compose(spec), process.stdout, { end: false })
  for (const line of failures.lines()) process.stdout.write(`failed: ${line}\n`)
  if (tests === 0)
    process.stderr.write(`no test ${values.name.length > 0 ? `matches ${values.name.join(' ')}` : 'ran'}\n`)
  return isGood && tests > 0
}

function groupOf(module: string | undefined): Group | undefined {
  return groups.find((group) => group.module === module)
}

/** Node reports a file in which no test has the name as a test that passed. */
function isOfTest({ type, data }: { type: string; data: { name?: string } }): boolean {
  return type !== 'test:pass' || groupOf(data.name) === undefined
}

async function preloaded(): Promise<string[]> {
  const { isBundleFresh } = await import(new URL('../tools/bundle.mjs', import.meta.url).href)
  return [
    'untracked-promises.ts',
    'whole-report.ts',
    'joined-packages.ts',
    ...(isBundleFresh() ? ['bundled-threads.ts'] : []),
  ]
}

/** Test files run as child processes, as do other children of the runner: only test files have `--test…` arguments. */
function watch(child: ChildProcess): void {
  child.once('spawn', () => {
    if (!child.spawnargs.includes('--test-force-exit')) return
    running.add(child)
    const startMs = performance.now()
    const timer = setTimeout(() => giveUp(child), Number(values['file-ms']))
    child.once('exit', () => {
      clearTimeout(timer)
      running.delete(child)
      addCost(nameOf(child), performance.now() - startMs)
    })
  })
}

function giveUp(child: ChildProcess): void {
  process.stderr.write(`${nameOf(child)} did not end within ${values['file-ms']} ms and is killed\n`)
  killTree(child)
}

function nameOf(child: ChildProcess): string {
  return groupOf(child.spawnargs.at(-1))!.name
}

function killTree(child: ChildProcess): void {
  for (const pid of [...descendants(child.pid!), child.pid!]) {
    try {
      process.kill(pid, 'SIGKILL')
    } catch {} // It has ended already.
  }
}

/** The innermost first. Windows ends child processes together with their parent. */
function descendants(pid: number): number[] {
  if (process.platform === 'win32') return []
  const table = execFileSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' })
  const rows = table
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/\s+/).map(Number))
  const below = (parent: number): number[] =>
    rows.filter(([, of]) => of === parent).flatMap(([child]) => [...below(child!), child!])
  return below(pid)
}

/** The CPU time of an ended child is what was added to that of all ended children. */
function addCost(file: string, wallMs: number): void {
  const earlierMs = costs.reduce((sum, { cpuMs }) => sum + cpuMs, 0)
  costs.push({ file, wallMs, cpuMs: cpuMsOfEndedChildren() - earlierMs })
}

/** Of children with their own children, in Linux's hundredths of a second. Elsewhere it is not known. */
function cpuMsOfEndedChildren(): number {
  if (process.platform !== 'linux') return 0
  const stat = readFileSync('/proc/self/stat', 'utf8')
  const [user, system] = stat.slice(stat.lastIndexOf(')')).split(' ').slice(14, 16).map(Number)
  return (user! + system!) * 10
}

function printCosts(count: number): void {
  const row = ({ file, wallMs, cpuMs }: Cost) => `${[cpuMs, wallMs].map(seconds).join('')}  ${file}\n`
  const seconds = (ms: number) => (ms / 1000).toFixed(1).padStart(8)
  const sorted = costs.toSorted((a, b) => b.cpuMs - a.cpuMs || b.wallMs - a.wallMs).slice(0, count)
  process.stdout.write(`   CPU s  wall s\n${sorted.map(row).join('')}`)
  process.stdout.write(row({ file: 'all', wallMs: performance.now() - startMs, cpuMs: cpuMsOfEndedChildren() }))
}

/** Exits explicitly, because what the tests left open would keep the process alive. */
async function end(code: number): Promise<void> {
  for (const child of running) killTree(child)
  await globalTeardown()
  if (Number(values.costliest) > 0) {
    addCost('PostgreSQL for all files', performance.now() - startMs)
    printCosts(Number(values.costliest))
  }
  process.exit(code)
}
