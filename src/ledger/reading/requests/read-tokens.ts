// Pages of results: their size, their JSON, and the page and continuation tokens, which are opaque to clients. A token
// holds the participant that made it, a checksum of its request, and a few numbers. Mirrors the checks of Canton's
// UpdatesPageToken, AcsPageToken and AcsContinuationToken.
import { hash } from 'node:crypto'
import { invalidArgument } from '../../../base/errors.ts'
import { ProtobufError } from '../../../protobuf/protobuf-error.ts'
import { openCursor, readInt32, readTag, skipField, tagOf, wireTypes } from '../../../protobuf/wire-reading.ts'
import type { EventFormat, UpdateFormat } from './queries.ts'

export type TokenHead = {
  readonly participant: Buffer
  readonly request: Buffer
}

export type Token = {
  readonly isOurVersion: boolean
  readonly isOurs: boolean
  readonly isForRequest: boolean
  readonly values: readonly bigint[]
}

const version = 3
const checksumBytes = 8
const headBytes = 1 + 2 * checksumBytes

/** `request` is everything that must stay the same from page to page. */
export function tokenHead(participantId: string, request: string): TokenHead {
  return { participant: checksum(participantId), request: checksum(request) }
}

export function writeToken({ participant, request }: TokenHead, values: readonly bigint[]): string {
  let text = ''
  for (const value of values) text += text === '' ? value.toString(16) : `.${value.toString(16)}`
  const bytes = Buffer.allocUnsafe(headBytes + text.length)
  bytes[0] = version
  participant.copy(bytes, 1)
  request.copy(bytes, 1 + checksumBytes)
  bytes.write(text, headBytes, 'latin1')
  return bytes.toString('base64')
}

/** What Canton reads from a text of no bytes: a token of no participant, version or request. Not Base64. */
export const nobodysToken = '-'

/** Undefined unless it is a token with `count` values, or one that Canton could have made. */
export function readToken(text: string, { participant, request }: TokenHead, count: number): Token | undefined {
  if (text === nobodysToken) return strangersToken(0)
  const bytes = Buffer.from(text, 'base64')
  const texts = bytes.toString('latin1', headBytes).split('.', count + 1)
  if (bytes.length < headBytes || texts.length !== count || !texts.every((value) => number.test(value))) {
    const found = cantonsVersion(bytes)
    return found === undefined ? undefined : strangersToken(found)
  }
  return {
    isOurVersion: bytes[0] === version,
    isOurs: participant.equals(bytes.subarray(1, 1 + checksumBytes)),
    isForRequest: request.equals(bytes.subarray(1 + checksumBytes, headBytes)),
    values: texts.map((value) => (value.startsWith('-') ? -BigInt(`0x${value.slice(1)}`) : BigInt(`0x${value}`))),
  }
}

const cantonsTokens = 1

const strangersToken = (found: number): Token => {
  return { isOurVersion: found === cantonsTokens, isOurs: false, isForRequest: false, values: [] }
}

/** Canton's tokens are messages with their version in field 3, 0 if it is absent; undefined if it is no message. */
function cantonsVersion(bytes: Uint8Array): number | undefined {
  const cursor = openCursor(bytes, 'token')
  let found = 0
  try {
    while (cursor.position < cursor.end) {
      const tag = readTag(cursor)
      if (tag === versionTag) found = readInt32(cursor)
      else skipField(cursor, tag)
    }
    return cursor.position === cursor.end ? found : undefined
  } catch (error) {
    if (error instanceof ProtobufError) return undefined
    throw error
  }
}

const versionTag = tagOf(3, wireTypes.varint)

/** Hex, at most 63 bits. */
const number = /^-?(?=[0-7]|.{1,15}$)[0-9a-f]{1,16}$/

/** In the order in which texts of formats have them: what is left out over gRPC is added last. */
const filterFields = ['kind', 'templateId', 'interfaceId', 'includeInterfaceView', 'includeCreatedEventBlob']

/** A text that is equal for equal formats, and only for them. */
export function eventFormatText({ filtersByParty, filtersForAnyParty }: EventFormat): string {
  return JSON.stringify([[...filtersByParty].sort(byParty), filtersForAnyParty ?? null], filterFields)
}

export function updateFormatText({ transactions, reassignments, topology }: UpdateFormat): string {
  return JSON.stringify([
    transactions && [transactions.shape, transactions.eventFormat && eventFormatText(transactions.eventFormat)],
    reassignments && eventFormatText(reassignments),
    topology,
  ])
}

function byParty([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return a < b ? -1 : 1
}

function checksum(text: string): Buffer {
  return hash('sha256', text, 'buffer').subarray(0, checksumBytes)
}

export function checkPageSize(requested: number | undefined, byDefault: number, max: number): number {
  if (requested === undefined) return byDefault
  if (requested <= 0) throw invalidArgument(`Requested page size must be positive, but got ${requested}`)
  if (requested > max) throw invalidArgument(`Requested page size must not exceed ${max}, but got ${requested}`)
  return requested
}

/** `{"name":[elements],rest}` */
export function pageJson(name: string, elements: readonly string[], rest: string): string {
  return `{"${name}":[${elements.join()}],${rest}}`
}
