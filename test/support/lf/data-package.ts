// Types and data types for tests, without an archive: a package is a list of its data types.
import type {
  DataConstructors,
  DataType,
  FieldType,
  Identifier,
  Module,
  Package,
  Type,
} from '../../../src/lf/syntax/ast.ts'
import type { BuiltinTypeName } from '../../../src/lf/syntax/builtins.ts'
import { createDataTypes, type DataTypes } from '../../../src/lf/values/data-types.ts'

const builtin = (name: BuiltinTypeName, ...args: Type[]): Type => ({ kind: 'builtin', name, args })
const template: Type = { kind: 'constructor', id: { packageId: 'any', module: 'Any', name: 'Template' }, args: [] }

export const unitType = builtin('Unit')
export const boolType = builtin('Bool')
export const intType = builtin('Int64')
export const dateType = builtin('Date')
export const timeType = builtin('Timestamp')
export const partyType = builtin('Party')
export const textType = builtin('Text')
export const contractIdType = builtin('ContractId', template)
export const numericType = (scale: number): Type => builtin('Numeric', { kind: 'nat', value: scale })
export const optionalType = (element: Type): Type => builtin('Optional', element)
export const listType = (element: Type): Type => builtin('List', element)
export const textMapType = (element: Type): Type => builtin('TextMap', element)
export const genMapType = (key: Type, element: Type): Type => builtin('GenMap', key, element)
export const variableType = (name: string): Type => ({ kind: 'variable', name, args: [] })

export const testPackageId = 'test-package'

export const testId = (name: string, packageId = testPackageId): Identifier => ({ packageId, module: 'Main', name })

export function dataType(name: string, ...args: Type[]): Type {
  return { kind: 'constructor', id: testId(name), args }
}

type Fields = Readonly<Record<string, Type>>

const fieldsOf = (fields: Fields): FieldType[] => Object.entries(fields).map(([name, type]) => ({ name, type }))

export function record(name: string, fields: Fields, parameters: readonly string[] = []): DataType {
  return definition(name, { kind: 'record', fields: fieldsOf(fields) }, parameters)
}

export function variant(name: string, fields: Fields, parameters: readonly string[] = []): DataType {
  return definition(name, { kind: 'variant', fields: fieldsOf(fields) }, parameters)
}

export function enumeration(name: string, ...names: string[]): DataType {
  return definition(name, { kind: 'enum', names }, [])
}

function definition(name: string, constructors: DataConstructors, parameters: readonly string[]): DataType {
  const star = { kind: 'star' } as const
  return {
    name,
    parameters: parameters.map((parameter) => ({ name: parameter, kind: star })),
    isSerializable: true,
    constructors,
  }
}

/** All in one module. */
export function packageOf(id: string, definitions: readonly DataType[], moduleName = 'Main'): Package {
  const module: Module = {
    name: moduleName,
    synonyms: new Map(),
    dataTypes: new Map(definitions.map((each) => [each.name, each])),
    values: new Map(),
    templates: new Map(),
    exceptions: new Map(),
    interfaces: new Map(),
  }
  return {
    id,
    languageVersion: '2.1',
    name: 'test',
    version: '1.0.0',
    upgrades: undefined,
    imports: undefined,
    modules: new Map([[module.name, module]]),
  }
}

export function dataTypesOf(...packages: Package[]): DataTypes {
  return createDataTypes(new Map(packages.map((each) => [each.id, each])))
}
