// Checksums of rows: CRC-32, which finds every single flipped bit and all but one in four billion of larger accidents.
// It is no protection from a person who changes the file on purpose: what contracts say is protected by their ids
// (engine/requests/contract-source.ts). A row without a checksum is older than they are.
import { crc32 } from 'node:zlib'
import type { LedgerError } from '../base/errors.ts'
import type { Param, Row } from './database.ts'

/** Told what is damaged; answers with what to throw. */
export type OnDamage = (what: string) => LedgerError

/** Of a row's number, which tells it from all others, and of what the row says. */
export function checksumOf(number: Param | undefined, ...contents: readonly (Param | undefined)[]): bigint {
  if (typeof number !== 'bigint') return noChecksum
  let sum = Number(BigInt.asUintN(32, number))
  for (const content of contents) sum = crc32(content as string | Uint8Array, sum)
  return BigInt(sum)
}

/** Of what is damaged beyond reading. */
const noChecksum = -1n

/** For columns that the database does not look at itself, because they are read conditionally. */
export function areTexts(...values: readonly (Param | undefined)[]): boolean {
  return values.every((value) => typeof value === 'string')
}

/** Small values as one text, each apart from the next. */
export function listed(...values: readonly (Param | undefined)[]): string {
  return values.join('\u0000')
}

/** Of a row that has no number: of all its values. */
export function valuesChecksum(...values: readonly (Param | undefined)[]): bigint {
  return checksumOf(0n, listed(...values))
}

/** Compared only if there is one. */
export function isWhole(checksum: Param | undefined, sum: () => bigint): boolean {
  return typeof checksum !== 'bigint' || checksum === sum()
}

/** Of a row that was read with the columns that `valuesChecksum` was given, in that order. */
export function isRowWhole({ checksum, ...values }: Row): boolean {
  return isWhole(checksum, () => valuesChecksum(...Object.values(values)))
}
