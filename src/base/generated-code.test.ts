// Generated code sees only what it is given.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compileFunction } from './generated-code.ts'

const run = (body: string, ...args: unknown[]) =>
  (
    compileFunction(
      args.map((_, index) => `a${index}`),
      body,
    ) as (...given: unknown[]) => unknown
  )(...args)

test('it is a function of its parameters', () => {
  assert.equal(run('return a0 + a1', 1, 2), 3)
  assert.equal(run('return undefined'), undefined)
})

test('no global is visible', () => {
  for (const name of [
    'process',
    'globalThis',
    'global',
    'Function',
    'Object',
    'Buffer',
    'fetch',
    'console',
    'WebAssembly',
  ]) {
    assert.equal(run(`return typeof ${name}`), 'undefined', name)
  }
  for (const name of Object.getOwnPropertyNames(globalThis)) {
    if (/^[a-z]\w*$/i.test(name) && !['eval', 'NaN', 'Infinity'].includes(name)) {
      assert.equal(run(`return typeof ${name}`), 'undefined', name)
    }
  }
})

test('it runs in strict mode, without `this`', () => {
  assert.equal(run('return this'), undefined)
  assert.throws(() => run('undeclared = 1'), ReferenceError)
})

test('it imports nothing', async () => {
  await assert.rejects(run('return import("node:fs")') as Promise<unknown>)
})

test('positions give the name of the script and the line of the body', () => {
  const failing = compileFunction(['x'], 'const y = x\nreturn y.z.w', 'place.js') as (x: object) => unknown
  assert.throws(() => failing({}), { stack: /place\.js:3:/ })
})
