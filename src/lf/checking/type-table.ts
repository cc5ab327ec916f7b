// The types that consist of other types, found by their parts. One open-addressed table for all of them, with hashes of
// numbers: most of what checking costs is building types, and a map for each type, or texts as keys, took twice as long.
import type { Kind } from './kinds.ts'
import { type Budget, spend } from './limits.ts'
import type { Type } from './type.ts'

const firstSize = 1024

export type TypeTable = ReturnType<typeof createTypeTable>

/** Each collision of two types costs a step of the budget, so a package cannot slow the table down by many collisions. */
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
