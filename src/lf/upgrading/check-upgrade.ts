// Decides whether a package can upgrade another of its name. Mirrors TypecheckUpgrades of Canton's Upgrading.scala: the
// first problem is the one that the reference reports; the others are for people who want to see all of them.
import { hashOfText } from '../../base/scala-hashes.ts'
import type { Choice, Module, Package, Template, TemplateKey } from '../syntax/ast.ts'
import { fullName } from '../syntax/names.ts'
import { createTypeComparison, type PackageNames, type TypeComparison } from './compare-types.ts'
import { dataTypeProblems } from './data-type-check.ts'
import { type Both, common, deleted, type ModuleView, modulesOf, moduleView, referenceMap } from './module-view.ts'
import { ruleTexts, typeChange, type UpgradeProblem } from './problems.ts'

/** All problems, the reference's first. `names` must know the packages that the two refer to, and the two. */
export function* upgradeProblems(past: Package, present: Package, names: PackageNames): Generator<UpgradeProblem> {
  const types = createTypeComparison(names)
  yield* versionProblems(past, present)
  const [before, after] = [modulesOf(past), modulesOf(present)]
  for (const name of deleted(before, after).keys()) {
    yield problem('MissingModule', ruleTexts.MissingModule(name), undefined, `module ${name}`, ['removed'])
  }
  for (const modules of common(before, after).values()) yield* moduleProblems(modules, types)
}

/** The reference's verdict in its words; undefined if the package is an upgrade. */
export function upgradeProblem(past: Package, present: Package, names: PackageNames): string | undefined {
  const first = upgradeProblems(past, present, names).next()
  return first.done ? undefined : first.value.message
}

function* versionProblems(past: Package, present: Package): Generator<UpgradeProblem> {
  const [before, after] = [past.languageVersion, present.languageVersion]
  if (before <= after) return
  const message = ruleTexts.DecreasingLfVersion(before, after)
  yield problem('DecreasingLfVersion', message, undefined, 'the package', [`LF version: ${before} → ${after}`])
}

function* moduleProblems({ past, present }: Both<Module>, types: TypeComparison): Generator<UpgradeProblem> {
  const [before, after] = [moduleView(past), moduleView(present)]
  const module = before.name
  for (const name of deleted(before.templates, after.templates).keys()) {
    yield problem('MissingTemplate', ruleTexts.MissingTemplate(name), module, `template ${name}`, ['removed'])
  }
  for (const templates of common(before.templates, after.templates).values()) {
    yield* templateProblems(templates, module, types)
  }
  yield* instanceProblems(before, after)
  for (const [name, { isSerializable }] of deleted(before.dataTypes, after.dataTypes)) {
    if (!isSerializable) continue
    yield problem('MissingDataCon', ruleTexts.MissingDataCon(name), module, `data type ${name}`, ['removed'])
  }
  for (const dataTypes of common(before.dataTypes, after.dataTypes).values()) {
    const { name } = dataTypes.past
    const origins = { past: before.originOf(name), present: after.originOf(name) }
    yield* dataTypeProblems({ module, dataTypes, origins, types })
  }
}

function* instanceProblems(past: ModuleView, present: ModuleView): Generator<UpgradeProblem> {
  for (const { template, interface: id } of deleted(past.instances, present.instances).values()) {
    const message = ruleTexts.MissingImplementation(template, fullName(id))
    const change = `interface instance of ${id.module}:${id.name} removed (package ${id.packageId})`
    yield problem('MissingImplementation', message, past.name, `template ${template}`, [change])
  }
}

function* templateProblems(
  { past, present }: Both<Template>,
  module: string,
  types: TypeComparison,
): Generator<UpgradeProblem> {
  const template = past.name
  const [before, after] = [referenceMap(past.choices, hashOfText), referenceMap(present.choices, hashOfText)]
  for (const name of deleted(before, after).keys()) {
    const subject = `template ${template}, choice ${name}`
    yield problem('MissingChoice', ruleTexts.MissingChoice(name), module, subject, ['removed'])
  }
  for (const choices of common(before, after).values()) yield* choiceProblems(choices, template, module, types)
  yield* keyProblems(template, { past: past.key, present: present.key }, module, types)
}

function* choiceProblems(
  { past, present }: Both<Choice>,
  template: string,
  module: string,
  types: TypeComparison,
): Generator<UpgradeProblem> {
  if (types.isSame(past.returnType, present.returnType)) return
  const message = ruleTexts.ChoiceChangedReturnType(present.name)
  const change = `return type: ${typeChange(past.returnType, present.returnType, module)}`
  yield problem('ChoiceChangedReturnType', message, module, `template ${template}, choice ${present.name}`, [change])
}

function* keyProblems(
  template: string,
  { past, present }: Both<TemplateKey | undefined>,
  module: string,
  types: TypeComparison,
): Generator<UpgradeProblem> {
  const subject = `template ${template}`
  if (past !== undefined && present !== undefined) {
    if (types.isSame(past.type, present.type)) return
    const change = `key type: ${typeChange(past.type, present.type, module)}`
    yield problem('TemplateChangedKeyType', ruleTexts.TemplateChangedKeyType(template), module, subject, [change])
  } else if (past !== undefined) {
    yield problem('TemplateRemovedKey', ruleTexts.TemplateRemovedKey(template), module, subject, ['key removed'])
  } else if (present !== undefined) {
    yield problem('TemplateAddedKey', ruleTexts.TemplateAddedKey(template), module, subject, ['key added'])
  }
}

function problem(
  rule: UpgradeProblem['rule'],
  message: string,
  module: string | undefined,
  subject: string,
  changes: readonly string[],
): UpgradeProblem {
  return { rule, message, module, subject, changes }
}
