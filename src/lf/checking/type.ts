// A type as the checker holds it, and the table in which each type exists once, so that equal types are the same object.
// types.ts builds types with both.
import type { Identifier } from '../syntax/ast.ts'
import type { Kind } from './kinds.ts'
import { type Budget, spend } from './limits.ts'

export type TypeTag = 'variable' | 'nat' | 'constructor' | 'builtin' | 'application' | 'forall' | 'struct' | 'synonym'

export class Type {
  readonly tag: TypeTag
  readonly id: number
  /** The name of a variable, a builtin type, or the bound variable of a forall. */
  name = ''
  /** Set for a constructor or synonym. */
  identifier: Identifier | undefined = undefined
  /** An application's function and argument; a forall's body is `left`. */
  left: Type | undefined = undefined
  right: Type | undefined = undefined
  /** The kind of a forall's variable. */
  kind: Kind | undefined = undefined
  /** The fields of a struct, or the arguments of a synonym. */
  parts: readonly Type[] = noParts
  fieldNames: readonly string[] = noNames
  /** A type-level number. For a struct, the number of its list of names; for a synonym, the number of its name. */
  value = 0
  depth = 1
  hasVariables = false
  hasForall = false
  hasSynonym = false
  /** The kind, once it is known, of a type without variables. */
  knownKind: Kind | undefined = undefined
  /** The type with its synonyms expanded, once it is known, of a type without variables. */
  expansion: Type | undefined = undefined
  /** The definition of a synonym, or the body of an applied forall, with arguments filled in, once it is known. */
  meaning: Type | undefined = undefined
  /** The number of the last substitution that replaced this type, and the replacement (bound-variables.ts). */
  replacedIn = 0
  replacement: Type | undefined = undefined
  /** The number of the last module that was found to use this type (module-uses.ts). */
  usedIn = 0

  constructor(tag: TypeTag, id: number) {
    this.tag = tag
    this.id = id
  }
}

const noParts: readonly Type[] = []
const noNames: readonly string[] = []

const firstSize = 1024

/**
 * Finds the types that consist of other types by their parts. One open-addressed table holds all of them, and hashes are
 * numbers: building types is most of the cost of checking, and a map for each type, or texts as keys, took twice as long.
 *
 * Each collision of two types costs a step of the budget, so a package cannot slow the table down by many collisions.
 */
export function createTypeTable(budget: Budget) {
  let slots: (Type | undefined)[] = new Array(firstSize)
  /** The hash of the type in each slot: a type is looked at only if it is likely to be the one. */
  let hashes = new Int32Array(firstSize)
  let mask = firstSize - 1
  let count = 0

  function next(at: number): number {
    spend(budget)
    return (at + 1) & mask
  }

  function place(type: Type, hash: number): void {
    let at = hash & mask
    while (slots[at] !== undefined) at = next(at)
    slots[at] = type
    hashes[at] = hash
  }

  function grow(): void {
    const [oldSlots, oldHashes] = [slots, hashes]
    slots = new Array(oldSlots.length * 2)
    hashes = new Int32Array(slots.length)
    mask = slots.length - 1
    for (let at = 0; at < oldSlots.length; at++) {
      const type = oldSlots[at]
      if (type !== undefined) place(type, oldHashes[at]!)
    }
  }

  return {
    application(left: Type, right: Type): Type | undefined {
      const hash = mix(left.id, right.id)
      for (let at = hash & mask; ; at = next(at)) {
        const found = slots[at]
        if (found === undefined) return undefined
        if (hashes[at] === hash && found.right === right && found.left === left) return found
      }
    },

    forall(name: string, kind: Kind, body: Type): Type | undefined {
      const hash = mix(body.id, kind.id)
      for (let at = hash & mask; ; at = next(at)) {
        const found = slots[at]
        if (found === undefined) return undefined
        if (hashes[at] === hash && found.kind === kind && found.left === body && found.name === name) return found
      }
    },

    /** A struct or a synonym. `value` is the number of its names or its name. */
    withParts(tag: 'struct' | 'synonym', value: number, parts: readonly Type[]): Type | undefined {
      const hash = hashOfParts(value, parts)
      for (let at = hash & mask; ; at = next(at)) {
        const found = slots[at]
        if (found === undefined) return undefined
        if (hashes[at] !== hash || found.tag !== tag || found.value !== value) continue
        if (isSame(found.parts, parts)) return found
      }
    },

    add(type: Type): void {
      count += 1
      if (count * 2 > slots.length) grow()
      place(type, hashOf(type))
    },
  }
}

function hashOf({ tag, left, right, kind, value, parts }: Type): number {
  if (tag === 'application') return mix(left!.id, right!.id)
  return tag === 'forall' ? mix(left!.id, kind!.id) : hashOfParts(value, parts)
}

function hashOfParts(value: number, parts: readonly Type[]): number {
  let hash = value
  for (let index = 0; index < parts.length; index++) hash = mix(hash, parts[index]!.id)
  return hash
}

function mix(a: number, b: number): number {
  const mixed = Math.imul(a, 0x9e3779b1) ^ Math.imul(b, 0x85ebca6b)
  return mixed ^ (mixed >>> 15)
}

function isSame(some: readonly Type[], others: readonly Type[]): boolean {
  if (some.length !== others.length) return false
  for (let index = 0; index < some.length; index++) if (some[index] !== others[index]) return false
  return true
}

/** A tree of lists of names, by their first name. */
type Node = { readonly next: Map<string, Node>; number: number | undefined }

/** Numbers lists of names: equal lists have the same number. */
export function createNameLists(): (names: readonly string[]) => number {
  const root: Node = { next: new Map(), number: undefined }
  let count = 0
  return (names) => {
    let node = root
    for (const name of names) {
      let next = node.next.get(name)
      if (next === undefined) {
        next = { next: new Map(), number: undefined }
        node.next.set(name, next)
      }
      node = next
    }
    node.number ??= count++
    return node.number
  }
}
