// How evaluation may end, as clients see it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compileFunction } from '../../base/generated-code.ts'
import { KindError } from '../../lf/values/kinds.ts'
import { Failure } from '../failures/failures.ts'
import { refusalOf } from '../requests/refusal.ts'
import { failureOf } from './evaluation-failures.ts'

const code = { exceptionMessage: () => 'a message' }
const illTyped = "Interpretation error: Error: the package's code met a value of another kind"

/** What this body throws when it runs as generated code. */
function thrownBy(body: string): unknown {
  try {
    return (compileFunction(['x'], body) as (x: unknown) => unknown)({})
  } catch (error) {
    return error
  }
}

const ends: [name: string, thrown: () => unknown, code: string, message: string, isSuspect: boolean][] = [
  [
    'a kind error',
    () => new KindError('a Bool was expected'),
    'DAML_INTERPRETATION_ERROR',
    `${illTyped}: a Bool was expected`,
    false,
  ],
  ['a TypeError of ours', () => new TypeError('x is no function'), 'DAML_INTERPRETATION_ERROR', illTyped, true],
  ['a TypeError of generated code', () => thrownBy('return x.y.z'), 'DAML_INTERPRETATION_ERROR', illTyped, true],
  ['a ReferenceError of generated code', () => thrownBy('return y'), 'DAML_INTERPRETATION_ERROR', illTyped, true],
  ['a SyntaxError', () => thrownBy('return ('), 'DAML_INTERPRETATION_ERROR', illTyped, true],
  [
    'endless recursion',
    () => thrownBy('const f = () => 1 + f(); return f()'),
    'INTERPRETATION_TIME_EXCEEDED',
    'The command recurses deeper than this node allows',
    false,
  ],
  [
    'an endless text',
    () => thrownBy('let t = "x"; for (;;) t += t'),
    'INTERPRETATION_TIME_EXCEEDED',
    'The command makes larger values than this node allows',
    false,
  ],
]

for (const [name, thrown, expected, message, isSuspect] of ends) {
  test(`${name} becomes ${expected}`, () => {
    const failure = failureOf(thrown(), code)
    assert.ok(failure instanceof Failure)
    const refusal = refusalOf(failure)
    assert.deepEqual([refusal.code, refusal.message], [expected, message])
    assert.equal(refusal.details.suspect !== undefined, isSuspect)
    if (isSuspect) assert.match(refusal.details.suspect!, /\n\s+at /)
  })
}

test('anything else is a bug, and is rethrown as it is', () => {
  for (const bug of [new Error('a bug'), 'a text', undefined]) {
    assert.throws(
      () => failureOf(bug, code),
      (error) => error === bug,
    )
  }
})
