import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { writePackage } from '../../../test/support/lf/described-package.ts'
import { upgradePairs } from '../../../test/support/lf/upgrade-pairs.ts'
import { decodeArchive } from '../archive/archive.ts'
import { upgradeProblem, upgradeProblems } from './check-upgrade.ts'
import { ruleTexts } from './problems.ts'

describe('an upgrade', () => {
  for (const { name, past, present, dependencies = [], problem } of upgradePairs) {
    test(`${name}: ${problem === undefined ? 'valid' : 'refused'}`, () => {
      const pair = decodedPair({ past, present, dependencies })
      assert.equal(upgradeProblems(...pair).next().value?.message, problem)
      assert.equal(upgradeProblem(...pair), problem)
    })
  }

  test('can be refused by every rule', () => {
    const raised = new Set(
      upgradePairs.flatMap((pair) => [...upgradeProblems(...decodedPair(pair))]).map(({ rule }) => rule),
    )
    assert.deepEqual([...raised].sort(), Object.keys(ruleTexts).sort())
  })
})

type Pair = Pick<(typeof upgradePairs)[number], 'past' | 'present' | 'dependencies'>

function decodedPair({ past, present, dependencies = [] }: Pair): Parameters<typeof upgradeProblems> {
  const [before, after] = [past, { ...present, version: '2.0.0' }].map(writePackage)
  const decoded = [before!, after!, ...dependencies].map(({ archive }) => decodeArchive(archive).package)
  const packages = new Map(decoded.map((each) => [each.id, each]))
  return [decoded[0]!, decoded[1]!, (id) => packages.get(id)]
}
