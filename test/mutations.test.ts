// The list of mutations fits the code: `tools/mutations/main.ts` can make each of them.
import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { mutations } from '../tools/mutations/list.ts'

const root = join(import.meta.dirname, '..')

test('every mutation changes one place, and its tests exist', () => {
  for (const { file, from, to, tests } of mutations) {
    const occurrences = readFileSync(join(root, file), 'utf8').split(from).length - 1
    assert.equal(occurrences, 1, `${file}: ${from}`)
    assert.notEqual(from, to, file)
    for (const each of tests) assert.ok(existsSync(join(root, each)), each)
  }
})

test('there are enough of them', () => {
  assert.ok(mutations.length >= 60, `${mutations.length}`)
})
