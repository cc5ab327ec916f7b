// Reads the values that scripts ask with. Fields are found by their position, as the library's versions promise.
import type { Identifier, Type } from '../lf/syntax/ast.ts'
import { itemsOf } from '../lf/values/kinds.ts'
import {
  Any,
  ContractId,
  EnumValue,
  LfRecord,
  type LfValue,
  none,
  Some,
  TypeRep,
  Variant,
} from '../lf/values/values.ts'
import { type Frame, UnknownShape } from './failures.ts'

export function fieldsIn(value: LfValue, count: number, what: string): LfValue[] {
  const fields = value instanceof LfRecord ? value.type.fieldsOf(value) : undefined
  return fields?.length === count ? fields : wrong(what)
}

export function textIn(value: LfValue): string {
  return typeof value === 'string' ? value : wrong('a Text')
}

export function boolIn(value: LfValue): boolean {
  return typeof value === 'boolean' ? value : wrong('a Bool')
}

export function int64In(value: LfValue): bigint {
  return typeof value === 'number' || typeof value === 'bigint' ? BigInt(value) : wrong('an Int')
}

export function listIn<Item>(value: LfValue, read: (item: LfValue) => Item): Item[] {
  return [...itemsOf(value)].map(read)
}

/** Undefined for None. */
export function optionalIn<Content>(value: LfValue, read: (content: LfValue) => Content): Content | undefined {
  if (value === none) return undefined
  return value instanceof Some ? read(value.value) : wrong('an Optional')
}

export function contractIdIn(value: LfValue): string {
  return value instanceof ContractId ? value.text : wrong('a ContractId')
}

export function variantIn(value: LfValue): { readonly tag: string; readonly value: LfValue } {
  return value instanceof Variant ? { tag: value.type.tags[value.rank]!, value: value.value } : wrong('a variant')
}

export function enumIn(value: LfValue): string {
  return value instanceof EnumValue ? value.type.tags[value.rank]! : wrong('an enum')
}

export type ValueOfType = { readonly type: Type; readonly value: LfValue }

export function anyIn(value: LfValue): ValueOfType {
  return value instanceof Any ? { type: value.type, value: value.value } : wrong('an Any')
}

/** A newtype around a text, such as UserId. */
export function wrappedTextIn(value: LfValue): string {
  return textIn(fieldsIn(value, 1, 'a newtype of Text')[0])
}

/** A TemplateTypeRep. */
export function typeRepIn(value: LfValue): Identifier {
  const [rep] = fieldsIn(value, 1, 'a TemplateTypeRep')
  return rep instanceof TypeRep ? constructorOf(rep.type) : wrong('a TypeRep')
}

export function constructorOf(type: Type): Identifier {
  return type.kind === 'constructor' ? type.id : wrong('a type constructor')
}

/** The call stack of a question, innermost first. */
export function framesIn(value: LfValue): Frame[] {
  return listIn(value, frameIn)
}

/** A pair of Text and SrcLoc. */
export function frameIn(value: LfValue): Frame {
  const [definition, place] = fieldsIn(value, 2, 'a frame of a call stack')
  const [, module, , line, column] = fieldsIn(place, 7, 'a SrcLoc')
  return {
    definition: textIn(definition),
    module: textIn(module),
    line: Number(int64In(line)) + 1,
    column: Number(int64In(column)) + 1,
  }
}

export function wrong(expected: string): never {
  throw new UnknownShape(`the script asks with something else where ${expected} belongs`)
}
