// Which fields a mask selects, and which masks are refused.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { selected, selectFields } from './update-requests.ts'

const fields = ['id', 'is_deactivated', 'metadata.annotations', 'metadata.resource_version']
const select = (paths: readonly string[]) => selectFields(paths, fields, (reason) => new Error(reason))

describe('a mask selects', () => {
  const rows: [paths: string[], selection: Record<string, 'exact' | 'inherited'>][] = [
    [['id'], { id: 'exact' }],
    [['id', 'is_deactivated'], { id: 'exact', is_deactivated: 'exact' }],
    [['id.'], { id: 'exact' }],
    [['metadata.annotations...'], { 'metadata.annotations': 'exact' }],
    [['metadata'], { 'metadata.annotations': 'inherited', 'metadata.resource_version': 'inherited' }],
    [
      ['metadata', 'metadata.annotations'],
      { 'metadata.annotations': 'exact', 'metadata.resource_version': 'inherited' },
    ],
    [
      ['.'],
      {
        id: 'inherited',
        is_deactivated: 'inherited',
        'metadata.annotations': 'inherited',
        'metadata.resource_version': 'inherited',
      },
    ],
  ]
  for (const [paths, selection] of rows) {
    test(JSON.stringify(paths), () => assert.deepEqual(Object.fromEntries(select(paths)), selection))
  }
})

describe('a mask is refused', () => {
  const unknown = (path: string) => `The update path: '${path}' points to an unknown field.`
  const duplicated = (path: string) => `The update path: '${path}' is duplicated.`
  const rows: [paths: string[], reason: string][] = [
    [[], 'The update mask contains no entries'],
    [[''], unknown('')],
    [['isDeactivated'], unknown('isDeactivated')],
    [['met'], unknown('met')],
    [['metadata.'.repeat(2)], unknown('metadata.metadata.')],
    [['id.x'], unknown('id.x')],
    [['.id'], unknown('.id')],
    [['ID'], unknown('ID')],
    [['__proto__'], unknown('__proto__')],
    [['x'.repeat(53)], unknown('x'.repeat(53))],
    [['x'.repeat(54)], unknown(`${'x'.repeat(50)}...`)],
    [['id', 'id'], duplicated('id')],
    [['id', 'id.'], duplicated('id.')],
    [['.', '..'], duplicated('..')],
    [['id', 'id', 'nothing'], unknown('nothing')], // Unknown fields are reported first.
  ]
  for (const [paths, reason] of rows) {
    test(JSON.stringify(paths).slice(0, 60), () => assert.throws(() => select(paths), { message: reason }))
  }
})

test('a field named exactly may be set to its default, a field of a named message may not', () => {
  const rows: [paths: string[], requested: boolean, result: boolean][] = [
    [['is_deactivated'], false, false],
    [['is_deactivated'], true, true],
    [['.'], false, true],
    [['id'], false, true],
  ]
  for (const [paths, requested, result] of rows) {
    assert.equal(selected(select(paths), 'is_deactivated', requested, true, false), result, paths.join())
  }
})
