// Lists and maps. Folds are loops, so that the length of a list costs no stack.
import { asBool, asList, asMap, asText } from '../../lf/values/kinds.ts'
import { OrderedMap } from '../../lf/values/ordered-map.ts'
import { structTypeOf } from '../../lf/values/structures.ts'
import { Cons, type Int64, type LfValue, type List, nil, none, Some } from '../../lf/values/values.ts'
import { asFunctionOf2, type LfFunction } from '../code/apply.ts'
import { steps } from '../failures/steps.ts'
import { compareTexts, compareValues } from '../values/order.ts'
import type { Rows } from './rows.ts'

const entryType = structTypeOf(['key', 'value'])

export const collectionBuiltins = {
  FOLDL(step: LfFunction, start: LfValue, list: List): LfValue {
    let result = start
    const of2 = asFunctionOf2(step)
    for (let rest = asList(list); rest instanceof Cons; rest = asList(rest.tail)) {
      steps.charge(1)
      result = of2(result, rest.head)
    }
    return result
  },

  FOLDR(step: LfFunction, start: LfValue, list: List): LfValue {
    let result = start
    const of2 = asFunctionOf2(step)
    for (let rest = reversed(list); rest instanceof Cons; rest = rest.tail) {
      steps.charge(1)
      result = of2(rest.head, result)
    }
    return result
  },

  /** The lists swap sides at every step, as in Canton: an asymmetric predicate can tell. */
  EQUAL_LIST(equal: LfFunction, a: List, b: List): boolean {
    let left = asList(a)
    let right = asList(b)
    const of2 = asFunctionOf2(equal)
    while (left instanceof Cons && right instanceof Cons) {
      steps.charge(1)
      if (!asBool(of2(right.head, left.head))) return false
      const rest = asList(left.tail)
      left = asList(right.tail)
      right = rest
    }
    return left === right
  },

  TEXTMAP_EMPTY: OrderedMap.empty(compareTexts as (a: LfValue, b: LfValue) => number),
  TEXTMAP_INSERT: (key: string, value: LfValue, map: OrderedMap): OrderedMap => asMap(map).with(asText(key), value),
  TEXTMAP_LOOKUP: (key: string, map: OrderedMap): LfValue => lookUp(asText(key), map),
  TEXTMAP_DELETE: (key: string, map: OrderedMap): OrderedMap => asMap(map).without(asText(key)),
  TEXTMAP_SIZE: (map: OrderedMap): Int64 => asMap(map).size,

  TEXTMAP_TO_LIST(map: OrderedMap): List {
    steps.charge(asMap(map).size)
    return map.reduceRight<List>((rest, key, value) => new Cons(new entryType.create(asText(key), value), rest), nil)
  },

  GENMAP_EMPTY: OrderedMap.empty(compareValues),
  GENMAP_INSERT: (key: LfValue, value: LfValue, map: OrderedMap): OrderedMap => asMap(map).with(comparable(key), value),
  GENMAP_LOOKUP: (key: LfValue, map: OrderedMap): LfValue => lookUp(comparable(key), map),
  GENMAP_DELETE: (key: LfValue, map: OrderedMap): OrderedMap => asMap(map).without(comparable(key)),
  GENMAP_KEYS: (map: OrderedMap): List => listOf(map, (key) => key),
  GENMAP_VALUES: (map: OrderedMap): List => listOf(map, (_key, value) => value),
  GENMAP_SIZE: (map: OrderedMap): Int64 => asMap(map).size,
} satisfies Partial<Rows>

/** Built from the end. */
function listOf(map: OrderedMap, item: (key: LfValue, value: LfValue) => LfValue): List {
  steps.charge(asMap(map).size)
  return map.reduceRight<List>((rest, key, value) => new Cons(item(key, value), rest), nil)
}

function reversed(list: List): List {
  let result: List = nil
  for (let rest = asList(list); rest instanceof Cons; rest = asList(rest.tail)) result = new Cons(rest.head, result)
  return result
}

function lookUp(key: LfValue, map: OrderedMap): LfValue {
  const value = asMap(map).get(key)
  return value === undefined ? none : new Some(value)
}

/** A key that is not comparable fails even when the map has no other to compare it with. */
function comparable(key: LfValue): LfValue {
  if (typeof key === 'object' || typeof key === 'function') compareValues(key, key)
  return key
}
