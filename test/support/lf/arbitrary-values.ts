// Random serializable types, and random values of a type, for fast-check.
import fc from 'fast-check'
import { type Shape, shapeOf } from '../../../src/lf/codec/shapes.ts'
import type { Type } from '../../../src/lf/syntax/ast.ts'
import type { DataTypes } from '../../../src/lf/values/data-types.ts'
import { numericOf } from '../../../src/lf/values/numeric.ts'
import { OrderedMap } from '../../../src/lf/values/ordered-map.ts'
import {
  ContractId,
  int64,
  type LfValue,
  listFromArray,
  none,
  Some,
  unit,
  Variant,
} from '../../../src/lf/values/values.ts'
import { compareValues } from './compare-values.ts'
import {
  boolType,
  contractIdType,
  dataType,
  dateType,
  genMapType,
  intType,
  listType,
  numericType,
  optionalType,
  partyType,
  textMapType,
  textType,
  timeType,
  unitType,
} from './data-package.ts'
import { sampleDataTypes } from './sample-types.ts'

const levelsMax = 6

const scalarType = fc.oneof(
  fc.constantFrom(unitType, boolType, intType, dateType, timeType, partyType, textType, contractIdType),
  fc.integer({ min: 0, max: 37 }).map(numericType),
)

export const anyType: fc.Arbitrary<Type> = fc.letrec<{ type: Type }>((tie) => ({
  type: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    scalarType,
    fc.constantFrom(...sampleDataTypes),
    tie('type').map(optionalType),
    tie('type').map(listType),
    tie('type').map(textMapType),
    fc.tuple(tie('type'), tie('type')).map(([key, element]) => genMapType(key, element)),
    fc.tuple(tie('type'), tie('type')).map(([first, second]) => dataType('Pair', first, second)),
    tie('type').map((element) => dataType('Box', element)),
    tie('type').map((element) => dataType('Row', optionalType(element))),
    tie('type').map((element) => dataType('Outer', optionalType(element))),
    tie('type').map((element) => dataType('Tree', element)),
  ),
})).type

const ledgerText = fc.string({ unit: 'grapheme', maxLength: 8 })
const micros = fc.bigInt({ min: -62135596800000000n, max: 253402300799999999n }).map(int64)
const hexBytes = (count: { min: number; max: number }): fc.Arbitrary<string> => {
  return fc
    .uint8Array({ minLength: count.min, maxLength: count.max })
    .map((bytes) => Buffer.from(bytes).toString('hex'))
}

export function anyValueOf(type: Type, dataTypes: DataTypes, level = 0): fc.Arbitrary<LfValue> {
  const shape = shapeOf(type, dataTypes)
  const inner = (part: Type): fc.Arbitrary<LfValue> => anyValueOf(part, dataTypes, level + 1)
  const isDeep = level >= levelsMax
  switch (shape.kind) {
    case 'optional':
      return isDeep
        ? fc.constant(none)
        : fc.oneof(
            fc.constant(none),
            lazy(() => inner(shape.element).map(someOf)),
          )
    case 'list':
      return isDeep
        ? fc.constant(listFromArray([]))
        : fc.array(inner(shape.element), { maxLength: 3 }).map(listFromArray)
    case 'text-map':
      return mapOf(ledgerText, isDeep ? undefined : inner(shape.element))
    case 'gen-map':
      return isDeep ? mapOf(ledgerText, undefined) : mapOf(inner(shape.key), inner(shape.element))
    case 'record': {
      const { create: RecordClass } = shape.type
      return fc.tuple(...shape.fields.map((field) => inner(field.type))).map((fields) => new RecordClass(...fields))
    }
    case 'variant': {
      const contents = shape.fields.map(({ type: content }, rank) => {
        return inner(content).map((value) => new Variant(shape.type, rank, value))
      })
      return fc.oneof(...contents)
    }
    default:
      return scalarOf(shape)
  }
}

function scalarOf(shape: Shape): fc.Arbitrary<LfValue> {
  switch (shape.kind) {
    case 'bool':
      return fc.boolean()
    case 'int64':
      return fc
        .oneof(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), fc.bigInt({ min: -9n, max: 9n }))
        .map(int64)
    case 'date':
      return fc.integer({ min: -719162, max: 2932896 })
    case 'timestamp':
      return fc.oneof(micros, fc.integer({ min: -2_000_000, max: 2_000_000 }))
    case 'party':
      return fc.stringMatching(/^[A-Za-z0-9:\-_ ]{1,20}$/)
    case 'text':
      return ledgerText
    case 'contract-id':
      return hexBytes({ min: 33, max: 126 }).map((hex) => new ContractId(`00${hex}`))
    case 'numeric':
      return fc
        .bigInt({ min: 1n - 10n ** 38n, max: 10n ** 38n - 1n })
        .map((unscaled) => numericOf(unscaled, shape.scale))
    case 'enum':
      return fc.constantFrom(...shape.type.values)
    default:
      return fc.constant(unit)
  }
}

const someOf = (value: LfValue): LfValue => new Some(value)
const lazy = <Value>(make: () => fc.Arbitrary<Value>): fc.Arbitrary<Value> => fc.constant(0).chain(make)

function mapOf(key: fc.Arbitrary<LfValue>, element: fc.Arbitrary<LfValue> | undefined): fc.Arbitrary<LfValue> {
  const empty = OrderedMap.empty(compareValues)
  if (element === undefined) return fc.constant(empty)
  return fc.array(fc.tuple(key, element), { maxLength: 4 }).map((entries) => {
    return entries.reduce((map, [entryKey, value]) => map.with(entryKey, value), empty)
  })
}
