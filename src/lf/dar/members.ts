// Fields with their types in Daml syntax, including the fields of nested records: everything that the JSON form needs,
// down to the last field.
import type { DataType, FieldType, Package, Type } from '../syntax/ast.ts'
import { isTuple, renderType, substitute } from '../syntax/types.ts'

/** A name and a type in Daml syntax. */
export type Member = {
  readonly name: string
  readonly type: string
  /** The records and variants in the type, except those that were described before. */
  readonly holds?: readonly DataDescription[]
}

export type DataDescription = {
  readonly type: string
  readonly kind: 'record' | 'variant'
  /** For a variant: its constructors. */
  readonly fields: readonly Member[]
}

/** Limit of nesting; deeper records are only named. */
const depthMax = 50

export type Packages = ReadonlyMap<string, Package>

/**
 * Describes several types together. Each data type is described once, whatever its arguments, so recursive types end
 * and shared types are not repeated.
 */
export function createMemberWriter(module: string, packages: Packages) {
  const told = new Set<DataType>()
  const seen = new Set<Type>() // Types share parts.
  let depth = 0

  function members(fields: readonly FieldType[]): readonly Member[] {
    return fields.map(({ name, type }) => {
      const holds = dataIn(type)
      return { name, type: renderType(type, module), ...(holds.length > 0 && { holds }) }
    })
  }

  /** The fields of a record; none for any other type. */
  function fieldsOf(type: Type): readonly Member[] {
    const data = dataOf(type)
    return data?.kind === 'record' ? tell(data) : []
  }

  function dataIn(type: Type): readonly DataDescription[] {
    if (seen.has(type)) return []
    seen.add(type)
    if (type.kind === 'builtin') return type.name === 'ContractId' ? [] : type.args.flatMap(dataIn)
    if (type.kind !== 'constructor') return []
    const inArguments = () => type.args.flatMap(dataIn)
    if (isTuple(type.id)) return inArguments()
    const data = dataOf(type)
    if (data === undefined || told.has(data.dataType)) return inArguments()
    const fields = tell(data)
    const own = { type: renderType(type, module), kind: data.kind, fields }
    return [...(fields.length > 0 ? [own] : []), ...inArguments()]
  }

  type Data = {
    readonly dataType: DataType
    readonly kind: 'record' | 'variant'
    readonly fields: readonly FieldType[]
  }

  /** With its parameters filled in. */
  function dataOf(type: Type): Data | undefined {
    if (type.kind !== 'constructor') return undefined
    const { packageId, module: owner, name } = type.id
    const dataType = packages.get(packageId)?.modules.get(owner)?.dataTypes.get(name)
    if (dataType === undefined) return undefined
    const { constructors, parameters } = dataType
    if (constructors.kind !== 'record' && constructors.kind !== 'variant') return undefined
    const bound = new Map(parameters.map((parameter, index) => [parameter.name, type.args[index]]))
    const fields = constructors.fields.map((field) => ({ name: field.name, type: substitute(field.type, bound) }))
    return { dataType, kind: constructors.kind, fields }
  }

  function tell({ dataType, fields }: Data): readonly Member[] {
    told.add(dataType)
    if (depth === depthMax) return []
    depth += 1
    const described = members(fields)
    depth -= 1
    return described
  }

  return { members, fieldsOf, dataIn }
}
