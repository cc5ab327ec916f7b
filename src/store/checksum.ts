// Checksums of rows: CRC-32, which finds every single flipped bit and all but one in four billion of larger accidents.
// It is no protection from a person who changes the file on purpose: what contracts say is protected by their ids
// (engine/contract-source.ts). A row without a checksum is older than they are.
import { crc32 } from 'node:zlib'
import type { LedgerError } from '../base/errors.ts'
import type { Param, Row } from './database.ts'

/** Told what is damaged; answers with what to throw. */
export type OnDamage = (what: string) => LedgerError

/** Each value apart from the next. Integers and texts first, bytes at the end. */
export function checksumOf(facts: readonly Param[], ...contents: readonly (string | Uint8Array)[]): bigint {
  let sum = crc32(facts.join('\u0000'))
  for (const content of contents) sum = crc32(content, sum)
  return BigInt(sum)
}

/** Compares a row with its checksum, if it has one. */
export function check(row: Row, sum: () => bigint, what: () => string, onDamage: OnDamage): void {
  const { checksum } = row
  if (typeof checksum === 'bigint' && checksum !== sum()) throw onDamage(what())
}
