// Annotations: which keys and values are accepted, how changes are merged, and what counts against the limit.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { LedgerError } from '../../base/errors.ts'
import { annotationBytes, checkAnnotations, mergeAnnotations } from './annotations.ts'

const rules = { field: 'user.metadata.annotations', emptyValues: 'forbidden' } as const

function problemOf(annotations: Record<string, string>, emptyValues: 'allowed' | 'forbidden' = 'forbidden') {
  try {
    checkAnnotations(annotations, { ...rules, emptyValues })
    return undefined
  } catch (error) {
    assert.ok(error instanceof LedgerError)
    assert.equal(error.code, 'INVALID_ARGUMENT')
    return error.message.replace('The submitted request has invalid arguments: ', '')
  }
}

describe('a key', () => {
  const name = (text: string) => `Key name segment '${text}' has invalid syntax`
  const prefix = (text: string) => `Key prefix segment '${text}' has invalid syntax`
  const rows: [key: string, problem: string | undefined][] = [
    ['team', undefined],
    ['a', undefined],
    ['0', undefined],
    ['a.b-c_d', undefined],
    ['example.com/team', undefined],
    ['a-b.example/team', undefined],
    ['team/', undefined], // Java's split drops empty parts at the end.
    ['x'.repeat(63), undefined],
    [`${'p'.repeat(253)}/x`, undefined],
    ['', name('')],
    ['a b', name('a b')],
    ['.a', name('.a')],
    ['a.', name('a.')],
    ['-a', name('-a')],
    ['é', name('é')],
    ['a\0', name('a\0')],
    ['a\n', name('a\n')],
    ['__proto__', name('__proto__')],
    ['/team', prefix('')],
    ['a..b/team', prefix('a..b')],
    ['a_b/team', prefix('a_b')],
    ['-a/team', prefix('-a')],
    ['a/b/c', "Key 'a/b/c' contains more than one forward slash ('/') character"],
    ['/', "Key '/' contains more than one forward slash ('/') character"],
    ['a/.', name('.')],
    ['x'.repeat(64), `Key name segment '${'x'.repeat(50)}...' exceeds maximum length of 63 characters`],
    [`${'p'.repeat(254)}/x`, `Key prefix segment '${'p'.repeat(50)}...' exceeds maximum length of 253 characters`],
  ]
  for (const [key, problem] of rows) {
    const shown = key.length > 30 ? `of ${key.length} characters` : JSON.stringify(key)
    test(`${shown} is ${problem === undefined ? 'fine' : 'refused'}`, () =>
      assert.equal(problemOf({ [key]: 'x' }), problem))
  }

  test('that is built to be slow to check is checked fast', () => {
    // A check that backtracks takes years.
    for (let index = 0; index < 30; index += 1)
      problemOf({ [`${'a'.repeat(252)}!/x`]: 'x', [`${'a'.repeat(62)}!`]: 'x' })
  })
})

describe('a value', () => {
  const unstorable = "The value of the annotation 'a' holds a character that cannot be stored"
  const rows: [value: string, emptyValues: 'allowed' | 'forbidden', problem: string | undefined][] = [
    ['x', 'forbidden', undefined],
    ['any text: é \u{1f600}\n', 'forbidden', undefined],
    ['', 'forbidden', "The value of an annotation is empty for key: 'a'"],
    ['', 'allowed', undefined],
    ['a\0b', 'allowed', unstorable],
    ['\ud800', 'forbidden', unstorable],
  ]
  for (const [value, emptyValues, problem] of rows) {
    test(`${JSON.stringify(value)} where empty ones are ${emptyValues} is ${problem ?? 'fine'}`, () =>
      assert.equal(problemOf({ a: value }, emptyValues), problem))
  }
})

test('annotations share a limit in bytes, which is checked first', () => {
  const tooMany = "annotations from field 'user.metadata.annotations' are larger than the limit of 256kb"
  assert.equal(problemOf({ a: 'x'.repeat(256 * 1024 - 1) }), undefined)
  assert.equal(problemOf({ a: 'x'.repeat(256 * 1024) }), tooMany)
  assert.equal(problemOf({ a: 'é'.repeat(128 * 1024) }), tooMany)
  assert.equal(problemOf({ '!': 'x'.repeat(300_000) }), tooMany)
})

test('entries without a value count nothing', () => {
  assert.equal(annotationBytes({ ab: 'é', c: '' }), 4)
})

test('changes overwrite, add and delete, and leave the rest', () => {
  const current = { a: '1', b: '2', c: '3' }
  assert.deepEqual(mergeAnnotations(current, { a: 'new', b: '', d: '4' }), { a: 'new', c: '3', d: '4' })
  assert.deepEqual(mergeAnnotations(current, {}), current)
  assert.deepEqual(current, { a: '1', b: '2', c: '3' })
})
