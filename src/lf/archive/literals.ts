// Literals: BuiltinLit of daml_lf2.proto, with the ranges of Daml's own values.

import { readFixedInt64, readSignedInt64, wireTypes } from '../../protobuf/wire-reading.ts'
import type { FailureCategory, Literal } from '../syntax/ast.ts'
import { refuse } from './archive-error.ts'
import type { Content } from './content.ts'
import { int32, internedString } from './contents.ts'
import { type Decoding, shown } from './decoding.ts'
import { form, mapped, oneOf } from './message.ts'

const numericDigitsMax = 38
const scaleMax = 37
const numericPattern = /^-?([1-9][0-9]*|0)\.([0-9]*)$/

/** From 0001-01-01T00:00:00Z to 9999-12-31T23:59:59.999999Z. */
export const timestampRange = { min: -62135596800000000n, max: 253402300799999999n }
export const dateRange = { min: -719162, max: 2932896 }

const failureCategories: readonly FailureCategory[] = [
  'InvalidIndependentOfSystemState',
  'InvalidGivenCurrentSystemStateOther',
]

const signedInt64: Content<bigint> = { wireType: wireTypes.varint, read: readSignedInt64 }
const fixedInt64: Content<bigint> = { wireType: wireTypes.fixed64, read: readFixedInt64 }

export const literal: Content<Literal> = oneOf<Literal>('BuiltinLit', [
  form(
    1,
    'int64',
    mapped(signedInt64, (value) => ({ kind: 'int64', value })),
  ),
  form(2, 'timestamp', mapped(fixedInt64, timestampLiteral)),
  form(3, 'numeric_interned_str', mapped(internedString, numericLiteral)),
  form(
    4,
    'text_interned_str',
    mapped(internedString, (value) => ({ kind: 'text', value })),
  ),
  form(5, 'date', mapped(int32, dateLiteral)),
  form(6, 'failure_category', mapped(int32, failureCategoryLiteral)),
])

function timestampLiteral(micros: bigint, decoding: Decoding): Literal {
  if (micros < timestampRange.min || micros > timestampRange.max) {
    refuse(decoding, `the timestamp ${micros} is not between the years 1 and 9999`)
  }
  return { kind: 'timestamp', micros }
}

/** The digits after the point give the scale: "0.50" is a Numeric 2. */
function numericLiteral(text: string, decoding: Decoding): Literal {
  const match = text.length <= numericDigitsMax + 3 ? numericPattern.exec(text) : null
  if (!match) return refuse(decoding, `${shown(text)} is not a numeric literal`)
  const [, whole = '', decimals = ''] = match
  const digits = (whole === '0' ? 0 : whole.length) + decimals.length
  if (digits > numericDigitsMax || decimals.length > scaleMax) {
    refuse(decoding, `the numeric literal ${text} has more digits than a Numeric holds`)
  }
  return { kind: 'numeric', unscaled: BigInt(text.replace('.', '')), scale: decimals.length }
}

function dateLiteral(days: number, decoding: Decoding): Literal {
  if (days < dateRange.min || days > dateRange.max) {
    refuse(decoding, `the date ${days} (days since 1970) is not between the years 1 and 9999`)
  }
  return { kind: 'date', days }
}

function failureCategoryLiteral(proto: number, decoding: Decoding): Literal {
  const category = failureCategories[proto]
  return category ? { kind: 'failure-category', category } : refuse(decoding, `there is no failure category ${proto}`)
}
