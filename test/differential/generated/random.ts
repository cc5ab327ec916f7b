// Numbers from a seed: the same seed gives the same programs, today and on another machine.

export type Random = {
  below(limit: number): number
  chance(probability: number): boolean
  pick<Item>(items: readonly Item[]): Item
  /** One of several, by weight. */
  weighted<Item>(items: readonly (readonly [weight: number, item: Item])[]): Item
  bigint(bits: number): bigint
  shuffled<Item>(items: readonly Item[]): Item[]
}

/** splitmix32 over a hash of the seed, so that neighbouring seeds have nothing in common. */
export function randomFrom(seed: number, stream = ''): Random {
  let state = Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) >>> 0
  for (const character of stream) state = Math.imul(state ^ character.codePointAt(0)!, 0x01000193) >>> 0

  const next = (): number => {
    state = (state + 0x9e3779b9) >>> 0
    let mixed = Math.imul(state ^ (state >>> 16), 0x21f0aaad)
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97)
    return (mixed ^ (mixed >>> 15)) >>> 0
  }
  const below = (limit: number): number => next() % limit

  return {
    below,
    chance: (probability) => next() < probability * 0x1_0000_0000,
    pick: (items) => items[below(items.length)]!,
    weighted(items) {
      let rest = (next() / 0x1_0000_0000) * items.reduce((sum, [weight]) => sum + weight, 0)
      for (const [weight, item] of items) {
        rest -= weight
        if (rest < 0) return item
      }
      return items.at(-1)![1]
    },
    bigint(bits) {
      let value = 0n
      for (let taken = 0; taken < bits; taken += 32) value = (value << 32n) | BigInt(next())
      return BigInt.asUintN(bits, value)
    },
    shuffled(items) {
      const rest = [...items]
      for (let at = rest.length - 1; at > 0; at--) {
        const other = below(at + 1)
        ;[rest[at], rest[other]] = [rest[other]!, rest[at]!]
      }
      return rest
    },
  }
}
