// Why Java's protobuf refuses bytes, in its words: Canton repeats them where a client's bytes are no message. The bytes were
// refused already, so this only looks for the words (CodedInputStream, UnknownFieldSet, SafeProto.scala).
import { javaException, ProtobufError } from './protobuf-error.ts'
import {
  type Cursor,
  inMessage,
  openCursor,
  readBytes,
  readTag,
  readText,
  refuse,
  skipField,
  wireTypes,
} from './wire-reading.ts'

/** What the bytes of a field hold. */
type FieldKind = 'text' | 'bytes' | MessageShape
export type MessageShape = {
  readonly type: string
  /** Fields that have a length, by number. */
  readonly fields: Readonly<Record<number, FieldKind>>
  /** Tags of the others. */
  readonly numbers?: readonly number[]
}

export type ProtobufProblem =
  | { readonly kind: 'exception'; readonly text: string }
  /** Java reads it, but Canton does not take it. */
  | { readonly kind: 'unknown field'; readonly text: string }

/** Java's limit of recursion. */
export const groupDepthMax = 100

export function javaProtobufProblem(bytes: Uint8Array, shape: MessageShape): ProtobufProblem | undefined {
  try {
    const unknown = unknownFieldIn(openCursor(bytes, shape.type), shape)
    if (unknown === undefined) return undefined
    const text = `Message of type ${unknown.type} contains unknown field numbered ${unknown.number}`
    return { kind: 'unknown field', text }
  } catch (error) {
    if (!(error instanceof ProtobufError) || error.damage === undefined) throw error
    return { kind: 'exception', text: javaException(error.damage) }
  }
}

type UnknownField = { readonly type: string; readonly number: number }

/** The unknown field that is found first: the lowest of the message itself, or one of a message in it. */
function unknownFieldIn(cursor: Cursor, { type, fields, numbers = [] }: MessageShape): UnknownField | undefined {
  let own: number | undefined
  let inner: UnknownField | undefined
  while (cursor.position < cursor.end) {
    const tag = readTag(cursor)
    const number = tag >>> 3
    const kind = (tag & 7) === wireTypes.bytes ? fields[number] : undefined
    if (kind === undefined) {
      if (!numbers.includes(tag)) own = Math.min(own ?? number, number)
      skipField(cursor, tag, groupDepthMax)
    } else if (kind === 'text') readText(cursor)
    else if (kind === 'bytes') readBytes(cursor)
    else inner = inMessage(cursor, () => unknownFieldIn(cursor, kind)) ?? inner
  }
  if (cursor.position !== cursor.end) refuse(cursor, 'a message does not end where it should', 'truncated')
  return own === undefined ? inner : { type, number: own }
}
