// The coverage of `tallystick test`: what is counted while the scripts run, and what is reported in the end.
import type { Settings } from '../base/settings.ts'
import type { CoverageFlags } from './coverage-options.ts'
import { createLineCounter } from './line-counting.ts'
import type { ScriptDar } from './script-dars.ts'
import type { Counting, ScriptResult } from './script-ledger.ts'
import { openTemplateCounting } from './template-counting.ts'

export type TestCoverage = {
  readonly counting: Counting
  noteDar(dar: ScriptDar): void
  noteResult(dar: ScriptDar, result: ScriptResult): void
  /** Writes the files, and returns what is to be printed. */
  finish(width: number | undefined): Promise<string[]>
}

export async function createTestCoverage(
  flags: CoverageFlags,
  files: readonly string[],
  limits: Settings['engine'],
): Promise<TestCoverage> {
  const templates = openTemplateCounting(flags)
  const lines = await createLineCounter(flags, files, limits)
  return {
    counting: { countsTemplates: templates !== undefined, lines: lines?.counting },
    noteDar: (dar) => templates?.noteDar(dar),
    noteResult(dar, { used }) {
      if (used !== undefined) templates?.noteUse(dar, used)
    },
    async finish(width) {
      return [templates?.finish(), await lines?.finish(width)].filter((text) => text !== undefined)
    },
  }
}
