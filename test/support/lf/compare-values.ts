// Daml's order of values, as far as codec tests need it; the engine has all of it.

import { Numeric } from '../../../src/lf/values/numeric.ts'
import { OrderedMap } from '../../../src/lf/values/ordered-map.ts'
import {
  arrayFromList,
  Cons,
  ContractId,
  EnumValue,
  LfRecord,
  type LfValue,
  nil,
  none,
  Some,
  Variant,
} from '../../../src/lf/values/values.ts'

export function compareValues(a: LfValue, b: LfValue): number {
  const [left, right] = [sequenceOf(a), sequenceOf(b)]
  for (const [index, item] of left.entries()) {
    if (index >= right.length) return 1
    const order = compareAtoms(item, right[index])
    if (order !== 0) return order
  }
  return left.length - right.length
}

/** The parts to compare, in order; an atom is a sequence of itself. */
function sequenceOf(value: LfValue): readonly LfValue[] {
  if (value === none || value === nil) return []
  if (value instanceof Some) return [value.value]
  if (value instanceof Cons) return arrayFromList(value)
  if (value instanceof OrderedMap) return [...value.entries()].flat()
  if (value instanceof LfRecord) return value.type.fieldsOf(value)
  if (value instanceof Variant) return [value.rank, value.value]
  return [value]
}

function compareAtoms(a: LfValue, b: LfValue): number {
  if (a === b) return 0
  const [left, right] = [atomOf(a), atomOf(b)]
  if (typeof left === 'object') return compareValues(left, right)
  if (typeof left === 'string') return Buffer.compare(Buffer.from(left), Buffer.from(right as string))
  return (left as number) < (right as number) ? -1 : Number((left as number) > (right as number))
}

function atomOf(value: LfValue): LfValue {
  if (value instanceof Numeric) return value.unscaled
  if (value instanceof ContractId) return value.text
  return value instanceof EnumValue ? value.rank : value
}
