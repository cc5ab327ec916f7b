// The content of a DAR, as plain data for people and tools: packages, templates with their fields, choices with
// arguments and results, interfaces and their implementations.
import type { Choice, Identifier, Interface, Module, Template } from '../syntax/ast.ts'
import { renderType } from '../syntax/types.ts'
import type { Dar, DarPackage } from './dar.ts'
import { createMemberWriter, type DataDescription, type Member, type Packages } from './members.ts'

export type DarDescription = {
  readonly name: string
  readonly version: string
  readonly mainPackageId: string
  readonly sdkVersion: string | undefined
  /** The main package first. */
  readonly packages: readonly PackageDescription[]
}

export type PackageDescription = {
  readonly packageId: string
  readonly name: string
  readonly version: string
  readonly languageVersion: string
  readonly isMain: boolean
  readonly upgrades: string | undefined
  /** Bytes of the dalf. */
  readonly size: number
  readonly modules: readonly string[]
  readonly dependencies: readonly string[]
  readonly templates: readonly TemplateDescription[]
  readonly interfaces: readonly InterfaceDescription[]
}

export type TemplateDescription = {
  /** Module and name, as in `Main:Iou`. */
  readonly name: string
  readonly fields: readonly Member[]
  readonly key: string | undefined
  readonly choices: readonly ChoiceDescription[]
  /** Ids of interfaces: package, module and name. */
  readonly implements: readonly string[]
}

export type ChoiceDescription = {
  readonly name: string
  readonly isConsuming: boolean
  readonly argument: string
  /** The fields of the argument, if it is a record of this DAR. */
  readonly fields: readonly Member[]
  readonly returns: string
  /** The records and variants in its result. */
  readonly result: readonly DataDescription[]
}

export type InterfaceDescription = {
  readonly name: string
  readonly viewType: string
  readonly view: readonly Member[]
  readonly methods: readonly Member[]
  readonly choices: readonly ChoiceDescription[]
  readonly requires: readonly string[]
  /** Ids of the templates of this DAR that implement it. */
  readonly implementedBy: readonly string[]
}

type Implementations = ReadonlyMap<string, readonly string[]>

export function inspectDar(dar: Dar): DarDescription {
  const packages = new Map(dar.packages.map((entry) => [entry.package.id, entry.package]))
  const implementations = implementationsIn(packages)
  const main = dar.main.package
  return {
    name: main.name,
    version: main.version,
    mainPackageId: main.id,
    sdkVersion: dar.manifest.sdkVersion,
    packages: dar.packages.map((entry) => describePackage(entry, entry === dar.main, packages, implementations)),
  }
}

function describePackage(
  entry: DarPackage,
  isMain: boolean,
  packages: Packages,
  implementations: Implementations,
): PackageDescription {
  const { package: described, bytes, dependencies } = entry
  const modules = [...described.modules.values()]
  return {
    packageId: described.id,
    name: described.name,
    version: described.version,
    languageVersion: described.languageVersion,
    isMain,
    upgrades: described.upgrades,
    size: bytes.length,
    modules: modules.map((module) => module.name).sort(),
    dependencies: [...dependencies].sort(),
    templates: modules.flatMap((module) => {
      return [...module.templates.values()].map((template) => describeTemplate(template, module, packages))
    }),
    interfaces: modules.flatMap((module) => {
      return [...module.interfaces.values()].map((iface) => {
        const id = textOf({ packageId: described.id, module: module.name, name: iface.name })
        return { ...describeInterface(iface, module, packages), implementedBy: implementations.get(id) ?? [] }
      })
    }),
  }
}

function describeTemplate(template: Template, module: Module, packages: Packages): TemplateDescription {
  const data = module.dataTypes.get(template.name)?.constructors
  return {
    name: `${module.name}:${template.name}`,
    fields: data?.kind === 'record' ? createMemberWriter(module.name, packages).members(data.fields) : [],
    key: template.key && renderType(template.key.type, module.name),
    choices: describeChoices(template.choices, module, packages),
    implements: template.interfaceInstances.map((instance) => textOf(instance.interface)),
  }
}

function describeInterface(
  iface: Interface,
  module: Module,
  packages: Packages,
): Omit<InterfaceDescription, 'implementedBy'> {
  return {
    name: `${module.name}:${iface.name}`,
    viewType: renderType(iface.viewType, module.name),
    view: createMemberWriter(module.name, packages).fieldsOf(iface.viewType),
    methods: [...iface.methods].map(([name, type]) => ({ name, type: renderType(type, module.name) })),
    choices: describeChoices(iface.choices, module, packages),
    requires: iface.requires.map(textOf),
  }
}

function describeChoices(
  choices: ReadonlyMap<string, Choice>,
  module: Module,
  packages: Packages,
): readonly ChoiceDescription[] {
  return [...choices.values()].map(({ name, isConsuming, argument, returnType }) => ({
    name,
    isConsuming,
    argument: renderType(argument.type, module.name),
    fields: createMemberWriter(module.name, packages).fieldsOf(argument.type),
    returns: renderType(returnType, module.name),
    result: createMemberWriter(module.name, packages).dataIn(returnType),
  }))
}

/** For each interface the templates that implement it, by id. */
function implementationsIn(packages: Packages): Implementations {
  const found = new Map<string, string[]>()
  for (const { id: packageId, modules } of packages.values()) {
    for (const module of modules.values()) {
      for (const template of module.templates.values()) {
        const id = textOf({ packageId, module: module.name, name: template.name })
        for (const instance of template.interfaceInstances) {
          const key = textOf(instance.interface)
          found.set(key, [...(found.get(key) ?? []), id])
        }
      }
    }
  }
  return found
}

const textOf = (id: Identifier): string => `${id.packageId}:${id.module}:${id.name}`
