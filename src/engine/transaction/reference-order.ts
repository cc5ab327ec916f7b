// In what order the reference engine lists what a rollback would undo. It keeps nodes in sets and maps of Scala, which
// remember the order of insertion up to four elements and go by hash codes from five on. Errors show that order, so this
// file computes the hash codes: those of case classes, MurmurHash3 over the hash codes of their fields.
import type { Identifier } from '../../lf/syntax/ast.ts'
import type { Create, Exercise, NodeTree } from './nodes.ts'

export type UndoneNode = Create | Exercise<NodeTree>

const smallMax = 4

/** The nodes since the mark: archives and creates apart, each with all that came before, in the order they happened. */
export function inReferenceOrder(
  archives: readonly UndoneNode[],
  creates: readonly UndoneNode[],
  isUndone: (node: UndoneNode) => boolean,
): readonly UndoneNode[] {
  const inMap = (nodes: readonly UndoneNode[]) =>
    inCollectionOrder(nodes, ({ contractId }) => contractIdHash(contractId))
  const undone = [...inMap(archives).filter(isUndone), ...inMap(creates).filter(isUndone)]
  return inCollectionOrder(undone, nodeHash)
}

/** The order of an immutable Set or Map to which the items were added one by one. */
function inCollectionOrder<T>(items: readonly T[], hashOf: (item: T) => number): readonly T[] {
  if (items.length <= smallMax) return items
  const hashed = items.map((item) => ({ item, hash: spread(hashOf(item)) }))
  return inTrieOrder(hashed, 0).map(({ item }) => item)
}

/** A node of the trie has a place for each five bits of the hash: first come the places with one item, then the others. */
function inTrieOrder<T extends { readonly hash: number }>(items: readonly T[], shift: number): readonly T[] {
  if (items.length === 1 || shift > 31) return items
  const places = Map.groupBy(items, ({ hash }) => (hash >>> shift) & 0x1f)
  const ordered = [...places].sort(([a], [b]) => a - b).map(([, group]) => group)
  const [single, shared] = [ordered.filter(({ length }) => length === 1), ordered.filter(({ length }) => length > 1)]
  return [...single.flat(), ...shared.flatMap((group) => inTrieOrder(group, shift + 5))]
}

/** What a trie makes of a hash code, because it uses the lowest bits first. */
function spread(hash: number): number {
  const once = (hash + ~(hash << 9)) | 0
  const twice = once ^ (once >>> 14)
  const thrice = (twice + (twice << 4)) | 0
  return thrice ^ (thrice >>> 10)
}

// ── Hash codes

function nodeHash(node: UndoneNode): number {
  const fields = [contractIdHash(node.contractId), identifierHash(node.templateId)]
  if (node.kind === 'create') return productHash('Create', fields)
  return productHash('Exercise', [...fields, textHash(node.choice), node.isByKey ? 1231 : 1237])
}

/** Of version 1: a zero byte, a hash of 32 bytes and the suffix. */
function contractIdHash(id: string): number {
  const bytes = Buffer.from(id, 'hex')
  return productHash('V1', [bytesHash(bytes.subarray(1, 33)), bytesHash(bytes.subarray(33))])
}

function identifierHash({ packageId, module, name }: Identifier): number {
  const qualifiedName = productHash('QualifiedName', [dottedNameHash(module), dottedNameHash(name)])
  return productHash('FullReference', [textHash(packageId), qualifiedName])
}

const dottedNameHash = (name: string): number => sequenceHash(name.split('.').map(textHash))

function textHash(text: string): number {
  let hash = 0
  for (let index = 0; index < text.length; index += 1) hash = (Math.imul(31, hash) + text.charCodeAt(index)) | 0
  return hash
}

/** Of a ByteString of protobuf. */
function bytesHash(bytes: Uint8Array): number {
  let hash = bytes.length
  for (const byte of bytes) hash = (Math.imul(31, hash) + ((byte << 24) >> 24)) | 0
  return hash === 0 ? 1 : hash
}

function productHash(name: string, fields: readonly number[]): number {
  return finished([textHash(name), ...fields].reduce(mixed, 0xcafebabe | 0), fields.length)
}

/** Texts whose hash codes have equal distances are hashed as a range would be. */
function sequenceHash(hashes: readonly number[]): number {
  const seed = textHash('Seq')
  const [first, second] = hashes
  const distance = second === undefined ? 0 : (second - first!) | 0
  const isRange =
    hashes.length > 1 && hashes.every((hash, at) => at === 0 || ((hash - hashes[at - 1]!) | 0) === distance)
  if (isRange) return avalanche(mixed(mixed(mixed(seed, first!), distance), hashes.at(-1)!))
  return finished(hashes.reduce(mixed, seed), hashes.length)
}

const rotated = (value: number, bits: number): number => (value << bits) | (value >>> (32 - bits))

function mixed(hash: number, data: number): number {
  const scrambled = Math.imul(rotated(Math.imul(data, 0xcc9e2d51), 15), 0x1b873593)
  return (Math.imul(rotated(hash ^ scrambled, 13), 5) + 0xe6546b64) | 0
}

const finished = (hash: number, length: number): number => avalanche(hash ^ length)

function avalanche(hash: number): number {
  const once = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  const twice = Math.imul(once ^ (once >>> 13), 0xc2b2ae35)
  return twice ^ (twice >>> 16)
}
