// What the checks of lineages need to know of the packages themselves. Only threads answer it: see reading-aside.ts.
import { openArchive } from '../../lf/archive/archive.ts'
import type { DecodedPackage } from '../../lf/archive/package.ts'
import { upgradeProblem } from '../../lf/upgrading/check-upgrade.ts'
import type { DecodedPackages } from './decoded-packages.ts'
import type { Archives, UpgradeAnswer, UpgradeQuestion } from './package-tasks.ts'

type ArchivesOf = (ids: readonly string[]) => Promise<Archives>

/** Asks for the archives that are not among the packages decoded before. */
export async function answerTo(
  { sizes, names, pairs, described }: UpgradeQuestion,
  archivesOf: ArchivesOf,
  cache?: DecodedPackages,
): Promise<UpgradeAnswer> {
  const decoded = new Map<string, DecodedPackage>()
  for (const id of sizes.keys()) {
    const known = cache?.get(id)
    if (known !== undefined) decoded.set(id, known)
  }
  const missing = [...sizes.keys()].filter((id) => !decoded.has(id))
  const archives: Archives = missing.length === 0 ? new Map() : await archivesOf(missing)
  for (const [id, bytes] of archives) {
    const read = openArchive(bytes).decodeKnown()
    cache?.add(id, read, bytes.length)
    decoded.set(id, read)
  }
  return {
    problems: pairs.map(([past, present]) => {
      return upgradeProblem(decoded.get(past)!.package, decoded.get(present)!.package, (id) => names.get(id))
    }),
    dependencies: new Map(described.map((id) => [id, [...decoded.get(id)!.checkBodies()]])),
  }
}
