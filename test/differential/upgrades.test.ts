// Random upgrades, checked again: the verdict and its text are the reference's. TALLYSTICK_UPGRADES=1500 checks as many
// as were recorded.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { decodeArchive } from '../../src/lf/archive/archive.ts'
import type { Package } from '../../src/lf/syntax/ast.ts'
import { upgradeProblem } from '../../src/lf/upgrading/check-upgrade.ts'
import { type WrittenPackage, writePackage } from '../support/lf/described-package.ts'
import { mutantDependencies, upgradeMutants } from '../support/lf/upgrade-mutants.ts'
import { recordedUpgrades, verdictDigest } from './recorded-upgrades.ts'

const recording = join(import.meta.dirname, 'upgrades.txt')
const checked = Number(process.env.TALLYSTICK_UPGRADES ?? 400)

test('random upgrades are judged as by the reference, in the same words', () => {
  const decoded = ({ archive }: WrittenPackage): Package => decodeArchive(archive).package
  const libraries = mutantDependencies.map(decoded)
  const digests: string[] = []
  for (const mutant of upgradeMutants(checked, recordedUpgrades.seed)) {
    const [past, present] = [decoded(writePackage(mutant.past)), decoded(writePackage(mutant.present))]
    const names = new Map([past, present, ...libraries].map((each) => [each.id, each]))
    for (const [before, after] of [
      [past, present],
      [present, past],
    ] as const) {
      digests.push(verdictDigest(upgradeProblem(before, after, (id) => names.get(id))))
    }
  }
  const recorded = readFileSync(recording, 'utf8').replaceAll('\n', '').match(/.{8}/g) ?? []
  assert.equal(recorded.length, 2 * recordedUpgrades.count)
  const differing = digests.flatMap((digest, i) => (digest === recorded[i] ? [] : [i]))
  assert.deepEqual(differing, [], 'tools/lf/upgrades shows what differs')
})
