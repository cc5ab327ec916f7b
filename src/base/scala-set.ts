// The order in which Scala's immutable sets of texts list their elements, because Canton's messages show it: up to four
// elements as they came, more by their hashes (collection.immutable.HashSet, a trie of five bits a level).

const smallSetMax = 4
const bitsPerLevel = 5

export function isHashSet(size: number): boolean {
  return size > smallSetMax
}

/** Without duplicates. */
export function setOrder(elements: readonly string[]): string[] {
  const distinct = [...new Set(elements)]
  if (!isHashSet(distinct.length)) return distinct
  return inTrie(
    distinct.map((text) => ({ text, hash: improved(javaHash(text)) })),
    0,
  )
}

type Hashed = { readonly text: string; readonly hash: number }

/** A node lists its own elements before those of its children. */
function inTrie(elements: readonly Hashed[], shift: number): string[] {
  if (shift >= 32) return elements.map(({ text }) => text) // The same hash: as they came.
  const places = new Map<number, Hashed[]>()
  for (const element of elements) {
    const place = (element.hash >>> shift) & (2 ** bitsPerLevel - 1)
    const there = places.get(place)
    if (there === undefined) places.set(place, [element])
    else there.push(element)
  }
  const groups = [...places].sort(([a], [b]) => a - b).map(([, group]) => group)
  const own = groups.filter((group) => group.length === 1).map(([element]) => element!.text)
  const deeper = groups.filter((group) => group.length > 1).flatMap((group) => inTrie(group, shift + bitsPerLevel))
  return [...own, ...deeper]
}

/** java.lang.String.hashCode */
function javaHash(text: string): number {
  let hash = 0
  for (let index = 0; index < text.length; index += 1) hash = (Math.imul(hash, 31) + text.charCodeAt(index)) | 0
  return hash
}

/** scala.collection.Hashing.improve */
function improved(hash: number): number {
  let mixed = (hash + ~(hash << 9)) | 0
  mixed ^= mixed >>> 14
  mixed = (mixed + (mixed << 4)) | 0
  return mixed ^ (mixed >>> 10)
}
