// What the reference's type checker said of invalid packages and of mutants of our own, replayed: same verdict, same text.
// TALLYSTICK_MUTANTS=500 replays as many of each package as were recorded.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import { openArchive } from '../../src/lf/archive/archive.ts'
import { invalidPackages } from '../support/lf/invalid-packages.ts'
import {
  comparableText,
  fingerprintLength,
  fingerprintOf,
  mutantsOf,
  openPackages,
  type RecordedVerdicts,
  verdictOf,
} from '../support/lf/verdicts.ts'

const read = (file: string) => readFileSync(new URL(file, import.meta.url))
const recorded: RecordedVerdicts = JSON.parse(read('type-checker.json').toString('utf8'))
const mutantsReplayed = Number(process.env.TALLYSTICK_MUTANTS ?? 25)

/** Errors that no archive can have: our decoder, or an earlier check, refuses what would raise them. */
const unreachable = ['EDuplicateVariantCon', 'EDuplicateEnumCon', 'EEmptyConsFront', 'EIllegalHigherEnumType']

describe('the type checker agrees with the reference', () => {
  for (const { name, archive } of invalidPackages()) {
    test(`on ${name}`, () => {
      const found = verdictOf(archive, new Map()).replaceAll(openArchive(archive).id, 'self')
      assert.equal(comparableText(found), comparableText(recorded.invalid[name]!))
    })
  }

  test('on at least one package for each error', () => {
    const source = readFileSync(new URL('../../src/lf/checking/validation-error.ts', import.meta.url), 'utf8')
    const raised = new Set(Object.values(recorded.invalid).map((verdict) => /\.(E\w+):/.exec(verdict)![1]!))
    const elsewhere = ['EModuleVersionDependencies', 'ELimitReached'] // They need a second package, or a very large one.
    const known = [...source.matchAll(/^ {2}\| '(E\w+)'$/gm)].map(([, name]) => name!)
    assert.ok(known.length > 50)
    assert.deepEqual(
      known.filter((name) => !raised.has(name)),
      known.filter((name) => [...unreachable, ...elsewhere].includes(name)),
    )
  })

  for (const { dar, first, count, fingerprints } of recorded.mutants) {
    test(`on mutants of ${dar}`, () => {
      const bytes = read(`../../${dar}`)
      const packages = openPackages(bytes)
      const differ: number[] = []
      let seed = first
      for (const { archive } of mutantsOf(bytes, first, Math.min(count, mutantsReplayed))) {
        const at = (seed - first) * fingerprintLength
        const expected = fingerprints.slice(at, at + fingerprintLength)
        const verdict = verdictOf(archive, packages)
        const isComparable = comparableText(verdict) === verdict // Else the fingerprint is of a text that we do not print.
        if (isComparable && fingerprintOf(verdict) !== expected) differ.push(seed)
        seed += 1
      }
      assert.deepEqual(differ, [])
    })
  }
})
