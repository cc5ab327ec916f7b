// Reads a DAR file into plain descriptions of its packages, and checks those that the node does not know. Only threads
// do it: see reading-aside.ts.
import { ArchiveError } from '../../lf/archive/archive-error.ts'
import { payloadBytesOf } from '../../lf/archive/archive-hash.ts'
import { type CheckedPackage, checkDar, unmetDependencies } from '../../lf/checking/check-dar.ts'
import { openDar } from '../../lf/dar/dar.ts'
import { isUpgradable } from '../../lf/upgrading/lineages.ts'
import { refusalOfArchive, refusalOfDependencies, refusalOfPackage } from './dar-refusals.ts'
import { contentsOf } from './known-packages.ts'
import type { ReadDar, ReadingParts, ReadPackage } from './package-tasks.ts'

/** Throws a LedgerError for anything that is no consistent DAR of valid packages. */
export async function readDar(bytes: Uint8Array, parts: ReadingParts): Promise<ReadDar> {
  try {
    const dar = openDar(bytes, parts.seen)
    const known = new Map((await parts.knownAmong(dar.packages.map(({ id }) => id))).map((one) => [one.id, one]))
    const checked = checkDar(dar, {
      isTrusted: (id) => known.has(id),
      ...(parts.onProgress !== undefined && { onProgress: parts.onProgress }),
      createChecker: parts.createChecker,
      ...(parts.decoded !== undefined && { cache: parts.decoded }),
    })
    const problem = checked.problems[0]?.error
    const fresh = new Map(checked.packages.map((one) => [one.package.id, one]))
    const [main] = dar.packages
    const unmet = unmetDependencies({
      mainId: main!.id,
      mainLanguageVersion: known.get(main!.id)?.languageVersion ?? fresh.get(main!.id)!.package.languageVersion,
      packages: new Map(
        dar.packages.map((one) => {
          const dependencies = fresh.get(one.id)?.dependencies ?? known.get(one.id)?.dependencies
          return [one.id, dependencies ?? checked.dependenciesOf(one)]
        }),
      ),
    })
    if (unmet !== undefined) throw refusalOfDependencies(main!.id, unmet)
    if (problem !== undefined) throw refusalOfPackage(problem)
    return dar.packages.map(({ id }) => {
      const one = fresh.get(id)
      return one === undefined ? { knownId: id } : describe(one)
    })
  } catch (error) {
    throw error instanceof ArchiveError ? refusalOfArchive(error, parts.fileName) : error
  }
}

function describe({ package: described, bytes, dependencies }: CheckedPackage): ReadPackage {
  return {
    id: described.id,
    name: described.name,
    version: described.version,
    languageVersion: described.languageVersion,
    isUpgradable: isUpgradable(described),
    size: payloadBytesOf(bytes),
    contents: { ...contentsOf(described), dependencies },
    bytes,
  }
}
