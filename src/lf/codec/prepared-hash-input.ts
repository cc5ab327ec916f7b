// What goes into the hash of a prepared transaction, piece by piece: values of the Ledger API, and the parts of nodes.
import type { Identifier } from '../syntax/ast.ts'
import type { LedgerValue, MaybeValue } from './api-value/type.ts'
import { HashInput } from './hash-input.ts'

export type HashingScheme = 'V2' | 'V3'

/** Why something cannot be hashed, in Canton's words. */
export class HashingError extends Error {}

const valueTags = {
  unit: 0,
  bool: 1,
  int64: 2,
  numeric: 3,
  timestamp: 4,
  date: 5,
  party: 6,
  text: 7,
  'contract-id': 8,
  optional: 9,
  list: 10,
  'text-map': 11,
  record: 12,
  variant: 13,
  enum: 14,
  'gen-map': 15,
} as const satisfies Record<LedgerValue['kind'], number>

export class SchemeInput extends HashInput {
  readonly scheme: HashingScheme

  constructor(scheme: HashingScheme) {
    super()
    this.scheme = scheme
  }

  bool(value: boolean): void {
    this.byte(value ? 1 : 0)
  }

  optional<T>(value: T | undefined, write: (value: T) => void): void {
    this.byte(value === undefined ? 0 : 1)
    if (value !== undefined) write(value)
  }

  list<T>(items: readonly T[], write: (item: T) => void): void {
    this.int32(items.length)
    for (const item of items) write(item)
  }

  texts(items: readonly string[]): void {
    this.list(items, (item) => this.text(item))
  }

  /** Hashed as a set, whatever the order. */
  parties(items: readonly string[]): void {
    this.texts([...new Set(items)].sort())
  }

  /** Its length is fixed, and so is not hashed. */
  hash(bytes: Uint8Array, name: string): void {
    if (bytes.length !== 32) throw new HashingError(`A ${name} has ${bytes.length} bytes instead of 32`)
    this.raw(bytes)
  }

  contractId(text: string): void {
    if (!/^(?:[0-9a-f]{2})*$/.test(text)) throw new HashingError('A contract id is not in hex')
    this.bytes(Buffer.from(text, 'hex'))
  }

  identifier(given: Identifier | undefined): void {
    const { packageId, module, name } = present(given, 'template_id')
    this.text(packageId)
    this.texts(module.split('.'))
    this.texts(name.split('.'))
  }
}

export function writeValue(input: SchemeInput, given: MaybeValue): void {
  const { kind, value } = present(given, 'value')
  input.byte(valueTags[kind])
  switch (kind) {
    case 'unit':
      return
    case 'bool':
      return input.bool(value)
    case 'int64':
    case 'timestamp':
      return input.int64(value)
    case 'date':
      return input.int32(value)
    case 'numeric':
    case 'party':
    case 'text':
      return input.text(value)
    case 'contract-id':
      return input.contractId(value)
    case 'optional':
      return input.optional(value.value, (inner) => writeValue(input, inner))
    case 'list':
      return input.list(value.elements, (element) => writeValue(input, element))
    case 'text-map':
      return input.list(value.entries, (entry) => {
        input.text(entry.key)
        writeValue(input, entry.value)
      })
    case 'gen-map':
      return input.list(value.entries, (entry) => {
        writeValue(input, entry.key)
        writeValue(input, entry.value)
      })
    case 'record':
      input.optional(value.recordId, (id) => input.identifier(id))
      return input.list(value.fields, (field) => {
        input.optional(field.label === '' ? undefined : field.label, (label) => input.text(label))
        writeValue(input, field.value)
      })
    case 'variant':
      input.optional(value.variantId, (id) => input.identifier(id))
      input.text(value.constructor)
      return writeValue(input, value.value)
    case 'enum':
      input.optional(value.enumId, (id) => input.identifier(id))
      return input.text(value.constructor)
  }
}

export function present<T>(given: T | undefined, name: string): T {
  if (given === undefined) throw new HashingError(`The ${name} is missing`)
  return given
}
