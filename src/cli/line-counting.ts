// Lines and branches of Daml sources: counted while the scripts run, then written as a table, LCOV and HTML.
import { mkdirSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { wallClock } from '../base/clock.ts'
import { StartError } from '../base/errors.ts'
import type { Settings } from '../base/settings.ts'
import { filePage, overviewPage } from '../script/coverage/coverage-pages.ts'
import { lcovText } from '../script/coverage/lcov.ts'
import {
  branchesOf,
  type CoveredFile,
  createTally,
  linesOf,
  neverFailed,
  onlySucceeded,
  placeText,
  type SourceCoverage,
  shareText,
  sourceCoverage,
  sumOf,
} from '../script/coverage/source-coverage.ts'
import { type Survey, surveyPackages } from '../script/coverage/survey.ts'
import { UsageError } from './command.ts'
import type { CoverageFlags } from './coverage-options.ts'
import { type CoveredPackage, coveredPackages, sourceFile } from './covered-dars.ts'
import type { LineCounting } from './script-ledger.ts'
import { renderTable } from './table.ts'

export type LineCounter = {
  readonly counting: LineCounting
  /** Writes the files, and returns what is to be printed. */
  finish(width: number | undefined): Promise<string>
}

/** Choices and assertions that are printed; the HTML has all. */
const shownMax = 20

/** Mistakes, and a folder that cannot be written, are reported before any script runs. */
export async function createLineCounter(
  flags: CoverageFlags,
  files: readonly string[],
  limits: Settings['engine'],
): Promise<LineCounter | undefined> {
  const { coverage: folder, 'coverage-dar': further = [], 'coverage-sources': sources } = flags
  if (folder === undefined) {
    const [option] = (['coverage-dar', 'coverage-package', 'coverage-sources'] as const).filter((name) => flags[name])
    if (option !== undefined) throw new UsageError(`--${option} needs --coverage`)
    return undefined
  }
  const pattern = patternIn(flags['coverage-package'])
  if (sources !== undefined && !statSync(sources, { throwIfNoEntry: false })?.isDirectory()) {
    throw new StartError(`--coverage-sources: there is no folder ${sources}`)
  }
  write(folder, 'lcov.info', '')
  const packages = await coveredPackages({ files, further, pattern, sources })
  const tally = createTally()
  return {
    counting: { covered: packages.map(({ id }) => id), onCounts: tally.add },
    async finish(width) {
      const surveys: Survey[] = []
      for (const [dalfs, own] of Map.groupBy(packages, ({ dalfs }) => dalfs)) {
        surveys.push(await surveyPackages(own, dalfs, limits, wallClock))
      }
      const problems = surveys.flatMap(({ problems }) => problems)
      const coverage = sourceCoverage(
        surveys.flatMap(({ points }) => points),
        tally.counts,
      )
      writeFiles(folder, coverage, packages)
      return [tableOf(coverage, packages, width), ...listsOf(coverage), ...problems, `written to ${folder}`].join('\n')
    },
  }
}

function patternIn(pattern: string | undefined): RegExp | undefined {
  try {
    return pattern === undefined ? undefined : new RegExp(pattern)
  } catch (error) {
    throw new UsageError(`--coverage-package: ${(error as Error).message}`)
  }
}

// ── Files

function writeFiles(folder: string, coverage: SourceCoverage, packages: readonly CoveredPackage[]): void {
  const byId = new Map(packages.map((each) => [each.id, each]))
  const sources = new Map(
    coverage.files.map((file) => [file, sourceFile(byId.get(file.packageId)!, file.module)] as const),
  )
  write(
    folder,
    'lcov.info',
    lcovText(coverage.files, (file) => sources.get(file)!.path),
  )
  const described = {
    packageName: (id: string) => byId.get(id)!.name,
    sourceOf: (file: CoveredFile) => sources.get(file)!.text,
    pageOf: ({ packageId, module }: CoveredFile) =>
      `${fileName(byId.get(packageId)!.name)}-${packageId.slice(0, 8)}/${fileName(module)}.html`,
  }
  write(folder, 'index.html', overviewPage({ coverage, described }))
  for (const file of coverage.files) write(folder, described.pageOf(file), filePage(file, described))
}

/** Names come from packages. */
const fileName = (name: string) => name.replaceAll(/[^\w.$-]/g, '_').slice(0, 200)

function write(folder: string, name: string, content: string): void {
  const file = join(folder, name)
  try {
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, content)
  } catch (error) {
    if ((error as { syscall?: string }).syscall === undefined) throw error
    throw new StartError(`--coverage: cannot write to ${folder}: ${(error as Error).message}`)
  }
}

// ── The terminal

function tableOf({ files }: SourceCoverage, packages: readonly CoveredPackage[], width: number | undefined): string {
  const names = new Map(packages.map(({ id, name }) => [id, name]))
  const rows = files.map((file) => [
    names.get(file.packageId)!,
    file.module,
    shareText(linesOf(file)),
    shareText(branchesOf(file)),
  ])
  const total = ['all', '', shareText(sumOf(files.map(linesOf))), shareText(sumOf(files.map(branchesOf)))]
  return renderTable(['PACKAGE', 'MODULE', 'LINES', 'BRANCHES'], [...rows, total], width)
}

function listsOf(coverage: SourceCoverage): string[] {
  return [
    ...listOf(
      'choices that were only ever exercised with success',
      onlySucceeded(coverage).map(({ name }) => name),
    ),
    ...listOf(
      'assertions that never failed',
      neverFailed(coverage).map(({ at }) => placeText(at)),
    ),
  ]
}

function listOf(title: string, items: readonly string[]): string[] {
  if (items.length === 0) return []
  const shown = items.slice(0, shownMax).map((item) => `  ${item}`)
  const left = items.length - shown.length
  return ['', `${items.length} ${title}:`, ...shown, ...(left > 0 ? [`  and ${left} more, in index.html`] : [])]
}
