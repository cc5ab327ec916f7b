// Classes for records and structs. Their fields are properties with numbers for names: no name of a package ever
// becomes a property, and a value of another kind does not have the property.
import { compileFunction } from '../../base/generated-code.ts'
import type { Identifier } from '../syntax/ast.ts'
import { KindError } from './kinds.ts'
import { LfRecord, LfStruct, type LfValue, type RecordType, type StructType } from './values.ts'

/** Maximum number of parameters of a JavaScript function. */
const fieldsMax = 65_000

let recordTypes = 0

export function createRecordType(id: Identifier, fieldNames: readonly string[]): RecordType {
  recordTypes += 1
  const slots = fieldNames.map((_, index) => `$${recordTypes}_${index}`)
  const { create, fieldsOf } = createClass<LfRecord>(LfRecord, slots)
  const type: RecordType = { kind: 'record', id, fieldNames, slots, create, fieldsOf }
  Object.defineProperty(create.prototype, 'type', { value: type })
  return type
}

/** One number for each name, in all packages: a projection knows the name of its field, and no type. */
const numbersOfNames = new Map<string, number>()

/** The property that fields of this name have in all structs. */
export function slotOfField(name: string): string {
  let number = numbersOfNames.get(name)
  if (number === undefined) {
    number = numbersOfNames.size
    numbersOfNames.set(name, number)
  }
  return `$s${number}`
}

const structTypes = new Map<string, StructType>()

/** The type of structs with these fields; names are in ascending order, without duplicates. */
export function structTypeOf(fieldNames: readonly string[]): StructType {
  const slots = fieldNames.map(slotOfField)
  const key = slots.join()
  let type = structTypes.get(key)
  if (type === undefined) {
    const { create, fieldsOf } = createClass<LfStruct>(LfStruct, slots)
    type = { kind: 'struct', fieldNames, create, fieldsOf }
    Object.defineProperty(create.prototype, 'type', { value: type })
    structTypes.set(key, type)
  }
  return type
}

const listOf = (...items: LfValue[]): LfValue[] => items

type Made<Base> = {
  readonly create: new (...fields: LfValue[]) => Base
  readonly fieldsOf: (value: Base) => LfValue[]
}

function createClass<Base>(base: object, slots: readonly string[]): Made<Base> {
  if (slots.length > fieldsMax) throw new KindError(`there are more than ${fieldsMax} fields`)
  const parameters = slots.map((_, index) => `a${index}`).join(', ')
  const assignments = slots.map((slot, index) => `this.${slot} = a${index}`).join('; ')
  const reads = slots.map((slot) => `value.${slot}`).join(', ')
  const body = `return {
    create: class extends base { constructor(${parameters}) { super(); ${assignments} } },
    fieldsOf: (value) => listOf(${reads}),
  }`
  const make = compileFunction(['base', 'listOf'], body) as (extended: object, list: typeof listOf) => Made<Base>
  return make(base, listOf)
}
