// Randomness as a parameter: the system's generator, or a repeatable one for tests and simulation.
import { createHash, randomBytes } from 'node:crypto'

export type Random = {
  bytes(length: number): Buffer
  /** Of reproducible randomness: what is drawn about the same thing is the same, whatever was drawn before. */
  about?(what: string): Random
}

/** A call of the system's generator costs about the same for few bytes as for many, so bytes are pooled. */
const pooledBytes = 4096
let pool = Buffer.alloc(0)
let taken = 0

export const systemRandom: Random = {
  bytes(length) {
    if (length > pooledBytes / 8) return randomBytes(length)
    if (taken + length > pool.length) {
      pool = randomBytes(pooledBytes)
      taken = 0
    }
    const bytes = Buffer.from(pool.subarray(taken, taken + length))
    pool.fill(0, taken, taken + length) // Leaves no secret in memory.
    taken += length
    return bytes
  },
}

/** The same bytes for the same seed in every run. Never for real keys. */
export function createSeededRandom(seed: string): Random {
  let counter = 0
  const block = () => createHash('sha256').update(`${seed}:${counter++}`).digest()
  return {
    bytes(length) {
      const blocks: Buffer[] = []
      for (let have = 0; have < length; have += 32) blocks.push(block())
      return Buffer.concat(blocks).subarray(0, length)
    },
  }
}

/** For a development node that has the same ids at every fresh start. */
export function createReproducibleRandom(seed: string): Random {
  return { ...createSeededRandom(seed), about: (what) => createReproducibleRandom(`${seed}\n${what}`) }
}

/** Reproducible if the randomness is. */
export function randomAbout(random: Random, what: () => string): Random {
  return random.about?.(what()) ?? random
}

export function randomUuid(random: Random): string {
  const bytes = random.bytes(16)
  bytes[6] = (bytes[6]! & 0x0f) | 0x40
  bytes[8] = (bytes[8]! & 0x3f) | 0x80
  const hex = bytes.toString('hex')
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-')
}
