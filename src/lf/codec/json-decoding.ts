// JSON to Daml values, in the encoding of Canton's JSON API: what a client sent becomes a value of the type, or a
// ValueError that says where it is wrong. Where Canton answers with an internal error, ours is INVALID_ARGUMENT.

import { decimalOf, exactNumberOf, integerOf } from '../../base/exact-json.ts'
import { partyProblem, shorten } from '../../base/names.ts'
import { isHashSet, setOrder } from '../../base/scala-order.ts'
import { dateRange, timestampRange } from '../archive/literals.ts'
import type { Type } from '../syntax/ast.ts'
import { contractIdFromText, foreignIdProblem } from '../values/contract-ids.ts'
import { type Compare, OrderedMap } from '../values/ordered-map.ts'
import { int64, int64Max, int64Min, type LfValue, listFromArray, none, Some, unit, Variant } from '../values/values.ts'
import { numericFromDecimal, rescaled } from './numeric-text.ts'
import {
  type Compiled,
  isOptional,
  nestedIn,
  type OptionalShape,
  type RecordShape,
  type Shape,
  type VariantShape,
} from './shapes.ts'
import { dateFromText, timestampFromText } from './time-text.ts'
import { failAt, type Trail } from './trail.ts'
import { nestingMax, textProblem } from './value-error.ts'

export type Decode = (json: unknown, trail: Trail, depth: number) => LfValue

type DecoderOf = (type: Type) => Compiled<Decode>

/** A type to decode to, with what decoding its parts needs. */
type Target = {
  readonly type: Type
  readonly of: DecoderOf
  readonly compare: Compare
  /** Reads JSON numbers for Int64 and every Numeric, and null for None in every place, which Canton refuses. */
  readonly isLenient: boolean
}

type JsonObject = Readonly<Record<string, unknown>>

const namesShownMax = 20
const intPattern = /^([+-]?)0*(\d{1,19})$/
const isAscii = /^[\0-\x7f]*$/
const otherDigits = /(?![0-9])[\p{Nd}&&[\0-\uffff]]/gv

export function compileDecoder(shape: Shape, target: Target): Decode {
  switch (shape.kind) {
    case 'unit':
      return () => unit
    case 'bool':
      return boolDecoder(target)
    case 'int64':
      return int64Decoder(target)
    case 'numeric':
      return numericDecoder(shape.scale, target)
    case 'date':
      return dateDecoder(target)
    case 'timestamp':
      return timestampDecoder(target)
    case 'party':
      return partyDecoder(target)
    case 'text':
      return textDecoder(target)
    case 'contract-id':
      return contractIdDecoder(target)
    case 'optional':
      return nestedIn(shape) === undefined
        ? optionalDecoder(shape.element, target)
        : nestedOptionalDecoder(shape, target)
    case 'list':
      return listDecoder(shape.element, target)
    case 'text-map':
      return textMapDecoder(shape.element, target)
    case 'gen-map':
      return genMapDecoder(shape.key, shape.element, target)
    case 'record':
      return recordDecoder(shape, target)
    case 'variant':
      return variantDecoder(shape, target)
    case 'enum': {
      const values = new Map(shape.type.tags.map((tag, rank) => [tag, shape.type.values[rank]!]))
      return (json, trail, depth) => {
        const name = stringOf(json, trail, depth, target)
        return values.get(name) ?? invalid(trail, depth, target, `Unexpected case: ${shorten(name)}`)
      }
    }
  }
}

// ── Scalars

function boolDecoder(target: Target): Decode {
  return (json, trail, depth) => {
    return typeof json === 'boolean' ? json : wrongJson(json, trail, depth, target, 'a boolean')
  }
}

function int64Decoder(target: Target): Decode {
  return (json, trail, depth) => {
    const number = target.isLenient ? numberTextOf(json) : undefined
    const text = number ?? stringOf(json, trail, depth, target)
    const value = number === undefined ? integerFromText(text) : integerOf(number)
    if (value === undefined || value < int64Min || value > int64Max) {
      return invalid(trail, depth, target, `For input string: "${shorten(text)}"`)
    }
    return int64(value)
  }
}

/** A JSON number as text, with all digits that the client wrote. */
function numberTextOf(json: unknown): string | undefined {
  return typeof json === 'number' ? String(json) : exactNumberOf(json)
}

/** As in Canton, digits of any script count, and only those of the first plane. */
function integerFromText(text: string): bigint | undefined {
  const match = intPattern.exec(isAscii.test(text) ? text : text.replace(otherDigits, asciiDigit))
  return match === null ? undefined : BigInt(`${match[1] === '-' ? '-' : ''}${match[2]}`)
}

/** The digits of a script follow each other, from zero on. */
function asciiDigit(digit: string): string {
  const code = digit.charCodeAt(0)
  let value = 0
  while (value < 9 && /\p{Nd}/v.test(String.fromCharCode(code - value - 1))) value += 1
  return String(value)
}

function numericDecoder(scale: number, target: Target): Decode {
  return (json, trail, depth) => {
    const number = numberTextOf(json)
    const text = number === undefined ? decimalText(json, trail, depth, target) : decimalOfNumber(number, target)
    const numeric = numericFromDecimal(text)
    if (numeric === undefined) {
      const reason = `Could not read Numeric string "${shorten(text)}"`
      return invalid(trail, depth, target, reason, number && `write the Numeric as a string: "${shorten(number)}"`)
    }
    const result = rescaled(numeric, scale)
    return typeof result === 'string' ? refused(trail, depth, target, result) : result
  }
}

function decimalText(json: unknown, trail: Trail, depth: number, target: Target): string {
  if (typeof json === 'string') return json
  return invalid(trail, depth, target, `${shorten(JSON.stringify(json))} is not a valid numeric value`)
}

/** As in Canton, a number that Java would write with an exponent is not a Numeric. All digits of others count. */
function decimalOfNumber(number: string, { isLenient }: Target): string {
  if (isLenient) return decimalOf(number)
  const double = Number(number)
  const size = Math.abs(double)
  return double === 0 || (size >= 1e-3 && size < 1e7) ? decimalOf(number) : doubleToJava(double)
}

/** A double that Java writes with an exponent. */
function doubleToJava(double: number): string {
  if (!Number.isFinite(double)) return String(double)
  const [digits, exponent] = double.toExponential().split('e') as [string, string]
  return `${digits.includes('.') ? digits : `${digits}.0`}E${Number(exponent)}`
}

function dateDecoder(target: Target): Decode {
  return (json, trail, depth) => {
    const text = stringOf(json, trail, depth, target)
    const days = dateFromText(text)
    if (days === undefined) return unparsable(text, trail, depth, target)
    if (days < dateRange.min || days > dateRange.max) return invalid(trail, depth, target, `out of bound Date ${days}`)
    return days
  }
}

function timestampDecoder(target: Target): Decode {
  return (json, trail, depth) => {
    const text = stringOf(json, trail, depth, target)
    const micros = timestampFromText(text)
    if (micros === undefined) return unparsable(text, trail, depth, target)
    if (micros < timestampRange.min || micros > timestampRange.max) {
      const reason = `cannot convert long ${micros} into Timestamp:out of bound Timestamp ${micros}`
      return invalid(trail, depth, target, reason)
    }
    return micros
  }
}

function partyDecoder(target: Target): Decode {
  return (json, trail, depth) => {
    const text = stringOf(json, trail, depth, target)
    const problem = partyProblem(text)
    return problem === undefined ? text : invalid(trail, depth, target, problem)
  }
}

function textDecoder(target: Target): Decode {
  return (json, trail, depth) => {
    const text = stringOf(json, trail, depth, target)
    const problem = textProblem(text)
    return problem === undefined ? text : refused(trail, depth, target, problem)
  }
}

function contractIdDecoder(target: Target): Decode {
  return (json, trail, depth) => {
    const text = stringOf(json, trail, depth, target)
    const id = contractIdFromText(text)
    if (id === undefined) return invalid(trail, depth, target, `cannot parse ContractId "${shorten(text)}"`)
    const problem = foreignIdProblem(id)
    return problem === undefined ? id : refused(trail, depth, target, `Illegal Contract ID "${text}", ${problem}`)
  }
}

// ── Containers

function optionalDecoder(element: Type, target: Target): Decode {
  const decoder = target.of(element)
  return (json, trail, depth) => {
    if (json === null || json === undefined) return none
    const inner = descend(trail, depth, target)
    trail.steps[depth] = ''
    return new Some(decoder.run(json, trail, inner))
  }
}

function nestedOptionalDecoder(shape: OptionalShape, target: Target): Decode {
  const nested = nestedIn(shape)
  const decoder =
    nested === undefined
      ? target.of(shape.element)
      : { run: nestedOptionalDecoder(nested, { ...target, type: shape.element }) }
  return (json, trail, depth) => {
    if (json === null) {
      if (target.isLenient) return none
      wrongJson(json, trail, depth, target, 'an array', 'write None of an Optional in an Optional as []')
    }
    const [first] = arrayOf(json, trail, depth, target) // As in Canton, others are not looked at.
    if (first === undefined) return none
    const inner = descend(trail, depth, target)
    trail.steps[depth] = 0
    return new Some(decoder.run(first, trail, inner))
  }
}

function listDecoder(element: Type, target: Target): Decode {
  const decoder = target.of(element)
  return (json, trail, depth) => {
    const items = arrayOf(json, trail, depth, target)
    if (items.length === 0) return listFromArray([])
    const inner = descend(trail, depth, target)
    const values = items.map((item, index) => {
      trail.steps[depth] = index
      return decoder.run(item, trail, inner)
    })
    return listFromArray(values)
  }
}

function textMapDecoder(element: Type, target: Target): Decode {
  const decoder = target.of(element)
  const empty = OrderedMap.empty(target.compare)
  return (json, trail, depth) => {
    let map = empty
    for (const [key, item] of Object.entries(objectOf(json, trail, depth, target))) {
      const inner = descend(trail, depth, target)
      trail.steps[depth] = { key }
      const problem = textProblem(key)
      if (problem !== undefined) refused(trail, inner, target, problem)
      map = map.with(key, decoder.run(item, trail, inner))
    }
    return map
  }
}

function genMapDecoder(key: Type, element: Type, target: Target): Decode {
  const [keyDecoder, decoder] = [target.of(key), target.of(element)]
  const empty = OrderedMap.empty(target.compare)
  return (json, trail, depth) => {
    let map = empty
    for (const [index, entry] of arrayOf(json, trail, depth, target).entries()) {
      const inner = descend(trail, depth, target)
      trail.steps[depth] = index
      // As in Canton, the key is read before the value is missed, and what comes after them is not looked at.
      if (!Array.isArray(entry) || entry.length === 0) {
        return wrongJson(entry, trail, inner, target, 'an array of a key and a value')
      }
      trail.steps[depth] = `[${index}][0]`
      const entryKey = keyDecoder.run(entry[0], trail, inner)
      trail.steps[depth] = index
      if (entry.length === 1) wrongJson(entry, trail, inner, target, 'an array of a key and a value')
      trail.steps[depth] = `[${index}][1]`
      map = map.with(entryKey, decoder.run(entry[1], trail, inner))
    }
    return map
  }
}

// ── Data types

type FieldDecoder = {
  readonly name: string
  readonly step: string
  readonly isOptional: boolean
  /** Objects of JSON.parse inherit a few names; a field with such a name must be the object's own. */
  readonly isInherited: boolean
  readonly decoder: Compiled<Decode>
}

function recordDecoder(shape: RecordShape, target: Target): Decode {
  const fields = shape.fields.map(
    ({ name, type }): FieldDecoder => ({
      name,
      step: `.${name}`,
      isOptional: isOptional(type),
      isInherited: name in Object.prototype,
      decoder: target.of(type),
    }),
  )
  const RecordClass = shape.type.create
  return (json, trail, depth) => {
    const object = objectOf(json, trail, depth, target)
    checkNames(object, { fields, trail, depth, target })
    const inner = fields.length === 0 ? depth : descend(trail, depth, target)
    const values: LfValue[] = []
    for (const field of fields) {
      const member = memberOf(object, field)
      trail.steps[depth] = field.step
      values.push(field.decoder.run(member === undefined ? null : member, trail, inner))
    }
    return new RecordClass(...values)
  }
}

function memberOf(object: JsonObject, { name, isInherited }: Pick<FieldDecoder, 'name' | 'isInherited'>): unknown {
  return isInherited && !Object.hasOwn(object, name) ? undefined : object[name]
}

type Reading = {
  readonly fields: readonly FieldDecoder[]
  readonly trail: Trail
  readonly depth: number
  readonly target: Target
}

/** As the set of all required names without those that are there. */
function missingText(missing: readonly string[], fields: readonly FieldDecoder[]): string {
  const required = fields.filter(({ isOptional }) => !isOptional).map(({ name }) => name)
  const shown = setOrder(required).filter((name) => missing.includes(name))
  return `${isHashSet(required.length) ? 'HashSet' : 'Set'}(${namesOf(shown)})`
}

/** Fields that are not Optional must be present; unknown names may only be null. Canton puts nothing between names. */
function checkNames(object: JsonObject, { fields, trail, depth, target }: Reading): void {
  let present = 0
  const missing: string[] = []
  for (const field of fields) {
    if (memberOf(object, field) !== undefined) present += 1
    else if (!field.isOptional) missing.push(field.name)
  }
  if (missing.length > 0) refused(trail, depth, target, `Missing non-optional fields: ${missingText(missing, fields)}`)
  const keys = Object.keys(object)
  if (keys.length === present) return
  const known = new Set(fields.map(({ name }) => name))
  const unexpected = keys.filter((key) => object[key] !== null && !known.has(key))
  if (unexpected.length === 0) return
  const shown = setOrder(keys.filter((key) => object[key] !== null)).filter((key) => !known.has(key))
  invalid(trail, depth, target, `Unexpected fields: ${namesOf(shown, '')}`)
}

function namesOf(names: readonly string[], separator = ', '): string {
  const shown = names.slice(0, namesShownMax).map((name) => shorten(name))
  return names.length > namesShownMax ? `${shown.join(separator)}, ...` : shown.join(separator)
}

function variantDecoder(shape: VariantShape, target: Target): Decode {
  const contents = new Map(shape.fields.map(({ name, type }, rank) => [name, { rank, decoder: target.of(type) }]))
  return (json, trail, depth) => {
    if (!isObject(json) || !Object.hasOwn(json, 'tag') || !Object.hasOwn(json, 'value')) {
      return invalid(trail, depth, target, "Variant type json must have 'tag' and 'value' fields.")
    }
    const { tag, value } = json
    const content = typeof tag === 'string' ? contents.get(tag) : undefined
    if (content === undefined) {
      const shown = typeof tag === 'string' ? shorten(tag) : shownJson(tag)
      return invalid(trail, depth, target, `Unexpected variant tag: ${shown}`)
    }
    const inner = descend(trail, depth, target)
    trail.steps[depth] = '.value'
    return new Variant(shape.type, content.rank, content.decoder.run(value, trail, inner))
  }
}

// ── Shapes of JSON, and errors for others

function isObject(json: unknown): json is JsonObject {
  return typeof json === 'object' && json !== null && !Array.isArray(json)
}

function objectOf(json: unknown, trail: Trail, depth: number, target: Target): JsonObject {
  return isObject(json) ? json : wrongJson(json, trail, depth, target, 'an object')
}

function arrayOf(json: unknown, trail: Trail, depth: number, target: Target): readonly unknown[] {
  return Array.isArray(json) ? json : wrongJson(json, trail, depth, target, 'an array')
}

function stringOf(json: unknown, trail: Trail, depth: number, target: Target): string {
  if (typeof json !== 'string' || exactNumberOf(json) !== undefined) {
    const number = numberTextOf(json)
    return wrongJson(json, trail, depth, target, 'a string', number && `write it as a string: "${shorten(number)}"`)
  }
  return json
}

/** The depth of a value's contents. */
function descend(trail: Trail, depth: number, target: Target): number {
  if (depth < nestingMax) return depth + 1
  return refused(trail, depth, target, `Provided value exceeds maximum nesting level of ${nestingMax}`)
}

function wrongJson(json: unknown, trail: Trail, depth: number, target: Target, wanted: string, hint?: string): never {
  return invalid(trail, depth, target, `Expected ${wanted}, but got ${shownJson(json)}`, hint)
}

function unparsable(text: string, trail: Trail, depth: number, target: Target): never {
  return invalid(trail, depth, target, `Text '${shorten(text)}' could not be parsed`)
}

function shownJson(json: unknown): string {
  const number = exactNumberOf(json)
  if (number !== undefined) return shorten(number)
  if (typeof json === 'string') return JSON.stringify(shorten(json))
  if (Array.isArray(json)) return 'an array'
  return isObject(json) ? 'an object' : String(json)
}

function invalid(trail: Trail, depth: number, { type }: Target, reason: string, hint?: string): never {
  return failAt(trail, depth, { code: 'INVALID_ARGUMENT', reason, expected: type, hint })
}

function refused(trail: Trail, depth: number, { type }: Target, reason: string): never {
  return failAt(trail, depth, { code: 'COMMAND_PREPROCESSING_FAILED', reason, expected: type })
}
