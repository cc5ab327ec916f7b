// The reasons why a package cannot upgrade another: each rule with the reference's words. Mirrors UpgradeError of Canton's
// Upgrading.scala, without the rules that it names but never applies.
import type { Identifier, Type } from '../syntax/ast.ts'
import { renderType } from '../syntax/types.ts'
/** Where a data type comes from: errors name a template or a choice rather than the record behind it. */
export type Origin =
  | { readonly kind: 'template'; readonly template: string }
  | { readonly kind: 'choice'; readonly template: string; readonly choice: string }
  /** `type` is the type of what the constructor carries, without its package. */
  | { readonly kind: 'constructor'; readonly variant: string; readonly type: { module: string; name: string } }
  | { readonly kind: 'data'; readonly name: string }

const originText = (origin: Origin): string => {
  switch (origin.kind) {
    case 'template':
      return `template ${origin.template}`
    case 'choice':
      return `input type of choice ${origin.choice} on template ${origin.template}`
    case 'constructor':
      return `variant constructor ${origin.type.name} from variant ${origin.variant}`
    case 'data':
      return `data type ${origin.name}`
  }
}

const gone = 'appears in package that is being upgraded, but does not appear in'

export const ruleTexts = {
  DecreasingLfVersion: (past: string, present: string) =>
    `The upgraded package uses an older LF version (${present} < ${past})`,
  MissingModule: (name: string) => `Module ${name} ${gone} the upgrading package.`,
  MissingTemplate: (name: string) => `Template ${name} ${gone} the upgrading package.`,
  MissingDataCon: (name: string) => `Data type ${name} ${gone} the upgrading package.`,
  MissingChoice: (name: string) => `Choice ${name} ${gone} the upgrading package.`,
  MissingImplementation: (template: string, interfaceId: string) =>
    `Implementation of interface ${interfaceId} by template ${template} ${gone} this package.`,
  ChoiceChangedReturnType: (choice: string) => `The upgraded choice ${choice} cannot change its return type.`,
  TemplateChangedKeyType: (template: string) => `The upgraded template ${template} cannot change its key type.`,
  TemplateRemovedKey: (template: string) => `The upgraded template ${template} cannot remove its key.`,
  TemplateAddedKey: (template: string) => `The upgraded template ${template} cannot add a key.`,
  RecordChangedOrigin: (name: string, past: Origin, present: Origin) =>
    `The record ${name} has changed origin from ${originText(past)} to ${originText(present)}`,
  DatatypeBecameUnserializable: (origin: Origin) =>
    `The upgraded ${originText(origin)} was serializable and is now unserializable. Datatypes cannot change their ` +
    'serializability via upgrades.',
  DifferentParamsCount: (origin: Origin) =>
    `The upgraded ${originText(origin)} has changed the number of type variables it has.`,
  DifferentParamsKinds: (origin: Origin) =>
    `The upgraded ${originText(origin)} has changed the kind of one of its type variables.`,
  MismatchDataConsVariety: (name: string, past: string, present: string) =>
    `The upgraded data type ${name} has changed from a ${past} to a ${present}. Datatypes cannot change variety via ` +
    'upgrades.',
  RecordFieldsMissing: (origin: Origin) => `The upgraded ${originText(origin)} is missing some of its original fields.`,
  RecordFieldsExistingChanged: (origin: Origin) =>
    `The upgraded ${originText(origin)} has changed the types of some of its original fields.`,
  RecordFieldsNewNonOptional: (origin: Origin) =>
    `The upgraded ${originText(origin)} has added new fields, but those fields are not Optional.`,
  VariantAddedVariantField: (origin: Origin) => `The upgraded ${originText(origin)} has added a field.`,
  RecordFieldsOrderChanged: (origin: Origin) =>
    `The upgraded ${originText(origin)} has changed the order of its fields - any new fields must be added at the end ` +
    'of the record.',
  VariantRemovedVariant: (origin: Origin) => `The upgraded ${originText(origin)} has removed an existing variant.`,
  VariantChangedVariantType: (origin: Origin) =>
    `The upgraded ${originText(origin)} has changed the type of a variant.`,
  VariantVariantsOrderChanged: (origin: Origin) =>
    `The upgraded ${originText(origin)} has changed the order of its variants - any new variant must be added at the ` +
    'end of the variant.',
  EnumRemovedVariant: (origin: Origin) => `The upgraded ${originText(origin)} has removed an existing variant.`,
  EnumVariantsOrderChanged: (origin: Origin) =>
    `The upgraded ${originText(origin)} has changed the order of its variants - any new variant must be added at the ` +
    'end of the enum.',
} as const

export type Rule = keyof typeof ruleTexts

export type UpgradeProblem = {
  readonly rule: Rule
  /** The reference's words. */
  readonly message: string
  /** The module that it is about; undefined for the whole package. */
  readonly module: string | undefined
  /** The definition in that module, such as `template Iou, choice Transfer`. */
  readonly subject: string
  /** The changes, one line each, with the types before and after. */
  readonly changes: readonly string[]
}

/** `subject` for people: where the reference says "input type of choice", they look for the choice. */
export function subjectOf(origin: Origin, name: string): string {
  switch (origin.kind) {
    case 'template':
      return `template ${origin.template}`
    case 'choice':
      return `template ${origin.template}, choice ${origin.choice}`
    case 'constructor':
      return `data type ${origin.variant}, constructor ${name.slice(name.lastIndexOf('.') + 1)}`
    case 'data':
      return `data type ${origin.name}`
  }
}

/** A type before and after. Two versions of one type look alike, so the ids of their packages tell them apart. */
export function typeChange(past: Type, present: Type, module: string): string {
  const [before, after] = [renderType(past, module), renderType(present, module)]
  if (before !== after) return `${before} → ${after}`
  const [older, newer] = [identifiersIn(past), identifiersIn(present)]
  const index = older.findIndex((id, i) => id.packageId !== newer[i]?.packageId)
  if (index < 0 || newer[index] === undefined) return `${before}, which cannot be upgraded`
  const { module: home, name } = older[index]!
  return `${before}, whose ${home}:${name} is of package ${newer[index].packageId} instead of ${older[index]!.packageId}`
}

function identifiersIn(type: Type): Identifier[] {
  const found: Identifier[] = []
  const pending = [type]
  for (let next = pending.pop(); next !== undefined && found.length < 1_000; next = pending.pop()) {
    if (next.kind === 'constructor' || next.kind === 'synonym') found.push(next.id)
    if ('args' in next) pending.push(...next.args)
  }
  return found
}
