// Refuses cycles: modules of a package may not refer to each other in a circle, nor may type synonyms of a module.
// Mirrors Recursion.scala and Graphs.scala.

import { inMapOrder } from '../../base/scala-order.ts'
import type { Body, Choice, Expression, Identifier, Interface, Module, Package, Template, Type } from '../syntax/ast.ts'
import { fullName, hashOfDottedName, hashOfIdentifier } from '../syntax/names.ts'
import { type Budget, spend } from './limits.ts'
import {
  choicesOf,
  definitionsOf,
  instancesOf,
  modulesOf,
  requiresOf,
  sortedByName,
  type VisitDefinitions,
  visitAsWritten,
  visitInOrder,
} from './members.ts'
import { eachTypePart, namesIn, type Visit, valuesIn, valuesInside } from './module-references.ts'
import { ValidationError } from './validation-error.ts'

/** Reads every body, and refuses a cycle of modules. */
export function checkModuleCycles(described: Package): void {
  const graph = new Map<string, readonly string[]>()
  for (const module of modulesOf(described)) graph.set(module.name, modulesUsedBy(described.id, module))
  const cycle = findCycle(graph)
  if (cycle !== undefined) {
    throw new ValidationError('EImportCycle', '', `cycle in module dependency ${cycle.join(' -> ')}`)
  }
}

export function checkSynonymCycles(described: Package, budget: Budget): void {
  for (const module of modulesOf(described)) {
    if (module.synonyms.size === 0) continue
    if (findCycle(synonymGraph(described.id, module, budget, visitAsWritten)) === undefined) continue
    const cycle = findCycle(synonymGraph(described.id, module, budget, visitInOrder))!
    throw new ValidationError('ETypeSynCycle', '', `cycle in type synonym definitions ${cycle.join(' -> ')}`)
  }
}

function synonymGraph(packageId: string, module: Module, budget: Budget, visitDefinitions: VisitDefinitions): Graph {
  const ids: Identifier[] = []
  visitDefinitions(module, { synonym: ({ name }) => ids.push({ packageId, module: module.name, name }) })
  const graph = new Map<string, readonly string[]>()
  for (const id of inMapOrder(ids, hashOfIdentifier)) {
    const used = new Map<string, Identifier>()
    synonymsIn(module.synonyms.get(id.name)!.type, budget, (other) => used.set(fullName(other), other))
    graph.set(fullName(id), inMapOrder([...used.values()], hashOfIdentifier).map(fullName))
  }
  return graph
}

/** Types share parts; each is looked at once. */
function synonymsIn(type: Type, budget: Budget, visit: Visit): void {
  const seen = new Set<Type>()
  const look = (part: Type): void => {
    if (seen.has(part)) return
    seen.add(part)
    spend(budget)
    if (part.kind === 'synonym') visit(part.id)
    eachTypePart(part, look)
  }
  look(type)
}

/** The other modules of the package that a module uses: first those that its types name, then its values. */
function modulesUsedBy(packageId: string, module: Module): readonly string[] {
  const used = createUsedModules(packageId, module.name)
  for (const definition of definitionsOf(module)) {
    if (definition.kind === 'synonym') used.type(module.synonyms.get(definition.name)!.type)
    else if (definition.kind === 'value') {
      const value = module.values.get(definition.name)!
      used.type(value.type)
      used.typesOf(value.body)
    } else used.dataType(module, definition.name)
  }
  for (const iface of sortedByName(module.interfaces)) typesOfInterface(iface, used)
  for (const template of sortedByName(module.templates)) typesOfTemplate(template, used)

  for (const { kind, name } of definitionsOf(module)) {
    if (kind === 'value') used.valuesOf(module.values.get(name)!.body)
  }
  for (const { message } of sortedByName(module.exceptions)) used.valuesOf(message)
  for (const iface of sortedByName(module.interfaces)) valuesOfChoices(choicesOf(iface), used)
  for (const template of sortedByName(module.templates)) valuesOfTemplate(template, used)
  return used.inOrder()
}

type UsedModules = ReturnType<typeof createUsedModules>

function createUsedModules(packageId: string, self: string) {
  const names = new Set<string>()
  const seen = new Set<Type>()
  const valuesFound = new Map<Body, readonly Identifier[]>()
  const visit: Visit = (id) => {
    if (id.packageId === packageId && id.module !== self) names.add(id.module)
  }
  /** A type that was met before adds nothing. */
  const type = (one: Type): void => {
    if (seen.has(one)) return
    seen.add(one)
    if (one.kind === 'constructor' || one.kind === 'synonym') visit(one.id)
    eachTypePart(one, type)
  }
  return {
    names,
    visit,
    type,
    partsOf: (one: Type): void => eachTypePart(one, type),
    dataType({ dataTypes }: Module, name: string): void {
      const { constructors } = dataTypes.get(name)!
      if ('fields' in constructors) for (const field of constructors.fields) type(field.type)
    },
    /** Reads the body, and keeps the values in it for later. */
    typesOf(body: Body, values = valuesIn): void {
      const expression = body()
      namesIn(expression, { visit, type })
      const found: Identifier[] = []
      values(expression, (id) => found.push(id))
      valuesFound.set(body, found)
    },
    valuesOf(body: Body): void {
      const found = valuesFound.get(body)
      if (found === undefined) valuesIn(body(), visit)
      else found.forEach(visit)
    },
    inOrder: (): readonly string[] => inMapOrder([...names], hashOfDottedName),
  }
}

function typesOfChoices(choices: Iterable<Choice>, used: UsedModules): void {
  for (const { controllers, observers, update, argument, returnType } of choices) {
    for (const body of [controllers, observers, update]) used.typesOf(body)
    used.type(argument.type)
    used.type(returnType)
  }
}

function typesOfInterface(iface: Interface, used: UsedModules): void {
  for (const id of requiresOf(iface)) used.visit(id)
  typesOfChoices(choicesOf(iface), used)
  for (const [, type] of iface.methods) used.type(type)
  used.partsOf(iface.viewType)
}

function typesOfTemplate(template: Template, used: UsedModules): void {
  const { precondition, signatories, observers, key } = template
  if (precondition !== undefined) used.typesOf(precondition)
  used.typesOf(signatories)
  typesOfChoices(choicesOf(template), used)
  used.typesOf(observers)
  if (key !== undefined) {
    used.type(key.type)
    used.typesOf(key.body)
    used.typesOf(key.maintainers)
  }
  for (const instance of instancesOf(template)) {
    used.visit(instance.interface)
    for (const body of instance.methods.values()) used.typesOf(body)
    used.typesOf(instance.view, valuesInView)
  }
}

function valuesOfChoices(choices: Iterable<Choice>, used: UsedModules): void {
  for (const { controllers, observers, update } of choices) {
    for (const body of [controllers, observers, update]) used.valuesOf(body)
  }
}

function valuesOfTemplate(template: Template, used: UsedModules): void {
  const { precondition, signatories, observers, key } = template
  if (precondition !== undefined) used.valuesOf(precondition)
  used.valuesOf(signatories)
  valuesOfChoices(choicesOf(template), used)
  used.valuesOf(observers)
  if (key !== undefined) for (const body of [key.body, key.maintainers]) used.valuesOf(body)
  for (const instance of instancesOf(template)) {
    for (const body of instance.methods.values()) used.valuesOf(body)
    used.valuesOf(instance.view)
  }
}

/** The reference forgets the outermost expression of a view. */
function valuesInView(view: Expression, visit: Visit): void {
  if (view.location === undefined) valuesInside(view, visit)
  else valuesIn(view, visit)
}

/** The successors of each vertex. Both are in the order in which the reference walks them. */
export type Graph = ReadonlyMap<string, readonly string[]>

/**
 * The vertices of the first cycle, the one that was entered first at the end. We search in the order of the reference to
 * report the same one of several cycles.
 */
export function findCycle(graph: Graph): readonly string[] | undefined {
  const white = new Set(graph.keys())
  const black = new Set<string>()
  for (const next of graph.values()) for (const vertex of next) if (!white.has(vertex)) black.add(vertex)
  const isGray = (vertex: string): boolean => !white.has(vertex) && !black.has(vertex)

  for (const root of graph.keys()) {
    if (black.has(root)) continue
    white.delete(root)
    const path = [{ vertex: root, next: 0 }]
    for (let at = path.at(-1); at !== undefined; at = path.at(-1)) {
      const vertex = graph.get(at.vertex)![at.next]
      at.next += 1
      if (vertex === undefined) {
        black.add(at.vertex)
        path.pop()
      } else if (black.has(vertex)) continue
      else if (!white.has(vertex)) return cycleFrom(vertex, graph, isGray)
      else {
        white.delete(vertex)
        path.push({ vertex, next: 0 })
      }
    }
  }
  return undefined
}

function cycleFrom(start: string, graph: Graph, isGray: (vertex: string) => boolean): readonly string[] {
  const cycle: string[] = []
  let current: string | undefined = start
  do {
    cycle.unshift(current!)
    current = graph.get(current!)!.find(isGray)
  } while (current !== start && cycle.length <= graph.size)
  return cycle
}
