// value.proto to Daml values of a type. Strict, because bytes may come from a client's disclosed contract: each message
// has exactly the fields it must have, and nothing is unknown, repeated or truncated.
import { partyProblem, shorten } from '../../base/names.ts'
import {
  type Cursor,
  inMessage,
  openCursor,
  readBytes,
  readFixedInt64,
  readInt32,
  readSignedInt64,
  readText,
  refuse,
  tagOf,
  wireTypes,
} from '../../protobuf/wire-reading.ts'
import { dateRange, timestampRange } from '../archive/literals.ts'
import type { Type } from '../syntax/ast.ts'
import { contractIdFromBytes, isSuffixed } from '../values/contract-ids.ts'
import { type Compare, OrderedMap } from '../values/ordered-map.ts'
import { type Int64, int64, type LfValue, listFromArray, none, Some, unit, Variant } from '../values/values.ts'
import { numericFromText } from './numeric-text.ts'
import { type Compiled, isOptional, type RecordShape, type Shape, typeToText, type VariantShape } from './shapes.ts'
import { failAt, startTrail, type Trail } from './trail.ts'
import { nestingMax, orValueError, textProblem } from './value-error.ts'
import { valueFields } from './value-proto.ts'

export type ReadOptions = {
  /** Contracts from before values were normalised (ids with the suffix ca10) hold None at the end of records. */
  readonly allowsTrailingNone: boolean
}

export type Input = ReadOptions & { readonly cursor: Cursor; readonly trail: Trail }

/** Reads the content of a Value message, which ends where the cursor's innermost message does. */
export type Read = (input: Input, depth: number) => LfValue

/** A type to read, with what reading its parts needs. */
type Target = { readonly type: Type; readonly of: (type: Type) => Compiled<Read>; readonly compare: Compare }

const noneTag = tagOf(valueFields.optional.number, valueFields.optional.wireType)
const firstMessage = tagOf(1, wireTypes.bytes)
const secondMessage = tagOf(2, wireTypes.bytes)

export function readWhole(
  bytes: Uint8Array,
  type: Type,
  read: (input: Input) => LfValue,
  options: ReadOptions,
): LfValue {
  return orValueError(typeToText(type), () => {
    return read({ ...options, cursor: openCursor(bytes, 'Value'), trail: startTrail('') })
  })
}

export function compileReader(shape: Shape, target: Target): Read {
  const { number, wireType } = valueFields[shape.kind]
  const tag = tagOf(number, wireType)
  const read = contentReader(shape, target)
  return (input, depth) => {
    const { cursor } = input
    if (cursor.position === cursor.end) refuse(cursor, 'the value is not set')
    const found = readInt32(cursor)
    if (found !== tag) return mismatch(input, depth, target, `mismatching type: ${kindOf(found)}`)
    const value = read(input, depth)
    if (cursor.position !== cursor.end)
      refuse(cursor, 'a value has more than one field, or does not end where it should')
    return value
  }
}

function contentReader(shape: Shape, target: Target): Read {
  switch (shape.kind) {
    case 'unit':
      return ({ cursor }) => inMessage(cursor, () => unit)
    case 'bool':
      return ({ cursor }) => readInt32(cursor) !== 0
    case 'int64':
      return ({ cursor }) => int64(readSignedInt64(cursor))
    case 'date':
      return readDate
    case 'timestamp':
      return ({ cursor }) => readTimestamp(cursor)
    case 'numeric':
      return numericReader(shape.scale, target)
    case 'party':
      return ({ cursor }) => readParty(cursor)
    case 'text':
      return (input, depth) => readLedgerText(input, depth, target)
    case 'contract-id':
      return contractIdReader(target)
    case 'optional':
      return optionalReader(target.of(shape.element))
    case 'list':
      return listReader(target.of(shape.element))
    case 'text-map':
      return textMapReader(target.of(shape.element), target)
    case 'gen-map':
      return genMapReader(target.of(shape.key), target.of(shape.element), target)
    case 'record':
      return recordReader(shape, target)
    case 'variant':
      return variantReader(shape, target)
    case 'enum': {
      const values = new Map(shape.type.tags.map((name, rank) => [name, shape.type.values[rank]!]))
      return (input, depth) => {
        const name = inMessage(input.cursor, () => readField(input.cursor, firstMessage, readText))
        return values.get(name) ?? mismatch(input, depth, target, `there is no enum constructor ${shorten(name)}`)
      }
    }
  }
}

// ── Scalars

function readDate({ cursor }: Input): LfValue {
  const days = readInt32(cursor)
  if (days < dateRange.min || days > dateRange.max) refuse(cursor, `out of bound Date ${days}`)
  return days
}

export function readTimestamp(cursor: Cursor): Int64 {
  const micros = readFixedInt64(cursor)
  if (micros < timestampRange.min || micros > timestampRange.max) refuse(cursor, `out of bound Timestamp ${micros}`)
  return int64(micros)
}

function numericReader(scale: number, target: Target): Read {
  return (input, depth) => {
    const text = readText(input.cursor)
    const numeric = numericFromText(text)
    if (numeric === undefined) return refuse(input.cursor, `Could not read Numeric string "${shorten(text)}"`)
    if (numeric.scale === scale) return numeric
    const reason = `the type expects scale ${scale}, but the value has scale ${numeric.scale}`
    return mismatch(input, depth, target, `Non-normalized Numeric: ${reason}`)
  }
}

export function readParty(cursor: Cursor): string {
  const party = readText(cursor)
  const problem = partyProblem(party)
  return problem === undefined ? party : refuse(cursor, problem)
}

function readLedgerText(input: Input, depth: number, target: Target): string {
  const text = readText(input.cursor)
  const problem = textProblem(text)
  if (problem !== undefined) mismatch(input, depth, target, `Value contains malformed text: ${problem}`)
  return text
}

function contractIdReader(target: Target): Read {
  return (input, depth) => {
    const bytes = readBytes(input.cursor)
    const id = contractIdFromBytes(bytes)
    if (id === undefined) return refuse(input.cursor, `cannot parse contractId "${bytes.toString('hex', 0, 128)}"`)
    return isSuffixed(id) ? id : mismatch(input, depth, target, `Encountered non-suffixed Contract ID ${id.text}`)
  }
}

// ── Containers

function optionalReader(element: Compiled<Read>): Read {
  return (input, depth) => {
    const { cursor, trail } = input
    return inMessage(cursor, () => {
      if (cursor.position === cursor.end) return none
      return readField(cursor, firstMessage, () => {
        return inMessage(cursor, () => {
          // An empty message is the default of the field: None.
          if (cursor.position === cursor.end) return none
          const inner = descend(input, depth)
          trail.steps[depth] = ''
          return new Some(element.run(input, inner))
        })
      })
    })
  }
}

function listReader(element: Compiled<Read>): Read {
  return (input, depth) => {
    const items: LfValue[] = []
    inMessage(input.cursor, () => {
      eachMessage(input.cursor, () => {
        const inner = descend(input, depth)
        input.trail.steps[depth] = items.length
        items.push(element.run(input, inner))
      })
    })
    return listFromArray(items)
  }
}

function textMapReader(element: Compiled<Read>, target: Target): Read {
  const empty = OrderedMap.empty(target.compare)
  return (input, depth) => {
    const { cursor, trail } = input
    let map = empty
    inMessage(cursor, () => {
      eachMessage(cursor, () => {
        const inner = descend(input, depth)
        // An empty key is the default of the field, and so left out.
        const hasKey = cursor.bytes[cursor.position] === firstMessage
        const key = hasKey ? readField(cursor, firstMessage, () => readLedgerText(input, depth, target)) : ''
        trail.steps[depth] = { key }
        const value = readField(cursor, secondMessage, () => inMessage(cursor, () => element.run(input, inner)))
        if (map.has(key)) refuse(cursor, `key ${JSON.stringify(shorten(key))} duplicated when trying to build map`)
        map = map.with(key, value)
      })
    })
    return map
  }
}

function genMapReader(key: Compiled<Read>, element: Compiled<Read>, target: Target): Read {
  const empty = OrderedMap.empty(target.compare)
  return (input, depth) => {
    const { cursor, trail } = input
    let map = empty
    let previous: LfValue
    inMessage(cursor, () => {
      eachMessage(cursor, () => {
        const inner = descend(input, depth)
        trail.steps[depth] = `[${map.size}][0]`
        const entryKey = readField(cursor, firstMessage, () => inMessage(cursor, () => key.run(input, inner)))
        trail.steps[depth] = `[${map.size}][1]`
        const value = readField(cursor, secondMessage, () => inMessage(cursor, () => element.run(input, inner)))
        if (map.size > 0 && target.compare(previous, entryKey) >= 0) {
          mismatch(input, depth, target, 'Unexpected non-strictly ordered GenMap value')
        }
        map = map.with(entryKey, value)
        previous = entryKey
      })
    })
    return map
  }
}

// ── Data types

function recordReader(shape: RecordShape, target: Target): Read {
  const fields = shape.fields.map(({ name, type }) => ({
    step: `.${name}`,
    isOptional: isOptional(type),
    reader: target.of(type),
  }))
  const firstRequiredAfter = (count: number): boolean =>
    fields.some((field, index) => index >= count && !field.isOptional)
  const RecordClass = shape.type.create
  return (input, depth) => {
    const { cursor, trail } = input
    const values: LfValue[] = []
    let endsInNone = false
    inMessage(cursor, () => {
      eachMessage(cursor, () => {
        const inner = descend(input, depth)
        readField(cursor, firstMessage, () => {
          return inMessage(cursor, () => {
            const field = fields[values.length]
            endsInNone = isNone(cursor)
            if (field === undefined) return dropField(input, depth, target, values.length)
            trail.steps[depth] = field.step
            values.push(field.reader.run(input, inner))
          })
        })
      })
    })
    if (endsInNone && !input.allowsTrailingNone) mismatch(input, depth, target, 'Unexpected trailing None in record.')
    if (firstRequiredAfter(values.length)) {
      const reason = 'Unexpected non-optional extra template field type encountered during upgrading.'
      mismatch(input, depth, target, reason)
    }
    while (values.length < fields.length) values.push(none)
    return new RecordClass(...values)
  }
}

/** A field that the type does not have: only None may be dropped. */
function dropField(input: Input, depth: number, target: Target, index: number): void {
  const { cursor } = input
  if (isNone(cursor)) {
    cursor.position = cursor.end
    return
  }
  const isSome = cursor.bytes[cursor.position] === noneTag
  const reason = isSome
    ? `Found an optional contract field with a value of Some at index ${index}, may not be dropped during downgrading.`
    : `Found non-optional extra field at index ${index}, cannot remove for downgrading.`
  mismatch(input, depth, target, reason)
}

/** Whether the Value message that starts here is None: an Optional with nothing in it. */
function isNone({ bytes, position, end }: Cursor): boolean {
  return end - position === 2 && bytes[position] === noneTag && bytes[position + 1] === 0
}

function variantReader(shape: VariantShape, target: Target): Read {
  const contents = new Map(shape.fields.map(({ name, type }, rank) => [name, { rank, reader: target.of(type) }]))
  return (input, depth) => {
    const { cursor, trail } = input
    return inMessage(cursor, () => {
      const name = readField(cursor, firstMessage, readText)
      const content = contents.get(name)
      if (content === undefined)
        return mismatch(input, depth, target, `there is no variant constructor ${shorten(name)}`)
      const inner = descend(input, depth)
      trail.steps[depth] = '.value'
      const value = readField(cursor, secondMessage, () => inMessage(cursor, () => content.reader.run(input, inner)))
      return new Variant(shape.type, content.rank, value)
    })
  }
}

// ── Messages

/** The one field that must come next. */
function readField<Result>(cursor: Cursor, tag: number, read: (cursor: Cursor) => Result): Result {
  if (cursor.position >= cursor.end || readInt32(cursor) !== tag) refuse(cursor, 'a field is missing or unknown')
  return read(cursor)
}

/** The rest of the message is the repeated field 1, each a message. */
function eachMessage(cursor: Cursor, read: () => void): void {
  while (cursor.position < cursor.end) readField(cursor, firstMessage, () => inMessage(cursor, read))
}

function descend({ cursor }: Input, depth: number): number {
  if (depth < nestingMax) return depth + 1
  return refuse(cursor, `Provided proto value to decode exceeds maximum nesting level of ${nestingMax}`)
}

function kindOf(tag: number): string {
  const kind = Object.entries(valueFields).find(([, { number, wireType }]) => tagOf(number, wireType) === tag)?.[0]
  return kind === undefined ? 'an unknown kind of value' : `a value of kind ${kind}`
}

function mismatch({ trail }: Input, depth: number, { type }: Target, reason: string): never {
  const code = 'INTERPRETATION_UPGRADE_ERROR_TRANSLATION_FAILED'
  return failAt(trail, depth, { code, reason, expected: type })
}
