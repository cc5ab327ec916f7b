// Runs the scripts of DAR files as tests: each on a ledger of its own, several at once.
import { wallClock } from '../base/clock.ts'
import { StartError } from '../base/errors.ts'
import type { Settings } from '../base/settings.ts'
import type { ScriptThread } from '../script/open-script-thread.ts'
import type { FoundScript } from '../script/scripts.ts'
import { nameOfScript, openScriptDar, type ScriptDar } from './script-dars.ts'
import type { ScriptLedger } from './script-ledger.ts'
import type { Reported, Reporter } from './script-reports.ts'
import type { TestCoverage } from './test-coverage.ts'

export type TestPlan = {
  /** What `Module:name` must match. */
  readonly pattern: RegExp
  readonly timeOutMs: number
  readonly limits: Settings['engine']
  /** Begins no other script after one has failed. */
  readonly isFailingFast: boolean
  /** The folder that gets the ledgers of failed scripts; undefined keeps none. */
  readonly keepIn: string | undefined
  readonly reporter: Reporter
  /** Undefined unless something is counted. */
  readonly coverage: TestCoverage | undefined
  /** Tells people what is going on; an empty text when it is over. */
  showStatus(text: string): void
}

/** A DAR with those of its scripts that are to run. */
type Chosen = { readonly dar: ScriptDar; readonly scripts: readonly FoundScript[] }

type Run = TestPlan & {
  report(reported: Reported): void
  begin(script: FoundScript): void
  /** It has no result: its DAR is refused. */
  giveUp(script: FoundScript): void
  /** Whether a script has failed and no other is to begin. */
  isOver(): boolean
  /** Whether another file has a script of this name, too. */
  isShared(script: FoundScript): boolean
  /** The thread that was opened for the DAR already. */
  threadFor(dar: ScriptDar): ScriptThread | undefined
}

/** Returns whether all scripts passed. */
export async function runScriptTests(files: readonly string[], plan: TestPlan): Promise<boolean> {
  const startedMs = wallClock.elapsedMs()
  const all: Reported[] = []
  const underWay = new Set<FoundScript>()
  const problem = (file: string, message: string) => report({ kind: 'problem', file, message })
  const failures = () => all.filter(isFailure).length

  function report(reported: Reported): void {
    all.push(reported)
    if (reported.kind === 'script') underWay.delete(reported.script)
    plan.showStatus('')
    plan.reporter.one(reported)
    if (underWay.size > 0) showStatus()
  }

  function showStatus(): void {
    const ended = all.filter(({ kind }) => kind === 'script').length
    const failed = failures() > 0 ? `, ${failures()} failed` : ''
    plan.showStatus(`${ended} of ${names.length} scripts${failed}: ${[...underWay].map(nameOfScript).join(', ')}`)
  }

  const { openLedgerThread } = await import('./script-ledger.ts')
  await using threads = new AsyncDisposableStack()
  /** The thread of the first DAR starts while that is read. */
  const thread = plan.coverage === undefined ? threads.use(openLedgerThread(undefined, plan.limits)) : undefined
  let early: ScriptDar['dalfs'] | undefined

  function loadEarly(dalfs: ScriptDar['dalfs']): void {
    if (early === undefined) thread?.load(dalfs)
    early ??= dalfs
  }

  const chosen: Chosen[] = []
  for (const file of new Set(files)) {
    chosen.push(...(await choose(file, plan, loadEarly, (words) => problem(file, words))))
  }
  const names = chosen.flatMap(({ scripts }) => scripts.map(nameOfScript))
  const run: Run = {
    ...plan,
    report,
    begin(script) {
      underWay.add(script)
      showStatus()
    },
    giveUp: (script) => underWay.delete(script),
    isOver: () => plan.isFailingFast && all.some(isFailure),
    isShared: (script) => names.filter((name) => name === nameOfScript(script)).length > 1,
    threadFor: ({ dalfs }) => (early === dalfs ? thread : undefined),
  }
  for (const each of chosen) if (!run.isOver() && each.scripts.length > 0) await runScripts(each, run)
  if (names.length === 0 && all.length === 0) problem(files.join(', '), `no script matches ${plan.pattern.source}`)
  plan.showStatus('')
  const failed = failures()
  const notRun = names.length - all.filter(({ kind }) => kind === 'script').length
  const ms = Math.round(wallClock.elapsedMs() - startedMs)
  plan.reporter.end(all, { passed: all.length - failed, failed, notRun, ms })
  return failed === 0
}

const isFailure = (reported: Reported) => reported.kind === 'problem' || reported.failure !== undefined

/** None if the file has a problem. */
async function choose(
  file: string,
  { pattern, coverage }: TestPlan,
  onPackages: (dalfs: ScriptDar['dalfs']) => void,
  problem: (words: string) => void,
): Promise<Chosen[]> {
  let dar: ScriptDar
  try {
    dar = await openScriptDar(file, onPackages)
  } catch (error) {
    if (!(error instanceof StartError)) throw error
    problem(error.message)
    return []
  }
  coverage?.noteDar(dar)
  if (dar.scripts.length === 0) {
    problem('it has no scripts: no top-level value of the type Script a in its main package')
    return []
  }
  const wanted = dar.scripts.filter((script) => pattern.test(nameOfScript(script)))
  if (wanted.some(({ isLegacy }) => isLegacy)) {
    problem('it was compiled with the daml-script library of Daml 3.2 or earlier; compile it with Daml 3.3 or later')
    return []
  }
  const scripts = wanted.filter(({ parameter }) => parameter === undefined)
  if (wanted.length > 0 && scripts.length === 0) {
    const taking =
      wanted.length === 1 ? `${nameOfScript(wanted[0]!)} takes` : `${wanted.map(nameOfScript).join(', ')} take`
    problem(`${taking} an argument: tallystick script runs such a script, with --input-file`)
    return []
  }
  return [{ dar, scripts }]
}

async function runScripts({ dar, scripts }: Chosen, run: Run): Promise<void> {
  const { file, bytes, packageName } = dar
  const { ledgersFor, openScriptLedger } = await import('./script-ledger.ts')
  const { readAhead } = await import('../ledger/packages/reading-aside.ts')
  const { darProblem } = await import('../ledger/packages/first-packages.ts')
  const waiting = [...scripts]
  /** The types of the DAR are checked while its scripts run; nothing that they did counts if it is refused. */
  const valid = readAhead(bytes).valid.catch((error: unknown) => {
    throw new StartError(darProblem(file, error))
  })
  const open = (content?: Uint8Array) => {
    const thread = content === undefined ? run.threadFor(dar) : undefined
    const wish = { isForOne: scripts.length === 1, thread, ...(content && { content }) }
    return openScriptLedger(dar, run.limits, run.coverage?.counting, wish)
  }
  async function work(ledger: ScriptLedger): Promise<void> {
    for (let next = waiting.shift(); next !== undefined && !run.isOver(); next = waiting.shift()) {
      run.begin(next)
      const running = ledger.run(next, run).finally(() => valid)
      const [result] = await Promise.all([running, valid])
      run.coverage?.noteResult(dar, result)
      run.report({ kind: 'script', file, packageName, isShared: run.isShared(next), ...result })
    }
  }
  try {
    await using first = open()
    const further = Array.from({ length: ledgersFor(scripts.length) - 1 }, async () => {
      await using ledger = open(await first.content())
      await work(ledger)
    })
    await Promise.all([work(first), ...further])
  } catch (error) {
    if (!(error instanceof StartError)) throw error
    scripts.forEach(run.giveUp)
    run.report({ kind: 'problem', file, message: error.message })
  }
}
