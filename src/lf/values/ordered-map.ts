// Maps ordered by key, for TextMap and GenMap. They are immutable: a change makes a new map and leaves the old one as it is.
//
// A map is a balanced tree. A map that grows beyond a few entries by insertions is a draft until a caller needs its order
// or an older version: all versions of a draft share one hash table, which holds the newest. Code that builds a map rarely
// reads older versions, and an insertion into a hash table takes a quarter of the time of one into a tree. When a caller
// does read an older version, all versions from that one on become trees, each once, so no use of old versions costs more
// than with trees alone.
import {
  type Compare,
  find,
  findPlain,
  foldedRight,
  inOrder,
  inserted,
  insertedPlain,
  isNew,
  removed,
  removedPlain,
  type Tree,
  treeOf,
} from './ordered-tree.ts'
import type { LfValue } from './values.ts'

export type { Compare } from './ordered-tree.ts'

/** Versions of a map that came of each other by insertion of plain texts. */
type Draft = { readonly entries: Map<string, LfValue>; newest: OrderedMap; insertions: number }

/** Smaller maps are trees from the start: these take less than a table. */
const draftSizeMin = 16
/** A table is one piece of memory, of which none may be large; and a bad choice of keys makes it slow. */
const draftSizeMax = 4096
/** How many insertions a draft may see, for each entry: an old version keeps all that came after it. */
const insertionsMax = 4

/** A version of a draft. The newest has no `change`; in others it says how to come back from the next one. */
type Version = { readonly draft: Draft; change: Change | undefined }

/** The value before; undefined if there was none. */
type Change = { readonly next: OrderedMap; readonly key: string; readonly old: LfValue }

export class OrderedMap {
  readonly size: number
  /** Not yet made while it is a draft. */
  #root: Tree
  /** Undefined for a tree; for one with which a draft began, `begun`. */
  #version: Version | typeof begun | undefined
  readonly #compare: Compare
  /** All keys are plain texts. */
  readonly #isPlain: boolean

  private constructor(root: Tree, size: number, compare: Compare, isPlain: boolean, version: Version | undefined) {
    this.size = size
    this.#root = root
    this.#version = version
    this.#compare = compare
    this.#isPlain = isPlain
  }

  static empty(compare: Compare): OrderedMap {
    return new OrderedMap(undefined, 0, compare, true, undefined)
  }

  has(key: LfValue): boolean {
    return this.get(key) !== undefined
  }

  get(key: LfValue): LfValue {
    const draft = this.#version?.draft
    if (draft?.newest === this && typeof key === 'string') return draft.entries.get(key)
    return this.#find(key)?.value
  }

  /** An existing key keeps its place and its form, and gets the new value. */
  with(key: LfValue, value: LfValue): OrderedMap {
    const isPlain = this.#isPlain && isPlainText(key)
    if (isPlain && this.size >= draftSizeMin && this.#isDraftable()) return this.#drafted(key as string, value)
    const tree = this.#tree()
    const root = isPlain ? insertedPlain(tree, key as string, value) : inserted(tree, key, value, this.#compare)
    return new OrderedMap(root, isNew ? this.size + 1 : this.size, this.#compare, isPlain, undefined)
  }

  without(key: LfValue): OrderedMap {
    const tree = this.#tree()
    const root = this.#isPlain && isPlainText(key) ? removedPlain(tree, key) : removed(tree, key, this.#compare)
    return root === tree ? this : new OrderedMap(root, this.size - 1, this.#compare, this.#isPlain, undefined)
  }

  *keys(): Iterable<LfValue> {
    for (const node of inOrder(this.#tree())) yield node.key
  }

  *values(): Iterable<LfValue> {
    for (const node of inOrder(this.#tree())) yield node.value
  }

  *entries(): Iterable<[LfValue, LfValue]> {
    for (const node of inOrder(this.#tree())) yield [node.key, node.value]
  }

  /** From the last entry to the first. */
  reduceRight<Result>(step: (result: Result, key: LfValue, value: LfValue) => Result, start: Result): Result {
    return foldedRight(this.#tree(), step, start)
  }

  #find(key: LfValue): Tree {
    const tree = this.#tree()
    return this.#isPlain && isPlainText(key) ? findPlain(tree, key) : find(tree, key, this.#compare)
  }

  /** Whether an insertion may go to a hash table. A tree becomes one at one size only, and once, so that it costs little. */
  #isDraftable(): boolean {
    if (this.#version === undefined) return this.size === draftSizeMin
    const { draft } = this.#version
    return draft?.newest === this && this.size < draftSizeMax && draft.insertions < insertionsMax * this.size
  }

  #drafted(key: string, value: LfValue): OrderedMap {
    const draft = this.#version?.draft ?? this.#startDraft()
    const old = draft.entries.get(key)
    draft.entries.set(key, value)
    draft.insertions += 1
    const size = old === undefined ? this.size + 1 : this.size
    const next = new OrderedMap(undefined, size, this.#compare, true, { draft, change: undefined })
    if (this.#version?.draft !== undefined) this.#version.change = { next, key, old }
    draft.newest = next
    return next
  }

  #startDraft(): Draft {
    this.#version = begun
    const entries = new Map<string, LfValue>()
    for (const { key, value } of inOrder(this.#root)) entries.set(key as string, value)
    return { entries, newest: this, insertions: 0 }
  }

  #tree(): Tree {
    if (this.#version !== undefined && this.#version !== begun) this.#settle()
    return this.#root
  }

  /** Makes trees of this version and all after it. */
  #settle(): void {
    const versions: OrderedMap[] = []
    let newest: OrderedMap = this
    for (let next = this.#next(); next !== undefined; next = newest.#next()) {
      versions.push(newest)
      newest = next
    }
    newest.#sort()
    let root = newest.#root
    for (let version = versions.pop(); version !== undefined; version = versions.pop()) {
      const { key, old } = version.#version!.change!
      root = old === undefined ? removedPlain(root, key) : insertedPlain(root, key, old)
      version.#root = root
      version.#version = undefined
    }
  }

  #next(): OrderedMap | undefined {
    return this.#version?.change?.next
  }

  /** Makes a tree of the newest version, unless it is one. */
  #sort(): void {
    const draft = this.#version?.draft
    if (draft === undefined) return
    const { entries } = draft
    this.#root = treeOf([...entries.keys()].sort(), (key) => entries.get(key as string))
    this.#version = undefined
    entries.clear()
  }
}

const begun: { readonly draft: undefined; readonly change: undefined } = { draft: undefined, change: undefined }

/** A text that JavaScript orders as Daml does, by its units, and so short that comparing it costs next to nothing. */
function isPlainText(key: LfValue): key is string {
  return typeof key === 'string' && key.length < plainLengthMax && !unitsFromSurrogatesOn.test(key)
}

const plainLengthMax = 64
const unitsFromSurrogatesOn = /[\ud800-\uffff]/
