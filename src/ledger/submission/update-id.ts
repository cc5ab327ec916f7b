// The id of an update, in Canton's form: a hash with the mark of SHA-256 in front.
import { hash } from 'node:crypto'

const purpose = Buffer.from('update')

export function updateIdFrom(seed: Uint8Array): string {
  return `1220${hash('sha256', Buffer.concat([purpose, seed]))}`
}
