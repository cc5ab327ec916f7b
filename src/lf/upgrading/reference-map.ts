// Maps that yield their keys as the reference's do, and the operations on them that it uses.
import { inTrieOrder, isHashSet } from '../../base/scala-order.ts'

type Hash = (key: string) => number

export type ReferenceMap<V> = {
  /** In the reference's order. */
  readonly entries: ReadonlyMap<string, V>
  /** A trie stays one when it loses keys, however few remain. */
  readonly isTrie: boolean
  readonly hashOf: Hash
}

/** A pair of what there was and what there is. */
export type Both<V> = { readonly past: V; readonly present: V }

/** What is made from a trie (`fromTrie`) is one, too. */
export function referenceMap<V>(entries: ReadonlyMap<string, V>, hashOf: Hash, fromTrie = false): ReferenceMap<V> {
  const isTrie = fromTrie || isHashSet(entries.size)
  return { entries: isTrie ? asTrie(entries, hashOf) : entries, isTrie, hashOf }
}

/** Those of another map; of a trie, they are a trie again. */
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
