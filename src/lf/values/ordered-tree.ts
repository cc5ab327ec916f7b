// A persistent balanced binary tree (AVL): a change makes a new tree that shares the rest. Not a B-tree, because copying its
// arrays takes as long as copying a dozen small nodes, and most of the time goes into comparing keys.
import type { LfValue } from './values.ts'

/** Orders texts by code points. */
export type Compare = (a: LfValue, b: LfValue) => number

export type Tree = Node | undefined

/** The heights of its branches differ by one at most, so the tree is never deep: recursion over it is safe. */
export class Node {
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

const heightOf = (tree: Tree): number => (tree === undefined ? 0 : tree.height)

export function find(tree: Tree, key: LfValue, compare: Compare): Tree {
  let node = tree
  while (node !== undefined) {
    const order = compare(key, node.key)
    if (order === 0) return node
    node = order < 0 ? node.left : node.right
  }
  return undefined
}

/** As `find`, with the comparison in place. */
export function findPlain(tree: Tree, key: string): Tree {
  let node = tree
  while (node !== undefined) {
    if (key < (node.key as string)) node = node.left
    else if (key === node.key) return node
    else node = node.right
  }
  return undefined
}

/** Whether the last insertion added a key. */
export let isNew = false

export function inserted(tree: Tree, key: LfValue, value: LfValue, compare: Compare): Node {
  if (tree === undefined) return added(key, value)
  const order = compare(key, tree.key)
  if (order === 0) return replaced(tree, value)
  if (order < 0) return balanced(tree, inserted(tree.left, key, value, compare), tree.right)
  return balanced(tree, tree.left, inserted(tree.right, key, value, compare))
}

/** As `inserted`, with the comparison in place. */
export function insertedPlain(tree: Tree, key: string, value: LfValue): Node {
  if (tree === undefined) return added(key, value)
  const { key: own, left, right } = tree
  if (key < (own as string)) return balanced(tree, insertedPlain(left, key, value), right)
  if (key === own) return replaced(tree, value)
  return balanced(tree, left, insertedPlain(right, key, value))
}

function added(key: LfValue, value: LfValue): Node {
  isNew = true
  return new Node(key, value, undefined, undefined)
}

function replaced({ key, left, right }: Node, value: LfValue): Node {
  isNew = false
  return new Node(key, value, left, right)
}

/** The tree itself if it does not have the key. */
export function removed(tree: Tree, key: LfValue, compare: Compare): Tree {
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
  return withoutEntry(tree)
}

/** As `removed`, with the comparison in place. */
export function removedPlain(tree: Tree, key: string): Tree {
  if (tree === undefined) return undefined
  const { key: own, left, right } = tree
  if (key < (own as string)) {
    const newLeft = removedPlain(left, key)
    return newLeft === left ? tree : balanced(tree, newLeft, right)
  }
  if (key === own) return withoutEntry(tree)
  const newRight = removedPlain(right, key)
  return newRight === right ? tree : balanced(tree, left, newRight)
}

function withoutEntry({ left, right }: Node): Tree {
  if (left === undefined) return right
  if (right === undefined) return left
  return balanced(firstOf(right), left, withoutFirst(right))
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

export function* inOrder(tree: Tree): Generator<Node> {
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

export function foldedRight<Result>(
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

/** A tree of entries whose keys are in order. */
export function treeOf(keys: readonly LfValue[], valueAt: (key: LfValue) => LfValue): Tree {
  const built = (start: number, end: number): Tree => {
    if (start >= end) return undefined
    const middle = (start + end) >> 1
    const key = keys[middle]
    return new Node(key, valueAt(key), built(start, middle), built(middle + 1, end))
  }
  return built(0, keys.length)
}
