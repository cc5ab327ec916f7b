import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { decodeDar } from '../../lf/dar/dar.ts'
import { createEngine } from '../engine.ts'
import { createCoverage, keyOfPoint, type Point } from './coverage.ts'

const { main, packages } = decodeDar(readFileSync(new URL('../../../test/lf/coverage-lf23.dar', import.meta.url)))
const known = new Map(packages.map((each) => [each.package.id, each.package]))
const id = main.package.id

/** All code of the package, compiled for these covered packages. */
function compiledWith(covered?: readonly string[]) {
  const engine = createEngine({ get: (packageId) => known.get(packageId) }, { covered })
  engine.code.compileAll(id)
  return { characters: engine.code.compiled.characters, points: engine.coverage?.points() ?? [], engine }
}

test('code that is not covered is the same, whether or not there is coverage', () => {
  const plain = compiledWith()
  assert.equal(compiledWith(['another package']).characters, plain.characters)
  assert.deepEqual([plain.engine.coverage, plain.points], [undefined, []])
  assert.ok(compiledWith([id]).characters > plain.characters)
})

test('every place is listed, in whatever order it is compiled', () => {
  const keys = (points: readonly Point[]) => points.map(keyOfPoint).sort()
  const { points, engine } = compiledWith([id])
  const other = createEngine({ get: (packageId) => known.get(packageId) }, { covered: [id] })
  other.code.value({ packageId: id, module: 'Covered', name: 'unused' })
  other.code.compileAll(id)
  assert.deepEqual(keys(other.coverage!.points()), keys(points))
  assert.equal(engine.coverage!.take().size, 0)
})

test('what ran is counted once', () => {
  const { engine } = compiledWith([id])
  engine.evaluate({ packageId: id, module: 'Covered', name: 'unused' }, [1], 1000)
  const places = [...engine.coverage!.take()]
  assert.deepEqual(
    places.map(([key, count]) => [key.replace(id, ''), count]),
    [
      ['place  Covered 23 11 23 16', 1],
      ['place  Covered 23 15 23 16', 1],
    ],
  )
  assert.equal(engine.coverage!.take().size, 0)
})

test('points are limited', () => {
  const coverage = createCoverage([id], 2)
  const place = (startLine: number): Point => {
    return { kind: 'place', at: { packageId: id, module: 'M', startLine, startColumn: 0, endLine: 9, endColumn: 0 } }
  }
  assert.deepEqual(
    [1, 2, 3, 2].map((line) => coverage.indexOf(place(line))),
    [0, 1, undefined, 1],
  )
})
