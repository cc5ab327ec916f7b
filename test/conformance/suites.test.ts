// Every suite of Canton's ledger-api-test-tool is covered by tests that exist, and COMPAT.md names those that do not run.
import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import { unknownSuites } from '../../tools/compare-suites.ts'
import { cantonSuites } from './canton-suites.ts'

const root = new URL('../../', import.meta.url)
const textOf = (file: string) => readFileSync(new URL(file, root), 'utf8')

describe("a suite of Canton's test tool is covered by tests that exist", () => {
  for (const { name, covering } of cantonSuites) {
    test(name, () => {
      assert.ok(covering.length > 0)
      for (const [file, title] of covering) {
        assert.ok(existsSync(new URL(file, root)), file)
        const titles = [...textOf(file).matchAll(/\b(?:test|describe)\(\s*(['"`])(.*?)\1/gs)].map(
          ([, , found]) => found!,
        )
        assert.ok(
          titles.some((found) => found.includes(title)),
          `${file} has no test "${title}"`,
        )
      }
    })
  }
})

test('COMPAT.md names the suites that do not run, with the reason', () => {
  const [, section = ''] = textOf('COMPAT.md').split("\n## Canton's conformance suites\n")
  const [text] = section.split('\n## ')
  for (const { name, notRun } of cantonSuites) {
    if (notRun === undefined) continue
    const row = text!.split('\n').find((line) => line.includes(`\`${name}\``))
    assert.ok(row?.includes(notRun), name)
  }
})

test('a suite that the table does not have is found in the sources', () => {
  const source = 'Vector(\n      new WitnessesIT,\n      new SomethingNewIT(testDars),\n      new TimeServiceIT)'
  assert.deepEqual(unknownSuites(source), ['SomethingNewIT'])
})
