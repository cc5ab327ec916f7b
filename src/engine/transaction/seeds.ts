// How contract ids are derived (Canton: crypto/Hash.scala). Everything a transaction creates follows from one seed, so
// the seed of a node is enough to replay that node alone.
import { Buffer } from 'node:buffer'
import { HashInput, sha256 } from '../../lf/codec/hash-input.ts'
import type { Int64 } from '../../lf/values/values.ts'
import type { Parties } from './parties.ts'

/** 32 bytes. */
export type Seed = Uint8Array

/** Derived when it is first needed: an exercise that creates nothing never needs its own. */
export class LazySeed {
  #bytes: Seed | undefined
  readonly #derive: () => Seed

  constructor(derive: () => Seed) {
    this.#derive = derive
  }

  get bytes(): Seed {
    this.#bytes ??= this.#derive()
    return this.#bytes
  }
}

const seedBytes = 32
const blockBytes = 64
const input = new HashInput()

export function transactionSeed(submissionSeed: Seed, participantId: string, preparationTime: Int64): Seed {
  startHmac(submissionSeed)
  input.text(participantId)
  input.int64(preparationTime)
  return seedFrom(hmac('latin1'))
}

/** The seed of the parent's action with this number; children of a rollback count as its parent's. */
export function nodeSeed(parent: Seed, child: number): Seed {
  mask(parent, childInput)
  childInput.writeInt32BE(child, blockBytes)
  return seedFrom(outerHash(sha256(childInput, 'latin1'), 'latin1'))
}

/** The id of a contract within its own transaction: version and discriminator, without suffix. */
export function localContractId(seed: Seed, preparationTime: Int64, stakeholders: Parties): string {
  startHmac(seed)
  input.int64(preparationTime)
  input.int32(stakeholders.length)
  for (const party of stakeholders) input.text(party)
  return `00${hmac('hex')}`
}

/** The first blocks of the two hashes of an HMAC: the key, masked, in a block that is filled with the mask. */
const innerKey = Buffer.alloc(blockBytes, 0x36)
const outerInput = Buffer.alloc(blockBytes + seedBytes, 0x5c)
const scratch = Buffer.allocUnsafeSlow(seedBytes)
/** The input of the inner hash for a number, which is the usual one. */
const childInput = Buffer.alloc(blockBytes + 4, 0x36)

/**
 * HMAC-SHA256, as text, of what was written to `input` after this. Made of two plain hashes, because Node's one-shot hash to
 * text takes a quarter of the time of its Hmac, and every create needs two of these. SHA-256 in JavaScript or WebAssembly
 * takes longer from the second block on, and here there are always two: it cannot use the processor's own instructions.
 */
function startHmac(key: Seed): void {
  mask(key, innerKey)
  input.restart()
  input.raw(innerKey)
}

const hmac = (form: 'hex' | 'latin1'): string => outerHash(input.sha256('latin1'), form)

function outerHash(inner: string, form: 'hex' | 'latin1'): string {
  outerInput.write(inner, blockBytes, seedBytes, 'latin1')
  return sha256(outerInput, form)
}

/** Copied from memory outside of V8's heap, to which Node writes in a quarter of the time. */
function seedFrom(bytes: string): Seed {
  scratch.write(bytes, 0, seedBytes, 'latin1')
  return new Uint8Array(scratch)
}

/** Writes the key to the first blocks of both hashes. */
function mask(key: Seed, inner: Buffer): void {
  if (key.length !== seedBytes) throw new Error('a seed has 32 bytes')
  for (let index = 0; index < seedBytes; index += 1) {
    inner[index] = key[index]! ^ 0x36
    outerInput[index] = key[index]! ^ 0x5c
  }
}
