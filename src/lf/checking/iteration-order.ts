// The order in which the reference walks its maps and sets, which decides which of several errors is the first. They
// are Scala 2.13's immutable collections: up to four entries keep the order in which they came, more are ordered by
// hash, as a tree of 32-way nodes that holds entries before branches.
import type { Identifier } from '../syntax/ast.ts'

const keptMax = 4

/** Entries of a map or set with these hashes, given in the order in which they were added. */
export function inMapOrder<T>(entries: readonly T[], hashOf: (entry: T) => number): readonly T[] {
  return entries.length <= keptMax ? entries : inHashOrder(entries, hashOf)
}

export function inHashOrder<T>(entries: readonly T[], hashOf: (entry: T) => number): readonly T[] {
  const ordered: T[] = []
  walk(
    entries.map((entry) => ({ entry, hash: improved(hashOf(entry)) })),
    0,
    ordered,
  )
  return ordered
}

type Hashed<T> = { readonly entry: T; readonly hash: number }

const bitsOfHash = 32

function walk<T>(entries: readonly Hashed<T>[], shift: number, ordered: T[]): void {
  if (shift >= bitsOfHash) {
    for (const { entry } of entries) ordered.push(entry)
    return
  }
  const slots: (Hashed<T>[] | undefined)[] = new Array(32)
  for (const hashed of entries) {
    const slot = (hashed.hash >>> shift) & 31
    const found = slots[slot]
    if (found === undefined) slots[slot] = [hashed]
    else found.push(hashed)
  }
  for (const slot of slots) if (slot?.length === 1) ordered.push(slot[0]!.entry)
  for (const slot of slots) if (slot !== undefined && slot.length > 1) walk(slot, shift + 5, ordered)
}

/** The four or fewer entries of a mutable set, in the order in which it hands them out. */
export function inMutableOrder<T>(entries: readonly T[], hashOf: (entry: T) => number): readonly T[] {
  const placed = entries.map((entry) => {
    const hash = hashOf(entry)
    return { entry, hash: hash ^ (hash >>> 16) }
  })
  placed.sort((a, b) => (a.hash & 15) - (b.hash & 15) || a.hash - b.hash)
  return placed.map(({ entry }) => entry)
}

/** Scala spreads hashes before it uses them. */
function improved(hash: number): number {
  let h = (hash + ~(hash << 9)) | 0
  h ^= h >>> 14
  h = (h + (h << 4)) | 0
  return h ^ (h >>> 10)
}

// ── Hashes

/** Java's. */
export function hashOfText(text: string): number {
  let hash = 0
  for (let index = 0; index < text.length; index++) hash = (Math.imul(31, hash) + text.charCodeAt(index)) | 0
  return hash
}

const seeds = { sequence: hashOfText('Seq'), product: 0xcafebabe | 0 }

/** A sequence of the segments. A sequence whose hashes have equal distances is hashed as a range, one of two always. */
export function hashOfDottedName(name: string): number {
  const [first, second, ...others] = name.split('.').map(hashOfText)
  const start = mix(seeds.sequence, first!)
  if (second === undefined) return avalanche(start ^ 1)
  const distance = (second - first!) | 0
  let hash = start
  let previous = second
  for (const [index, next] of others.entries()) {
    hash = mix(hash, previous)
    if (distance !== ((next - previous) | 0) || distance === 0) {
      for (const rest of others.slice(index)) hash = mix(hash, rest)
      return avalanche(hash ^ (others.length + 2))
    }
    previous = next
  }
  return avalanche(mix(mix(start, distance), previous))
}

export function hashOfIdentifier({ packageId, module, name }: Identifier): number {
  const qualified = hashOfProduct('QualifiedName', hashOfDottedName(module), hashOfDottedName(name))
  return hashOfProduct('FullReference', hashOfText(packageId), qualified)
}

function hashOfProduct(name: string, ...parts: readonly number[]): number {
  return avalanche([hashOfText(name), ...parts].reduce(mix, seeds.product) ^ parts.length)
}

/** MurmurHash 3. */
function mix(hash: number, data: number): number {
  const k = Math.imul(rotated(Math.imul(data, 0xcc9e2d51), 15), 0x1b873593)
  return (Math.imul(rotated(hash ^ k, 13), 5) + 0xe6546b64) | 0
}

function avalanche(hash: number): number {
  let h = hash
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b)
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35)
  return h ^ (h >>> 16)
}

const rotated = (value: number, by: number): number => (value << by) | (value >>> (32 - by))
