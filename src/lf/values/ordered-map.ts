// Maps ordered by key, for TextMap and GenMap. Immutable: a change makes a new map that shares the rest. A balanced
// binary tree (AVL), because a change copies a dozen small nodes where a B-tree copies arrays.
import type { LfValue } from './values.ts'

/** Orders texts by code points. */
export type Compare = (a: LfValue, b: LfValue) => number

type Tree = Node | undefined

export class OrderedMap {
  readonly size: number
  readonly #root: Tree
  readonly #compare: Compare
  /** All keys are plain texts. */
  readonly #isPlain: boolean

  private constructor(root: Tree, size: number, compare: Compare, isPlain: boolean) {
    this.#root = root
    this.size = size
    this.#compare = compare
    this.#isPlain = isPlain
  }

  static empty(compare: Compare): OrderedMap {
    return new OrderedMap(undefined, 0, compare, true)
  }

  has(key: LfValue): boolean {
    return this.#find(key) !== undefined
  }

  get(key: LfValue): LfValue {
    return this.#find(key)?.value
  }

  /** An existing key keeps its place and its form, and gets the new value. */
  with(key: LfValue, value: LfValue): OrderedMap {
    isNew = false
    const isPlain = this.#isPlain && isPlainText(key)
    const root = isPlain
      ? insertedPlain(this.#root, key as string, value)
      : inserted(this.#root, key, value, this.#compare)
    return new OrderedMap(root, isNew ? this.size + 1 : this.size, this.#compare, isPlain)
  }

  without(key: LfValue): OrderedMap {
    const root = removed(this.#root, key, this.#isPlain && isPlainText(key) ? comparePlain : this.#compare)
    return root === this.#root ? this : new OrderedMap(root, this.size - 1, this.#compare, this.#isPlain)
  }

  #find(key: LfValue): Tree {
    if (!this.#isPlain || !isPlainText(key)) return find(this.#root, key, this.#compare)
    return findPlain(this.#root, key)
  }

  *keys(): Iterable<LfValue> {
    for (const node of inOrder(this.#root)) yield node.key
  }

  *values(): Iterable<LfValue> {
    for (const node of inOrder(this.#root)) yield node.value
  }

  *entries(): Iterable<[LfValue, LfValue]> {
    for (const node of inOrder(this.#root)) yield [node.key, node.value]
  }

  /** From the last entry to the first. */
  reduceRight<Result>(step: (result: Result, key: LfValue, value: LfValue) => Result, start: Result): Result {
    return foldedRight(this.#root, step, start)
  }
}

/** The heights of its branches differ by one at most, so the tree is never deep: recursion over it is safe. */
class Node {
  readonly key: LfValue
  readonly value: LfValue
  readonly left: Tree
  readonly right: Tree
  readonly height: number

  constructor(key: LfValue, value: LfValue, left: Tree, right: Tree) {
    this.key = key
    this.value = value
    this.left = left
    this.right = right
    const leftHeight = left === undefined ? 0 : left.height
    const rightHeight = right === undefined ? 0 : right.height
    this.height = (leftHeight > rightHeight ? leftHeight : rightHeight) + 1
  }
}

/** A text that JavaScript orders as Daml does, by its units, and so short that comparing it costs next to nothing. */
function isPlainText(key: LfValue): key is string {
  return typeof key === 'string' && key.length < plainLengthMax && !unitsFromSurrogatesOn.test(key)
}

const plainLengthMax = 64
const unitsFromSurrogatesOn = /[\ud800-\uffff]/

const comparePlain: Compare = (a, b) => ((a as string) < (b as string) ? -1 : a === b ? 0 : 1)

/** Whether the last insertion added a key. */
let isNew = false

const heightOf = (tree: Tree): number => (tree === undefined ? 0 : tree.height)

function find(tree: Tree, key: LfValue, compare: Compare): Tree {
  let node = tree
  while (node !== undefined) {
    const order = compare(key, node.key)
    if (order === 0) return node
    node = order < 0 ? node.left : node.right
  }
  return undefined
}

/** As `find`, with the comparison in place. */
function findPlain(tree: Tree, key: string): Tree {
  let node = tree
  while (node !== undefined) {
    if (key < (node.key as string)) node = node.left
    else if (key === node.key) return node
    else node = node.right
  }
  return undefined
}

function inserted(tree: Tree, key: LfValue, value: LfValue, compare: Compare): Node {
  if (tree === undefined) {
    isNew = true
    return new Node(key, value, undefined, undefined)
  }
  const order = compare(key, tree.key)
  if (order === 0) return new Node(tree.key, value, tree.left, tree.right)
  if (order < 0) return balanced(tree, inserted(tree.left, key, value, compare), tree.right)
  return balanced(tree, tree.left, inserted(tree.right, key, value, compare))
}

/** As `inserted`, with the comparison in place. */
function insertedPlain(tree: Tree, key: string, value: LfValue): Node {
  if (tree === undefined) {
    isNew = true
    return new Node(key, value, undefined, undefined)
  }
  const { key: own, left, right } = tree
  if (key < (own as string)) return balanced(tree, insertedPlain(left, key, value), right)
  if (key === own) return new Node(own, value, left, right)
  return balanced(tree, left, insertedPlain(right, key, value))
}

/** The tree itself if it does not have the key. */
function removed(tree: Tree, key: LfValue, compare: Compare): Tree {
  if (tree === undefined) return undefined
  const order = compare(key, tree.key)
  if (order < 0) {
    const left = removed(tree.left, key, compare)
    return left === tree.left ? tree : balanced(tree, left, tree.right)
  }
  if (order > 0) {
    const right = removed(tree.right, key, compare)
    return right === tree.right ? tree : balanced(tree, tree.left, right)
  }
  if (tree.left === undefined) return tree.right
  if (tree.right === undefined) return tree.left
  return balanced(firstOf(tree.right), tree.left, withoutFirst(tree.right))
}

function firstOf(tree: Node): Node {
  let node = tree
  while (node.left !== undefined) node = node.left
  return node
}

function withoutFirst(tree: Node): Tree {
  return tree.left === undefined ? tree.right : balanced(tree, withoutFirst(tree.left), tree.right)
}

/** The entry with these branches, whose heights differ by two at most. */
function balanced(entry: Node, left: Tree, right: Tree): Node {
  const excess = heightOf(left) - heightOf(right)
  if (excess <= 1 && excess >= -1) return new Node(entry.key, entry.value, left, right)
  return rotated(entry, left, right, excess)
}

function rotated({ key, value }: Node, left: Tree, right: Tree, excess: number): Node {
  if (excess > 1) {
    const { key: top, value: topValue, left: outer, right: inner } = left!
    if (heightOf(outer) >= heightOf(inner)) return new Node(top, topValue, outer, new Node(key, value, inner, right))
    const lower = new Node(top, topValue, outer, inner!.left)
    return new Node(inner!.key, inner!.value, lower, new Node(key, value, inner!.right, right))
  }
  const { key: top, value: topValue, left: inner, right: outer } = right!
  if (heightOf(outer) >= heightOf(inner)) return new Node(top, topValue, new Node(key, value, left, inner), outer)
  const upper = new Node(top, topValue, inner!.right, outer)
  return new Node(inner!.key, inner!.value, new Node(key, value, left, inner!.left), upper)
}

function* inOrder(tree: Tree): Generator<Node> {
  const above: Node[] = []
  for (let node = tree; node !== undefined || above.length > 0; ) {
    while (node !== undefined) {
      above.push(node)
      node = node.left
    }
    const next = above.pop()!
    yield next
    node = next.right
  }
}

function foldedRight<Result>(
  tree: Tree,
  step: (result: Result, key: LfValue, value: LfValue) => Result,
  start: Result,
): Result {
  let result = start
  for (let node = tree; node !== undefined; node = node.left) {
    result = foldedRight(node.right, step, result)
    result = step(result, node.key, node.value)
  }
  return result
}
