// Describes the types of a package for programs that show its values and build its commands.

import type { Choice, Identifier, Interface, Module, Template, Type } from '../lf/syntax/ast.ts'
import { fullName } from '../lf/syntax/names.ts'
import { scriptsIn } from '../script/scripts.ts'
import { createChoiceEffects } from './choice-effects.ts'
import { dataTypeOf, type PackageSet, reachableInterfaces } from './package-set.ts'
import { requiredParties } from './required-parties.ts'
import type {
  ChoiceTypes,
  DataTypeDescription,
  FieldDescription,
  InterfaceTypes,
  PackageTypes,
  ScriptTypes,
  TemplateTypes,
  TypeDescription,
} from './type-description.ts'

/** A deeper type is cut off: no real one is. */
const depthMax = 50

const scalars = new Set(['Unit', 'Bool', 'Int64', 'Date', 'Timestamp', 'Party', 'Text'])
const containers = new Set(['Optional', 'List', 'TextMap', 'ContractId'])

export function packageTypes(packages: PackageSet): PackageTypes {
  const { main } = packages
  const types = new Map<string, DataTypeDescription>()
  const pending: Identifier[] = []
  const found = new Set<string>()
  const named = new Map<string, { name: string; version: string }>()

  /** Names a type, and describes it later if it is a data type. */
  function mention(id: Identifier): string {
    const key = fullName(id)
    if (found.has(key)) return key
    found.add(key)
    pending.push(id)
    const of = packages.get(id.packageId)
    if (of !== undefined) named.set(id.packageId, { name: of.name, version: of.version })
    return key
  }

  function describe(type: Type, depth = 0): TypeDescription {
    if (depth > depthMax) return { kind: 'Unknown' }
    const inner = (part: Type | undefined): TypeDescription =>
      part === undefined ? { kind: 'Unknown' } : describe(part, depth + 1)
    if (type.kind === 'variable' && type.args.length === 0) return { kind: 'Variable', name: type.name }
    if (type.kind === 'constructor') return { kind: 'Data', id: mention(type.id), args: type.args.map(inner) }
    if (type.kind !== 'builtin') return { kind: 'Unknown' }
    const [first, second] = type.args
    if (scalars.has(type.name)) return { kind: type.name } as TypeDescription
    if (type.name === 'Numeric') return { kind: 'Numeric', ...(first?.kind === 'nat' && { scale: first.value }) }
    if (containers.has(type.name)) return { kind: type.name, of: inner(first) } as TypeDescription
    return type.name === 'GenMap' ? { kind: 'GenMap', key: inner(first), of: inner(second) } : { kind: 'Unknown' }
  }

  function describeDataType(id: Identifier): DataTypeDescription | undefined {
    const dataType = dataTypeOf(id, packages)
    if (dataType === undefined) return undefined
    const parameters = dataType.parameters.map(({ name }) => name)
    const { constructors } = dataType
    const field = ({ name, type }: { name: string; type: Type }): FieldDescription => ({ name, type: describe(type) })
    switch (constructors.kind) {
      case 'record':
        return { kind: 'record', parameters, fields: constructors.fields.map(field) }
      case 'variant':
        return { kind: 'variant', parameters, constructors: constructors.fields.map(field) }
      case 'enum':
        return { kind: 'enum', parameters, names: constructors.names }
      case 'interface':
        return undefined
    }
  }

  const effectsOf = createChoiceEffects(packages)
  const choice = (one: Choice, contract: string, isOfInterface: boolean): ChoiceTypes => {
    const names = { contract, argument: one.argument.name, isOfInterface }
    const controllers = requiredParties(one.controllers, names, packages)
    return {
      name: one.name,
      consuming: one.isConsuming,
      argument: describe(one.argument.type),
      ...(controllers && { controllers }),
      result: describe(one.returnType),
      ...effectsOf(one),
    }
  }
  const choicesOf = ({ choices, parameter }: Template | Interface, isOfInterface: boolean) =>
    [...choices.values()].map((one) => choice(one, parameter, isOfInterface))

  function templatesOf(module: Module): TemplateTypes[] {
    return [...module.templates.values()].map((template) => {
      const id = { packageId: main.id, module: module.name, name: template.name }
      const signatories = requiredParties(template.signatories, { contract: template.parameter }, packages)
      return {
        id: fullName(id),
        payload: { kind: 'Data', id: mention(id), args: [] },
        ...(signatories && { signatories }),
        ...(template.key && { key: describe(template.key.type) }),
        choices: choicesOf(template, false),
        implements: template.interfaceInstances.map((one) => fullName(one.interface)),
      }
    })
  }

  const modules = [...main.modules.values()]
  const templates = modules.flatMap(templatesOf)
  const interfaces = reachableInterfaces(packages).map(({ id, declared }): InterfaceTypes => {
    const of = packages.get(id.packageId)!
    named.set(id.packageId, { name: of.name, version: of.version })
    const requires = declared.requires.map(fullName)
    return { id: fullName(id), view: describe(declared.viewType), choices: choicesOf(declared, true), requires }
  })
  const current = scriptsIn(main).filter(({ isLegacy }) => !isLegacy)
  const scripts = current.map(({ id, parameter, result }): ScriptTypes => {
    const argument = parameter && describe(parameter)
    return { name: `${id.module}:${id.name}`, ...(argument && { argument }), result: describe(result) }
  })
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const described = describeDataType(next)
    if (described !== undefined) types.set(fullName(next), described)
  }
  return {
    packageId: main.id,
    name: main.name,
    version: main.version,
    templates,
    interfaces,
    scripts,
    types: Object.fromEntries(types),
    packages: Object.fromEntries(named),
  }
}
