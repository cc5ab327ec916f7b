// Daml types as TypeScript. A type without a JSON form is `unknown`.
import { isOptional } from '../lf/codec/shapes.ts'
import type { Identifier, Module, Type } from '../lf/syntax/ast.ts'
import type { BuiltinTypeName } from '../lf/syntax/builtins.ts'
import { preludeName } from './typescript-prelude.ts'

/** The name of a data type in the module being written; undefined for one that is not generated. */
export type NameOf = (id: Identifier) => string | undefined

const scalars: Partial<Record<BuiltinTypeName, string>> = {
  Unit: 'Unit',
  Bool: 'Bool',
  Int64: 'Int',
  Numeric: 'Numeric',
  Text: 'Text',
  Date: 'Date',
  Timestamp: 'Time',
  Party: 'Party',
}

const containers: Partial<Record<BuiltinTypeName, { readonly name: string; readonly arity: number }>> = {
  ContractId: { name: 'ContractId', arity: 1 },
  Optional: { name: 'Optional', arity: 1 },
  List: { name: 'List', arity: 1 },
  TextMap: { name: 'TextMap', arity: 1 },
  GenMap: { name: 'Map', arity: 2 },
}

export function writeType(type: Type, nameOf: NameOf): string {
  switch (type.kind) {
    case 'builtin':
      return builtin(type.name, type.args, nameOf)
    case 'constructor': {
      const name = nameOf(type.id)
      return name === undefined ? 'unknown' : applied(name, type.args, nameOf)
    }
    case 'variable':
      return type.args.length === 0 ? typeParameter(type.name) : 'unknown'
    default:
      return 'unknown' // Type-level numbers and function types.
  }
}

function builtin(name: BuiltinTypeName, args: readonly Type[], nameOf: NameOf): string {
  const scalar = scalars[name]
  if (scalar !== undefined) return `${preludeName}.${scalar}`
  const container = containers[name]
  if (container === undefined || args.length !== container.arity) return 'unknown'
  if (name === 'Optional' && isOptional(args[0]!)) {
    return `${preludeName}.Nested<${nestedType(args[0], nameOf)}>`
  }
  return applied(`${preludeName}.${container.name}`, args, nameOf)
}

/** The content of an Optional that is inside another one: each of them is an array. */
function nestedType(type: Type, nameOf: NameOf): string {
  const [content] = isOptional(type) ? type.args : []
  return content === undefined ? writeType(type, nameOf) : `${preludeName}.Nested<${nestedType(content, nameOf)}>`
}

function applied(name: string, args: readonly Type[], nameOf: NameOf): string {
  return args.length === 0 ? name : `${name}<${args.map((argument) => writeType(argument, nameOf)).join(', ')}>`
}

// Names that TypeScript does not accept for a type.
const reserved = new Set(
  `any as async await bigint boolean break case catch class const continue debugger declare default delete do else enum
  export extends false finally for function if implements import in infer instanceof interface is keyof let never new
  null number object package private protected public readonly return static string super switch symbol this throw
  true try type typeof undefined unique unknown var void while with yield ${preludeName}`.split(/\s+/),
)

/**
 * The TypeScript names of a module's types. LF names are letters, digits, `_` and `$`, with dots for nested types. A
 * dot becomes `_`, and where that name is taken, more of them are appended.
 */
export function typeNamesOf({ dataTypes }: Module): ReadonlyMap<string, string> {
  let names = knownNames.get(dataTypes)
  if (names === undefined) {
    names = new Map()
    const taken = new Set(reserved)
    const plainFirst = [...dataTypes.keys()].sort((a, b) => Number(a.includes('.')) - Number(b.includes('.')))
    for (const name of plainFirst) {
      let free = name.replaceAll('.', '_')
      while (taken.has(free)) free += '_'
      taken.add(free)
      names.set(name, free)
    }
    knownNames.set(dataTypes, names)
  }
  return names
}

const knownNames = new WeakMap<Module['dataTypes'], Map<string, string>>()

export function typeParameter(name: string): string {
  return reserved.has(name) ? `${name}_` : name
}
