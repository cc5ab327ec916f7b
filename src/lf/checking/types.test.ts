import assert from 'node:assert/strict'
import { test } from 'node:test'
import { substitute } from './bound-variables.ts'
import { createModuleUses } from './module-uses.ts'
import type { Type } from './type.ts'
import { prettyType } from './type-text.ts'
import { createTypes } from './types.ts'

const newTypes = () => createTypes({ steps: 1_000_000 }, createModuleUses())
const idOf = (name: string, module = 'M') => ({ packageId: 'p', module, name })

test('equal types are the same object, and different ones are not', () => {
  const types = newTypes()
  const { star, nat } = types.kinds
  const build = (): Type[] => {
    const all: Type[] = [types.int64, types.text, types.variable('a'), types.nat(3), types.named(idOf('T'))]
    // Enough for the table to grow.
    for (let i = 0; all.length < 5_000; i += 1) {
      const [left, right] = [all[i]!, all[(i * 7) % (i + 1)]!]
      all.push(
        types.apply(left, right),
        types.forall('a', star, left),
        types.forall('a', nat, left),
        types.forall('b', star, left),
        types.struct(['x'], [left]),
        types.struct(['x', 'y'], [left, right]),
        types.struct(['y'], [left]),
        types.synonym(idOf('S'), [left]),
        types.synonym(idOf('S', 'N'), [left]),
      )
    }
    return all
  }
  const [one, other] = [build(), build()]
  assert.ok(one.every((type, index) => type === other[index]))
  const [x, y] = [types.struct(['x'], [types.int64]), types.struct(['y'], [types.int64])]
  assert.notEqual(x, y)
  assert.notEqual(types.synonym(idOf('S'), []), types.synonym(idOf('S', 'N'), []))
  assert.notEqual(types.forall('a', star, types.int64), types.forall('a', nat, types.int64))
  const shape = ({ tag, name, identifier, left, right, kind, fieldNames, parts, value }: Type): string => {
    const own = [tag, name, identifier?.module, identifier?.name, left?.id, right?.id, kind?.id, fieldNames.join()]
    return [...own, ...parts.map(({ id }) => id), tag === 'nat' ? value : ''].join(' ')
  }
  assert.equal(new Set(one.map(shape)).size, new Set(one).size)
})

test('a type with other parts is the one that is built of them', () => {
  const types = newTypes()
  const struct = types.struct(['x', 'y'], [types.int64, types.text])
  assert.equal(types.withParts(struct, [types.text, types.text]), types.struct(['x', 'y'], [types.text, types.text]))
  const synonym = types.synonym(idOf('S'), [types.int64])
  const other = types.withParts(synonym, [types.variable('a')])
  assert.equal(other, types.synonym(idOf('S'), [types.variable('a')]))
  assert.deepEqual([other.hasSynonym, other.hasVariables, other.identifier], [true, true, idOf('S')])
})

test('substitution captures no variable', () => {
  const types = newTypes()
  const [a, b] = [types.variable('a'), types.variable('b')]
  const { star } = types.kinds
  const filled = (with_: Type, type: Type): string => {
    return prettyType(substitute(types, new Map([['a', with_]]), type))
  }
  const identity = types.forall('b', star, types.function(a, b))
  assert.equal(filled(types.int64, identity), prettyType(types.forall('b', star, types.function(types.int64, b))))
  const fresh = types.variable('$freshVar0')
  assert.equal(filled(b, identity), prettyType(types.forall('$freshVar0', star, types.function(b, fresh))))
  assert.equal(filled(types.int64, types.forall('a', star, a)), prettyType(types.forall('a', star, a)))
  // The same part inside and outside of a binder.
  const pair = types.function(a, types.forall('a', star, types.function(a, types.int64)))
  const want = types.function(types.text, types.forall('a', star, types.function(a, types.int64)))
  assert.equal(filled(types.text, pair), prettyType(want))
})
