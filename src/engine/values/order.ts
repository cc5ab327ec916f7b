// Equality and order of values, as EQUAL, LESS and the keys of maps use them. Mirrors Canton's svalue/Ordering.scala:
// part by part from the left. The first difference decides, so what comes after it may have no order at all.
import { asBool, asEnumOf, asInt64, asMap, asNumericOf, asText, asVariantOf, wrongKind } from '../../lf/values/kinds.ts'
import { compareNumerics, Numeric } from '../../lf/values/numeric.ts'
import { OrderedMap } from '../../lf/values/ordered-map.ts'
import {
  Any,
  Cons,
  ContractId,
  EnumValue,
  LfRecord,
  LfStruct,
  type LfValue,
  nil,
  none,
  Some,
  TypeRep,
  unit,
  Variant,
} from '../../lf/values/values.ts'
import { Failure } from '../failures/failures.ts'
import { piecesMax, steps, tooMuch } from '../failures/steps.ts'
import { compareIdentifiers, compareTypes } from './type-order.ts'

/**
 * Negative, zero or positive. Throws a Failure where values have no order, and a KindError where their types differ.
 */
export function compareValues(a: LfValue, b: LfValue): number {
  switch (typeof a) {
    case 'number':
    case 'bigint': {
      const other = asInt64(b)
      return a < other ? -1 : a > other ? 1 : 0
    }
    case 'string':
      return compareTexts(a, asText(b))
    case 'boolean':
      return Number(a) - Number(asBool(b))
    default:
      return a instanceof Numeric ? compareNumbers(a, b) : compareParts(a, b)
  }
}

export function equalValues(a: LfValue, b: LfValue): boolean {
  switch (typeof a) {
    case 'string':
      return equalTexts(a, asText(b))
    case 'number':
      return a === asInt64(b)
    case 'bigint':
      return a === asInt64(b)
    case 'boolean':
      return a === asBool(b)
    default:
      return (a instanceof Numeric ? compareNumbers(a, b) : compareParts(a, b)) === 0
  }
}

/** What compareParts does, for a value without parts. */
function compareNumbers(a: Numeric, b: LfValue): number {
  steps.charge(1)
  return compareNumerics(a, asNumericOf(a.scale, b))
}

function equalTexts(a: string, b: string): boolean {
  if (a.length === b.length) steps.chargeText(a.length)
  return a === b
}

/** By code points, as UTF-8 sorts. UTF-16 differs only where a surrogate meets U+E000 to U+FFFF. */
export function compareTexts(a: string, b: string): number {
  const length = Math.min(a.length, b.length)
  steps.chargeText(length)
  if (a === b) return 0
  for (let index = 0; index < length; index += 1) {
    const left = a.charCodeAt(index)
    const right = b.charCodeAt(index)
    if (left !== right)
      return left >= 0xd800 && right >= 0xd800 ? surrogatesLast(left) - surrogatesLast(right) : left - right
  }
  return a.length - b.length
}

const surrogatesLast = (unitOfText: number): number => (unitOfText < 0xe000 ? unitOfText + 0x2800 : unitOfText)

/** Keeps its own stack: neither the length of a list nor the depth of a value can exhaust JavaScript's. */
function compareParts(left: LfValue, right: LfValue): number {
  const pending: LfValue[] = [] // Pairs still to compare; the next is on top.
  let a = left
  let b = right
  for (;;) {
    steps.charge(1)
    const difference = compareOuter(a, b, pending)
    if (difference !== 0 || pending.length === 0) return difference
    if (pending.length > piecesMax) throw tooMuch('compares deeper values')
    b = pending.pop()
    a = pending.pop()
  }
}

/** Compares the outermost part; the parts within become pending, the first of them on top. */
function compareOuter(a: LfValue, b: LfValue, pending: LfValue[]): number {
  if (typeof a === 'function') throw new Failure('NON_COMPARABLE_VALUES', 'functions are not comparable')
  if (typeof a !== 'object') return compareValues(a, b)
  if (a instanceof LfRecord) {
    const other = as(LfRecord, b)
    pushPairs(pending, a.type.fieldsOf(a), other.type.fieldsOf(other))
    // The types differ only for values of an interface, which are records of different templates.
    return a.type === other.type ? 0 : compareIdentifiers(a.type.id, other.type.id)
  }
  if (a instanceof Cons) {
    if (!(b instanceof Cons)) return b === nil ? 1 : wrongKind('a List')
    pending.push(a.tail, b.tail, a.head, b.head)
    return 0
  }
  if (a instanceof Some) {
    if (!(b instanceof Some)) return b === none ? 1 : wrongKind('an Optional')
    pending.push(a.value, b.value)
    return 0
  }
  if (a === nil) {
    if (b === nil) return 0
    return b instanceof Cons ? -1 : wrongKind('a List')
  }
  if (a === none) {
    if (b === none) return 0
    return b instanceof Some ? -1 : wrongKind('an Optional')
  }
  if (a === unit) return b === unit ? 0 : wrongKind('a Unit')
  if (a instanceof Variant) {
    const { rank, value } = asVariantOf(a.type, b)
    pending.push(a.value, value)
    return a.rank - rank
  }
  if (a instanceof EnumValue) return a.rank - asEnumOf(a.type, b).rank
  if (a instanceof Numeric) return compareNumerics(a, asNumericOf(a.scale, b))
  if (a instanceof ContractId) return compareContractIds(a.text, as(ContractId, b).text)
  if (a instanceof OrderedMap) {
    pending.push(new Entries(a), new Entries(asMap(b)))
    return 0
  }
  if (a instanceof Entries) return compareNextEntries(a, b as Entries, pending)
  if (a instanceof Any) {
    const { type, value } = as(Any, b)
    const difference = compareTypes(a.type, type)
    if (difference === 0) pending.push(a.value, value)
    return difference
  }
  if (a instanceof TypeRep) return compareTypes(a.type, as(TypeRep, b).type)
  if (a instanceof LfStruct && b instanceof LfStruct && a.type === b.type) {
    pushPairs(pending, a.type.fieldsOf(a), a.type.fieldsOf(b))
    return 0
  }
  return wrongKind('a value of the same type')
}

function as<Kind extends object>(kind: abstract new (...args: never[]) => Kind, value: LfValue): Kind {
  return value instanceof kind ? value : wrongKind('a value of the same type')
}

function pushPairs(pending: LfValue[], a: readonly LfValue[], b: readonly LfValue[]): void {
  for (let index = a.length - 1; index >= 0; index -= 1) pending.push(a[index], b[index])
}

/** The part of a map that is still to be compared. */
class Entries {
  readonly rest: Iterator<[LfValue, LfValue]>

  constructor(map: OrderedMap) {
    this.rest = map.entries()[Symbol.iterator]()
  }
}

function compareNextEntries(a: Entries, b: Entries, pending: LfValue[]): number {
  const left = a.rest.next()
  const right = b.rest.next()
  if (left.done || right.done) return Number(right.done ?? false) - Number(left.done ?? false)
  pending.push(a, b, left.value[1], right.value[1], left.value[0], right.value[0])
  return 0
}

/** Where the suffix begins: after version byte and discriminator, by version (00 is V1, 01 is V2). */
const suffixStarts = { '00': 2 * 33, '01': 2 * 13 }

/** A contract of this transaction has no suffix until commit: it cannot be compared with an id it may still get. */
function compareContractIds(a: string, b: string): number {
  if (a === b) return 0
  const version = a.slice(0, 2) as keyof typeof suffixStarts
  const start = suffixStarts[version]
  const isSamePrefix = a.slice(0, start) === b.slice(0, start)
  if (isSamePrefix && a.length === start) throw incomparable(b)
  if (isSamePrefix && (b.length === start || (version === '01' && !(isAbsolute(a) && isAbsolute(b))))) {
    throw incomparable(a)
  }
  return a < b ? -1 : 1
}

/** For a V2 id with a suffix: the suffix of a relative id begins with a zero bit. */
const isAbsolute = (text: string): boolean => text.charAt(suffixStarts['01']) >= '8'

function incomparable(text: string): Failure {
  const message = `The global contract ID ${text} conflicts with a local contract ID`
  return new Failure('CONTRACT_ID_COMPARABILITY', message, { CONTRACT_ID: text })
}
