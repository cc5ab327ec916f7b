import assert from 'node:assert/strict'
import { test } from 'node:test'
import { apply1, apply2, apply3, applyAll, type LfFunction } from './apply.ts'

/** Returns its arguments, and has the given arity. */
const collect = (arity: number): LfFunction =>
  Object.defineProperty((...args: unknown[]) => args, 'length', { value: arity })

const applyDirectly: [name: string, args: unknown[], run: (f: LfFunction, args: unknown[]) => unknown][] = [
  ['apply1', ['a'], (f, [a]) => apply1(f, a)],
  ['apply2', ['a', 'b'], (f, [a, b]) => apply2(f, a, b)],
  ['apply3', ['a', 'b', 'c'], (f, [a, b, c]) => apply3(f, a, b, c)],
  ['applyAll', ['a', 'b', 'c', 'd'], applyAll],
]

for (const [name, args, run] of applyDirectly) {
  for (let arity = args.length; arity <= args.length + 6; arity += 1) {
    test(`${name} of a function of ${arity} waits for ${arity - args.length} more`, () => {
      let result = run(collect(arity), args)
      for (let missing = arity - args.length; missing > 0; missing -= 1) {
        assert.equal((result as LfFunction).length, missing)
        result = apply1(result as LfFunction, missing)
      }
      const rest = Array.from({ length: arity - args.length }, (_, index) => arity - args.length - index)
      assert.deepEqual(result, [...args, ...rest])
    })
  }
}

const one: LfFunction = (a) => (b: unknown) => (c: unknown) => (d: unknown) => [a, b, c, d]
const two: LfFunction = (a, b) => (c: unknown, d: unknown) => [a, b, c, d]
const three: LfFunction = (a, b, c) => (d: unknown) => [a, b, c, d]

for (const [name, f] of Object.entries({ one, two, three })) {
  test(`arguments beyond the first ${name} go to what the function returns`, () => {
    assert.deepEqual(applyAll(f, [1, 2, 3, 4]), [1, 2, 3, 4])
    assert.deepEqual(apply1(apply3(f, 1, 2, 3) as LfFunction, 4), [1, 2, 3, 4])
    assert.deepEqual(apply2(apply2(f, 1, 2) as LfFunction, 3, 4), [1, 2, 3, 4])
  })
}
