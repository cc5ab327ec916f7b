import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Type } from '../../lf/syntax/ast.ts'
import type { BuiltinTypeName } from '../../lf/syntax/builtins.ts'
import { compareTypes } from './type-order.ts'

const builtin = (name: BuiltinTypeName, ...args: Type[]): Type => ({ kind: 'builtin', name, args })
const struct = (...fields: [name: string, type: Type][]): Type => ({
  kind: 'struct',
  fields: fields.map(([name, type]) => ({ name, type })),
})

function named(qualified: string, ...args: Type[]): Type {
  const [packageId, module, name] = qualified.split(':') as [string, string, string]
  return { kind: 'constructor', id: { packageId, module, name }, args }
}

const ascending: Type[] = [
  builtin('Unit'),
  builtin('Int64'),
  builtin('List'),
  builtin('TextMap'),
  named('a:M:T'),
  named('b:A:T'),
  named('b:A.B:T'),
  named('b:A$:T'), // Segment by segment: `A` is before `A$`.
  named('b:M:S'),
  named('b:M:S.T'),
  named('b:M:T'),
  { kind: 'nat', value: 0 },
  { kind: 'nat', value: 10 },
  struct(['a', builtin('Text')]),
  struct(['a', builtin('Text')], ['b', builtin('Unit')]),
  struct(['b', builtin('Unit')]),
  builtin('Optional', builtin('Int64')),
  builtin('Optional', builtin('Text')),
  builtin('List', builtin('Unit')),
  named('a:M:T', builtin('Unit')),
  builtin('GenMap', builtin('Int64'), builtin('Text')), // Applied twice: its function is itself an application.
  builtin('GenMap', builtin('Text'), builtin('Int64')),
]

test('types have a total order', () => {
  for (const [i, a] of ascending.entries()) {
    for (const [j, b] of ascending.entries()) {
      assert.equal(Math.sign(compareTypes(a, b)), Math.sign(i - j), `${i} against ${j}`)
    }
  }
})
