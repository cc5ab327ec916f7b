// Page tokens: like Canton's, base64url of a protobuf message whose field 1 is the last id of the previous page.
import { invalidArgument } from '../../base/errors.ts'

export type PageRequest = { readonly pageSize: number; readonly pageToken: string }

export function pageTokenOf(lastId: string): string {
  const id = Buffer.from(lastId)
  return Buffer.concat([Buffer.from([0x0a, ...varint(id.length)]), id])
    .toString('base64')
    .replaceAll('+', '-')
    .replaceAll('/', '_')
}

/** The id that the page comes after: "" for the first page. Accepts only what `pageTokenOf` makes. */
export function readPageToken(token: string, isId: (text: string) => boolean): string {
  if (token === '') return ''
  const bytes = Buffer.from(token, 'base64url')
  const id = bytes.subarray(bytes.length > 1 && bytes[1]! >= 0x80 ? 3 : 2).toString()
  const whole = pageTokenOf(id)
  const isWhole = token === whole || token === whole.replace(/=+$/, '')
  if (!isWhole || !isId(id)) throw invalidArgument('Invalid page token')
  return id
}

function varint(length: number): number[] {
  return length < 0x80 ? [length] : [(length & 0x7f) | 0x80, length >> 7]
}
