// Values as the Ledger API has them in protobuf (value.proto of com.daml.ledger.api.v2): with the names of data types
// and fields, so that a signer can read a transaction without its packages.
import type { Identifier } from '../../syntax/ast.ts'
import { type Message, many, maybe, messageOf, once, oneOf } from '../proto-message.ts'

export type LedgerValue =
  | { readonly kind: 'unit'; readonly value: object }
  | { readonly kind: 'bool'; readonly value: boolean }
  | { readonly kind: 'int64' | 'timestamp'; readonly value: bigint }
  | { readonly kind: 'date'; readonly value: number }
  | { readonly kind: 'numeric' | 'party' | 'text' | 'contract-id'; readonly value: string }
  | { readonly kind: 'optional'; readonly value: { readonly value: MaybeValue } }
  | { readonly kind: 'list'; readonly value: { readonly elements: readonly MaybeValue[] } }
  | { readonly kind: 'text-map'; readonly value: { readonly entries: readonly MapEntry<string>[] } }
  | { readonly kind: 'gen-map'; readonly value: { readonly entries: readonly MapEntry<MaybeValue>[] } }
  | { readonly kind: 'record'; readonly value: RecordValue }
  | { readonly kind: 'variant'; readonly value: VariantValue }
  | { readonly kind: 'enum'; readonly value: EnumValue }

/** In protobuf every message may be absent, or empty. */
export type MaybeValue = LedgerValue | undefined

type MapEntry<Key> = { readonly key: Key; readonly value: MaybeValue }
type RecordField = { readonly label: string; readonly value: MaybeValue }
type RecordValue = { readonly recordId: Identifier | undefined; readonly fields: readonly RecordField[] }
type VariantValue = {
  readonly variantId: Identifier | undefined
  readonly constructor: string
  readonly value: MaybeValue
}
type EnumValue = { readonly enumId: Identifier | undefined; readonly constructor: string }

export const identifierMessage = messageOf<Identifier>({
  packageId: once(1, 'string'),
  module: once(2, 'string'),
  name: once(3, 'string'),
})

const identifier = () => identifierMessage
const value = () => ledgerValueMessage

const empty = messageOf<object>({})
const optional = messageOf<{ value: MaybeValue }>({ value: maybe(1, value) })
const list = messageOf<{ elements: readonly MaybeValue[] }>({ elements: many(1, value) })
const textMapEntry = messageOf<MapEntry<string>>({ key: once(1, 'string'), value: maybe(2, value) })
const textMap = messageOf<{ entries: unknown }>({ entries: many(1, () => textMapEntry) })
const genMapEntry = messageOf<MapEntry<MaybeValue>>({ key: maybe(1, value), value: maybe(2, value) })
const genMap = messageOf<{ entries: unknown }>({ entries: many(1, () => genMapEntry) })
const recordField = messageOf<RecordField>({ label: once(1, 'string'), value: maybe(2, value) })
const record = messageOf<RecordValue>({
  recordId: maybe(1, identifier),
  fields: many(2, () => recordField),
})
const variant = messageOf<VariantValue>({
  variantId: maybe(1, identifier),
  constructor: once(2, 'string'),
  value: maybe(3, value),
})
const enumeration = messageOf<EnumValue>({
  enumId: maybe(1, identifier),
  constructor: once(2, 'string'),
})

export const ledgerValueMessage: Message<MaybeValue> = oneOf<LedgerValue>({
  unit: [1, () => empty],
  bool: [2, 'bool'],
  int64: [3, 'sint64'],
  date: [4, 'int32'],
  timestamp: [5, 'sfixed64'],
  numeric: [6, 'string'],
  party: [7, 'string'],
  text: [8, 'string'],
  'contract-id': [9, 'string'],
  optional: [10, () => optional],
  list: [11, () => list],
  'text-map': [12, () => textMap],
  'gen-map': [13, () => genMap],
  record: [14, () => record],
  variant: [15, () => variant],
  enum: [16, () => enumeration],
})
