// Where contract ids come from (Canton: crypto/Hash.scala). Everything a transaction creates follows from one seed, so
// whoever knows the seed of a node can repeat that node alone.
import { hash } from 'node:crypto'
import type { Int64 } from '../lf/values.ts'
import type { Parties } from './parties.ts'

/** 32 bytes. */
export type Seed = Uint8Array

const keyBytes = 32
const blockBytes = 64

export function transactionSeed(submissionSeed: Seed, participantId: string, preparationTime: Int64): Seed {
  return fromHex(hmac(submissionSeed, Buffer.concat([string(participantId), int64Bytes(preparationTime)])))
}

/** Of the child with this number among its parent's actions; children of a rollback count as its parent's. */
export function nodeSeed(parent: Seed, child: number): Seed {
  return fromHex(hmac(parent, int32Bytes(child)))
}

/** The id of a contract as its own transaction knows it: version and discriminator, without suffix. */
export function localContractId(seed: Seed, preparationTime: Int64, stakeholders: Parties): string {
  const parts = [int64Bytes(preparationTime), int32Bytes(stakeholders.length), ...stakeholders.map(string)]
  return `00${hmac(seed, Buffer.concat(parts))}`
}

export function int32Bytes(value: number): Buffer {
  const bytes = Buffer.allocUnsafe(4)
  bytes.writeInt32BE(value)
  return bytes
}

export function int64Bytes(value: Int64): Buffer {
  const bytes = Buffer.allocUnsafe(8)
  bytes.writeBigInt64BE(BigInt(value))
  return bytes
}

/** Its length in bytes, then its UTF-8. */
export function string(text: string): Buffer {
  const bytes = Buffer.from(text)
  return Buffer.concat([int32Bytes(bytes.length), bytes])
}

function fromHex(text: string): Seed {
  return Buffer.from(text, 'hex')
}

/**
 * HMAC-SHA256 with a key of 32 bytes, in hex. Made of two plain hashes, because node's one-shot hash to hex takes a
 * quarter of the time of its Hmac, and every create needs two of these.
 */
export function hmac(key: Uint8Array, message: Uint8Array): string {
  const inner = padded(key, 0x36, message.length)
  inner.set(message, blockBytes)
  const outer = padded(key, 0x5c, keyBytes)
  outer.write(hash('sha256', inner, 'hex'), blockBytes, 'hex')
  return hash('sha256', outer, 'hex')
}

function padded(key: Uint8Array, pad: number, more: number): Buffer {
  if (key.length !== keyBytes) throw new Error('a seed has 32 bytes')
  const bytes = Buffer.allocUnsafe(blockBytes + more)
  for (let index = 0; index < keyBytes; index += 1) bytes[index] = key[index]! ^ pad
  bytes.fill(pad, keyBytes, blockBytes)
  return bytes
}
