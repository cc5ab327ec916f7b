// Makes update ids in Canton's format: a hash with the multihash prefix of SHA-256.
import { hash } from 'node:crypto'

const purpose = Buffer.from('update')

export function updateIdFrom(seed: Uint8Array): string {
  return `1220${hash('sha256', Buffer.concat([purpose, seed]))}`
}
