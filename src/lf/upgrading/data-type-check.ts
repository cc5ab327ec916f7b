// Checks the upgrade of one data type: serializability, origin, parameters, and then fields or constructors.
import type { DataConstructors, DataType, FieldType } from '../syntax/ast.ts'
import { renderType } from '../syntax/types.ts'
import { isOptional, isSameKind, type TypeComparison } from './compare-types.ts'
import type { Both } from './module-view.ts'
import { type Origin, type Rule, ruleTexts, subjectOf, typeChange, type UpgradeProblem } from './problems.ts'

type Case = {
  readonly module: string
  readonly dataTypes: Both<DataType>
  readonly origins: Both<Origin>
  readonly types: TypeComparison
}

export function* dataTypeProblems(one: Case): Generator<UpgradeProblem> {
  const { past, present } = one.dataTypes
  const { name } = past
  const origin = one.origins.present
  const report = reporter(one)
  if (!past.isSerializable) return
  if (!present.isSerializable) {
    const message = ruleTexts.DatatypeBecameUnserializable(origin)
    return yield report('DatatypeBecameUnserializable', message, ['was serializable, and no longer is'])
  }
  if (!isSameOrigin(one.origins.past, origin)) {
    const message = ruleTexts.RecordChangedOrigin(name, one.origins.past, origin)
    yield report('RecordChangedOrigin', message, [`was ${subjectOf(one.origins.past, name)}`])
  }
  const parameters = parameterProblem(past, present)
  if (parameters !== undefined)
    return yield report(parameters.rule, ruleTexts[parameters.rule](origin), [parameters.change])
  yield* constructorProblems(one)
}

function parameterProblem(past: DataType, present: DataType) {
  const [before, after] = [past.parameters, present.parameters]
  if (before.length !== after.length) {
    const change = `type parameters: ${before.length} → ${after.length}`
    return { rule: 'DifferentParamsCount', change } as const
  }
  const changed = before.find(({ kind }, i) => !isSameKind(kind, after[i]!.kind))
  if (changed === undefined) return undefined
  return { rule: 'DifferentParamsKinds', change: `type parameter ${changed.name} has another kind` } as const
}

function constructorProblems(one: Case): Iterable<UpgradeProblem> {
  const [past, present] = [one.dataTypes.past.constructors, one.dataTypes.present.constructors]
  if (past.kind === 'record' && present.kind === 'record') return fieldProblems(one, past.fields, present.fields)
  if (past.kind === 'variant' && present.kind === 'variant') return variantProblems(one, past.fields, present.fields)
  if (past.kind === 'enum' && present.kind === 'enum') return enumProblems(one, past.names, present.names)
  if (past.kind === present.kind) return []
  return [varietyProblem(one, past, present)]
}

function varietyProblem(one: Case, past: DataConstructors, present: DataConstructors): UpgradeProblem {
  const message = ruleTexts.MismatchDataConsVariety(one.dataTypes.past.name, past.kind, present.kind)
  return reporter(one)('MismatchDataConsVariety', message, [`${past.kind} → ${present.kind}`])
}

function* fieldProblems(one: Case, past: readonly FieldType[], present: readonly FieldType[]) {
  const report = reporter(one)
  const origin = one.origins.present
  const { removed, changed, added } = fieldChanges(one, past, present)
  if (removed.length > 0) {
    const changes = removed.map(({ name, type }) => `field ${name} : ${renderType(type, one.module)} removed`)
    yield report('RecordFieldsMissing', ruleTexts.RecordFieldsMissing(origin), changes)
  }
  if (changed.length > 0) {
    const changes = changed.map((change) => `field ${change}`)
    yield report('RecordFieldsExistingChanged', ruleTexts.RecordFieldsExistingChanged(origin), changes)
  }
  const required = added.filter(({ type }) => !isOptional(type))
  if (required.length > 0) {
    const rule = origin.kind === 'constructor' ? 'VariantAddedVariantField' : 'RecordFieldsNewNonOptional'
    const changes = required.map(
      ({ name, type }) => `field ${name} : ${renderType(type, one.module)} added, not Optional`,
    )
    yield report(rule, ruleTexts[rule](origin), changes)
  }
  const order = orderChange(names(past), names(present))
  if (order === undefined) return
  yield report('RecordFieldsOrderChanged', ruleTexts.RecordFieldsOrderChanged(origin), [`order of fields: ${order}`])
}

function* variantProblems(one: Case, past: readonly FieldType[], present: readonly FieldType[]) {
  const report = reporter(one)
  const origin = one.origins.present
  const { removed, changed } = fieldChanges(one, past, present)
  if (removed.length > 0) {
    const changes = removed.map(({ name }) => `constructor ${name} removed`)
    yield report('VariantRemovedVariant', ruleTexts.VariantRemovedVariant(origin), changes)
  }
  if (changed.length > 0) {
    const changes = changed.map((change) => `constructor ${change}`)
    yield report('VariantChangedVariantType', ruleTexts.VariantChangedVariantType(origin), changes)
  }
  const order = orderChange(names(past), names(present))
  if (order === undefined) return
  const changes = [`order of constructors: ${order}`]
  yield report('VariantVariantsOrderChanged', ruleTexts.VariantVariantsOrderChanged(origin), changes)
}

function* enumProblems(one: Case, past: readonly string[], present: readonly string[]) {
  const report = reporter(one)
  const origin = one.origins.present
  const kept = new Set(present)
  const removed = past.filter((name) => !kept.has(name))
  if (removed.length > 0) {
    const changes = removed.map((name) => `constructor ${name} removed`)
    yield report('EnumRemovedVariant', ruleTexts.EnumRemovedVariant(origin), changes)
  }
  const order = orderChange(past, present)
  if (order === undefined) return
  const changes = [`order of constructors: ${order}`]
  yield report('EnumVariantsOrderChanged', ruleTexts.EnumVariantsOrderChanged(origin), changes)
}

function fieldChanges({ module, dataTypes, types }: Case, past: readonly FieldType[], present: readonly FieldType[]) {
  const before = new Map(past.map((field) => [field.name, field]))
  const after = new Map(present.map((field) => [field.name, field]))
  const isSame = (one: FieldType, other: FieldType) =>
    types.isSame(one.type, other.type, dataTypes.past, dataTypes.present)
  const kept = [...before.values()].flatMap((field) => {
    const now = after.get(field.name)
    return now === undefined ? [] : [{ past: field, present: now }]
  })
  return {
    removed: [...before.values()].filter(({ name }) => !after.has(name)),
    changed: kept
      .filter((field) => !isSame(field.past, field.present))
      .map((field) => `${field.past.name} : ${typeChange(field.past.type, field.present.type, module)}`),
    added: [...after.values()].filter(({ name }) => !before.has(name)),
  }
}

/** New names must come last: place by place, the old ones stay. Undefined if they do. */
function orderChange(past: readonly string[], present: readonly string[]): string | undefined {
  const isChanged = past.some((name, i) => i < present.length && name !== present[i])
  return isChanged ? `${past.join(', ')} → ${present.join(', ')}` : undefined
}

const names = (fields: readonly FieldType[]): string[] => fields.map(({ name }) => name)

/** The type that a constructor carries may come from another version of its package. */
function isSameOrigin(past: Origin, present: Origin): boolean {
  return JSON.stringify(past) === JSON.stringify(present)
}

function reporter({ module, dataTypes, origins }: Case) {
  const subject = subjectOf(origins.present, dataTypes.past.name)
  return (rule: Rule, message: string, changes: readonly string[]): UpgradeProblem => {
    return { rule, message, module, subject, changes }
  }
}
