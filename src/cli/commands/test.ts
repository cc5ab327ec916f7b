// tallystick test: runs the Daml Scripts of DARs, each on a fresh ledger in memory.

import { wallClock } from '../../base/clock.ts'
import { anyDurationFromText } from '../../base/duration.ts'
import { StartError } from '../../base/errors.ts'
import type { Settings } from '../../base/settings.ts'
import type { FoundScript } from '../../script/scripts.ts'
import { type Command, UsageError } from '../command.ts'
import { loadSettings } from '../config.ts'
import { type CoverageFlags, coverageOptions } from '../coverage-options.ts'
import { nameOfScript, openScriptDar, type ScriptDar } from '../script-dars.ts'
import type { Reported, ReporterName } from '../script-reports.ts'
import type { TestCoverage } from '../test-coverage.ts'

type Flags = CoverageFlags & {
  readonly name?: string
  readonly reporter?: string
  readonly 'fail-fast'?: boolean
  readonly 'time-out'?: string
}

type Plan = {
  readonly isWanted: (script: FoundScript) => boolean
  readonly timeOutMs: number
  readonly limits: Settings['engine']
  readonly isFailingFast: boolean
  readonly coverage: TestCoverage | undefined
  report(reported: Reported): void
  /** Whether a script has failed and no other is to begin. */
  isOver(): boolean
}

const usualTimeOut = '60s'

export const testCommand: Command = {
  summary: 'run the Daml Scripts of DARs, each on a fresh ledger in memory',
  usage: 'tallystick test FILE… [--name PATTERN] [--reporter NAME] [--fail-fast] [--time-out TIME]',
  furtherOperands: 'FILE',
  options: {
    name: { type: 'string', value: 'PATTERN', help: 'only scripts whose Module:name matches this regular expression' },
    reporter: { type: 'string', value: 'NAME', help: 'text, tap, json or junit (text)' },
    'fail-fast': { type: 'boolean', help: 'begin no other script after one has failed' },
    'time-out': { type: 'string', value: 'TIME', help: `how long one script may take (${usualTimeOut})` },
    ...coverageOptions,
  },
  refused: {
    all: { type: 'boolean', instead: 'name the DARs of the dependencies, too' },
  },
  notes:
    'Runs the scripts without arguments of the main packages. Time begins at 1970-01-01T00:00:00Z and moves on request.\n' +
    'Ends with 1 if a script failed, or if there was none to run.',
  async run(flags: Flags, { print, tell, width, endWith, environment }, files) {
    const isOnlyLoading = flags['load-coverage-only'] === true
    if (files.length === 0 && !isOnlyLoading) throw new UsageError(`FILE is missing; usage: ${testCommand.usage}`)
    if (files.length > 0 && isOnlyLoading) throw new UsageError('--load-coverage-only runs no scripts: leave out FILE')
    const wanted = patternIn(flags.name)
    const timeOutMs = timeOutIn(flags['time-out'] ?? usualTimeOut)
    const { reporters } = await import('../script-reports.ts')
    const name = flags.reporter ?? 'text'
    if (!Object.hasOwn(reporters, name)) {
      throw new UsageError(`--reporter: there is no ${name}; choose ${Object.keys(reporters).join(', ')}`)
    }
    const limits = loadSettings({}, environment).engine
    await using coverage = await coverageFor(flags, files, limits)
    // What programs read is not followed by anything.
    const show = name === 'text' ? print : tell
    const showCoverage = async () => {
      for (const text of (await coverage?.finish(width)) ?? []) show(`\n${text}`)
    }
    if (isOnlyLoading) return showCoverage()
    const reporter = reporters[name as ReporterName](print)
    const startedMs = wallClock.elapsedMs()
    const all: Reported[] = []
    const isFailure = (reported: Reported) => reported.kind === 'problem' || reported.failure !== undefined
    const plan: Plan = {
      isWanted: (script) => wanted.test(nameOfScript(script)),
      timeOutMs,
      limits,
      coverage,
      isFailingFast: flags['fail-fast'] === true,
      report(reported) {
        all.push(reported)
        reporter.one(reported)
      },
      isOver: () => plan.isFailingFast && all.some(isFailure),
    }
    let found = 0
    for (const file of files) found += await runFile(file, plan)
    if (found === 0 && all.length === 0) {
      plan.report({ kind: 'problem', file: files.join(', '), message: `no script matches ${flags.name}` })
    }
    const failed = all.filter(isFailure).length
    const ran = all.filter(({ kind }) => kind === 'script').length
    const passed = all.length - failed
    reporter.end(all, { passed, failed, notRun: found - ran, ms: Math.round(wallClock.elapsedMs() - startedMs) })
    await showCoverage()
    endWith(failed > 0 ? 1 : 0)
  },
}

/** Runs the scripts of one file; returns how many there are to run. */
async function runFile(file: string, plan: Plan): Promise<number> {
  const problem = (message: string) => plan.report({ kind: 'problem', file, message })
  let dar: ScriptDar
  try {
    dar = await openScriptDar(file)
  } catch (error) {
    if (!(error instanceof StartError)) throw error
    problem(error.message)
    return 0
  }
  plan.coverage?.noteDar(dar)
  if (dar.scripts.length === 0) {
    problem('it has no scripts: no top-level value of the type Script a in its main package')
    return 0
  }
  const scripts = dar.scripts.filter((script) => script.parameter === undefined && plan.isWanted(script))
  if (scripts.some(({ isLegacy }) => isLegacy)) {
    problem('it was compiled with the daml-script library of Daml 3.2 or earlier; compile it with Daml 3.3 or later')
    return 0
  }
  if (!plan.isOver() && scripts.length > 0) await runScripts(dar, scripts, plan)
  return scripts.length
}

async function runScripts(dar: ScriptDar, scripts: readonly FoundScript[], plan: Plan): Promise<void> {
  const { file, packageName } = dar
  const { ledgersFor, openScriptLedger } = await import('../script-ledger.ts')
  const waiting = [...scripts]
  async function work(): Promise<void> {
    await using ledger = await openScriptLedger(dar, plan.limits, plan.coverage?.counting)
    for (let next = waiting.shift(); next !== undefined && !plan.isOver(); next = waiting.shift()) {
      const result = await ledger.run(next, plan)
      plan.coverage?.noteResult(dar, result)
      plan.report({ kind: 'script', file, packageName, ...result })
    }
  }
  try {
    await Promise.all(Array.from({ length: ledgersFor(scripts.length) }, work))
  } catch (error) {
    if (!(error instanceof StartError)) throw error
    plan.report({ kind: 'problem', file, message: error.message })
  }
}

async function coverageFor(
  flags: Flags,
  files: readonly string[],
  limits: Settings['engine'],
): Promise<TestCoverage | undefined> {
  if (!Object.keys(flags).some((name) => name.includes('coverage'))) return undefined
  const { openTestCoverage } = await import('../test-coverage.ts')
  return openTestCoverage(flags, files, limits)
}

function patternIn(pattern = ''): RegExp {
  try {
    return new RegExp(pattern)
  } catch (error) {
    throw new UsageError(`--name: ${(error as Error).message}`)
  }
}

function timeOutIn(text: string): number {
  const ms = anyDurationFromText(text)
  if (ms === undefined || ms <= 0) throw new UsageError(`--time-out: ${text} is no time such as 90s, 5m or PT1M`)
  return ms
}
