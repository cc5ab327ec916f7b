// What the tables of messages consist of: contents, fields, and the forms of a `oneof`.

import type { WireType } from '../../protobuf/wire-reading.ts'
import type { Minor } from '../syntax/ast.ts'
import type { Decoding } from './decoding.ts'

/** How a field's content is read, and what its absence stands for. Without `absent` the field is required. */
export type Content<T> = {
  readonly wireType: WireType
  readonly read: (decoding: Decoding) => T
  readonly absent?: (decoding: Decoding) => T
  /** A quicker `read`, for what reads many of them: see reader-code.ts. */
  readonly compiled?: () => (decoding: Decoding) => T
}

export type Rule = {
  /** Minimum number of elements. */
  readonly min?: number
  /** Maximum number of elements where lists are flattened, from LF 2.2 on. */
  readonly flatMax?: number
}

export type Field<T> = {
  readonly number: number
  readonly name: string
  readonly content: Content<unknown>
  readonly occurs: 'once' | 'maybe' | 'many'
  readonly rule?: Rule
  /** Never set: it carries the type of the field's value. */
  readonly type?: T
}

/** One form of a `oneof`. Versions outside `since` to `until` do not have it. */
export type Form<T> = {
  readonly number: number
  readonly name: string
  readonly content: Content<T>
  readonly since?: Minor
  readonly until?: Minor
}
