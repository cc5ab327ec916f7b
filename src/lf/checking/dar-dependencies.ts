// A DAR must contain everything that its main package needs, and nothing else from LF 2.2 on, where packages declare
// their imports. Mirrors Engine.validateDar and its use in PackageUploader.
import { stablePackages } from '../archive/stable-packages.ts'

export type DarContents = {
  readonly mainId: string
  readonly mainLanguageVersion: string
  /** All packages with the ids of those that each needs. */
  readonly packages: ReadonlyMap<string, readonly string[]>
}

export type UnmetDependencies = { readonly missing: readonly string[]; readonly extra: readonly string[] }

/** Ids of packages that are missing or too many; undefined for a DAR that is consistent. */
export function unmetDependencies(contents: DarContents): UnmetDependencies | undefined {
  const { mainId, mainLanguageVersion, packages } = contents
  const needed = closureOf(mainId, packages)
  const missing = [...needed].filter((id) => !packages.has(id) && !stablePackages.has(id))
  const extra = [...packages.keys()].filter((id) => !needed.has(id) && !stablePackages.has(id))
  const mayHaveMore = mainLanguageVersion === '2.1'
  return missing.length === 0 && (extra.length === 0 || mayHaveMore) ? undefined : { missing, extra }
}

/** The main package and its transitive dependencies. */
function closureOf(mainId: string, packages: ReadonlyMap<string, readonly string[]>): Set<string> {
  const needed = new Set([mainId])
  for (const id of needed) for (const other of packages.get(id) ?? []) needed.add(other)
  return needed
}
