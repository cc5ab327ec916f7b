// JSON to Daml values, in the encoding of Canton's JSON API. JSON from a client becomes a value of the type, or a
// ValueError that says where it is wrong. Where Canton answers with an internal error, ours is INVALID_ARGUMENT.
import { shorten } from '../../base/names.ts'
import { isHashSet, setOrder } from '../../base/scala-order.ts'
import type { Type } from '../syntax/ast.ts'
import { OrderedMap } from '../values/ordered-map.ts'
import { type LfValue, listFromArray, none, Some, unit, Variant } from '../values/values.ts'
import { isObject, type JsonObject } from './json-forms.ts'
import { constructorHint, fieldsHint, pairsHint, variantHint } from './json-hints.ts'
import {
  boolDecoder,
  contractIdDecoder,
  dateDecoder,
  int64Decoder,
  numericDecoder,
  partyDecoder,
  textDecoder,
  timestampDecoder,
} from './json-scalars.ts'
import {
  arrayOf,
  type Decode,
  descend,
  invalid,
  objectOf,
  refused,
  shownJson,
  stringOf,
  type Target,
  wrongJson,
} from './json-target.ts'
import {
  type Compiled,
  isOptional,
  nestedIn,
  type OptionalShape,
  type RecordShape,
  type Shape,
  type VariantShape,
} from './shapes.ts'
import type { Trail } from './trail.ts'
import { textProblem } from './value-error.ts'

const namesShownMax = 20

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
      const { tags } = shape.type
      const values = new Map(tags.map((tag, rank) => [tag, shape.type.values[rank]!]))
      const unexpectedCase = (name: string, trail: Trail, depth: number) =>
        invalid(trail, depth, target, `Unexpected case: ${shorten(name)}`, constructorHint(name, tags))
      return (json, trail, depth) => {
        const name = stringOf(json, trail, depth, target)
        return values.get(name) ?? unexpectedCase(name, trail, depth)
      }
    }
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
    for (const [index, entry] of arrayOf(json, trail, depth, target, pairsHint).entries()) {
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

/** The missing names, in Scala's order of the set of required names. */
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
  const keys = Object.keys(object)
  if (missing.length === 0 && keys.length === present) return
  const names = fields.map(({ name }) => name)
  const known = new Set(names)
  const unexpected = keys.filter((key) => object[key] !== null && !known.has(key))
  if (missing.length > 0) {
    const reason = `Missing non-optional fields: ${missingText(missing, fields)}`
    refused(trail, depth, target, reason, fieldsHint(unexpected, missing, names))
  }
  if (unexpected.length === 0) return
  const shown = setOrder(keys.filter((key) => object[key] !== null)).filter((key) => !known.has(key))
  invalid(trail, depth, target, `Unexpected fields: ${namesOf(shown, '')}`, fieldsHint(unexpected, [], names))
}

function namesOf(names: readonly string[], separator = ', '): string {
  const shown = names.slice(0, namesShownMax).map((name) => shorten(name))
  return names.length > namesShownMax ? `${shown.join(separator)}, ...` : shown.join(separator)
}

function variantDecoder(shape: VariantShape, target: Target): Decode {
  const names = shape.fields.map(({ name }) => name)
  const contents = new Map(shape.fields.map(({ name, type }, rank) => [name, { rank, decoder: target.of(type) }]))
  return (json, trail, depth) => {
    if (!isObject(json) || !Object.hasOwn(json, 'tag') || !Object.hasOwn(json, 'value')) {
      const reason = "Variant type json must have 'tag' and 'value' fields."
      return invalid(trail, depth, target, reason, variantHint(json, names))
    }
    const { tag, value } = json
    const content = typeof tag === 'string' ? contents.get(tag) : undefined
    if (content === undefined) {
      const shown = typeof tag === 'string' ? shorten(tag) : shownJson(tag)
      return invalid(trail, depth, target, `Unexpected variant tag: ${shown}`, constructorHint(shown, names))
    }
    const inner = descend(trail, depth, target)
    trail.steps[depth] = '.value'
    return new Variant(shape.type, content.rank, content.decoder.run(value, trail, inner))
  }
}
