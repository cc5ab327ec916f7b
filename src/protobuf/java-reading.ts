// Why Java's protobuf refuses bytes, in its words: Canton repeats them where a client's bytes are no message. The bytes were
// refused already, so this only looks for the words (CodedInputStream, UnknownFieldSet, SafeProto.scala).
import { isUtf8 } from 'node:buffer'
import { tagOf } from './wire-reading.ts'

/** What the bytes of a field hold. */
export type FieldKind = 'text' | 'bytes' | MessageShape
export type MessageShape = {
  readonly type: string
  /** Fields that have a length, by number. */
  readonly fields: Readonly<Record<number, FieldKind>>
  /** Tags of the others. */
  readonly numbers?: readonly number[]
}

const wireType = { varint: 0, fixed64: 1, bytes: 2, startGroup: 3, endGroup: 4, fixed32: 5 } as const

const exception = 'com.google.protobuf.InvalidProtocolBufferException'
const truncated =
  'While parsing a protocol message, the input ended unexpectedly in the middle of a field.  This could mean either ' +
  'that the input has been truncated or that an embedded message misreported its own length.'
const negative = 'CodedInputStream encountered an embedded string or message which claimed to have negative size.'
const tooDeep =
  'Protocol message had too many levels of nesting.  May be malicious.  Use setRecursionLimit() to increase the ' +
  'recursion depth limit.'
const depthMax = 100
const texts = {
  truncated: `${exception}: ${truncated}`,
  negative: `${exception}: ${negative}`,
  tag: `${exception}: Protocol message contained an invalid tag (zero).`,
  varint: `${exception}: CodedInputStream encountered a malformed varint.`,
  group: `${exception}: Protocol message end-group tag did not match expected tag.`,
  wireType: `${exception}$InvalidWireTypeException: Protocol message tag had invalid wire type.`,
  utf8: `${exception}: Protocol message had invalid UTF-8.`,
  depth: `${exception}: ${tooDeep}`,
}

class Refused extends Error {}

export type ProtobufProblem =
  | { readonly kind: 'exception'; readonly text: string }
  /** Java reads it, but Canton does not take it. */
  | { readonly kind: 'unknown field'; readonly text: string }

export function javaProtobufProblem(bytes: Uint8Array, shape: MessageShape): ProtobufProblem | undefined {
  try {
    const unknown = readMessage({ bytes, position: 0 }, bytes.length, shape)
    if (unknown === undefined) return undefined
    const text = `Message of type ${unknown.type} contains unknown field numbered ${unknown.number}`
    return { kind: 'unknown field', text }
  } catch (error) {
    if (error instanceof Refused) return { kind: 'exception', text: error.message }
    throw error
  }
}

type Input = { readonly bytes: Uint8Array; position: number }
type Unknown = { readonly type: string; readonly number: number }

/** The unknown field that is found first: the lowest of the message itself, or one of a message in it. */
function readMessage(input: Input, end: number, { type, fields, numbers = [] }: MessageShape): Unknown | undefined {
  let own: number | undefined
  let inner: Unknown | undefined
  while (input.position < end) {
    const tag = readTag(input, end)
    const kind = (tag & 7) === wireType.bytes ? fields[tag >>> 3] : undefined
    if (kind !== undefined) inner = readField(input, end, kind) ?? inner
    else if (!numbers.includes(tag)) own = Math.min(own ?? tag >>> 3, tag >>> 3)
    if (kind === undefined) skip(input, end, tag)
  }
  return own === undefined ? inner : { type, number: own }
}

function readField(input: Input, end: number, kind: FieldKind): Unknown | undefined {
  const stop = endOfField(input, end)
  const unknown = typeof kind === 'object' ? readMessage(input, stop, kind) : undefined
  if (kind === 'text' && !isUtf8(input.bytes.subarray(input.position, stop))) throw new Refused(texts.utf8)
  input.position = stop
  return unknown
}

function skip(input: Input, end: number, tag: number, depth = 0): void {
  const kind = tag & 7
  if (kind === wireType.varint) readVarint(input, end)
  else if (kind === wireType.bytes) input.position = endOfField(input, end)
  else if (kind === wireType.fixed64 || kind === wireType.fixed32) move(input, end, kind === wireType.fixed64 ? 8 : 4)
  else if (kind === wireType.startGroup) skipGroup(input, end, tag >>> 3, depth + 1)
  else throw new Refused(kind === wireType.endGroup ? texts.group : texts.wireType)
}

function skipGroup(input: Input, end: number, number: number, depth: number): void {
  if (depth > depthMax) throw new Refused(texts.depth)
  for (;;) {
    if (input.position >= end) throw new Refused(texts.group)
    const tag = readTag(input, end)
    if (tag === tagOf(number, wireType.endGroup)) return
    skip(input, end, tag, depth)
  }
}

function move(input: Input, end: number, bytes: number): void {
  if (input.position + bytes > end) throw new Refused(texts.truncated)
  input.position += bytes
}

function readTag(input: Input, end: number): number {
  const tag = readVarint(input, end)
  if (tag >>> 3 === 0) throw new Refused(texts.tag)
  return tag
}

function endOfField(input: Input, end: number): number {
  const length = readVarint(input, end)
  if (length < 0) throw new Refused(texts.negative)
  if (input.position + length > end) throw new Refused(texts.truncated)
  return input.position + length
}

/** The low 32 bits, with their sign. */
function readVarint(input: Input, end: number): number {
  let value = 0
  for (let index = 0; index < 10; index += 1) {
    if (input.position >= end) throw new Refused(texts.truncated)
    const byte = input.bytes[input.position]!
    input.position += 1
    if (index < 5) value |= (byte & 0x7f) << (7 * index)
    if (byte < 0x80) return value
  }
  throw new Refused(texts.varint)
}
