// Types as codecs see them: type parameters replaced by their arguments, data types by what they are made of. Only
// serializable types have a shape. Packages are not type-checked, so a contract, key, choice argument or result whose type
// has none is refused where it is used.

import type { FieldType, Identifier, Type, TypeParameter } from '../syntax/ast.ts'
import type { BuiltinTypeName } from '../syntax/builtins.ts'
import { fullName, qualifiedName } from '../syntax/names.ts'
import { substitute } from '../syntax/types.ts'
import type { DataTypes } from '../values/data-types.ts'
import { KindError, UnstorableError } from '../values/kinds.ts'
import type { EnumType, RecordType, VariantType } from '../values/values.ts'
import { ValueError } from './value-error.ts'

export type ScalarKind = 'unit' | 'bool' | 'int64' | 'date' | 'timestamp' | 'party' | 'text' | 'contract-id'

export type Shape =
  | { readonly kind: ScalarKind }
  | { readonly kind: 'numeric'; readonly scale: number }
  | { readonly kind: 'optional'; readonly element: Type; readonly isOfParameter: boolean }
  | { readonly kind: 'list'; readonly element: Type }
  | { readonly kind: 'text-map'; readonly element: Type }
  | { readonly kind: 'gen-map'; readonly key: Type; readonly element: Type }
  | { readonly kind: 'record'; readonly type: RecordType; readonly fields: readonly FieldType[] }
  | { readonly kind: 'variant'; readonly type: VariantType; readonly fields: readonly FieldType[] }
  | { readonly kind: 'enum'; readonly type: EnumType }

export type RecordShape = Extract<Shape, { kind: 'record' }>
export type OptionalShape = Extract<Shape, { kind: 'optional' }>
export type VariantShape = Extract<Shape, { kind: 'variant' }>

/** Limits the name of a type written out: with type parameters applied to themselves it could grow without end. */
const typeNodesMax = 10_000

const scalars: Partial<Record<BuiltinTypeName, ScalarKind>> = {
  Unit: 'unit',
  Bool: 'bool',
  Int64: 'int64',
  Date: 'date',
  Timestamp: 'timestamp',
  Party: 'party',
  Text: 'text',
  ContractId: 'contract-id',
}

export function isOptional(type: Type): type is Extract<Type, { kind: 'builtin' }> {
  return type.kind === 'builtin' && type.name === 'Optional'
}

/** The shape of a type that is an Optional; undefined for others. */
export function optionalShape(type: Type): OptionalShape | undefined {
  if (!isOptional(type)) return undefined
  const { args, isOfParameter = false } = type
  return { kind: 'optional', element: args[0]!, isOfParameter }
}

/** The Optional inside an Optional, where JSON has an array for each of them: it was written there, not put there for a parameter. */
export function nestedIn({ element, isOfParameter }: OptionalShape): OptionalShape | undefined {
  return isOfParameter ? undefined : optionalShape(element)
}

/** Whether its JSON may be null: None of an Optional that is not nested. */
export function mayBeNull(type: Type): boolean {
  const shape = optionalShape(type)
  return shape !== undefined && nestedIn(shape) === undefined
}

/** Fields up to the last that is not Optional are always stored; after it, those up to the last that is not None. */
export function storedFieldsMin({ fields }: RecordShape): number {
  return fields.findLastIndex(({ type }) => !isOptional(type)) + 1
}

export function shapeOf(type: Type, dataTypes: DataTypes): Shape {
  if (type.kind === 'constructor') return dataShape(type.id, type.args, dataTypes)
  if (type.kind !== 'builtin') throw notSerializable(type)
  const scalar = scalars[type.name]
  if (scalar !== undefined) return { kind: scalar }
  const [first, second] = type.args
  if (first === undefined) throw notSerializable(type)
  if (type.name === 'Numeric' && first.kind === 'nat') return { kind: 'numeric', scale: first.value }
  if (type.name === 'Optional') return optionalShape(type)!
  if (type.name === 'List') return { kind: 'list', element: first }
  if (type.name === 'TextMap') return { kind: 'text-map', element: first }
  if (type.name === 'GenMap' && second !== undefined) return { kind: 'gen-map', key: first, element: second }
  throw notSerializable(type)
}

function dataShape(id: Identifier, args: readonly Type[], dataTypes: DataTypes): Shape {
  const { parameters, constructors } = dataTypes.definition(id)
  if (constructors.kind === 'enum') return { kind: 'enum', type: dataTypes.enum(id) }
  if (constructors.kind === 'interface') throw notSerializable({ kind: 'constructor', id, args })
  const fields = parameters.length === 0 ? constructors.fields : applied(constructors.fields, parameters, args)
  if (constructors.kind === 'record') return { kind: 'record', type: dataTypes.record(id), fields }
  return { kind: 'variant', type: dataTypes.variant(id), fields }
}

function applied(fields: readonly FieldType[], parameters: readonly TypeParameter[], args: readonly Type[]) {
  if (parameters.length !== args.length) throw new KindError('a type has other parameters')
  const argumentOf = new Map(parameters.map(({ name }, index) => [name, args[index]]))
  const done = new Map<Type, Type>()
  return fields.map(({ name, type }) => ({ name, type: substitute(type, argumentOf, done) }))
}

// ── One compilation per type

/** `run` is compiled at its first call, so that a type may contain itself. */
export type Compiled<Run> = { run: Run }

/** Compiles each closed type once, for its first value. Equal types are one type. */
export function compilePerType<Run extends (...args: never[]) => unknown>(
  dataTypes: DataTypes,
  compile: (shape: Shape, type: Type, of: (type: Type) => Compiled<Run>) => Run,
): (type: Type) => Compiled<Run> {
  const byIdentity = new WeakMap<Type, Compiled<Run>>()
  const byKey = new Map<string, Compiled<Run>>()

  function of(type: Type): Compiled<Run> {
    const known = byIdentity.get(type)
    if (known !== undefined) return known
    const key = typeKey(type)
    let compiled = byKey.get(key)
    if (compiled === undefined) {
      compiled = lazily(() => compile(shapeOf(type, dataTypes), type, of))
      byKey.set(key, compiled)
    }
    byIdentity.set(type, compiled)
    return compiled
  }

  return of
}

export function lazily<Run extends (...args: never[]) => unknown>(compile: () => Run): Compiled<Run> {
  const first = (...args: Parameters<Run>): unknown => {
    compiled.run = compile()
    return compiled.run(...args)
  }
  const compiled: Compiled<Run> = { run: first as Run }
  return compiled
}

// ── Names of types

/** Equal for equal types and for no others. */
export function typeKey(type: Type): string {
  return written(type, fullName, '*')
}

/** For people: `Optional (Numeric 10)`, `Main:Iou`. */
export function typeToText(type: Type): string {
  return written(type, qualifiedName)
}

function written(type: Type, nameOf: (id: Identifier) => string, ofParameter = ''): string {
  let nodes = 0

  function write(part: Type): string {
    nodes++
    if (nodes > typeNodesMax) throw tooLarge(type)
    const head = headOf(part)
    if (!('args' in part) || part.args.length === 0) return head
    const args = part.args.map((argument) => {
      const text = write(argument)
      return 'args' in argument && argument.args.length > 0 ? `(${text})` : text
    })
    return `${head} ${args.join(' ')}`
  }

  function headOf(part: Type): string {
    switch (part.kind) {
      case 'constructor':
      case 'synonym':
        return nameOf(part.id)
      case 'builtin':
        return part.isOfParameter ? part.name + ofParameter : part.name
      case 'variable':
        return part.name
      case 'nat':
        return String(part.value)
      default:
        return `(${part.kind})`
    }
  }

  return write(type)
}

function tooLarge(type: Type): ValueError {
  const expected = 'id' in type ? `${type.id.module}:${type.id.name}` : type.kind
  return new ValueError('INVALID_ARGUMENT', 'The type is too large', { path: '', expected })
}

function notSerializable(type: Type): KindError {
  if (type.kind === 'builtin' && type.name === 'AnyException' && type.args.length === 0) {
    return new UnstorableError('A value of the type AnyException cannot be part of a transaction')
  }
  return new KindError(`${typeToText(type)} is not a serializable type`)
}
