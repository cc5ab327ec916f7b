// Reads a DAR file into plain descriptions of its packages, and checks those that the node does not know. Only threads
// do it: see reading-aside.ts.
import { ArchiveError } from '../../lf/archive/archive-error.ts'
import { payloadBytesOf } from '../../lf/archive/archive-hash.ts'
import { type CheckedPackage, checkDar, declared, unmetDependencies } from '../../lf/checking/check-dar.ts'
import { type OpenDar, openDar } from '../../lf/dar/dar.ts'
import { isUpgradable } from '../../lf/upgrading/lineages.ts'
import { refusalOfArchive, refusalOfDependencies, refusalOfPackage } from './dar-refusals.ts'
import { contentsOf } from './known-packages.ts'
import type { ReadDar, ReadingParts, ReadPackage } from './package-tasks.ts'

/** Throws a LedgerError for anything that is no consistent DAR of valid packages. */
export async function readDar(bytes: Uint8Array, parts: ReadingParts): Promise<ReadDar> {
  const { dar, fresh } = await checked(bytes, parts)
  return dar.packages.map(({ id }) => {
    const one = fresh.get(id)
    return one === undefined ? { knownId: id } : describe(one)
  })
}

/** Describes the packages of a DAR as they say that they are, and only then throws what is wrong with them. */
export async function describeAndCheck(
  bytes: Uint8Array,
  parts: ReadingParts,
  onDescribed: (dar: ReadDar) => void,
): Promise<void> {
  await checked(bytes, parts, ({ packages }) => {
    const ids = new Set(packages.map(({ id }) => id))
    const described = packages.map(({ bytes, decodeKnown }) => {
      const { package: package_, mentioned } = decodeKnown()
      return describe({ package: package_, bytes, dependencies: declared(package_, mentioned(ids)) })
    })
    onDescribed(described)
  })
}

/** Calls `describe` with the DAR before it checks it. If a package is too damaged to describe, the check says why. */
async function checked(bytes: Uint8Array, parts: ReadingParts, describe: (dar: OpenDar) => void = () => {}) {
  try {
    const dar = openDar(bytes, parts.seen)
    const known = new Map((await parts.knownAmong(dar.packages.map(({ id }) => id))).map((one) => [one.id, one]))
    try {
      describe(dar)
    } catch (error) {
      if (!(error instanceof ArchiveError) && !(error instanceof RangeError)) throw error
    }
    const { packages, problems, dependenciesOf } = checkDar(dar, {
      isTrusted: (id) => known.has(id),
      ...(parts.onProgress !== undefined && { onProgress: parts.onProgress }),
      createChecker: parts.createChecker,
      ...(parts.decoded !== undefined && { cache: parts.decoded }),
    })
    const problem = problems[0]?.error
    const fresh = new Map(packages.map((one) => [one.package.id, one]))
    const [main] = dar.packages
    const unmet = unmetDependencies({
      mainId: main!.id,
      mainLanguageVersion: known.get(main!.id)?.languageVersion ?? fresh.get(main!.id)!.package.languageVersion,
      packages: new Map(
        dar.packages.map((one) => {
          const dependencies = fresh.get(one.id)?.dependencies ?? known.get(one.id)?.dependencies
          return [one.id, dependencies ?? dependenciesOf(one)]
        }),
      ),
    })
    if (unmet !== undefined) throw refusalOfDependencies(main!.id, unmet)
    if (problem !== undefined) throw refusalOfPackage(problem)
    return { dar, fresh }
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
