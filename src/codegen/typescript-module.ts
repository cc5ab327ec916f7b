// One Daml module as a TypeScript module: a type for each data type, and a constant with the id and the choices of each
// template and interface.

import { mayBeNull } from '../lf/codec/shapes.ts'
import type {
  Choice,
  DataType,
  FieldType,
  Identifier,
  Interface,
  Module,
  Package,
  Template,
  Type,
} from '../lf/syntax/ast.ts'
import { isGenerated, type PackageSet, referenceTo } from './package-set.ts'
import { preludeName } from './typescript-prelude.ts'
import { type NameOf, typeParameter, writeType } from './typescript-types.ts'

type ModuleSetting = {
  readonly package: Package
  readonly module: Module
  readonly packages: PackageSet
  readonly nameOf: NameOf
}

export function writeModule({ package: owner, module, packages, nameOf }: ModuleSetting): string[] {
  const definitions: string[] = []
  for (const dataType of module.dataTypes.values()) {
    const id: Identifier = { packageId: owner.id, module: module.name, name: dataType.name }
    if (!isGenerated(dataType)) continue
    definitions.push(writeDataType(dataType, nameOf(id)!, referenceTo(id, packages), nameOf))
    const template = module.templates.get(dataType.name)
    if (template !== undefined) definitions.push(writeTemplate(template, id, packages, nameOf))
    const iface = module.interfaces.get(dataType.name)
    if (iface !== undefined) definitions.push(writeInterface(iface, id, packages, nameOf))
  }
  return definitions
}

function writeDataType(
  { parameters, constructors }: DataType,
  name: string,
  reference: string,
  nameOf: NameOf,
): string {
  const body = () => {
    switch (constructors.kind) {
      case 'record':
        return ` ${writeRecord(constructors.fields, nameOf)}`
      case 'variant':
        return writeVariant(constructors.fields, nameOf)
      case 'enum':
        return constructors.names.map((value) => `\n  | '${value}'`).join('') || ' never'
      case 'interface':
        return ` ${preludeName}.AnyOf<'${reference}'>`
    }
  }
  const fields = 'fields' in constructors ? constructors.fields : []
  const names = parameters.map((parameter) => {
    const isUsed = fields.some(({ type }) => mentions(type, parameter.name))
    return isUsed ? typeParameter(parameter.name) : `_${parameter.name}` // So that no linter calls it unused.
  })
  return `export type ${name}${names.length > 0 ? `<${names.join(', ')}>` : ''} =${body()}`
}

/** Type-level numbers, the scales of Numerics, do not show in TypeScript. */
function mentions(type: Type, name: string): boolean {
  if (type.kind === 'variable') return type.args.length === 0 && type.name === name
  if (type.kind === 'builtin' && type.name === 'Numeric') return false
  return 'args' in type && type.args.some((argument) => mentions(argument, name))
}

/** Members that every object has: TypeScript sees them where a field of that name is left out. */
const objectMembers = new Set(Object.getOwnPropertyNames(Object.prototype))

/** `None` may be left out at the end of a record, and anywhere in a command. */
function writeRecord(fields: readonly FieldType[], nameOf: NameOf): string {
  if (fields.length === 0) return `${preludeName}.Unit`
  const line = ({ name, type }: FieldType) => {
    if (!mayBeNull(type)) return `\n  ${name}: ${writeType(type, nameOf)}`
    return `\n  ${name}?: ${objectMembers.has(name) ? 'unknown' : writeType(type, nameOf)}`
  }
  const lines = (of: readonly FieldType[]) => of.map(line).join('')
  const open = fields.filter(({ type }) => type.kind === 'variable')
  const closed = fields.filter(({ type }) => type.kind !== 'variable')
  const parts = [
    ...(closed.length > 0 ? [`{${lines(closed)}\n}`] : []),
    ...(open.length > 0 ? [`${preludeName}.Fields<{${lines(open)}\n}>`] : []),
  ]
  return parts.join(' & ')
}

function writeVariant(fields: readonly FieldType[], nameOf: NameOf): string {
  const variants = fields.map(({ name, type }) => `\n  | { tag: '${name}'; value: ${writeType(type, nameOf)} }`)
  return variants.join('') || ' never'
}

function writeTemplate({ key, choices }: Template, id: Identifier, packages: PackageSet, nameOf: NameOf): string {
  const reference = referenceTo(id, packages)
  return `/** Template ${reference} */
export const ${nameOf(id)}: ${preludeName}.Template<{
  id: '${reference}'
  payload: ${nameOf(id)}
  key: ${key === undefined ? 'never' : writeType(key.type, nameOf)}
  choices: ${writeChoices(choices, nameOf)}
}> = { templateId: '${reference}' }`
}

function writeInterface(
  { viewType, choices }: Interface,
  id: Identifier,
  packages: PackageSet,
  nameOf: NameOf,
): string {
  const reference = referenceTo(id, packages)
  return `/** Interface ${reference} */
export const ${nameOf(id)}: ${preludeName}.Interface<{
  id: '${reference}'
  view: ${writeType(viewType, nameOf)}
  choices: ${writeChoices(choices, nameOf)}
}> = { interfaceId: '${reference}' }`
}

function writeChoices(choices: ReadonlyMap<string, Choice>, nameOf: NameOf): string {
  if (choices.size === 0) return '{}'
  const lines = [...choices.values()].map(({ name, argument, returnType }) => {
    const [taken, returned] = [writeType(argument.type, nameOf), writeType(returnType, nameOf)]
    return `    ${name}: ${preludeName}.Choice<${taken}, ${returned}>`
  })
  return `{\n${lines.join('\n')}\n  }`
}
