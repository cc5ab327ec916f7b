import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  addInstance,
  addResults,
  addUse,
  local,
  noResults,
  oneDecimal,
  separator,
  templateCoverageText,
  withoutChoices,
} from './template-coverage.ts'
import { readTestResults, writeTestResults } from './test-results.ts'

const other = `id${separator}other`

/** As of a run with a dependency that has tests of its own. */
function results() {
  const all = noResults()
  all.templates.set('B:T', new Set(['Archive', 'X']))
  all.templates.set(`A:U${separator}${other}`, new Set(['Archive', 'Y']))
  all.interfaces.set(`A:I${separator}${other}`, new Set(['Z']))
  addInstance(all, {
    template: `A:U${separator}${other}`,
    interface: `A:I${separator}${other}`,
    package: other,
  })
  all.created.set('B:T', new Set([local]))
  all.created.set(`A:U${separator}${other}`, new Set([local, other]))
  all.exercised.set('Z', new Map([[`A:U${separator}${other}`, new Set([other])]]))
  return all
}

test('other packages have a part of their own', () => {
  const text = templateCoverageText(results())
  assert.match(text, /^- Internal templates\n {2}1 defined\n {2}1 \(100\.0%\) created$/m)
  const external = text.slice(text.indexOf('Modules external'))
  assert.ok(
    external.startsWith(`Modules external to this package:
- External templates
  1 defined
  1 (100.0%) created in any tests
  1 (100.0%) created in internal tests
  1 (100.0%) created in external tests
  external templates never created: 0
- External template choices
  2 defined
  0 (  0.0%) exercised in any tests
  0 (  0.0%) exercised in internal tests
  0 (  0.0%) exercised in external tests
  external template choices never exercised: 2
    other:A:U:Archive
    other:A:U:Y
- External interface implementations
  1 defined
- External interface choices
  1 defined
  1 (100.0%) exercised in any tests
  0 (  0.0%) exercised in internal tests
  1 (100.0%) exercised in external tests
  external interface choices never exercised: 0`),
    external,
  )
  assert.doesNotMatch(templateCoverageText(withoutChoices(results(), [/^other:A:U:Y$/])), /other:A:U:Y/)
})

test('a file holds all results, and adding them once more changes nothing', () => {
  const read = readTestResults(writeTestResults(results()), 'a file')
  assert.deepEqual(read, results())
  addResults(read, results())
  assert.deepEqual(read, results())
})

test('templates of packages that are not tested are used, but not defined', () => {
  const all = results()
  addUse(all, 'own', { created: new Set(['own:B:T', 'far:C:V']), exercised: new Map([['own:B:T', new Set(['X'])]]) })
  assert.deepEqual(all.created.get(['C:V', 'far', 'far'].join(separator)), new Set([local]))
  assert.match(templateCoverageText(all), /choices\n {2}2 defined\n {2}1 \( 50\.0%\) exercised/)
})

test('percentages are rounded as Haskell rounds them', () => {
  const values: [value: number, text: string][] = [
    [100, '100.0'],
    [100 / 3, '33.3'],
    [200 / 3, '66.7'],
    [12.25, '12.2'],
    [12.75, '12.8'],
    [99.96, '100.0'],
    [0, '0.0'],
  ]
  for (const [value, text] of values) assert.equal(oneDecimal(value), text)
})
