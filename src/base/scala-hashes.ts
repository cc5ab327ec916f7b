// Hash codes of Scala 2.13 and Java: scala-order.ts says why we need them. Those of case classes and sequences are
// MurmurHash3 over the hash codes of their parts.

/** `String.hashCode` */
export function hashOfText(text: string): number {
  let hash = 0
  for (let index = 0; index < text.length; index++) hash = (Math.imul(31, hash) + text.charCodeAt(index)) | 0
  return hash
}

/** `ByteString.hashCode` of protobuf. */
export function hashOfBytes(bytes: Uint8Array): number {
  let hash = bytes.length
  for (const byte of bytes) hash = (Math.imul(31, hash) + ((byte << 24) >> 24)) | 0
  return hash === 0 ? 1 : hash
}

/** `Boolean.hashCode` */
export function hashOfFlag(flag: boolean): number {
  return flag ? 1231 : 1237
}

const seeds = { sequence: hashOfText('Seq'), product: 0xcafebabe | 0 }

/** Of a case class, by the hash codes of its fields. */
export function hashOfProduct(name: string, ...fields: readonly number[]): number {
  return avalanche([hashOfText(name), ...fields].reduce(mixed, seeds.product) ^ fields.length)
}

/**
 * By the hash codes of its elements. Evenly spaced ones are hashed as a range: by the first, the distance and the last.
 * Two elements always are.
 */
export function hashOfSequence(elements: readonly number[]): number {
  const [first = 0, second = 0] = elements
  const distance = (second - first) | 0
  const isEven = elements.every((element, at) => at === 0 || ((element - elements[at - 1]!) | 0) === distance)
  if (elements.length === 2 || (elements.length > 2 && isEven && distance !== 0)) {
    return avalanche([first, distance, elements.at(-1)!].reduce(mixed, seeds.sequence))
  }
  return avalanche(elements.reduce(mixed, seeds.sequence) ^ elements.length)
}

function mixed(hash: number, data: number): number {
  const scrambled = Math.imul(rotated(Math.imul(data, 0xcc9e2d51), 15), 0x1b873593)
  return (Math.imul(rotated(hash ^ scrambled, 13), 5) + 0xe6546b64) | 0
}

function avalanche(hash: number): number {
  const once = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  const twice = Math.imul(once ^ (once >>> 13), 0xc2b2ae35)
  return twice ^ (twice >>> 16)
}

function rotated(value: number, bits: number): number {
  return (value << bits) | (value >>> (32 - bits))
}
