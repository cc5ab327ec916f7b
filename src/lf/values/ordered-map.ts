// Maps ordered by key, for TextMap and GenMap. Immutable: a change makes a new map that shares the rest.
import sortedBtree from 'sorted-btree'
import type { LfValue } from './values.ts'

type Tree = sortedBtree.default<LfValue, LfValue>

export type Compare = (a: LfValue, b: LfValue) => number

export class OrderedMap {
  readonly #tree: Tree

  private constructor(tree: Tree) {
    this.#tree = tree
  }

  static empty(compare: Compare): OrderedMap {
    return new OrderedMap(new sortedBtree.default<LfValue, LfValue>(undefined, compare))
  }

  get size(): number {
    return this.#tree.size
  }

  has(key: LfValue): boolean {
    return this.#tree.has(key)
  }

  get(key: LfValue): LfValue {
    return this.#tree.get(key)
  }

  /** An existing key keeps its place and its form, and gets the new value. */
  with(key: LfValue, value: LfValue): OrderedMap {
    return new OrderedMap(this.#tree.with(key, value, true))
  }

  without(key: LfValue): OrderedMap {
    return this.#tree.has(key) ? new OrderedMap(this.#tree.without(key)) : this
  }

  keys(): Iterable<LfValue> {
    return this.#tree.keys()
  }

  values(): Iterable<LfValue> {
    return this.#tree.values()
  }

  entries(): Iterable<[LfValue, LfValue]> {
    return this.#tree.entries()
  }
}
