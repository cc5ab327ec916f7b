// The run-time side of data types: one descriptor for each record, variant and enum type, shared by compiled code and
// codecs, so that the same type is the same object wherever a value comes from.

import type { DataType, Identifier, Package } from '../syntax/ast.ts'
import { fullName } from '../syntax/names.ts'
import { KindError } from './kinds.ts'
import { createRecordType } from './structures.ts'
import { type EnumType, EnumValue, type RecordType, type VariantType } from './values.ts'

export type Packages = {
  /** Undefined for an unknown package. */
  get(packageId: string): Package | undefined
}

export type DataTypes = {
  /** Throws when there is none. */
  definition(id: Identifier): DataType
  record(id: Identifier): RecordType
  variant(id: Identifier): VariantType
  enum(id: Identifier): EnumType
}

export function createDataTypes(packages: Packages): DataTypes {
  const known = new Map<string, RecordType | VariantType | EnumType>(
    stableRecordTypes.map((type) => [fullName(type.id), type]),
  )

  function definition(id: Identifier): DataType {
    const found = packages.get(id.packageId)?.modules.get(id.module)?.dataTypes.get(id.name)
    if (found === undefined) throw new KindError(`there is no data type ${fullName(id)}`)
    return found
  }

  function typeOf<Kind extends 'record' | 'variant' | 'enum'>(id: Identifier, kind: Kind) {
    const key = fullName(id)
    let type = known.get(key)
    if (type === undefined) {
      type = describe(id, definition(id))
      known.set(key, type)
    }
    if (type.kind !== kind) throw new KindError(`${key} is a ${type.kind}, not a ${kind}`)
    return type as Extract<typeof type, { kind: Kind }>
  }

  return {
    definition,
    record: (id) => typeOf(id, 'record'),
    variant: (id) => typeOf(id, 'variant'),
    enum: (id) => typeOf(id, 'enum'),
  }
}

function describe(id: Identifier, { constructors }: DataType): RecordType | VariantType | EnumType {
  const fieldNames = () => distinct(id, 'fields' in constructors ? constructors.fields.map(({ name }) => name) : [])
  switch (constructors.kind) {
    case 'record':
      return createRecordType(id, fieldNames())
    case 'variant':
      return { kind: 'variant', id, tags: fieldNames() }
    case 'enum': {
      distinct(id, constructors.names)
      const values: EnumValue[] = []
      const type: EnumType = { kind: 'enum', id, tags: constructors.names, values }
      for (const rank of constructors.names.keys()) values.push(new EnumValue(type, rank))
      return type
    }
    case 'interface':
      throw new KindError(`${id.module}:${id.name} is an interface: its values are its templates' records`)
  }
}

/** In JSON, two fields of one name would be one. */
function distinct({ module, name }: Identifier, names: readonly string[]): readonly string[] {
  if (new Set(names).size < names.length) throw new KindError(`${module}:${name} has two fields of one name`)
  return names
}

// The engine makes values of these record types itself. Their packages are stable, so the types are the same whether or
// not the package was uploaded.

/** The one exception that the language itself throws. */
export const arithmeticErrorType: RecordType = createRecordType(
  {
    packageId: 'ee33fb70918e7aaa3d3fc44d64a399fb2bf5bcefc54201b1690ecd448551ba88',
    module: 'DA.Exception.ArithmeticError',
    name: 'ArithmeticError',
  },
  ['message'],
)

/** The result of a fetch by key. */
export const tuple2Type: RecordType = createRecordType(
  {
    packageId: '5aee9b21b8e9a4c4975b5f4c4198e6e6e8469df49e2010820e792f393db870f4',
    module: 'DA.Types',
    name: 'Tuple2',
  },
  ['_1', '_2'],
)

const stableRecordTypes: readonly RecordType[] = [arithmeticErrorType, tuple2Type]
