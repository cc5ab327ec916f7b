// Templates and choices as `dpm test` counts them: collected over the scripts, added to results of earlier runs, printed and
// saved.
import { readFileSync, writeFileSync } from 'node:fs'
import { StartError } from '../base/errors.ts'
import {
  addDefinitions,
  addResults,
  addUse,
  noResults,
  type TestResults,
  templateCoverageText,
  type UsedTemplates,
  withoutChoices,
} from '../script/coverage/template-coverage.ts'
import { readTestResults, writeTestResults } from '../script/coverage/test-results.ts'
import { UsageError } from './command.ts'
import type { CoverageFlags } from './coverage-options.ts'
import type { ScriptDar } from './script-dars.ts'

export type TemplateCounting = {
  noteDar(dar: ScriptDar): void
  noteUse(dar: ScriptDar, used: UsedTemplates): void
  /** Returns what is to be printed, if anything. */
  finish(): string | undefined
}

/** Mistakes, and files that cannot be read or written, are reported before any script runs. */
export function openTemplateCounting(flags: CoverageFlags): TemplateCounting | undefined {
  const { 'show-coverage': isShown = false, 'save-coverage': saved, 'load-coverage': loaded = [] } = flags
  const isOnlyLoading = flags['load-coverage-only'] === true
  const ignored = (flags['coverage-ignore-choice'] ?? []).map(patternIn)
  if (isOnlyLoading && loaded.length === 0) throw new UsageError('--load-coverage-only needs --load-coverage')
  if (ignored.length > 0 && !isShown) throw new UsageError('--coverage-ignore-choice needs --show-coverage')
  if (loaded.length > 0 && !isShown && saved === undefined) {
    throw new UsageError('--load-coverage needs --show-coverage or --save-coverage')
  }
  if (!isShown && saved === undefined) return undefined
  const results = noResults()
  for (const file of loaded) addResults(results, load(file))
  if (saved !== undefined) tryTo('--save-coverage', saved, () => writeFileSync(saved, '', { flag: 'a' }))
  return {
    noteDar: ({ main }) => addDefinitions(results, main),
    noteUse: ({ main }, used) => addUse(results, main.id, used),
    finish() {
      if (saved !== undefined) tryTo('--save-coverage', saved, () => writeFileSync(saved, writeTestResults(results)))
      return isShown ? templateCoverageText(withoutChoices(results, ignored)) : undefined
    },
  }
}

function patternIn(pattern: string): RegExp {
  try {
    return new RegExp(pattern)
  } catch (error) {
    throw new UsageError(`--coverage-ignore-choice: ${(error as Error).message}`)
  }
}

function load(file: string): TestResults {
  return tryTo('--load-coverage', file, () => readTestResults(readFileSync(file), file))
}

/** What the file system refuses, and bytes that are no results, are told in a line. */
function tryTo<Result>(option: string, file: string, act: () => Result): Result {
  try {
    return act()
  } catch (error) {
    const isRead = (error as { syscall?: string }).syscall === undefined
    throw new StartError(
      isRead ? `${option}: ${file} holds no results of tests` : `${option}: ${(error as Error).message}`,
    )
  }
}
