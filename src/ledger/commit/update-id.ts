// Makes update ids in Canton's format: a hash with the multihash prefix of SHA-256.
import { hash } from 'node:crypto'

const purpose = Buffer.from('update')
const timeDigits = 8

/**
 * Of an update at this time, in microseconds since 1970. The first four bytes of the hash are replaced by the seconds:
 * neighbours in time are neighbours in the index of ids, so a commit changes one page of it instead of one for each
 * update. The second four bytes remain random, because under static time all updates have the same second.
 */
export function timedUpdateId(seed: Uint8Array, micros: bigint): string {
  const seconds = Number(BigInt.asUintN(32, micros / 1_000_000n))
  return `1220${seconds.toString(16).padStart(timeDigits, '0')}${digestOf(seed).slice(timeDigits)}`
}

export function updateIdFrom(seed: Uint8Array): string {
  return `1220${digestOf(seed)}`
}

function digestOf(seed: Uint8Array): string {
  return hash('sha256', Buffer.concat([purpose, seed]))
}
