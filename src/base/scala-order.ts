// Lists elements in the order of Scala 2.13's sets and maps. Canton's messages show this order, and it decides which of
// several problems Canton reports.
import { hashOfText } from './scala-hashes.ts'

/** Up to so many elements of an immutable set or map stay in the order of their insertion. */
const insertionOrderMax = 4
const bitsPerLevel = 5
const hashBits = 32

export function isHashSet(size: number): boolean {
  return size > insertionOrderMax
}

/** The distinct texts as an immutable set lists them. */
export function setOrder(texts: readonly string[]): readonly string[] {
  return inMapOrder([...new Set(texts)], hashOfText)
}

/** As an immutable set or map lists its elements, given in the order of their insertion. */
export function inMapOrder<T>(elements: readonly T[], hashOf: (element: T) => number): readonly T[] {
  return isHashSet(elements.length) ? inTrieOrder(elements, hashOf) : elements
}

/** As an immutable HashSet or HashMap does, which a set or map with many elements is. */
export function inTrieOrder<T>(elements: Iterable<T>, hashOf: (element: T) => number): readonly T[] {
  const ordered: T[] = []
  walk(
    Array.from(elements, (element) => ({ element, hash: improved(hashOf(element)) })),
    0,
    ordered,
  )
  return ordered
}

type Hashed<T> = { readonly element: T; readonly hash: number }

/** A node of the trie lists the elements that are alone in their slot, then the nodes below it. */
function walk<T>(hashed: readonly Hashed<T>[], shift: number, ordered: T[]): void {
  if (shift >= hashBits) {
    for (const { element } of hashed) ordered.push(element)
    return
  }
  const slots: (Hashed<T>[] | undefined)[] = new Array(2 ** bitsPerLevel)
  for (const one of hashed) {
    const index = (one.hash >>> shift) & (2 ** bitsPerLevel - 1)
    const slot = slots[index]
    if (slot === undefined) slots[index] = [one]
    else slot.push(one)
  }
  for (const slot of slots) if (slot?.length === 1) ordered.push(slot[0]!.element)
  for (const slot of slots) if (slot !== undefined && slot.length > 1) walk(slot, shift + bitsPerLevel, ordered)
}

/** `scala.collection.Hashing.improve`: a trie uses the lowest bits first. */
function improved(hash: number): number {
  let mixed = (hash + ~(hash << 9)) | 0
  mixed ^= mixed >>> 14
  mixed = (mixed + (mixed << 4)) | 0
  return mixed ^ (mixed >>> 10)
}

/** As a mutable HashSet does. */
export function inTableOrder<T>(elements: readonly T[], hashOf: (element: T) => number): readonly T[] {
  let size = 16
  while (elements.length >= size * 0.75) size *= 2
  const spread = elements.map((element) => {
    const hash = hashOf(element)
    return { element, hash: hash ^ (hash >>> 16) }
  })
  spread.sort((a, b) => (a.hash & (size - 1)) - (b.hash & (size - 1)) || a.hash - b.hash)
  return spread.map(({ element }) => element)
}
