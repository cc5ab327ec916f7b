// The kinds of values, and the checks for them. Types are erased before code runs, and packages are not type-checked.
// So code that relies on the kind of a value checks it here, and no value is taken for what it is not.
import { partyProblem } from '../../base/names.ts'
import { dateRange, timestampRange } from '../archive/literals.ts'
import { Numeric } from './numeric.ts'
import { OrderedMap } from './ordered-map.ts'
import {
  Cons,
  ContractId,
  type EnumType,
  type EnumValue,
  type Int64,
  int64Max,
  int64Min,
  type LfRecord,
  type LfValue,
  type List,
  nil,
  none,
  type RecordType,
  Some,
  unit,
  type Variant,
  type VariantType,
} from './values.ts'

/** The code of a package met a value of another kind, or refers to something missing: no type checker has seen it. */
export class KindError extends Error {}

/** A well-typed package has put a value where only types that are stored may be: the type checker allows AnyException. */
export class UnstorableError extends KindError {}

export function wrongKind(expected: string): never {
  throw new KindError(`${expected} was expected`)
}

/** Numbers are whole by construction; only their range may be wrong. */
export function asInt64(value: LfValue): Int64 {
  if (typeof value === 'number') return value
  return typeof value === 'bigint' ? value : wrongKind('an Int64')
}

export function asBool(value: LfValue): boolean {
  return typeof value === 'boolean' ? value : wrongKind('a Bool')
}

export function asUnit(value: LfValue): typeof unit {
  return value === unit ? unit : wrongKind('a Unit')
}

export function asText(value: LfValue): string {
  return typeof value === 'string' ? value : wrongKind('a Text')
}

export function asNumeric(value: LfValue): Numeric {
  return value instanceof Numeric ? value : wrongKind('a Numeric')
}

export function asContractId(value: LfValue): ContractId {
  return value instanceof ContractId ? value : wrongKind('a ContractId')
}

export function asList(value: LfValue): List {
  return value instanceof Cons || value === nil ? (value as List) : wrongKind('a List')
}

export function asMap(value: LfValue): OrderedMap {
  return value instanceof OrderedMap ? value : wrongKind('a map')
}

/** The value inside Some; undefined for None. */
export function contentOf(value: LfValue): LfValue | undefined {
  if (value === none) return undefined
  return value instanceof Some ? value.value : wrongKind('an Optional')
}

// ── Values on the ledger

/** Fits into 64 bits, in its canonical representation. */
export function asLedgerInt64(value: LfValue): Int64 {
  if (typeof value === 'number' && Number.isSafeInteger(value)) return value
  if (typeof value === 'bigint' && value >= int64Min && value <= int64Max) return value
  return wrongKind('an Int64')
}

export function asDate(value: LfValue): number {
  const isDate =
    typeof value === 'number' && Number.isInteger(value) && value >= dateRange.min && value <= dateRange.max
  return isDate ? value : wrongKind('a Date')
}

export function asTimestamp(value: LfValue): Int64 {
  const micros = asLedgerInt64(value)
  // The range is wider than that of exact numbers.
  const isTimestamp = typeof micros === 'number' || (micros >= timestampRange.min && micros <= timestampRange.max)
  return isTimestamp ? micros : wrongKind('a Timestamp')
}

export function asNumericOf(scale: number, value: LfValue): Numeric {
  const numeric = asNumeric(value)
  return numeric.scale === scale ? numeric : wrongKind(`a Numeric ${scale}`)
}

/** A cache of texts that are parties: few are seen often. */
const knownParties = new Set<string>()
const knownPartiesMax = 10_000

export function asParty(value: LfValue): string {
  if (typeof value !== 'string') return wrongKind('a Party')
  if (knownParties.has(value)) return value
  if (partyProblem(value) !== undefined) return wrongKind('a Party')
  if (knownParties.size >= knownPartiesMax) knownParties.clear()
  knownParties.add(value)
  return value
}

// Only values of a data type have its descriptor, so nothing else needs checking.

export function asRecordOf(type: RecordType, value: LfValue): LfRecord {
  return (value as LfRecord | undefined)?.type === type ? (value as LfRecord) : wrongKind(`a record ${nameOf(type)}`)
}

export function asVariantOf(type: VariantType, value: LfValue): Variant {
  return (value as Variant | undefined)?.type === type ? (value as Variant) : wrongKind(`a variant ${nameOf(type)}`)
}

export function asEnumOf(type: EnumType, value: LfValue): EnumValue {
  return (value as EnumValue | undefined)?.type === type ? (value as EnumValue) : wrongKind(`an enum ${nameOf(type)}`)
}

/** The items of a list, which must end as a list does. */
export function* itemsOf(value: LfValue): Iterable<LfValue> {
  let rest = asList(value)
  for (; rest instanceof Cons; rest = asList(rest.tail)) yield rest.head
}

function nameOf({ id }: RecordType | VariantType | EnumType): string {
  return `${id.module}:${id.name}`
}
