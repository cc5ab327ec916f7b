// What no value on the ledger may be: nested more than 100 deep, or holding text that cannot be written as UTF-8
// (Canton: Value.MAXIMUM_NESTING, data/Text.scala). Values inside a computation may be both; the check runs when one
// becomes a contract, a key, an argument or a result.
import type { Type } from '../ast.ts'
import type { DataTypes } from '../data-types.ts'
import type { OrderedMap } from '../ordered-map.ts'
import { Cons, type LfRecord, type LfValue, type List, none, type Some, type Variant } from '../values.ts'
import { type Compiled, compilePerType, type RecordShape, type Shape, shapeOf, typeToText } from './shapes.ts'
import { ValueError } from './value-error.ts'

export const nestingMax = 100

/** Why text cannot be on the ledger, in Canton's words. */
export function textProblem(text: string): string | undefined {
  const isWell = text.isWellFormed()
  if (isWell && !text.includes('\0')) return undefined
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index)
    if (unit === 0) return 'Text contains null character'
    if (isWell || unit < 0xd800 || unit > 0xdfff) continue
    if (unit >= 0xdc00) return 'Text contains unpaired low surrogate'
    const next = text.charCodeAt(index + 1)
    if (!(next >= 0xdc00 && next <= 0xdfff)) return 'Text contains unpaired high surrogate'
    index++
  }
  return undefined
}

type Check = (value: LfValue, depth: number) => void

/** Throws a ValueError (VALUE_NESTING, MALFORMED_TEXT) for a value that may not go to the ledger. */
export type LedgerValueCheck = (value: LfValue, type: Type) => void

export function createLedgerValueCheck(dataTypes: DataTypes): LedgerValueCheck {
  const checkOf = compilePerType<Check>(dataTypes, (shape, type, of) => compileCheck(shape, type, { of, dataTypes }))
  return function checkLedgerValue(value, type) {
    checkOf(type).run(value, 0)
  }
}

type Parts = { readonly of: (type: Type) => Compiled<Check>; readonly dataTypes: DataTypes }

function compileCheck(shape: Shape, type: Type, { of, dataTypes }: Parts): Check {
  switch (shape.kind) {
    case 'text':
      return (value) => checkText(value as string, type)
    case 'optional': {
      const element = of(shape.element)
      return (value, depth) => {
        if (value === none) return
        element.run((value as Some).value, deeper(depth, type))
      }
    }
    case 'list': {
      const element = of(shape.element)
      return (value, depth) => {
        for (let rest = value as List; rest instanceof Cons; rest = rest.tail)
          element.run(rest.head, deeper(depth, type))
      }
    }
    case 'text-map': {
      const element = of(shape.element)
      return (value, depth) => {
        for (const [key, item] of (value as OrderedMap).entries()) {
          checkText(key as string, type)
          element.run(item, deeper(depth, type))
        }
      }
    }
    case 'gen-map': {
      const [key, element] = [of(shape.key), of(shape.element)]
      return (value, depth) => {
        for (const [entryKey, item] of (value as OrderedMap).entries()) {
          key.run(entryKey, deeper(depth, type))
          element.run(item, deeper(depth, type))
        }
      }
    }
    case 'record':
      return recordCheck(shape, type, { of, dataTypes })
    case 'variant': {
      const contents = shape.fields.map((field) => of(field.type))
      return (value, depth) => {
        const { rank, value: content } = value as Variant
        contents[rank]!.run(content, deeper(depth, type))
      }
    }
    default:
      return () => undefined
  }
}

/** Fields that hold neither text nor other values need no look, except at the deepest level. */
function recordCheck(shape: RecordShape, type: Type, { of, dataTypes }: Parts): Check {
  const { fieldsOf } = shape.type
  const checked: { readonly index: number; readonly check: Compiled<Check> }[] = []
  for (const [index, field] of shape.fields.entries()) {
    if (needsLook(shapeOf(field.type, dataTypes))) checked.push({ index, check: of(field.type) })
  }
  return (value, depth) => {
    const isDeepest = depth >= nestingMax
    if (checked.length === 0 && !isDeepest) return
    const fields = fieldsOf(value as LfRecord)
    // A field that is None at the end of a record is not part of the value.
    if (isDeepest && fields.some((field) => field !== none)) deeper(depth, type)
    for (const { index, check } of checked) check.run(fields[index], depth + 1)
  }
}

const withoutContent: ReadonlySet<Shape['kind']> = new Set([
  'unit',
  'bool',
  'int64',
  'date',
  'timestamp',
  'party',
  'contract-id',
  'numeric',
  'enum',
] as const)

const needsLook = ({ kind }: Shape): boolean => !withoutContent.has(kind)

function deeper(depth: number, type: Type): number {
  if (depth < nestingMax) return depth + 1
  const reason = `Value exceeds maximum nesting value of ${nestingMax}`
  throw new ValueError('VALUE_NESTING', reason, { path: '', expected: typeToText(type) })
}

function checkText(text: string, type: Type): void {
  const problem = textProblem(text)
  if (problem === undefined) return
  throw new ValueError('MALFORMED_TEXT', `Text is malformed: ${problem}`, { path: '', expected: typeToText(type) })
}
