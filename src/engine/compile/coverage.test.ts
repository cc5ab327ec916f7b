import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { decodeDar } from '../../lf/dar/dar.ts'
import { createEngine } from '../engine.ts'
import { createCoverage, keyOfPoint, type Point } from './coverage.ts'

const { main, packages } = decodeDar(readFileSync(new URL('../../../test/lf/coverage-lf23.dar', import.meta.url)))
const known = new Map(packages.map((each) => [each.package.id, each.package]))
const id = main.package.id

const engineFor = (covered?: readonly string[]) =>
  createEngine({ get: (packageId) => known.get(packageId) }, { covered })

/** All code of the package, compiled for these covered packages. */
function compiledWith(covered?: readonly string[]) {
  const engine = engineFor(covered)
  engine.code.compileAll(id)
  return { points: engine.coverage?.points() ?? [], engine }
}

/** Functions as they were written. Those that use records name them by numbers, which no two engines share. */
function textsWith(covered?: readonly string[]): string[] {
  const { code } = engineFor(covered)
  return ['doubled', 'size', 'unpacked', 'lone', 'unused'].map((name) =>
    String(code.value({ packageId: id, module: 'Covered', name })),
  )
}

test('code that is not covered is the same, whether or not there is coverage', () => {
  const plain = textsWith()
  assert.match(plain[0]!, /^function/)
  assert.deepEqual(textsWith(['another package']), plain)
  for (const [index, text] of textsWith([id]).entries()) assert.notEqual(text, plain[index])
  assert.equal(engineFor().coverage, undefined)
})

test('every place is listed, in whatever order it is compiled', () => {
  const keys = (points: readonly Point[]) => points.map(keyOfPoint).sort()
  const { points, engine } = compiledWith([id])
  const other = engineFor([id])
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
