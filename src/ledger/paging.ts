// Page tokens: base64url of a protobuf message whose field 1 is the last id of the page before, as Canton's are.
import { invalidArgument } from '../base/errors.ts'

export type PageRequest = { readonly pageSize: number; readonly pageToken: string }

export function pageTokenOf(lastId: string): string {
  const id = Buffer.from(lastId)
  return Buffer.concat([Buffer.from([0x0a, ...varint(id.length)]), id])
    .toString('base64')
    .replaceAll('+', '-')
    .replaceAll('/', '_')
}

/** The id that the page comes after: "" for the first one. */
export function readPageToken(token: string, isId: (text: string) => boolean): string {
  if (token === '') return ''
  const bytes = /^[A-Za-z0-9_-]+={0,2}$/.test(token) ? Buffer.from(token, 'base64url') : Buffer.alloc(0)
  const length = bytes.length > 1 && bytes[1]! >= 0x80 ? (bytes[1]! & 0x7f) | ((bytes[2] ?? 0) << 7) : bytes[1]
  const id = bytes.subarray(1 + varint(length ?? 0).length)
  const text = id.toString()
  if (bytes[0] !== 0x0a || id.length !== length || !isId(text)) throw invalidArgument('Invalid page token')
  return text
}

function varint(length: number): number[] {
  return length < 0x80 ? [length] : [(length & 0x7f) | 0x80, length >> 7]
}
