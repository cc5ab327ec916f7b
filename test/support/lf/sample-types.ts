// A handful of data types that together have every shape a codec meets.
import type { Type } from '../../../src/lf/syntax/ast.ts'
import {
  boolType,
  contractIdType,
  dataType,
  dataTypesOf,
  dateType,
  enumeration,
  genMapType,
  intType,
  listType,
  numericType,
  optionalType,
  packageOf,
  partyType,
  record,
  testPackageId,
  textMapType,
  textType,
  timeType,
  unitType,
  variableType,
  variant,
} from './data-package.ts'

const a = variableType('a')
const b = variableType('b')

export const sampleDefinitions = [
  record('Empty', {}),
  record('Iou', { issuer: partyType, amount: numericType(10), note: optionalType(textType) }),
  record('Optionals', { x: optionalType(intType), y: optionalType(intType), z: optionalType(intType) }),
  record('Middle', { x: optionalType(intType), y: intType, z: optionalType(intType) }),
  record('Nest', { x: intType, y: optionalType(optionalType(intType)) }),
  record('Pair', { first: a, second: b }, ['a', 'b']),
  record('Box', { content: optionalType(a) }, ['a']),
  record('Row', { first: optionalType(a), second: optionalType(a), last: optionalType(intType) }, ['a']),
  record('Outer', { box: dataType('Box', optionalType(a)), deep: optionalType(optionalType(a)), either: a }, ['a']),
  record('Odd', { constructor: intType, toString: optionalType(textType) }),
  record('Chain', { head: intType, tail: optionalType(dataType('Chain')) }),
  /** Each level has a larger type than the one above it. */
  record('Growing', { items: listType(a), next: optionalType(dataType('Growing', dataType('Pair', a, a))) }, ['a']),
  variant('Shape', { Circle: numericType(2), Square: dataType('Pair', intType, intType), Point: unitType }),
  variant('Tree', { Leaf: a, Node: listType(dataType('Tree', a)) }, ['a']),
  enumeration('Colour', 'Red', 'Green', 'Blue'),
  record('Everything', {
    aUnit: unitType,
    aBool: boolType,
    anInt: intType,
    aDate: dateType,
    aTime: timeType,
    aParty: partyType,
    aText: textType,
    aContract: contractIdType,
    aNumeric: numericType(4),
    aColour: dataType('Colour'),
    aList: listType(dataType('Shape')),
    aTextMap: textMapType(listType(textType)),
    aMap: genMapType(dataType('Pair', intType, textType), optionalType(optionalType(boolType))),
    aTree: dataType('Tree', textType),
    anOptional: optionalType(dataType('Iou')),
  }),
]

export const sampleTypes = dataTypesOf(packageOf(testPackageId, sampleDefinitions))

/** Types that fast-check picks from, besides those it composes. */
export const sampleDataTypes: readonly Type[] = [
  dataType('Empty'),
  dataType('Iou'),
  dataType('Optionals'),
  dataType('Middle'),
  dataType('Nest'),
  dataType('Box', optionalType(intType)),
  dataType('Row', optionalType(intType)),
  dataType('Outer', optionalType(intType)),
  dataType('Pair', textType, dataType('Box', boolType)),
  dataType('Odd'),
  dataType('Chain'),
  dataType('Growing', boolType),
  dataType('Shape'),
  dataType('Tree', dataType('Colour')),
  dataType('Colour'),
  dataType('Everything'),
]
