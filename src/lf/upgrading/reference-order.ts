// The order in which Scala's immutable maps and sets yield their keys: the reference reports the first problem it comes
// across, so whoever wants to report the same one has to walk definitions in the same order. Up to four keys stay as
// they were inserted; more are in a trie over the bits of their hashes. Mirrors scala.collection.immutable.HashMap and
// scala.util.hashing.MurmurHash3 of Scala 2.13.

export type Hash = (key: string) => number

const bitsPerLevel = 5
const hashBits = 32

/** Keys in the order of the trie. Keys with the same hash stay in the order they came in. */
export function trieOrder(keys: Iterable<string>, hashOf: Hash): string[] {
  const placed = Array.from(keys, (key) => ({ key, hash: improved(hashOf(key)) }))
  const ordered: string[] = []
  visit(placed, 0, ordered)
  return ordered
}

type Placed = { readonly key: string; readonly hash: number }

/** A node yields the keys that are alone in their slot, then the nodes below it. */
function visit(placed: readonly Placed[], shift: number, ordered: string[]): void {
  if (shift >= hashBits) {
    for (const { key } of placed) ordered.push(key)
    return
  }
  const slots: Placed[][] = Array.from({ length: 1 << bitsPerLevel }, () => [])
  for (const one of placed) slots[(one.hash >>> shift) & 31]!.push(one)
  for (const slot of slots) if (slot.length === 1) ordered.push(slot[0]!.key)
  for (const slot of slots) if (slot.length > 1) visit(slot, shift + bitsPerLevel, ordered)
}

/** Keys in the order of `scala.collection.mutable.HashSet`, in which the reference collects a package's references. */
export function tableOrder(keys: readonly string[], hashOf: Hash): string[] {
  let size = 16
  while (keys.length >= size * 0.75) size *= 2
  const slotOf = (hash: number) => (hash ^ (hash >>> 16)) & (size - 1)
  const spread = (hash: number) => hash ^ (hash >>> 16)
  return keys
    .map((key) => ({ key, hash: hashOf(key) }))
    .sort((a, b) => slotOf(a.hash) - slotOf(b.hash) || spread(a.hash) - spread(b.hash))
    .map(({ key }) => key)
}

// ── Hashes of keys

/** Of a name or a package id: `String.hashCode`. */
export function textHash(text: string): number {
  let hash = 0
  for (let i = 0; i < text.length; i++) hash = (Math.imul(hash, 31) + text.charCodeAt(i)) | 0
  return hash
}

/** Of the dotted name of a module or a definition. */
export function dottedNameHash(name: string): number {
  return sequenceHash(name.split('.').map(textHash))
}

/** Of `template/package-id:Module:Interface`: a template and an interface that it implements. */
export function instanceHash(key: string): number {
  const slash = key.indexOf('/')
  const [packageId = '', module = '', name = ''] = key.slice(slash + 1).split(':')
  const qualified = productHash('QualifiedName', [dottedNameHash(module), dottedNameHash(name)])
  const identifier = productHash('FullReference', [textHash(packageId), qualified])
  return productHash('Tuple2', [dottedNameHash(key.slice(0, slash)), identifier])
}

const sequenceSeed = textHash('Seq')
const productSeed = 0xcafebabe | 0

function productHash(prefix: string, elements: readonly number[]): number {
  const hash = [textHash(prefix), ...elements].reduce(mix, productSeed)
  return avalanche(hash ^ elements.length)
}

/** Elements whose hashes are evenly spaced are hashed as a range: by the first, the step and the last. */
function sequenceHash(elements: readonly number[]): number {
  const length = elements.length
  const [first = 0, second = 0] = elements
  const step = (second - first) | 0
  const isRange = elements.every((element, i) => i === 0 || ((element - elements[i - 1]!) | 0) === step)
  if (length === 2 || (length > 2 && isRange && step !== 0)) {
    return avalanche(mix(mix(mix(sequenceSeed, first), step), elements.at(-1)!))
  }
  return avalanche(elements.reduce(mix, sequenceSeed) ^ length)
}

function mix(hash: number, data: number): number {
  const spread = Math.imul(rotate(Math.imul(data, 0xcc9e2d51), 15), 0x1b873593)
  return (Math.imul(rotate(hash ^ spread, 13), 5) + 0xe6546b64) | 0
}

function avalanche(hash: number): number {
  let mixed = hash ^ (hash >>> 16)
  mixed = Math.imul(mixed, 0x85ebca6b)
  mixed ^= mixed >>> 13
  mixed = Math.imul(mixed, 0xc2b2ae35)
  return mixed ^ (mixed >>> 16)
}

function improved(hash: number): number {
  let better = (hash + ~(hash << 9)) | 0
  better ^= better >>> 14
  better = (better + (better << 4)) | 0
  return better ^ (better >>> 10)
}

const rotate = (bits: number, by: number): number => (bits << by) | (bits >>> (32 - by))
