// The contract ids inside values.
import { OrderedMap } from '../../lf/values/ordered-map.ts'
import { Cons, ContractId, LfRecord, type LfValue, type List, Some, Variant } from '../../lf/values/values.ts'

/** The first one, in the order of fields and items. */
export function someContractId(value: LfValue): string | undefined {
  if (value instanceof ContractId) return value.text
  for (const part of partsOf(value)) {
    const found = someContractId(part)
    if (found !== undefined) return found
  }
  return undefined
}

/** All of them, each as often as it occurs. */
export function* contractIdsIn(value: LfValue): Iterable<string> {
  if (value instanceof ContractId) yield value.text
  else for (const part of partsOf(value)) yield* contractIdsIn(part)
}

function* partsOf(value: LfValue): Iterable<LfValue> {
  if (value instanceof LfRecord) yield* value.type.fieldsOf(value)
  else if (value instanceof Variant || value instanceof Some) yield value.value
  else if (value instanceof Cons) for (let rest: List = value; rest instanceof Cons; rest = rest.tail) yield rest.head
  else if (value instanceof OrderedMap) for (const [key, item] of value.entries()) yield* [key, item]
}

/** The value with other contract ids; parts without any to replace are shared. */
export function replaceContractIds(value: LfValue, replace: (id: ContractId) => ContractId): LfValue {
  if (typeof value !== 'object') return value
  if (value instanceof ContractId) return replace(value)
  if (value instanceof LfRecord) return replaceInRecord(value, replace)
  const go = (part: LfValue) => replaceContractIds(part, replace)
  if (value instanceof Variant) {
    const inner = go(value.value)
    return inner === value.value ? value : new Variant(value.type, value.rank, inner)
  }
  if (value instanceof Some) {
    const inner = go(value.value)
    return inner === value.value ? value : new Some(inner)
  }
  if (value instanceof Cons) return replaceInList(value, go)
  if (value instanceof OrderedMap) return replaceInMap(value, go)
  return value
}

function replaceInRecord(record: LfRecord, replace: (id: ContractId) => ContractId): LfRecord {
  const fields = record.type.fieldsOf(record)
  let isChanged = false
  for (const [index, field] of fields.entries()) {
    const replaced = replaceContractIds(field, replace)
    if (replaced === field) continue
    fields[index] = replaced
    isChanged = true
  }
  return isChanged ? new record.type.create(...fields) : record
}

function replaceInList(list: Cons, go: (item: LfValue) => LfValue): List {
  const cells: Cons[] = []
  let rest: List = list
  for (; rest instanceof Cons; rest = rest.tail) cells.push(rest)
  // From the end, so that everything after the last change is shared.
  let replaced: List = rest
  for (const cell of cells.reverse()) {
    const head = go(cell.head)
    replaced = head === cell.head && replaced === cell.tail ? cell : new Cons(head, replaced)
  }
  return replaced
}

/** Removes old keys before it adds new ones: an id without its suffix cannot be compared with the same id with it. */
function replaceInMap(map: OrderedMap, go: (item: LfValue) => LfValue): OrderedMap {
  let result = map
  const renamed: [LfValue, LfValue][] = []
  for (const [key, item] of map.entries()) {
    const newKey = go(key)
    const newItem = go(item)
    if (newKey !== key) {
      result = result.without(key)
      renamed.push([newKey, newItem])
    } else if (newItem !== item) result = result.with(key, newItem)
  }
  for (const [key, item] of renamed) result = result.with(key, item)
  return result
}
