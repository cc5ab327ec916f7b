// Refuses names of a package that differ only in case, or that code generators would confuse. Mirrors Collision.scala and
// NamedEntity.scala.
import { inTrieOrder } from '../../base/scala-order.ts'
import type { DataType, Module, Package } from '../syntax/ast.ts'
import { hashOfDottedName } from '../syntax/names.ts'
import { choicesOf, modulesOf, sortedByName, type VisitDefinitions, visitAsWritten, visitInOrder } from './members.ts'
import { ValidationError } from './validation-error.ts'

type Entity = {
  readonly kind: 'module' | 'record' | 'variant-constructor' | 'other'
  /** Upper case, dotted. */
  readonly resolved: string
  readonly shown: string
  readonly module: string
  /** Within the module, in its own case. */
  readonly name: string
}

export function checkCollisions(described: Package): void {
  if (hasDuplicates(described)) findCollision(described)
}

/** Whether two names are the same, allowed or not: quick, because most packages have few. */
function hasDuplicates({ modules }: Package): boolean {
  const upper = new Map<string, string>()
  const members = new Map<string, Set<string>>()
  let isTwice = false
  const setOf = (container: string): Set<string> => {
    let set = members.get(container)
    if (set === undefined) {
      set = new Set()
      members.set(container, set)
    }
    return set
  }
  const inUpperCase = (name: string): string => {
    let known = upper.get(name)
    if (known === undefined) {
      known = name.toUpperCase()
      upper.set(name, known)
    }
    return known
  }
  const add = (set: Set<string>, name: string): void => {
    const before = set.size
    if (set.add(name).size === before) isTwice = true
  }
  const addPath = (path: string): void => {
    const dot = path.lastIndexOf('.')
    add(setOf(path.slice(0, Math.max(dot, 0))), path.slice(dot + 1))
  }
  const addMembers = (path: string, names: Iterable<string>): void => {
    const set = setOf(path)
    for (const name of names) add(set, inUpperCase(name))
  }
  for (const module of modules.values()) {
    const own = inUpperCase(module.name)
    addPath(own)
    for (const name of module.synonyms.keys()) addPath(`${own}.${inUpperCase(name)}`)
    for (const { name, constructors } of module.dataTypes.values()) {
      const path = `${own}.${inUpperCase(name)}`
      addPath(path)
      if (constructors.kind === 'enum') addMembers(path, constructors.names)
      else if (constructors.kind !== 'interface') addMembers(path, constructors.fields.map(nameOf))
    }
    for (const { name, choices } of [...module.templates.values(), ...module.interfaces.values()]) {
      addMembers(`${own}.${inUpperCase(name)}`, choices.keys())
    }
  }
  return isTwice
}

const nameOf = ({ name }: { readonly name: string }): string => name

function findCollision(described: Package): void {
  const isColliding = groupsIn(described, visitAsWritten)
    .values()
    .some((group) => firstCollision(group) !== undefined)
  if (!isColliding) return
  const groups = groupsIn(described, visitInOrder)
  for (const name of inTrieOrder(groups.keys(), hashOfDottedName)) {
    const [one, other] = firstCollision(groups.get(name)!) ?? []
    if (one === undefined || other === undefined) continue
    throw new ValidationError('ECollision', '', `collision between ${one.shown} and ${other.shown}`)
  }
}

/** The entities that share a name, by that name. */
function groupsIn(described: Package, visitDefinitions: VisitDefinitions): ReadonlyMap<string, readonly Entity[]> {
  const groups = new Map<string, Entity[]>()
  for (const module of modulesOf(described)) {
    for (const entity of entitiesOf(module, visitDefinitions)) {
      const group = groups.get(entity.resolved)
      if (group === undefined) groups.set(entity.resolved, [entity])
      else group.push(entity)
    }
  }
  return groups
}

function firstCollision(group: readonly Entity[]): readonly [Entity, Entity] | undefined {
  for (const [index, one] of group.entries()) {
    for (const other of group.slice(index + 1)) if (!isAllowed(one, other)) return [one, other]
  }
  return undefined
}

/** A variant's constructor may have a record of its name, which holds the constructor's fields. */
function isAllowed(one: Entity, other: Entity): boolean {
  const kinds = [one.kind, other.kind]
  if (!kinds.includes('variant-constructor') || !kinds.includes('record')) return false
  return one.module === other.module && one.name === other.name
}

function* entitiesOf(module: Module, visitDefinitions: VisitDefinitions): Generator<Entity> {
  const entity = (kind: Entity['kind'], what: string, path: string, name: string): Entity => {
    const resolved = `${module.name}.${name}`.toUpperCase()
    return { kind, resolved, shown: `${what} ${module.name}:${path}`, module: module.name, name }
  }
  yield {
    kind: 'module',
    resolved: module.name.toUpperCase(),
    shown: `module ${module.name}`,
    module: module.name,
    name: '',
  }
  const definitions: Entity[] = []
  visitDefinitions(module, {
    synonym: ({ name }) => definitions.push(entity('other', 'type synonym', name, name)),
    dataType: (one) => definitions.push(...entitiesOfData(one, entity)),
  })
  yield* definitions
  for (const template of sortedByName(module.templates)) {
    for (const choice of choicesOf(template)) {
      yield entity('other', 'template choice', `${template.name}:${choice.name}`, `${template.name}.${choice.name}`)
    }
  }
  for (const iface of sortedByName(module.interfaces)) {
    for (const choice of choicesOf(iface)) {
      yield entity('other', 'interface choice', `${iface.name}:${choice.name}`, `${iface.name}.${choice.name}`)
    }
  }
}

function* entitiesOfData(
  { name, constructors }: DataType,
  entity: (kind: Entity['kind'], what: string, path: string, name: string) => Entity,
): Generator<Entity> {
  switch (constructors.kind) {
    case 'record':
      yield entity('record', 'record', name, name)
      for (const field of constructors.fields) {
        yield entity('other', 'record field', `${name}:${field.name}`, `${name}.${field.name}`)
      }
      return
    case 'variant':
      yield entity('other', 'variant', name, name)
      for (const { name: tag } of constructors.fields) {
        yield entity('variant-constructor', 'variant constructor', `${name}:${tag}`, `${name}.${tag}`)
      }
      return
    case 'enum':
      yield entity('other', 'enum', name, name)
      for (const tag of constructors.names) {
        yield entity('other', 'variant constructor', `${name}:${tag}`, `${name}.${tag}`)
      }
      return
    case 'interface':
      yield entity('other', 'interface', name, name)
  }
}
