// Which test files a run takes: those that the command line names, by file or folder, or all of them.
import { globSync, statSync } from 'node:fs'
import { join, relative, resolve, sep } from 'node:path'

/** `isUnit` takes only tests beside the sources that are quick without a bundle. */
export type Selection = { readonly root: string; readonly places: readonly string[]; readonly isUnit: boolean }

/**
 * Beside the sources, but too slow for `npm run unit`: they start many of the engine's threads. Without a bundle, each
 * thread strips the types of all its modules and compiles them again.
 */
export const slowUnits: readonly string[] = [
  'src/engine/escape.test.ts',
  'src/engine/pool/pool.test.ts',
  'src/engine/pool/questions.test.ts',
  'src/engine/requests/interface-views.test.ts',
]

/** Absolute paths. Throws if a place does not exist or has no tests, so that a typing error does not pass as a success. */
export function selectTests({ root, places, isUnit }: Selection): string[] {
  const folders = isUnit ? ['src'] : ['src', 'test']
  const named = places.length > 0 ? places.map((place) => resolve(place)) : folders.map((name) => join(root, name))
  const files = [...new Set(named.flatMap((place) => testsIn(place)))]
  if (!isUnit) return files
  const units = files.filter((file) => isUnitTest(relative(root, file).replaceAll(sep, '/')))
  if (units.length === 0) throw new Error(`npm run unit does not run ${places.join(' ')}: use npm test`)
  return units
}

function testsIn(place: string): string[] {
  const found = statSync(place, { throwIfNoEntry: false })
  if (found === undefined) throw new Error(`there is no file or folder ${place}`)
  if (found.isFile()) return [place]
  const files = globSync('**/*.test.ts', { cwd: place }).map((file) => join(place, file))
  if (files.length === 0) throw new Error(`there are no tests in ${place}`)
  return files
}

function isUnitTest(file: string): boolean {
  return file.startsWith('src/') && !slowUnits.includes(file)
}
