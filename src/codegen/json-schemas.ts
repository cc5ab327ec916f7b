// Daml types as OpenAPI schemas of their JSON: one component for each data type with its arguments.

import { mayBeNull, nestedIn, type OptionalShape, optionalShape, typeKey } from '../lf/codec/shapes.ts'
import type { DataType, FieldType, Identifier, Type } from '../lf/syntax/ast.ts'
import { substitute } from '../lf/syntax/types.ts'
import { dataTypeOf, type PackageSet } from './package-set.ts'

export type Schema = Readonly<Record<string, unknown>>

type SchemaWriter = {
  /** The schema of a type, which may refer to a component. */
  schemaOf(type: Type): Schema
  /** Components by name; complete once no more schemas are requested. */
  readonly components: ReadonlyMap<string, Schema>
}

/** A type that contains itself with ever larger arguments has no end, so it is cut off here. */
const typeNodesMax = 100
const componentsMax = 20_000
const nameLengthMax = 200

type Builtin = Extract<Type, { kind: 'builtin' }>
type DataApplication = Extract<Type, { kind: 'constructor' }>

const anything: Schema = { description: 'Any value' }

const scalars: Readonly<Record<string, Schema>> = {
  Unit: { type: 'object', description: 'Nothing' },
  Bool: { type: 'boolean' },
  Int64: { type: 'string', pattern: '^[+-]?\\d+$', description: '64 bits' },
  Date: { type: 'string', format: 'date' },
  Timestamp: { type: 'string', format: 'date-time' },
  Party: { type: 'string', description: 'A party' },
  Text: { type: 'string' },
  ContractId: { type: 'string', description: 'The id of a contract' },
}

export function createSchemaWriter(packages: PackageSet): SchemaWriter {
  const names = new Map<string, string>() // Keyed by type.
  const components = new Map<string, Schema>()
  const pending: { readonly name: string; readonly type: DataApplication; readonly dataType: DataType }[] = []
  let isWriting = false

  function schemaOf(type: Type): Schema {
    const schema = write(type)
    if (isWriting) return schema
    isWriting = true
    for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
      components.set(next.name, component(next.type, next.dataType))
    }
    isWriting = false
    return schema
  }

  function write(type: Type): Schema {
    if (!isSmall(type)) return anything
    if (type.kind === 'builtin') return builtin(type)
    return type.kind === 'constructor' ? reference(type) : anything
  }

  function builtin(type: Builtin): Schema {
    const {
      name,
      args: [first, second],
    } = type
    const scalar = scalars[name]
    if (scalar !== undefined) return scalar
    if (first === undefined) return anything
    switch (name) {
      case 'Numeric':
        return { type: 'string', description: first.kind === 'nat' ? `${first.value} decimals` : 'A number' }
      case 'Optional':
        return mayBeNull(type) ? orNull(write(first)) : nestedOptional(optionalShape(type)!)
      case 'List':
        return { type: 'array', items: write(first) }
      case 'TextMap':
        return { type: 'object', additionalProperties: write(first) }
      case 'GenMap': {
        const items = { anyOf: [write(first), second === undefined ? anything : write(second)] }
        const pair = { type: 'array', minItems: 2, maxItems: 2, items, description: 'Key and value' }
        return { type: 'array', items: pair }
      }
      default:
        return anything
    }
  }

  /** Each level of nested Optionals is an array. */
  function nestedOptional(shape: OptionalShape): Schema {
    const nested = nestedIn(shape)
    const items = nested === undefined ? write(shape.element) : nestedOptional(nested)
    return { type: 'array', maxItems: 1, items, description: 'Empty, or with the value' }
  }

  function reference(type: DataApplication): Schema {
    const dataType = dataTypeOf(type.id, packages)
    if (dataType === undefined) return anything
    const key = typeKey(type)
    let name = names.get(key)
    if (name === undefined) {
      if (names.size >= componentsMax) return anything
      name = freeName(nameFor(type, packages), names.size)
      names.set(key, name)
      components.set(name, anything) // A placeholder until it is written.
      pending.push({ name, type, dataType })
    }
    return { $ref: `#/components/schemas/${name}` }
  }

  function freeName(wanted: string, count: number): string {
    const short = wanted.slice(0, nameLengthMax)
    return components.has(short) ? `${short}-${count}` : short
  }

  function component({ id, args }: DataApplication, { parameters, constructors }: DataType): Schema {
    const description = `${id.module}:${id.name}`
    const bound = new Map(parameters.map(({ name }, index) => [name, args[index]]))
    const done = new Map<Type, Type>()
    const closed = ({ name, type }: FieldType) => ({ name, type: substitute(type, bound, done) })
    switch (constructors.kind) {
      case 'record':
        return { description, ...record(constructors.fields.map(closed)) }
      case 'variant':
        return { description, oneOf: constructors.fields.map(closed).map(variant) }
      case 'enum':
        return { description, type: 'string', enum: constructors.names }
      case 'interface':
        return anything
    }
  }

  function record(fields: readonly FieldType[]): Schema {
    const required = fields.filter(({ type }) => !mayBeNull(type)).map(({ name }) => name)
    const properties = Object.fromEntries(fields.map(({ name, type }) => [name, write(type)]))
    return { type: 'object', ...(required.length > 0 && { required }), properties }
  }

  function variant({ name, type }: FieldType): Schema {
    const tag = { type: 'string', enum: [name] }
    return { type: 'object', required: ['tag', 'value'], properties: { tag, value: write(type) } }
  }

  return { schemaOf, components }
}

/** OpenAPI 3.0 gives `nullable` a meaning only beside `type`. */
const onlyNull: Schema = { type: 'object', nullable: true, enum: [null] }

export function orNull(schema: Schema): Schema {
  if ('$ref' in schema) return { oneOf: [schema, onlyNull] }
  return 'type' in schema ? { ...schema, nullable: true } : schema // What has no type may be null anyway.
}

function isSmall(type: Type): boolean {
  const pending = [type]
  let nodes = 0
  for (let next = pending.pop(); next !== undefined && nodes <= typeNodesMax; next = pending.pop()) {
    nodes += 1
    if ('args' in next) for (const argument of next.args.slice(0, typeNodesMax)) pending.push(argument)
  }
  return nodes <= typeNodesMax
}

/** `package.Module.Type`, with the names of its arguments. */
function nameFor({ id, args }: DataApplication, packages: PackageSet): string {
  return [qualified(id, packages), ...args.map(shortName)].join('-')
}

export function qualified({ packageId, module, name }: Identifier, packages: PackageSet): string {
  // `$` is the only character of an LF name that a component name cannot have.
  return `${packages.get(packageId)?.name ?? packageId}.${module}.${name}`.replaceAll(/[^A-Za-z0-9._-]/g, '_')
}

function shortName(type: Type): string {
  switch (type.kind) {
    case 'constructor':
      return [type.id.name.replaceAll('$', '_'), ...type.args.map(shortName)].join('-')
    case 'builtin':
      return [type.name, ...type.args.map(shortName)].join('-')
    case 'nat':
      return String(type.value)
    default:
      return 'any'
  }
}
