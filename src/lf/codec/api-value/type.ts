// Values as the Ledger API has them in protobuf (value.proto of com.daml.ledger.api.v2): with the names of data types
// and fields, so that a signer can read a transaction without its packages.
import type { Identifier } from '../../syntax/ast.ts'

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
