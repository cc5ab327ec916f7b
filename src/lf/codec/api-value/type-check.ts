// Values of the Ledger API as Daml values of a type. Mirrors Canton's translation of command arguments
// (engine/refinement/ValueTranslator.scala): labels may be missing or in any order, missing fields that are Optional are
// None, additional ones must be None, and a package id in a value is not looked at.

import type { Identifier, Type } from '../../syntax/ast.ts'
import { contractIdFromText, foreignIdProblem } from '../../values/contract-ids.ts'
import type { DataTypes } from '../../values/data-types.ts'
import { type Compare, OrderedMap } from '../../values/ordered-map.ts'
import { int64, type LfValue, listFromArray, none, Some, unit, Variant } from '../../values/values.ts'
import { numericFromDecimal, rescaled } from '../numeric-text.ts'
import { type Compiled, compilePerType, isOptional, type RecordShape, type Shape, typeToText } from '../shapes.ts'
import { nestingMax, textProblem, ValueError } from '../value-error.ts'
import { ledgerValueText } from './text.ts'
import type { LedgerValue } from './type.ts'

type Translate = (value: LedgerValue, depth: number) => LfValue
type Target = { readonly type: Type; readonly of: (type: Type) => Compiled<Translate>; readonly compare: Compare }

/** Throws a ValueError. */
export function createLedgerValueTyping(parts: {
  readonly dataTypes: DataTypes
  readonly compare: Compare
}): (value: LedgerValue, type: Type) => LfValue {
  const translatorOf = compilePerType<Translate>(parts.dataTypes, (shape, type, of) => {
    const translate = compile(shape, { type, of, compare: parts.compare })
    return (value, depth) => {
      if (depth > nestingMax) {
        fail(type, `Provided value exceeds maximum nesting level of ${nestingMax}`)
      }
      return value.kind === shape.kind ? translate(value, depth) : mismatch(type, value)
    }
  })
  return (value, type) => translatorOf(type).run(value, 0)
}

/** The value is of the same kind as the shape. */
function compile(shape: Shape, target: Target): Translate {
  const { type, of } = target
  const as =
    <Kind extends LedgerValue['kind']>(
      _kind: Kind,
      translate: (value: Extract<LedgerValue, { kind: Kind }>['value'], depth: number) => LfValue,
    ): Translate =>
    ({ value }, depth) =>
      translate(value as never, depth)
  switch (shape.kind) {
    case 'unit':
      return () => unit
    case 'bool':
    case 'date':
    case 'party':
      return ({ value }) => value
    case 'int64':
      return as('int64', (value) => int64(value))
    case 'timestamp':
      return as('timestamp', (value) => int64(value))
    case 'text':
      return as('text', (value) => checkedText(value, type))
    case 'numeric':
      return as('numeric', (value) => {
        const numeric = rescaled(numericFromDecimal(value)!, shape.scale)
        return typeof numeric === 'string' ? fail(type, numeric) : numeric
      })
    case 'contract-id':
      return as('contract-id', (value) => {
        const id = contractIdFromText(value)!
        const problem = foreignIdProblem(id)
        return problem === undefined ? id : fail(type, `Illegal Contract ID "${value}", ${problem}`)
      })
    case 'optional': {
      const element = of(shape.element)
      return as('optional', ({ value }, depth) =>
        value === undefined ? none : new Some(element.run(value, depth + 1)),
      )
    }
    case 'list': {
      const element = of(shape.element)
      return as('list', ({ elements }, depth) => listFromArray(elements.map((item) => element.run(item!, depth + 1))))
    }
    case 'text-map': {
      const element = of(shape.element)
      const empty = OrderedMap.empty(target.compare)
      return as('text-map', ({ entries }, depth) =>
        entries.reduce((map, { key, value }) => {
          return map.with(checkedText(key, type), element.run(value!, depth + 1))
        }, empty),
      )
    }
    case 'gen-map': {
      const [key, element] = [of(shape.key), of(shape.element)]
      const empty = OrderedMap.empty(target.compare)
      return as('gen-map', ({ entries }, depth) =>
        entries.reduce((map, entry) => {
          return map.with(key.run(entry.key!, depth + 1), element.run(entry.value!, depth + 1))
        }, empty),
      )
    }
    case 'record':
      return recordTranslator(shape, target)
    case 'variant': {
      const contents = new Map(shape.fields.map((field, rank) => [field.name, { rank, content: of(field.type) }]))
      return as('variant', ({ variantId, constructor: name, value }, depth) => {
        checkId(shape.type.id, variantId, type)
        const found = contents.get(name)
        if (found === undefined) return unknownConstructor('variant', name, shape.type.id, type)
        return new Variant(shape.type, found.rank, found.content.run(value!, depth + 1))
      })
    }
    case 'enum': {
      const values = new Map(shape.type.tags.map((tag, rank) => [tag, shape.type.values[rank]!]))
      return as('enum', ({ enumId, constructor: name }) => {
        checkId(shape.type.id, enumId, type)
        return values.get(name) ?? unknownConstructor('enumeration', name, shape.type.id, type)
      })
    }
  }
}

type Given = { readonly label: string; readonly value: LedgerValue }

function recordTranslator(shape: RecordShape, { type, of }: Target): Translate {
  const fields = shape.fields.map((field) => ({
    name: field.name,
    content: of(field.type),
    mayBeMissing: isOptional(field.type),
  }))
  const names = new Set(fields.map(({ name }) => name))
  const RecordClass = shape.type.create
  const { id } = shape.type
  const missing = (name: string) =>
    fail(type, `Missing non-optional field "${name}", cannot upgrade non-optional fields.`)

  function byLabel(given: readonly Given[]): ReadonlyMap<string, LedgerValue> | undefined {
    const values = new Map<string, LedgerValue>()
    for (const { label, value } of given) {
      if (label === '') return undefined
      if (values.has(label)) fail(type, `Duplicate label ${label} in record`)
      values.set(label, value)
    }
    return values
  }

  return ({ value }, depth) => {
    const { recordId, fields: given } = value as { recordId: Identifier | undefined; fields: readonly Given[] }
    checkId(id, recordId, type)
    const labelled = byLabel(given)
    const found = fields.map(({ name, mayBeMissing }, index): LedgerValue | undefined => {
      const field = labelled === undefined ? given[index] : undefined
      const content = labelled === undefined ? field?.value : labelled.get(name)
      if (content === undefined && !mayBeMissing) return missing(name)
      if (field !== undefined && field.label !== '' && field.label !== name) {
        const expecting = `Mismatching record field label '${field.label}' (expecting '${name}')`
        return fail(type, `${expecting} for record ${id.packageId}:${id.module}:${id.name}`)
      }
      return content
    })
    const extra = labelled === undefined ? given.slice(fields.length) : given.filter(({ label }) => !names.has(label))
    const values = fields.map(({ content }, index) => {
      const part = found[index]
      return part === undefined ? none : content.run(part, depth + 1)
    })
    for (const { label, value: dropped } of extra) checkDropped(label, dropped, type)
    return new RecordClass(...values)
  }
}

function checkDropped(label: string, value: LedgerValue, type: Type): void {
  if (value.kind === 'optional' && value.value.value === undefined) return
  if (value.kind === 'optional') {
    const shown = label === '' ? '' : ` ("${label}")`
    const reason = `An optional contract field${shown} with a value of Some may not be dropped during downgrading.`
    fail(type, reason)
  }
  const shown = label === '' ? '' : ` "${label}"`
  fail(type, `Found non-optional extra field${shown}, cannot remove for downgrading.`)
}

function checkedText(text: string, type: Type): string {
  const problem = textProblem(text)
  return problem === undefined ? text : fail(type, problem)
}

/** Only the qualified name: the package may be another version. */
function checkId(expected: Identifier, given: Identifier | undefined, type: Type): void {
  if (given === undefined || (given.module === expected.module && given.name === expected.name)) return
  const [told, said] = [expected, given].map(({ module, name }) => `${module}:${name}`)
  fail(type, `Mismatching variant id, the type tells us ${told}, but the value tells us ${said}`)
}

function unknownConstructor(what: string, name: string, { packageId, module, name: type }: Identifier, of: Type) {
  return fail(of, `unknown constructor ${name} in ${what} ${packageId}:${module}:${type}`)
}

function mismatch(type: Type, value: LedgerValue): never {
  return fail(type, `mismatching type: ${typeToText(type)} and value: ${ledgerValueText(value)}`)
}

function fail(type: Type, reason: string): never {
  throw new ValueError('COMMAND_PREPROCESSING_FAILED', reason, { path: '', expected: typeToText(type) })
}
