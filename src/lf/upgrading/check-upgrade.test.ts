import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { decodeArchive } from '../archive/archive.ts'
import { writePackage } from '../testing/described-package.ts'
import { upgradePairs } from '../testing/upgrade-pairs.ts'
import { upgradeProblem, upgradeProblems } from './check-upgrade.ts'
import { ruleTexts } from './problems.ts'

describe('an upgrade', () => {
  const raised = new Set<string>()

  for (const { name, past, present, dependencies = [], problem } of upgradePairs) {
    test(`${name}: ${problem === undefined ? 'valid' : 'refused'}`, () => {
      const [before, after] = [past, { ...present, version: '2.0.0' }].map(writePackage)
      const decoded = [before!, after!, ...dependencies].map(({ archive }) => decodeArchive(archive).package)
      const packages = new Map(decoded.map((each) => [each.id, each]))
      const problems = [...upgradeProblems(decoded[0]!, decoded[1]!, (id) => packages.get(id))]
      for (const { rule } of problems) raised.add(rule)
      assert.equal(problems[0]?.message, problem)
      assert.equal(
        upgradeProblem(decoded[0]!, decoded[1]!, (id) => packages.get(id)),
        problem,
      )
    })
  }

  test('can be refused by every rule', () => {
    assert.deepEqual([...raised].sort(), Object.keys(ruleTexts).sort())
  })
})
