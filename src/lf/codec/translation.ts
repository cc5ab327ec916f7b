// A value of one version of a package as a value of another (Canton: interpreter ValueTranslator.scala). Records keep
// their fields in order: fields the target has beyond them must be Optional and become None, fields it does not have
// must be None and are dropped. Variants and enums keep their constructor's name.
import type { FieldType, Identifier, Type } from '../syntax/ast.ts'
import type { DataTypes } from '../values/data-types.ts'
import { type Compare, OrderedMap } from '../values/ordered-map.ts'
import {
  arrayFromList,
  type EnumType,
  type EnumValue,
  type LfRecord,
  type LfValue,
  type List,
  listFromArray,
  none,
  type RecordType,
  Some,
  Variant,
  type VariantType,
} from '../values/values.ts'
import { type Compiled, isOptional, lazily, type Shape, shapeOf, typeKey, typeToText } from './shapes.ts'
import { pathOf, startTrail, type Trail } from './trail.ts'
import { ValueError, type ValuePlace } from './value-error.ts'

/** Throws a TranslationError for a value that the target type cannot hold. */
export type Translate = (value: LfValue, from: Type, to: Type) => LfValue

export class TranslationError extends ValueError {
  /** The part of the value that does not fit, with its type. */
  readonly part: { readonly type: Type; readonly value: LfValue }
  readonly isUnknownConstructor: boolean
  /** Whether the value belongs behind the reason. */
  readonly isAboutValue: boolean

  constructor({ reason, isUnknownConstructor = false, isAboutValue = false }: Mistake, { part, place }: Misfit) {
    super('INTERPRETATION_UPGRADE_ERROR_TRANSLATION_FAILED', reason, place)
    this.part = part
    this.isUnknownConstructor = isUnknownConstructor
    this.isAboutValue = isAboutValue
  }
}

type Mistake = { readonly reason: string; readonly isUnknownConstructor?: boolean; readonly isAboutValue?: boolean }
type Misfit = { readonly part: TranslationError['part']; readonly place: ValuePlace }

type Step = (value: LfValue, trail: Trail, depth: number) => LfValue

const same: Compiled<Step> = { run: (value) => value }

export function createTranslation({ dataTypes, compare }: { dataTypes: DataTypes; compare: Compare }): Translate {
  const steps = new Map<string, Compiled<Step>>()

  /** Compiled once for each pair of types; the same type on both sides needs no work. */
  function between(from: Type, to: Type): Compiled<Step> {
    if (from === to) return same
    const [fromKey, toKey] = [typeKey(from), typeKey(to)]
    if (fromKey === toKey) return same
    const key = `${fromKey} > ${toKey}`
    let step = steps.get(key)
    if (step === undefined) {
      step = lazily(() => compileStep(shapeOf(from, dataTypes), shapeOf(to, dataTypes), { from, to, between, compare }))
      steps.set(key, step)
    }
    return step
  }

  return (value, from, to) => between(from, to).run(value, startTrail(''), 0)
}

type Pair = {
  readonly from: Type
  readonly to: Type
  readonly between: (from: Type, to: Type) => Compiled<Step>
  readonly compare: Compare
}

function compileStep(from: Shape, to: Shape, pair: Pair): Step {
  const { between } = pair
  if (from.kind === 'optional' && to.kind === 'optional') return optionalStep(between(from.element, to.element))
  if (from.kind === 'list' && to.kind === 'list') return listStep(between(from.element, to.element))
  if (from.kind === 'text-map' && to.kind === 'text-map') {
    return mapStep({ key: same, element: between(from.element, to.element) }, pair)
  }
  if (from.kind === 'gen-map' && to.kind === 'gen-map') {
    return mapStep({ key: between(from.key, to.key), element: between(from.element, to.element) }, pair)
  }
  if (from.kind === 'record' && to.kind === 'record') return recordStep(from, to, pair)
  if (from.kind === 'variant' && to.kind === 'variant') return variantStep(from, to, pair)
  if (from.kind === 'enum' && to.kind === 'enum') return enumStep(from.type, to.type, pair)
  if (from.kind === to.kind && (from.kind !== 'numeric' || (to.kind === 'numeric' && from.scale === to.scale))) {
    return same.run
  }
  const mistake = mismatchOf(from, to, typeToText(pair.to))
  return (value, trail, depth) => fail(value, { trail, depth, pair }, mistake)
}

function mismatchOf(from: Shape, to: Shape, expected: string): Mistake {
  if (from.kind !== 'numeric' || to.kind !== 'numeric') {
    return { reason: `mismatching type: ${expected}`, isAboutValue: true }
  }
  const scales = `the type expects scale ${to.scale}, but the value has scale ${from.scale}`
  return { reason: `Non-normalized Numeric: ${scales}` }
}

function optionalStep(element: Compiled<Step>): Step {
  return (value, trail, depth) => {
    if (value === none) return none
    trail.steps[depth] = ''
    return new Some(element.run((value as Some).value, trail, depth + 1))
  }
}

function listStep(element: Compiled<Step>): Step {
  return (value, trail, depth) => {
    const items = arrayFromList(value as List).map((item, index) => {
      trail.steps[depth] = index
      return element.run(item, trail, depth + 1)
    })
    return listFromArray(items)
  }
}

function mapStep({ key, element }: { key: Compiled<Step>; element: Compiled<Step> }, { compare }: Pair): Step {
  const empty = OrderedMap.empty(compare)
  return (value, trail, depth) => {
    let map = empty
    for (const [entryKey, item] of (value as OrderedMap).entries()) {
      trail.steps[depth] = `[${map.size}][0]`
      const translated = key.run(entryKey, trail, depth + 1)
      trail.steps[depth] = `[${map.size}][1]`
      map = map.with(translated, element.run(item, trail, depth + 1))
    }
    return map
  }
}

type RecordSide = { readonly type: RecordType; readonly fields: readonly FieldType[] }

/** Fields are translated in order, and then the ones beyond them are looked at: a value that fails twice names the inner. */
function recordStep(from: RecordSide, to: RecordSide, pair: Pair): Step {
  const kept = to.fields.slice(0, from.fields.length).map(({ name, type }, index) => ({
    path: `.${name}`,
    step: pair.between(from.fields[index]!.type, type),
  }))
  const nones = to.fields.slice(from.fields.length).map(() => none)
  const required = to.fields.findLastIndex(({ type }) => !isOptional(type)) + 1
  const TargetClass = to.type.create
  return (value, trail, depth) => {
    const fields = from.type.fieldsOf(value as LfRecord)
    // Trailing Nones are not stored.
    const stored = fields.findLastIndex((field) => field !== none) + 1
    const translated = kept.map(({ path, step }, index) => {
      if (index >= stored) return none
      trail.steps[depth] = path
      return step.run(fields[index], trail, depth + 1)
    })
    const extra = fields.findIndex((field, index) => index >= kept.length && field !== none)
    if (extra >= 0) fail(value, { trail, depth, pair }, { reason: droppedReason(fields[extra], extra) })
    if (required > stored) fail(value, { trail, depth, pair }, { reason: notOptional })
    return new TargetClass(...translated, ...nones)
  }
}

const notOptional = 'Unexpected non-optional extra template field type encountered during upgrading.'

function droppedReason(value: LfValue, index: number): string {
  return value instanceof Some
    ? `Found an optional contract field with a value of Some at index ${index}, may not be dropped during downgrading.`
    : `Found non-optional extra field at index ${index}, cannot remove for downgrading.`
}

type VariantSide = { readonly type: VariantType; readonly fields: readonly FieldType[] }

function variantStep(from: VariantSide, to: VariantSide, pair: Pair): Step {
  const contents = from.fields.map(({ name, type }) => {
    const rank = to.fields.findIndex((field) => field.name === name)
    return rank < 0 ? undefined : { rank, step: pair.between(type, to.fields[rank]!.type) }
  })
  return (value, trail, depth) => {
    const { rank, value: inner } = value as Variant
    const content = contents[rank]
    if (content === undefined) {
      return fail(value, { trail, depth, pair }, missing('variant', from.fields[rank]!.name, to.type.id))
    }
    trail.steps[depth] = '.value'
    return new Variant(to.type, content.rank, content.step.run(inner, trail, depth + 1))
  }
}

function enumStep(from: EnumType, to: EnumType, pair: Pair): Step {
  const values = from.tags.map((tag) => to.values[to.tags.indexOf(tag)])
  return (value, trail, depth) => {
    const { rank } = value as EnumValue
    return values[rank] ?? fail(value, { trail, depth, pair }, missing('enumeration', from.tags[rank]!, to.id))
  }
}

function missing(what: string, name: string, { packageId, module, name: type }: Identifier): Mistake {
  return { reason: `unknown constructor ${name} in ${what} ${packageId}:${module}:${type}`, isUnknownConstructor: true }
}

type Where = { readonly trail: Trail; readonly depth: number; readonly pair: Pair }

function fail(value: LfValue, { trail, depth, pair }: Where, mistake: Mistake): never {
  const place = { path: pathOf(trail, depth), expected: typeToText(pair.to) }
  throw new TranslationError(mistake, { part: { type: pair.from, value }, place })
}
