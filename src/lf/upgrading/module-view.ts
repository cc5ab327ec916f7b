// A module as the upgrade checker sees it: its definitions, in maps that iterate in the reference's order.

import { hashOfProduct } from '../../base/scala-hashes.ts'
import { inTrieOrder, isHashSet } from '../../base/scala-order.ts'
import type { DataType, Identifier, Module, Package, Template, Type } from '../syntax/ast.ts'
import { fullName, hashOfDottedName, hashOfIdentifier } from '../syntax/names.ts'
import type { Origin } from './problems.ts'

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
      instances.set(`${name}/${fullName(id)}`, { template: name, interface: id })
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

type Hash = (key: string) => number

/** A map that iterates over its keys as the reference does. */
export type ReferenceMap<V> = {
  /** In the reference's order. */
  readonly entries: ReadonlyMap<string, V>
  /** A trie stays one when it loses keys, however few remain. */
  readonly isTrie: boolean
  readonly hashOf: Hash
}

/** A definition before and after the upgrade. */
export type Both<V> = { readonly past: V; readonly present: V }

/** A map that is derived from a trie (`fromTrie`) is a trie, too. */
export function referenceMap<V>(entries: ReadonlyMap<string, V>, hashOf: Hash, fromTrie = false): ReferenceMap<V> {
  const isTrie = fromTrie || isHashSet(entries.size)
  return { entries: isTrie ? asTrie(entries, hashOf) : entries, isTrie, hashOf }
}

/** The wanted entries of a map. A trie stays a trie. */
export function collected<V>(map: ReferenceMap<V>, isWanted: (key: string, value: V) => boolean): ReferenceMap<V> {
  return { ...map, entries: subset(map, (key) => isWanted(key, map.entries.get(key)!)) }
}

export function deleted<V>(past: ReferenceMap<V>, present: ReferenceMap<V>): ReadonlyMap<string, V> {
  return subset(past, (key) => !present.entries.has(key))
}

export function added<V>(past: ReferenceMap<V>, present: ReferenceMap<V>): ReadonlyMap<string, V> {
  return deleted(present, past)
}

export function common<V>(past: ReferenceMap<V>, present: ReferenceMap<V>): ReadonlyMap<string, Both<V>> {
  const both = new Map<string, Both<V>>()
  for (const [key, value] of subset(past, (key) => present.entries.has(key))) {
    both.set(key, { past: value, present: present.entries.get(key)! })
  }
  return referenceMap(both, past.hashOf).entries
}

function subset<V>({ entries, isTrie, hashOf }: ReferenceMap<V>, isKept: (key: string) => boolean) {
  const kept = new Map([...entries].filter(([key]) => isKept(key)))
  return isTrie ? asTrie(kept, hashOf) : kept
}

function asTrie<V>(entries: ReadonlyMap<string, V>, hashOf: Hash): ReadonlyMap<string, V> {
  return new Map(inTrieOrder(entries.keys(), hashOf).map((key) => [key, entries.get(key)!]))
}
