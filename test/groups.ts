// Which test files share a process. Loading the sources and compiling them takes longer than the tests of most files,
// and a file finds warm what those before it have used: compiled code and the engine's threads.
import { writeFileSync } from 'node:fs'
import { join, relative, sep } from 'node:path'

export type Group = {
  /** The module to run: the only file itself, or one that loads all files. */
  readonly module: string
  readonly name: string
}

export type Grouping = {
  readonly root: string
  readonly files: readonly string[]
  /** Every file gets a process of its own. */
  readonly isEachAlone: boolean
  /** Where to write the modules that load several files. */
  readonly folder: string
}

/** Files with a process of their own, because they take long. The first start first, so that no core idles at the end. */
const alone: readonly string[] = [
  'src/store/postgres/outage.test.ts', // Waits most of the time, so it must not be the last one.
  'test/attack.test.ts',
  'test/e2e/examples.test.ts',
  'test/e2e/cli.test.ts',
  'test/e2e/installing.test.ts',
  'test/e2e/runner-examples.test.ts',
  'test/e2e/fair-share.test.ts',
  'test/e2e/prune.test.ts',
  'test/e2e/rights.test.ts',
  'test/e2e/hostile.test.ts',
  'test/e2e/check.test.ts',
  'test/e2e/resets.test.ts', // Walks through the heap, which is small if nothing else has run.
  'src/lf/archive/reader-code.test.ts', // Loads other test files, which would not run twice in a process.
]

/** So many files share a process. More would save little and make the last process of a run long. */
const filesMax: readonly (readonly [folder: string, count: number])[] = [
  ['src/', 40],
  ['test/explorer/', 12],
  ['', 14],
]

const loader = new URL('./load-files.ts', import.meta.url).href

export function groupTests({ root, files, isEachAlone, folder }: Grouping): Group[] {
  const names = new Map(files.map((file) => [relative(root, file).replaceAll(sep, '/'), file]))
  const first = alone.filter((name) => names.has(name))
  const others = [...names.keys()].filter((name) => !alone.includes(name)).toSorted()
  // From the end, because the quick ones of src/ fill the cores best when few are left.
  const rest = (isEachAlone ? others.map((name) => [name]) : chunks(others)).toReversed()
  const groups = [...first.map((name) => [name]), ...rest]
  return groups.map((group, index) => {
    const paths = group.map((name) => names.get(name)!)
    if (paths.length === 1) return { module: paths[0]!, name: group[0]! }
    const module = join(folder, `group-${index}.mjs`)
    writeFileSync(module, `import { loadFiles } from ${JSON.stringify(loader)}\nloadFiles(${JSON.stringify(paths)})\n`)
    return { module, name: `${group[0]} and ${group.length - 1} more` }
  })
}

/** Neighbours take similarly long, so each process gets some from everywhere: then the last ones of a run end together. */
function chunks(names: readonly string[]): string[][] {
  const byFolder = Object.groupBy(names, (name) => filesMax.findIndex(([folder]) => name.startsWith(folder)))
  return Object.entries(byFolder).flatMap(([index, inFolder]) => {
    const count = Math.ceil(inFolder!.length / filesMax[Number(index)]![1])
    return Array.from({ length: count }, (_, at) => inFolder!.filter((_, index) => index % count === at))
  })
}
