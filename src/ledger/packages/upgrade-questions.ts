// What the checks of lineages need to know of the packages themselves. Small packages are read at once, large ones in a
// thread of their own, so that nothing else waits.
import assert from 'node:assert/strict'
import { openArchive } from '../../lf/archive/archive.ts'
import type { DecodedPackage } from '../../lf/archive/package.ts'
import { upgradeProblem } from '../../lf/upgrading/check-upgrade.ts'
import type { DecodedPackages } from './decoded-packages.ts'
import type { UpgradeAnswer, UpgradeQuestion } from './package-tasks.ts'
import { doInPackageThread } from './package-threads.ts'

/** Below this size, reading takes less than starting a thread. */
const asideBytes = 200_000

export function answerTo(question: UpgradeQuestion, cache?: DecodedPackages): UpgradeAnswer {
  const { archives, names, pairs, described } = question
  const decoded = new Map([...archives].map(([id, bytes]) => [id, decodedOnce(id, bytes, cache)]))
  const find = (id: string) => names.get(id)
  return {
    problems: pairs.map(([past, present]) => {
      return upgradeProblem(decoded.get(past)!.package, decoded.get(present)!.package, find)
    }),
    dependencies: new Map(described.map((id) => [id, [...decoded.get(id)!.checkBodies()]])),
  }
}

function decodedOnce(id: string, bytes: Uint8Array, cache: DecodedPackages | undefined): DecodedPackage {
  const known = cache?.get(id)
  if (known !== undefined) return known
  const decoded = openArchive(bytes).decodeKnown()
  cache?.add(id, decoded, bytes.length)
  return decoded
}

export async function answerAside(question: UpgradeQuestion): Promise<UpgradeAnswer> {
  const bytes = question.archives.values().reduce((sum, { length }) => sum + length, 0)
  if (bytes < asideBytes) return answerTo(question)
  const outcome = await doInPackageThread({ kind: 'upgrades', question })
  assert(outcome.kind === 'answer', 'a thread answers what it was asked')
  return outcome.answer
}
