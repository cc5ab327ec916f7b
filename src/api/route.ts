// Routes as data: input, output, description, rights and call of an operation; and how a body is decoded by its route.
// The transports, the OpenAPI document and the tests all walk the same list.

import type { Readable } from 'node:stream'
import { type Static, type TObject, type TSchema, Type } from 'typebox'
import type { Permission, Subject } from '../auth/authorization.ts'
import type { Settings } from '../base/settings.ts'
import type { RenderTransactions } from '../events/protobuf/transaction-protobuf.ts'
import type { Ledger } from '../ledger/ledger.ts'
import type { ReadHints } from '../ledger/reading/reader.ts'
import type { Elements, RenderedElements } from '../ledger/reading/requests/queries.ts'
import type { CallContext } from './calls/call-context.ts'
import { decodeBody, decodeLargeBody } from './wire/decode.ts'

export type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE'

export type Words = {
  readonly method: Method
  /** With parameters as in OpenAPI: /v2/users/{user-id}. */
  readonly path: string
  readonly tag: string
  readonly summary: string
  /** Additional response headers, with their descriptions. */
  readonly responseHeaders?: Readonly<Record<string, string>>
  /** Sent with every success, and not documented. */
  readonly fixedHeaders?: Readonly<Record<string, string>>
}

/**
 * JSON with a schema, or raw bytes of any Content-Type: all of them, or for large files as they arrive, up to
 * `limits.snapshotBytesMax`.
 */
export type BodyKind = TSchema | 'bytes' | 'stream'
type BodyOf<B> = B extends 'bytes'
  ? Uint8Array
  : B extends 'stream'
    ? AsyncIterable<Uint8Array>
    : B extends TSchema
      ? Static<B>
      : never

/** JSON with a schema, bytes with headers of their own, or only a status. */
export type ResponseKind = TSchema | 'bytes' | 'nothing'
export type BytesResponse = { readonly bytes: Uint8Array; readonly headers: Readonly<Record<string, string>> }
/** Large bytes, as fast as the client reads. */
export type StreamedResponse = { readonly stream: Readable; readonly bytes: number }
type ResponseOf<R> = R extends 'bytes'
  ? BytesResponse | StreamedResponse
  : R extends 'nothing'
    ? undefined
    : R extends TSchema
      ? Static<R> | RenderedJson
      : never

type Compatibility = Settings['compatibility']

export type Input<Q extends TSchema, B extends BodyKind> = {
  readonly params: Readonly<Record<string, string>>
  readonly query: Static<Q>
  readonly body: BodyOf<B>
}

type Spec<Q extends TObject, B extends BodyKind, R extends ResponseKind> = Words & {
  readonly query?: Q
  readonly body?: B
  readonly response: R
  readonly streaming?: Streaming<Input<Q, B>>
  /** Checks that Canton makes before it looks at the token. */
  readonly early?: (input: Input<Q, B>, compatibility: Compatibility) => void
  /** What the required rights depend on. */
  readonly subject?: (input: Input<Q, B>) => Subject
  readonly call: (
    ledger: Ledger,
    input: Input<Q, B>,
    permission: Permission,
    context: CallContext,
  ) => Promise<ResponseOf<R>>
}

/** The elements of an operation that streams. */
export type ElementStream = {
  open(signal: AbortSignal, hints?: ReadHints): Elements
  /** The same in another form than JSON, if it has one. */
  rendered?(writer: RenderTransactions, signal: AbortSignal, hints?: ReadHints): RenderedElements
}

/** The operation as a stream: NDJSON or a WebSocket. */
export type Streaming<I = Input<TSchema, BodyKind>> = {
  readonly element: TSchema
  /** Refuses what a list would refuse at once; the stream itself refuses the rest at its first step. */
  stream(ledger: Ledger, input: I, permission: Permission): ElementStream
}

/** One operation, with its types erased so that different ones fit into a list. */
export type Route = Words & {
  readonly query: TObject
  readonly body: BodyKind | undefined
  readonly response: ResponseKind
  readonly streaming: Streaming | undefined
  early(input: Input<TSchema, BodyKind>, compatibility: Compatibility): void
  subject(input: Input<TSchema, BodyKind>): Subject
  call(ledger: Ledger, input: Input<TSchema, BodyKind>, permission: Permission, context: CallContext): Promise<unknown>
}

const nothing = Type.Object({})

export function route<Q extends TObject, B extends BodyKind, R extends ResponseKind>(spec: Spec<Q, B, R>): Route {
  const { early = () => undefined, subject = () => ({}) } = spec
  return { query: nothing, body: undefined, streaming: undefined, ...spec, early, subject } as unknown as Route
}

export function operationOf({ method, path }: Words): string {
  return `${method} ${path}`
}

export class RenderedJson {
  readonly body: string | Buffer

  constructor(body: string | Buffer) {
    this.body = body
  }
}

/** From this size on, decoding takes turns with other requests. */
const largeBodyBytesMin = 16 * 1024

export type Decoding = {
  readonly compatibility: Settings['compatibility']
  readonly isLenient: boolean
  readonly valuesMax: number
  readonly turn: (owner?: string) => Promise<void>
}

/** A lenient node lets a GET omit its body. */
export function readBody({ method, body: kind }: Route, body: Buffer | undefined, decoding: Decoding): unknown {
  if (kind === undefined || kind === 'stream') return undefined
  if (kind === 'bytes') return body ?? Buffer.alloc(0)
  const text = body?.toString() || (method === 'GET' && decoding.isLenient ? '{}' : '')
  return decodeText(kind, text, decoding)
}

/** A promise for a large body. */
export function decodeText(kind: TSchema, text: string, decoding: Decoding): unknown {
  const { compatibility } = decoding
  return text.length < largeBodyBytesMin
    ? decodeBody(kind, text, compatibility)
    : decodeLargeBody(kind, text, compatibility, decoding)
}
