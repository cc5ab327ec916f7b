// Every builtin with values of every kind in every position: it returns a value, or fails in a way clients may see.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { builtinsInTests } from '../../../test/support/engine/evaluate.ts'
import { type BuiltinName, builtins } from '../../lf/syntax/builtins.ts'
import { KindError } from '../../lf/values/kinds.ts'
import { Numeric, numericOf } from '../../lf/values/numeric.ts'
import { OrderedMap } from '../../lf/values/ordered-map.ts'
import { createRecordType, structTypeOf } from '../../lf/values/structures.ts'
import {
  Any,
  Cons,
  ContractId,
  type EnumType,
  EnumValue,
  LfRecord,
  LfStruct,
  type LfValue,
  listFromArray,
  nil,
  none,
  Some,
  TypeRep,
  unit,
  Variant,
} from '../../lf/values/values.ts'
import { DamlException, Failure } from '../failures/failures.ts'
import { steps } from '../failures/steps.ts'
import { compareValues } from '../values/order.ts'

const id = { packageId: 'p', module: 'M', name: 'R' }
const recordType = createRecordType(id, ['a'])
const otherType = createRecordType({ ...id, name: 'S' }, ['a', 'b'])
const structType = structTypeOf(['constructor', 'length'])
const variantType = { kind: 'variant', id, tags: ['A', 'B'] } as const
const enumType: EnumType = { kind: 'enum', id, tags: ['X'], values: [] }
const type = { kind: 'constructor', id, args: [] } as const

/** Functions here accept any number of arguments: their arguments are not under test. */
const values: LfValue[] = [
  ...[unit, true, 0, 7, -1, 2 ** 52, 2n ** 62n, -(2n ** 63n), '', 'text', '00', '9', 'Alice'],
  ...[numericOf(15n, 1), numericOf(10n ** 37n, 10), new ContractId('00ab')],
  ...[none, new Some(1), new Some(none), nil, listFromArray([1, 2]), listFromArray(['a', 'b'])],
  ...[new Cons(1, 2 as never), new Cons('a', new Cons(unit, nil)), listFromArray([new Some(1), 'x'])],
  ...[builtinsInTests.TEXTMAP_EMPTY, (builtinsInTests.TEXTMAP_EMPTY as OrderedMap).with('k', 'v')],
  ...[builtinsInTests.GENMAP_EMPTY, OrderedMap.empty(compareValues).with(1, 'v')],
  ...[new recordType.create(1), new otherType.create('a', unit), new structType.create(1, 'x')],
  ...[new Variant(variantType, 0, 1), new EnumValue(enumType, 0), new Any(type, new recordType.create(1))],
  ...[new Any(type, 7), new TypeRep(type), (x: LfValue) => x, (x: LfValue, _: LfValue) => x, () => unit],
]

function isValue(value: unknown): boolean {
  if (typeof value === 'number') return Number.isSafeInteger(value) && !Object.is(value, -0)
  if (['bigint', 'string', 'boolean', 'function'].includes(typeof value)) return true
  const classes = [Numeric, ContractId, Some, Cons, OrderedMap, LfRecord, LfStruct, Variant, EnumValue, Any, TypeRep]
  return [unit, none, nil].includes(value as never) || classes.some((each) => value instanceof each)
}

function check(name: BuiltinName, args: readonly LfValue[]): void {
  const shown = () => `${name}(${args.map((arg) => (typeof arg === 'object' ? arg?.constructor.name : String(arg)))})`
  steps.start({ stepsMax: 100_000 })
  try {
    const result = (builtinsInTests[name] as (...all: readonly LfValue[]) => LfValue)(...args)
    assert.ok(isValue(result), `${shown()} gave ${String(result)}`)
  } catch (error) {
    if (error instanceof assert.AssertionError) throw error
    const isEnd = error instanceof KindError || error instanceof Failure || error instanceof DamlException
    assert.ok(isEnd, `${shown()}: ${error}`)
    assert.doesNotMatch(error.message, /\[object|undefined|NaN|=>/, shown())
  } finally {
    steps.stop()
  }
}

test('every builtin copes with values of every kind', () => {
  for (const [name, { arity }] of Object.entries(builtins) as [BuiltinName, { arity: number }][]) {
    if (arity === 0) continue
    const rest = Array.from({ length: arity }, (_, index) => values[(index * 7) % values.length])
    for (const first of values) {
      for (const second of arity === 1 ? [undefined] : values) {
        // All pairs in neighbouring positions; the values in the other positions vary with them.
        for (let place = 0; place < Math.max(1, arity - 1); place += 1) {
          const args = [...rest]
          args[place] = first
          if (arity > 1) args[place + 1] = second
          check(name, args)
        }
      }
    }
  }
})

test('every builtin copes with all arguments of one kind', () => {
  for (const [name, { arity }] of Object.entries(builtins) as [BuiltinName, { arity: number }][]) {
    if (arity > 0) for (const value of values) check(name, Array(arity).fill(value))
  }
})
