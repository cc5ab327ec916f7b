import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nearest } from './nearest.ts'

const rows: [written: string, names: string[], meant: string | undefined][] = [
  ['prot', ['host', 'port'], 'port'],
  ['PORT', ['host', 'port'], 'port'],
  ['memroy', ['memory', 'data'], 'memory'],
  ['statik-time', ['static-time', 'time'], 'static-time'],
  ['x', ['y'], undefined],
  ['x'.repeat(201), ['x'.repeat(202)], undefined],
  ['zebra', ['memory', 'data'], undefined],
  ['', [], undefined],
]

for (const [written, names, meant] of rows) {
  test(`${written || 'nothing'} among ${names.join(', ')} is ${meant ?? 'none'}`, () => {
    assert.equal(nearest(written, names), meant)
  })
}
