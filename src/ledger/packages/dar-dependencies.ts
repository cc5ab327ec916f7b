// A DAR must contain everything that its main package needs, and nothing else from LF 2.2 on, where packages declare
// their imports. Mirrors Engine.validateDar and its use in PackageUploader.
import { LedgerError } from '../../base/errors.ts'
import { stablePackages } from '../../lf/archive/stable-packages.ts'

/** Ids shown in an error; a DAR may hold thousands. */
const idsShownMax = 10

export type DarContents = {
  readonly mainId: string
  readonly mainLanguageVersion: string
  /** All packages with the ids of those that each needs. */
  readonly packages: ReadonlyMap<string, readonly string[]>
}

export function checkDependencies({ mainId, mainLanguageVersion, packages }: DarContents): void {
  const needed = closureOf(mainId, packages)
  const missing = [...needed].filter((id) => !packages.has(id) && !stablePackages.has(id))
  const extra = [...packages.keys()].filter((id) => !needed.has(id) && !stablePackages.has(id))
  const mayHaveMore = mainLanguageVersion === '2.1'
  if (missing.length === 0 && (extra.length === 0 || mayHaveMore)) return
  throw new LedgerError(
    'DAR_DEPENDENCIES_NOT_VALID',
    'The set of packages in the dar is not self-consistent and is missing dependencies or has extra dependencies',
    {
      context: {
        mainPackageId: mainId,
        missingDependencies: shown(missing),
        extraDependencies: shown(extra),
      },
    },
  )
}

/** The main package and its transitive dependencies. */
function closureOf(mainId: string, packages: ReadonlyMap<string, readonly string[]>): Set<string> {
  const needed = new Set([mainId])
  for (const id of needed) for (const other of packages.get(id) ?? []) needed.add(other)
  return needed
}

function shown(ids: readonly string[]): string {
  const more = ids.length > idsShownMax ? `, … (${ids.length})` : ''
  return `Set(${ids.slice(0, idsShownMax).join(', ')}${more})`
}
