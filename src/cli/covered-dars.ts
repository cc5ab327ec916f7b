// The packages whose coverage is asked for, and where their sources are.
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, relative, sep } from 'node:path'
import { StartError } from '../base/errors.ts'
import type { OpenPackage } from '../lf/dar/dar.ts'
import type { SourceOf } from '../lf/dar/sources.ts'

export type CoveredPackage = {
  readonly id: string
  /** Name and version. */
  readonly name: string
  /** The packages of the DAR that it was found in. */
  readonly dalfs: ReadonlyMap<string, Uint8Array>
  readonly file: string
  /** From the DAR, if it is the main package of one. */
  readonly sourceOf: SourceOf
  /** The folder that its sources are probably in. */
  readonly sourceFolder: string | undefined
}

type Wish = {
  /** The DARs with scripts: those that cannot be read are reported elsewhere. */
  readonly files: readonly string[]
  /** Further DARs whose main packages are covered. */
  readonly further: readonly string[]
  /** Covers packages with such names, whatever DAR they are in. */
  readonly pattern: RegExp | undefined
  /** Where the sources are, if that is said. */
  readonly sources: string | undefined
}

/** Each package once, with its sources if any of the DARs has them. */
export async function coveredPackages({ files, further, pattern, sources }: Wish): Promise<CoveredPackage[]> {
  const found = new Map<string, CoveredPackage & { readonly isMain: boolean }>()
  for (const file of [...further, ...files]) {
    const dar = await openCovered(file, !further.includes(file))
    if (dar === undefined) continue
    const dalfs = new Map(dar.packages.map(({ id, bytes }) => [id, bytes]))
    const own = { file, dalfs, sourceFolder: sources ?? sourceFolderOf(file) }
    const [main, ...others] = dar.packages as [OpenPackage, ...OpenPackage[]]
    const known = found.get(main.id)
    if (known === undefined || !known.isMain) {
      found.set(main.id, { ...own, id: main.id, name: nameOf(main), sourceOf: dar.sourceOf, isMain: true })
    }
    if (pattern === undefined) continue
    for (const each of others) {
      if (found.has(each.id) || !pattern.test(nameOf(each))) continue
      found.set(each.id, { ...own, id: each.id, name: nameOf(each), sourceOf: () => undefined, isMain: false })
    }
  }
  return [...found.values()]
}

async function openCovered(file: string, mayFail: boolean) {
  const { openDar } = await import('../lf/dar/dar.ts')
  const { openSources } = await import('../lf/dar/sources.ts')
  const { ArchiveError } = await import('../lf/archive/archive-error.ts')
  try {
    const bytes = readFileSync(file)
    return { packages: openDar(bytes).packages, sourceOf: openSources(bytes) }
  } catch (error) {
    const isFile = error instanceof ArchiveError || (error as { syscall?: string }).syscall !== undefined
    if (!isFile) throw error
    if (mayFail) return undefined
    throw new StartError(`--coverage-dar: cannot read ${file}: ${(error as Error).message}`)
  }
}

function nameOf({ decode }: OpenPackage): string {
  const { name, version } = decode().package
  return `${name}-${version}`
}

/** A DAR is usually in `.daml/dist` of its project, whose `daml.yaml` names the folder of the sources. */
function sourceFolderOf(file: string): string | undefined {
  const folder = dirname(file)
  if (!folder.endsWith(join('.daml', 'dist'))) return undefined
  const project = dirname(dirname(folder))
  const settings = join(project, 'daml.yaml')
  if (!existsSync(settings)) return undefined
  const [, source] = /^source:\s*["']?([^"'#\n]+?)["']?\s*(#.*)?$/m.exec(readFileSync(settings, 'utf8')) ?? []
  return source && join(project, source)
}

/** The source of a module: its path for other programs, and its text if it is known. */
export function sourceFile(
  { sourceOf, sourceFolder }: CoveredPackage,
  module: string,
): { readonly path: string; readonly text: string | undefined } {
  const path = `${module.replaceAll('.', '/')}.daml`
  const inFolder = sourceFolder && join(sourceFolder, path)
  const isThere = inFolder !== undefined && existsSync(inFolder)
  return {
    path: isThere ? relative('.', inFolder).replaceAll(sep, '/') : path,
    text: sourceOf(module) ?? (isThere ? readFileSync(inFolder, 'utf8') : undefined),
  }
}
