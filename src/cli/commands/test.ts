// tallystick test: runs the Daml Scripts of DARs, each on a fresh ledger in memory; with --watch again when a DAR was built.
import { readFileSync } from 'node:fs'
import { wallClock } from '../../base/clock.ts'
import { anyDurationFromText } from '../../base/duration.ts'
import { StartError } from '../../base/errors.ts'
import { makePrivateFolder } from '../../base/private-files.ts'
import type { Settings } from '../../base/settings.ts'
import { type Command, UsageError } from '../command.ts'
import { type CoverageFlags, coverageOptions } from '../coverage-options.ts'
import { stopSignal } from '../following.ts'
import type { ReporterName } from '../script-reports.ts'
import type { TestCoverage } from '../test-coverage.ts'

type Flags = CoverageFlags & {
  readonly name?: string
  readonly reporter?: string
  readonly 'fail-fast'?: boolean
  readonly 'time-out'?: string
  readonly keep?: string
  readonly watch?: boolean
}

const usualTimeOut = '60s'

export const testCommand: Command = {
  summary: 'run the Daml Scripts of DARs, each on a fresh ledger in memory',
  usage: 'tallystick test FILE… [options]',
  furtherOperands: 'FILE',
  options: {
    name: { type: 'string', value: 'PATTERN', help: 'only scripts whose Module:name matches this regular expression' },
    reporter: { type: 'string', value: 'NAME', help: 'text, tap, json or junit (text)' },
    'fail-fast': { type: 'boolean', help: 'begin no other script after one has failed' },
    'time-out': { type: 'string', value: 'TIME', help: `how long one script may take (${usualTimeOut})` },
    keep: {
      type: 'string',
      value: 'DIR',
      help: 'leave the ledger of each failed script in a folder of its own in DIR',
    },
    watch: { type: 'boolean', help: 'run them again whenever a DAR has changed, until Ctrl-C' },
    ...coverageOptions,
  },
  refused: {
    all: { type: 'boolean', instead: 'name the DARs of the dependencies, too' },
  },
  notes:
    'Runs the scripts without arguments of the main packages. Time begins at 1970-01-01T00:00:00Z and moves on request.\n' +
    'Ends with 1 if a script failed, or if there was none to run.',
  async run(flags: Flags, surroundings, files) {
    const { print, tell, showStatus, width, endWith, environment } = surroundings
    const isOnlyLoading = flags['load-coverage-only'] === true
    if (files.length === 0 && !isOnlyLoading) throw new UsageError(`FILE is missing; usage: ${testCommand.usage}`)
    if (files.length > 0 && isOnlyLoading) throw new UsageError('--load-coverage-only runs no scripts: leave out FILE')
    await using _reading = await startReading(files)
    const { reporters } = await import('../script-reports.ts')
    const name = flags.reporter ?? 'text'
    if (!Object.hasOwn(reporters, name)) {
      throw new UsageError(`--reporter: there is no ${name}; choose ${Object.keys(reporters).join(', ')}`)
    }
    const { loadSettings } = await import('../config.ts')
    const plan = {
      pattern: patternIn(flags.name),
      timeOutMs: timeOutIn(flags['time-out'] ?? usualTimeOut),
      limits: loadSettings({}, environment).engine,
      isFailingFast: flags['fail-fast'] === true,
      keepIn: flags.keep,
      showStatus,
    }
    if (flags.keep !== undefined) makeFolder(flags.keep)
    const { runScriptTests } = await import('../script-tests.ts')
    async function runOnce(): Promise<void> {
      const coverage = await coverageFor(flags, files, plan.limits)
      if (!isOnlyLoading) {
        const reporter = reporters[name as ReporterName](print)
        endWith((await runScriptTests(files, { ...plan, coverage, reporter })) ? 0 : 1)
      }
      // What programs read is not followed by anything.
      const show = name === 'text' ? print : tell
      for (const text of (await coverage?.finish(width)) ?? []) show(`\n${text}`)
    }
    if (!flags.watch || isOnlyLoading) return await runOnce() // Before the reading ends.
    const signal = stopSignal(surroundings)
    const { changesOf } = await import('../changed-dars.ts')
    for await (const changed of changesOf(files, signal, wallClock)) {
      if (changed.length > 0) print(`\n${changed.join(', ')} changed`)
      await runOnce()
      showStatus(`waiting for another ${files.join(', ')}; Ctrl-C ends`)
    }
    showStatus('')
  },
}

/** A thread reads the first DAR while this one loads the rest. What is wrong with the file is found again later. */
async function startReading([file]: readonly string[]): Promise<AsyncDisposable | undefined> {
  if (file === undefined) return undefined
  const { readAhead } = await import('../../ledger/packages/reading-aside.ts')
  try {
    return readAhead(readFileSync(file))
  } catch {
    return undefined
  }
}

async function coverageFor(
  flags: Flags,
  files: readonly string[],
  limits: Settings['engine'],
): Promise<TestCoverage | undefined> {
  if (!Object.keys(flags).some((name) => name.includes('coverage'))) return undefined
  const { createTestCoverage } = await import('../test-coverage.ts')
  return createTestCoverage(flags, files, limits)
}

/** Before scripts run, because they may take long. */
function makeFolder(folder: string): void {
  try {
    makePrivateFolder(folder)
  } catch (error) {
    throw new StartError(`cannot keep ledgers in ${folder}: ${(error as Error).message}`)
  }
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
