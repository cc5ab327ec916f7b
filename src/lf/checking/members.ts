// The members of packages, modules, templates and interfaces, in the order in which the reference walks them.
import { hashOfText } from '../../base/scala-hashes.ts'
import { inMapOrder } from '../../base/scala-order.ts'
import type {
  Choice,
  DataType,
  Identifier,
  Interface,
  InterfaceInstance,
  Module,
  Package,
  Template,
  TypeSynonym,
  Value,
} from '../syntax/ast.ts'
import { hashOfDottedName, hashOfIdentifier } from '../syntax/names.ts'

export function modulesOf({ modules }: Package): readonly Module[] {
  return inMapOrder([...modules.values()], ({ name }) => hashOfDottedName(name))
}

export type Definition = { readonly kind: 'synonym' | 'data' | 'value'; readonly name: string }

/** Synonyms, data types and values are one map of the reference. */
export function definitionsOf({ synonyms, dataTypes, values }: Module): readonly Definition[] {
  const all: Definition[] = []
  for (const name of synonyms.keys()) all.push({ kind: 'synonym', name })
  for (const name of dataTypes.keys()) all.push({ kind: 'data', name })
  for (const name of values.keys()) all.push({ kind: 'value', name })
  return inMapOrder(all, ({ name }) => hashOfDottedName(name))
}

type DefinitionVisitor = {
  readonly synonym?: (synonym: TypeSynonym) => void
  readonly dataType?: (dataType: DataType) => void
  readonly value?: (value: Value) => void
}

/** Visits the synonyms, data types and values of a module. */
export type VisitDefinitions = (module: Module, visitor: DefinitionVisitor) => void

/** In the order of the reference, which takes long to find out: only errors need it. */
export const visitInOrder: VisitDefinitions = (module, { synonym, dataType, value }) => {
  for (const { kind, name } of definitionsOf(module)) {
    if (kind === 'data') dataType?.(module.dataTypes.get(name)!)
    else if (kind === 'value') value?.(module.values.get(name)!)
    else synonym?.(module.synonyms.get(name)!)
  }
}

export const visitAsWritten: VisitDefinitions = (module, { synonym, dataType, value }) => {
  if (synonym !== undefined) for (const one of module.synonyms.values()) synonym(one)
  if (dataType !== undefined) for (const one of module.dataTypes.values()) dataType(one)
  if (value !== undefined) for (const one of module.values.values()) value(one)
}

/** Templates, exceptions or interfaces. */
export function sortedByName<T extends { readonly name: string }>(members: ReadonlyMap<string, T>): readonly T[] {
  return inMapOrder([...members.values()], ({ name }) => hashOfDottedName(name))
}

export function choicesOf({ choices }: Template | Interface): readonly Choice[] {
  return inMapOrder([...choices.values()], ({ name }) => hashOfText(name))
}

export function methodsOf<T>(methods: ReadonlyMap<string, T>): readonly (readonly [name: string, member: T])[] {
  return inMapOrder([...methods], ([name]) => hashOfText(name))
}

export function requiresOf({ requires }: Interface): readonly Identifier[] {
  return inMapOrder(requires, hashOfIdentifier)
}

/** The reference keeps them in an order, the last one first. */
export function instancesOf({ interfaceInstances }: Template): readonly InterfaceInstance[] {
  return interfaceInstances.toReversed()
}
