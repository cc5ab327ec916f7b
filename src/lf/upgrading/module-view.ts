// A module as the upgrade checker sees it: what it defines, each kind in the order in which the reference walks it.
import { hashOfProduct } from '../../base/scala-hashes.ts'
import type { DataType, Identifier, Module, Package, Template, Type } from '../syntax/ast.ts'
import { hashOfDottedName, hashOfIdentifier } from '../syntax/name-hashes.ts'
import type { Origin } from './problems.ts'
import { collected, type ReferenceMap, referenceMap } from './reference-map.ts'

export type Instance = { readonly template: string; readonly interface: Identifier }

export type ModuleView = {
  readonly name: string
  readonly templates: ReferenceMap<Template>
  /** Data types that belong to no interface and no exception. */
  readonly dataTypes: ReferenceMap<DataType>
  /** By `template/interface-id`. */
  readonly instances: ReferenceMap<Instance>
  originOf(dataType: string): Origin
}

export function modulesOf({ modules }: Package): ReferenceMap<Module> {
  return referenceMap(modules, hashOfDottedName)
}

export function moduleView(module: Module): ModuleView {
  const templates = referenceMap(module.templates, hashOfDottedName)
  const choices = choicesByArgument(templates)
  return {
    name: module.name,
    templates,
    dataTypes: dataTypesOf(module),
    instances: instancesOf(templates),
    originOf(name) {
      if (module.templates.has(name)) return { kind: 'template', template: name }
      const choice = choices.get(name)
      if (choice !== undefined) return { kind: 'choice', ...choice }
      return constructorOrigin(module, name) ?? { kind: 'data', name }
    },
  }
}

export const identifierText = ({ packageId, module, name }: Identifier): string => `${packageId}:${module}:${name}`

/** Definitions share one map with synonyms and values, whose number decides on its order. */
function dataTypesOf(module: Module): ReferenceMap<DataType> {
  const isOwned = (name: string) => module.interfaces.has(name) || module.exceptions.has(name)
  const names = [module.synonyms, module.dataTypes, module.values].flatMap((definitions) => [...definitions.keys()])
  const definitions = referenceMap(new Map(names.map((name) => [name, undefined])), hashOfDottedName)
  const dataTypes = collected(definitions, (name) => module.dataTypes.has(name))
  const unowned = [...dataTypes.entries.keys()].filter((name) => !isOwned(name))
  return referenceMap(new Map(unowned.map((name) => [name, module.dataTypes.get(name)!])), hashOfDottedName)
}

/** The instances of a template are in reverse order. */
function instancesOf(templates: ReferenceMap<Template>): ReferenceMap<Instance> {
  const instances = new Map<string, Instance>()
  for (const { name, interfaceInstances } of templates.entries.values()) {
    for (const { interface: id } of interfaceInstances.toReversed()) {
      instances.set(`${name}/${identifierText(id)}`, { template: name, interface: id })
    }
  }
  const hashOf = (key: string) => {
    const { template, interface: id } = instances.get(key)!
    return hashOfProduct('Tuple2', hashOfDottedName(template), hashOfIdentifier(id))
  }
  return referenceMap(instances, hashOf, templates.isTrie)
}

/** A choice's argument has its name and is defined beside the template. */
function choicesByArgument(templates: ReferenceMap<Template>) {
  const choices = new Map<string, { template: string; choice: string }>()
  for (const { name: template, choices: own } of templates.entries.values()) {
    const prefix = template.slice(0, template.lastIndexOf('.') + 1)
    for (const choice of own.keys()) choices.set(`${prefix}${choice}`, { template, choice })
  }
  return choices
}

/** `Shape.Circle` is what the constructor `Circle` of `Shape` carries. */
function constructorOrigin(module: Module, name: string): Origin | undefined {
  const dot = name.lastIndexOf('.')
  const variant = name.slice(0, Math.max(dot, 0))
  const data = module.dataTypes.get(variant)?.constructors
  if (data?.kind !== 'variant') return undefined
  const carried = data.fields.findLast((field) => field.name === name.slice(dot + 1))?.type
  const id = carried && headOf(carried)
  return id && { kind: 'constructor', variant, type: { module: id.module, name: id.name } }
}

function headOf(type: Type): Identifier | undefined {
  return type.kind === 'constructor' ? type.id : undefined
}
