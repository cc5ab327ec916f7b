// Where contract ids come from (Canton: crypto/Hash.scala). Everything a transaction creates follows from one seed, so
// whoever knows the seed of a node can repeat that node alone.
import { Buffer } from 'node:buffer'
import { HashInput } from '../lf/codec/hash-input.ts'
import type { Int64 } from '../lf/values.ts'
import type { Parties } from './parties.ts'

/** 32 bytes. */
export type Seed = Uint8Array

const seedBytes = 32
const input = new HashInput()

export function transactionSeed(submissionSeed: Seed, participantId: string, preparationTime: Int64): Seed {
  const digits = hmac(submissionSeed, () => {
    input.text(participantId)
    input.int64(preparationTime)
  })
  return Buffer.from(digits, 'hex')
}

/** Of the child with this number among its parent's actions; children of a rollback count as its parent's. */
export function nodeSeed(parent: Seed, child: number): Seed {
  return Buffer.from(
    hmac(parent, () => input.int32(child)),
    'hex',
  )
}

/** The id of a contract as its own transaction knows it: version and discriminator, without suffix. */
export function localContractId(seed: Seed, preparationTime: Int64, stakeholders: Parties): string {
  const discriminator = hmac(seed, () => {
    input.int64(preparationTime)
    input.int32(stakeholders.length)
    for (const party of stakeholders) input.text(party)
  })
  return `00${discriminator}`
}

/**
 * HMAC-SHA256 of what `write` writes, in hex. Made of two plain hashes, because node's one-shot hash to hex takes a
 * quarter of the time of its Hmac, and every create needs three of these.
 */
function hmac(key: Seed, write: () => void): string {
  if (key.length !== seedBytes) throw new Error('a seed has 32 bytes')
  input.restart()
  input.maskedKey(key, 0x36)
  write()
  const inner = input.sha256()
  input.restart()
  input.maskedKey(key, 0x5c)
  input.hex(inner)
  return input.sha256()
}
