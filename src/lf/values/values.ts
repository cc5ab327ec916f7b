// Values of Daml-LF at run time: what compiled code computes with, what contracts hold, what codecs read and write.
// Types are erased; a value keeps only what comparing, hashing and printing it needs.
import type { Identifier, Type } from '../syntax/ast.ts'

/**
 * | type              | value                                                                                     |
 * |-------------------|-------------------------------------------------------------------------------------------|
 * | Unit              | `unit`                                                                                    |
 * | Bool              | boolean                                                                                   |
 * | Int64             | number while it is a safe integer, bigint beyond: one form for one value                  |
 * | Timestamp         | microseconds since 1970, as an Int64                                                      |
 * | Date              | days since 1970, a number                                                                 |
 * | Numeric           | Numeric (numeric.ts)                                                                      |
 * | Text, Party       | string                                                                                    |
 * | ContractId        | ContractId                                                                                |
 * | Optional          | `none` or Some                                                                            |
 * | List              | `nil` or Cons                                                                             |
 * | TextMap, GenMap   | OrderedMap (ordered-map.ts)                                                               |
 * | record            | an instance of its RecordType's class                                                     |
 * | variant, enum     | Variant, EnumValue                                                                        |
 * | struct            | an instance of its StructType's class                                                     |
 * | Any, AnyException | Any                                                                                       |
 * | TypeRep           | TypeRep                                                                                   |
 * | interface         | the record of the template that implements it                                             |
 * | FailureCategory   | its number                                                                                |
 * | function          | a JavaScript function of as many parameters as its arity                                  |
 * | Update            | a JavaScript function whose `length` is 0; it is called with the transaction it adds to   |
 */
export type LfValue = unknown

export type Int64 = number | bigint

export const int64Min = -(2n ** 63n)
export const int64Max = 2n ** 63n - 1n

/** The canonical representation of an integer that is known to fit into 64 bits. */
export function int64(value: bigint): Int64 {
  return value >= -9007199254740991n && value <= 9007199254740991n ? Number(value) : value
}

class Unit {}
export const unit = Object.freeze(new Unit())

/** Lower-case hex of version byte, discriminator and suffix; in its own transaction a contract has no suffix yet. */
export class ContractId {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

class None {}
export const none = Object.freeze(new None())

export class Some {
  /** Tells it from other classes with a `value`. */
  declare readonly isSome: true
  readonly value: LfValue

  constructor(value: LfValue) {
    this.value = value
  }
}
Object.defineProperty(Some.prototype, 'isSome', { value: true })

class Nil {}
export const nil = Object.freeze(new Nil())

export class Cons {
  readonly head: LfValue
  readonly tail: List

  constructor(head: LfValue, tail: List) {
    this.head = head
    this.tail = tail
  }
}

export type List = Cons | typeof nil

export function listFromArray(items: readonly LfValue[]): List {
  let list: List = nil
  for (let index = items.length - 1; index >= 0; index -= 1) list = new Cons(items[index], list)
  return list
}

export function arrayFromList(list: List): LfValue[] {
  const items: LfValue[] = []
  for (let rest = list; rest instanceof Cons; rest = rest.tail) items.push(rest.head)
  return items
}

/** The base class of records. Each type has a class of its own, so that V8 knows the shape. */
export abstract class LfRecord {
  declare readonly type: RecordType
}

export type RecordType = {
  readonly kind: 'record'
  readonly id: Identifier
  readonly fieldNames: readonly string[]
  /** The JavaScript property of each field: unique to the type, and unknown to JavaScript. */
  readonly slots: readonly string[]
  /** Takes one argument per field. */
  readonly create: new (
    ...fields: LfValue[]
  ) => LfRecord
  readonly fieldsOf: (record: LfRecord) => LfValue[]
}

/** The base class of structs: one class for each set of field names. */
export abstract class LfStruct {
  declare readonly type: StructType
}

export type StructType = {
  readonly kind: 'struct'
  /** In ascending order. */
  readonly fieldNames: readonly string[]
  /** Takes one argument per field. */
  readonly create: new (
    ...fields: LfValue[]
  ) => LfStruct
  readonly fieldsOf: (struct: LfStruct) => LfValue[]
}

export type VariantType = { readonly kind: 'variant'; readonly id: Identifier; readonly tags: readonly string[] }

export class Variant {
  readonly type: VariantType
  readonly rank: number
  readonly value: LfValue

  constructor(type: VariantType, rank: number, value: LfValue) {
    this.type = type
    this.rank = rank
    this.value = value
  }
}

export type EnumType = {
  readonly kind: 'enum'
  readonly id: Identifier
  readonly tags: readonly string[]
  /** The one value of each constructor, by rank. */
  readonly values: readonly EnumValue[]
}

export class EnumValue {
  readonly type: EnumType
  readonly rank: number

  constructor(type: EnumType, rank: number) {
    this.type = type
    this.rank = rank
  }
}

/** A value with its type: Any, and AnyException. */
export class Any {
  readonly type: Type
  readonly value: LfValue

  constructor(type: Type, value: LfValue) {
    this.type = type
    this.value = value
  }
}

export class TypeRep {
  readonly type: Type

  constructor(type: Type) {
    this.type = type
  }
}
