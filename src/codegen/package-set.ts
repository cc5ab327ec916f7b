// The packages that types are generated from: a main package and the packages whose types it uses.
import type { DataType, Identifier, Interface, Module, Package, Type } from '../lf/syntax/ast.ts'
import { fullName } from '../lf/syntax/names.ts'
import { scriptsIn } from '../script/scripts.ts'

export type PackageSet = {
  readonly main: Package
  get(packageId: string): Package | undefined
}

/** The name by which commands refer to a template, whichever version of its package is installed. */
export function referenceTo(id: Identifier, packages: PackageSet): string {
  const { packageId, module, name } = id
  const named = packages.get(packageId)
  return named === undefined ? fullName(id) : `#${named.name}:${module}:${name}`
}

export function dataTypeOf({ packageId, module, name }: Identifier, packages: PackageSet): DataType | undefined {
  return packages.get(packageId)?.modules.get(module)?.dataTypes.get(name)
}

/** Whether values of the type have a JSON form, so that a type is generated for it. */
export function isGenerated({ isSerializable, constructors }: DataType): boolean {
  return isSerializable || constructors.kind === 'interface'
}

/** Every type of a module whose values clients send or receive. */
function* typesIn(module: Module): Generator<Type> {
  for (const dataType of module.dataTypes.values()) {
    if (!dataType.isSerializable) continue
    const { constructors } = dataType
    if (constructors.kind === 'record' || constructors.kind === 'variant') {
      for (const { type } of constructors.fields) yield type
    }
  }
  for (const { key, choices } of module.templates.values()) {
    if (key !== undefined) yield key.type
    for (const choice of choices.values()) yield* [choice.argument.type, choice.returnType]
  }
  for (const { viewType, choices } of module.interfaces.values()) {
    yield viewType
    for (const choice of choices.values()) yield* [choice.argument.type, choice.returnType]
  }
}

/** The data types that a type refers to, at any depth. */
function* identifiersIn(type: Type): Generator<Identifier> {
  if (type.kind === 'constructor') yield type.id
  if ('args' in type) for (const argument of type.args) yield* identifiersIn(argument)
}

/** The interfaces that a module implements or requires: its contracts have their choices and views. */
function interfacesOf({ templates, interfaces }: Module): Identifier[] {
  return [
    ...[...templates.values()].flatMap(({ interfaceInstances }) => interfaceInstances.map((one) => one.interface)),
    ...[...interfaces.values()].flatMap(({ requires }) => requires),
  ]
}

/** The interfaces of the main package, and those of others that it implements or requires, directly or not. */
export function reachableInterfaces(packages: PackageSet): { id: Identifier; declared: Interface }[] {
  const { id: packageId, modules } = packages.main
  const own = [...modules.values()].flatMap((module) =>
    [...module.interfaces.keys()].map((name): Identifier => ({ packageId, module: module.name, name })),
  )
  const found = new Map<string, { id: Identifier; declared: Interface }>()
  const pending = [...own, ...[...modules.values()].flatMap(interfacesOf)]
  for (let id = pending.shift(); id !== undefined; id = pending.shift()) {
    const declared = packages.get(id.packageId)?.modules.get(id.module)?.interfaces.get(id.name)
    if (declared === undefined || found.has(fullName(id))) continue
    found.set(fullName(id), { id, declared })
    pending.push(...declared.requires)
  }
  return [...found.values()]
}

/** Everything of other modules that users of this one need. */
export function* identifiersUsedBy(module: Module): Generator<Identifier> {
  for (const type of typesIn(module)) yield* identifiersIn(type)
  yield* interfacesOf(module)
}

/** The main package and every package whose types it uses, directly or indirectly, loaded one by one. */
export async function collectPackages(
  main: Package,
  load: (packageId: string) => Promise<Package | undefined>,
): Promise<PackageSet> {
  const known = new Map([[main.id, main]])
  const pending = [main]
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    for (const packageId of packagesUsedBy(next)) {
      if (known.has(packageId)) continue
      const loaded = await load(packageId)
      if (loaded === undefined) continue // Its types stay unknown.
      known.set(packageId, loaded)
      pending.push(loaded)
    }
  }
  return { main, get: (packageId) => known.get(packageId) }
}

function packagesUsedBy(one: Package): Set<string> {
  const used = new Set<string>()
  for (const module of one.modules.values()) {
    for (const { packageId } of identifiersUsedBy(module)) used.add(packageId)
  }
  for (const { parameter, result } of scriptsIn(one)) {
    for (const type of parameter === undefined ? [result] : [parameter, result]) {
      for (const { packageId } of identifiersIn(type)) used.add(packageId)
    }
  }
  return used
}
