// Whether a value may go onto the ledger: every part is of its type, it is nested no deeper than Canton allows, and its
// texts can be UTF-8 (Canton: SValue.toValue). Everything that becomes part of a transaction is checked here once, so
// that its writers find what they expect. Every part counts as often as it occurs, so that a value that is small only
// because its parts are shared does not become a transaction without end.

import {
  type Compiled,
  compilePerType,
  type RecordShape,
  type Shape,
  storedFieldsMin,
  type VariantShape,
} from '../../lf/codec/shapes.ts'
import { nestingMax, textProblem } from '../../lf/codec/value-error.ts'
import type { Type } from '../../lf/syntax/ast.ts'
import type { DataTypes } from '../../lf/values/data-types.ts'
import {
  asBool,
  asContractId,
  asDate,
  asEnumOf,
  asLedgerInt64,
  asList,
  asMap,
  asNumericOf,
  asParty,
  asRecordOf,
  asText,
  asTimestamp,
  asUnit,
  asVariantOf,
  contentOf,
} from '../../lf/values/kinds.ts'
import { Cons, type LfValue, none } from '../../lf/values/values.ts'
import { Failure } from '../failures/failures.ts'
import { steps } from '../failures/steps.ts'

/** Throws a Failure or a KindError. */
export type CheckValue = (value: LfValue, type: Type) => void

type Check = (value: LfValue, depth: number) => void

/** Every part is written several times: as JSON, as bytes, into hashes. */
const partSteps = 20

export function createValueCheck(dataTypes: DataTypes): CheckValue {
  const checkOf = compilePerType<Check>(dataTypes, (shape, _type, of) => {
    const check = compile(shape, of)
    return (value, depth) => {
      steps.charge(partSteps)
      if (depth > nestingMax) {
        throw new Failure('VALUE_NESTING', `Value exceeds maximum nesting value of ${nestingMax}`)
      }
      check(value, depth)
    }
  })
  return (value, type) => checkOf(type).run(value, 0)
}

function compile(shape: Shape, of: (type: Type) => Compiled<Check>): Check {
  switch (shape.kind) {
    case 'unit':
      return asUnit
    case 'bool':
      return asBool
    case 'int64':
      return asLedgerInt64
    case 'date':
      return asDate
    case 'timestamp':
      return asTimestamp
    case 'party':
      return asParty
    case 'contract-id':
      return asContractId
    case 'numeric': {
      const { scale } = shape
      return (value) => void asNumericOf(scale, value)
    }
    case 'text':
      return checkText
    case 'optional': {
      const element = of(shape.element)
      return (value, depth) => {
        const content = contentOf(value)
        if (content !== undefined) element.run(content, depth + 1)
      }
    }
    case 'list': {
      const element = of(shape.element)
      return (value, depth) => {
        for (let rest = asList(value); rest instanceof Cons; rest = asList(rest.tail)) {
          element.run(rest.head, depth + 1)
        }
      }
    }
    case 'text-map':
    case 'gen-map':
      return mapCheck(shape, of)
    case 'record':
      return recordCheck(shape, of)
    case 'variant':
      return variantCheck(shape, of)
    case 'enum': {
      const { type } = shape
      return (value) => void asEnumOf(type, value)
    }
  }
}

function checkText(value: LfValue): void {
  const text = asText(value)
  steps.chargeText(text.length)
  const problem = textProblem(text)
  if (problem !== undefined) throw new Failure('MALFORMED_TEXT', `Text is malformed: ${problem}`)
}

function mapCheck(shape: Extract<Shape, { kind: 'text-map' | 'gen-map' }>, of: (type: Type) => Compiled<Check>): Check {
  const key: Compiled<Check> = shape.kind === 'gen-map' ? of(shape.key) : { run: checkText }
  const element = of(shape.element)
  return (value, depth) => {
    for (const [entryKey, item] of asMap(value).entries()) {
      steps.charge(partSteps)
      key.run(entryKey, depth + 1)
      element.run(item, depth + 1)
    }
  }
}

/** Trailing fields that are None are not stored, so they do not count. */
function recordCheck(shape: RecordShape, of: (type: Type) => Compiled<Check>): Check {
  const { type } = shape
  const checks = shape.fields.map((field) => of(field.type))
  const storedMin = storedFieldsMin(shape)
  return (value, depth) => {
    const values = type.fieldsOf(asRecordOf(type, value))
    let end = values.length
    while (end > storedMin && values[end - 1] === none) end -= 1
    for (let index = 0; index < end; index += 1) checks[index]!.run(values[index], depth + 1)
  }
}

function variantCheck({ type, fields }: VariantShape, of: (type: Type) => Compiled<Check>): Check {
  const checks = fields.map((field) => of(field.type))
  return (value, depth) => {
    const { rank, value: content } = asVariantOf(type, value)
    checks[rank]!.run(content, depth + 1)
  }
}
