// A DAR must contain everything that its main package needs, and nothing else from LF 2.2 on, where packages declare
// their imports. Mirrors Engine.validateDar and its use in PackageUploader.
import { LedgerError } from '../../base/errors.ts'
import { stablePackages } from '../../lf/archive/stable-packages.ts'
import type { Dar, DarPackage } from '../../lf/dar/dar.ts'

/** Ids shown in an error; a DAR may hold thousands. */
const idsShownMax = 10

export function checkDependencies({ main, packages }: Dar): void {
  const included = new Map(packages.map((entry) => [entry.package.id, entry]))
  const needed = closureOf(main, included)
  const missing = [...needed].filter((id) => !included.has(id))
  const extra = [...included.keys()].filter((id) => !needed.has(id) && !stablePackages.has(id))
  const mayHaveMore = main.package.languageVersion === '2.1'
  if (missing.length === 0 && (extra.length === 0 || mayHaveMore)) return
  throw new LedgerError(
    'DAR_DEPENDENCIES_NOT_VALID',
    'The set of packages in the dar is not self-consistent and is missing dependencies or has extra dependencies',
    {
      context: {
        mainPackageId: main.package.id,
        missingDependencies: shown(missing),
        extraDependencies: shown(extra),
      },
    },
  )
}

/** The main package and its transitive dependencies. */
function closureOf(main: DarPackage, included: ReadonlyMap<string, DarPackage>): Set<string> {
  const needed = new Set([main.package.id])
  for (const id of needed) {
    const entry = included.get(id)
    for (const other of entry === undefined ? [] : needsOf(entry)) needed.add(other)
  }
  return needed
}

function needsOf(entry: DarPackage): Iterable<string> {
  return [...(entry.package.imports ?? []), ...entry.dependencies]
}

function shown(ids: readonly string[]): string {
  const more = ids.length > idsShownMax ? `, … (${ids.length})` : ''
  return `Set(${ids.slice(0, idsShownMax).join(', ')}${more})`
}
