// Row checksums: CRC-32, which detects every single-bit error and all but one in four billion larger ones. It does not
// protect from deliberate changes to the file: contracts are protected by their ids
// (engine/requests/contract-source.ts). What was not written yet has none.
import { crc32 } from 'node:zlib'
import type { LedgerError } from '../../base/errors.ts'
import type { Param, Row } from './database.ts'

/** Called with what is damaged; returns the error to throw. */
export type OnDamage = (what: string) => LedgerError

/** Covers the row's number, which identifies it, and its contents. */
export function checksumOf(number: Param | undefined, ...contents: readonly (Param | undefined)[]): bigint {
  if (typeof number !== 'bigint') return damagedChecksum
  let sum = Number(BigInt.asUintN(32, number))
  let text = '' // Neighbouring texts take one call.
  for (const content of contents) {
    if (typeof content === 'string') {
      text += content
      continue
    }
    if (text !== '') sum = crc32(text, sum)
    text = ''
    sum = crc32(content as Uint8Array, sum)
  }
  return BigInt(text === '' ? sum : crc32(text, sum))
}

/** For rows that are damaged beyond reading: no row has this sum. */
export const damagedChecksum = -1n

/** For columns that are read conditionally, whose type the driver cannot check. */
export function areTexts(...values: readonly (Param | undefined)[]): boolean {
  return values.every((value) => typeof value === 'string')
}

/** Joins small values into one text, with separators. */
export function listed(...values: readonly (Param | undefined)[]): string {
  return values.join('\u0000')
}

/** For a row without a number: covers all its values. */
export function valuesChecksum(...values: readonly (Param | undefined)[]): bigint {
  return checksumOf(0n, listed(...values))
}

/** True if the row has no checksum. */
export function isWhole(checksum: Param | undefined, sum: () => bigint): boolean {
  return typeof checksum !== 'bigint' || checksum === sum()
}

/** The row must have the columns given to `valuesChecksum`, in that order. */
export function isRowWhole({ checksum, ...values }: Row): boolean {
  return isWhole(checksum, () => valuesChecksum(...Object.values(values)))
}
