// Coverage in the format of LCOV, which editors and CI systems read: https://github.com/linux-test-project/lcov (geninfo).
import { branchesOf, type CoveredFile, linesOf } from './source-coverage.ts'

/** `pathOf` is where the source of a file is. */
export function lcovText(files: readonly CoveredFile[], pathOf: (file: CoveredFile) => string): string {
  return files.map((file) => `${recordOf(file, pathOf(file)).join('\n')}\n`).join('')
}

function recordOf(file: CoveredFile, path: string): string[] {
  const branches = branchesOf(file)
  const lines = linesOf(file)
  return [
    'TN:',
    `SF:${path}`,
    ...file.branches.flatMap(({ at, arms }, block) => {
      const isReached = arms.some(({ count }) => count > 0)
      return arms.map(({ count }, arm) => `BRDA:${at.startLine + 1},${block},${arm},${isReached ? count : '-'}`)
    }),
    `BRF:${branches.all}`,
    `BRH:${branches.covered}`,
    ...[...file.lines].map(([line, { count }]) => `DA:${line},${count}`),
    `LF:${lines.all}`,
    `LH:${lines.covered}`,
    'end_of_record',
  ]
}
