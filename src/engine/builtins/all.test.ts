import assert from 'node:assert/strict'
import { test } from 'node:test'
import { builtinsInTests } from '../../../test/support/engine/evaluate.ts'
import { type BuiltinName, builtins } from '../../lf/syntax/builtins.ts'

test('every builtin is implemented, and nothing else', () => {
  assert.deepEqual(Object.keys(builtinsInTests).sort(), Object.keys(builtins).sort())
})

test('every builtin takes as many arguments as its arity says', () => {
  for (const [name, value] of Object.entries(builtinsInTests)) {
    const arity = typeof value === 'function' ? value.length : 0
    assert.equal(arity, builtins[name as BuiltinName].arity, name)
  }
})
