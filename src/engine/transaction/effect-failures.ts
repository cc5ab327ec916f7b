// The failures of ledger effects, with Canton's texts (Pretty.scala, prettyDamlException) and the resources of its
// errors (CommandExecutionErrors.scala) as details. As with every Failure, the engine's edge adds Canton's
// `Interpretation error: Error: ` where its texts have it: everywhere but before CONTRACT_NOT_FOUND and
// CONTRACT_KEY_NOT_FOUND (Error.scala, DamlException).

import type { TranslationError } from '../../lf/codec/translation.ts'
import type { Identifier } from '../../lf/syntax/ast.ts'
import { fullName, shownIdentifier } from '../../lf/syntax/names.ts'
import type { TemplateCode } from '../code/code.ts'
import { Failure } from '../failures/failures.ts'
import type { TypedValue } from '../values/typed-value.ts'
import type { ValueText } from '../values/value-text.ts'
import type { ContractKey } from './nodes.ts'
import type { Parties } from './parties.ts'
import type { UndoneNode } from './undone-order.ts'

export function contractNotFound(id: string): Failure {
  return new Failure('CONTRACT_NOT_FOUND', `Contract could not be found with id ${id}`, { CONTRACT_ID: id })
}

export function contractNotActive(id: string, templateId: Identifier, consumedBy: number): Failure {
  return new Failure(
    'CONTRACT_NOT_ACTIVE',
    `Update failed due to fetch of an inactive contract ${id} (${shownIdentifier(templateId)}).\n` +
      `The contract had been consumed in sub-transaction #NodeId(${consumedBy}):`,
    { TEMPLATE_ID: fullName(templateId), CONTRACT_ID: id },
  )
}

export function wronglyTyped(id: string, expected: Identifier, actual: Identifier): Failure {
  return new Failure(
    'WRONGLY_TYPED_CONTRACT',
    `Update failed due to wrongly typed contract id ${id}\n` +
      `Expected contract of type ${shownIdentifier(expected)} but got ${shownIdentifier(actual)}`,
    { CONTRACT_ID: id, TEMPLATE_ID: fullName(expected), actualTemplateId: fullName(actual) },
  )
}

export function doesNotImplement(id: string, interfaceId: Identifier, templateId: Identifier): Failure {
  return new Failure(
    'CONTRACT_DOES_NOT_IMPLEMENT_INTERFACE',
    `Update failed due to contract ${id} not implementing an interface\n` +
      `Expected contract to implement interface ${shownIdentifier(interfaceId)} but contract has type ${shownIdentifier(templateId)}`,
    { CONTRACT_ID: id, TEMPLATE_ID: fullName(templateId), INTERFACE_ID: fullName(interfaceId) },
  )
}

export function unresolvedPackageName(packageName: string): Failure {
  const text = `Update failed due to a failed package name resolution: ${packageName}`
  return new Failure('UNRESOLVED_PACKAGE_NAME', text, { PACKAGE_NAME: packageName })
}

export function preconditionViolated(template: TemplateCode, argument: TypedValue, textOf: ValueText): Failure {
  return new Failure(
    'TEMPLATE_PRECONDITION_VIOLATED',
    `Update failed due to precondition violation when creating ${shownIdentifier(template.id)} with ${textOf(argument, 'typed')}`,
    { TEMPLATE_ID: fullName(template.id) },
  )
}

// ── Keys

export function createWithoutMaintainers(
  template: TemplateCode,
  argument: TypedValue,
  key: TypedValue,
  textOf: ValueText,
): Failure {
  return new Failure(
    'CREATE_EMPTY_CONTRACT_KEY_MAINTAINERS',
    'Update failed due to a contract key with an empty set of maintainers when creating ' +
      `${shownIdentifier(template.id)} with ${textOf(argument, 'ledger')}\nThe computed key is ${textOf(key, 'ledger')}`,
    { TEMPLATE_ID: fullName(template.id), CONTRACT_ARG: textOf(argument, 'resource') },
  )
}

export function fetchWithoutMaintainers(template: TemplateCode, key: TypedValue, textOf: ValueText): Failure {
  return new Failure(
    'FETCH_EMPTY_CONTRACT_KEY_MAINTAINERS',
    'Update failed due to a contract key with an empty set of maintainers when fetching or looking up by key ' +
      `${template.package.name} / ${shownIdentifier(template.id)}\nThe provided shared key is ${textOf(key, 'ledger')}`,
    keyDetails(template, key, textOf),
  )
}

export function contractIdInKey(id: string): Failure {
  const text = `Contract IDs are not supported in contract keys: ${id}`
  return new Failure('CONTRACT_ID_IN_CONTRACT_KEY', text, { CONTRACT_ID: id })
}

export function keyNotFound(template: TemplateCode, key: ContractKey, textOf: ValueText): Failure {
  const { id, package: pkg } = template
  return new Failure(
    'CONTRACT_KEY_NOT_FOUND',
    `dependency error: couldn't find key: GlobalKey(${fullName(id)}, ${pkg.name}, ${textOf(key, 'key')}, Hash(${key.hash}))`,
    keyDetails(template, key, textOf),
  )
}

export function inconsistentKey(template: TemplateCode, key: ContractKey, textOf: ValueText): Failure {
  const text = `Update failed due to an inconsistent contract key ${textOf(key, 'ledger')}`
  return new Failure('INCONSISTENT_CONTRACT_KEY', text, keyDetails(template, key, textOf))
}

function keyDetails({ id, package: pkg }: TemplateCode, key: TypedValue, textOf: ValueText): Record<string, string> {
  return { TEMPLATE_ID: fullName(id), CONTRACT_KEY: textOf(key, 'resource'), PACKAGE_NAME: pkg.name }
}

// ── Stored contracts

type Metadata = { readonly signatories: Parties; readonly observers: Parties; readonly key: ContractKey | undefined }

export type Compared = {
  readonly id: string
  readonly from: Identifier
  readonly to: Identifier
  readonly fromPackageName: string
  readonly toPackageName: string
  readonly original: Metadata
  readonly recomputed: Metadata
}

export function validationFailed(compared: Compared, textOf: ValueText): Failure {
  const { id, from, to, original, recomputed } = compared
  const lines = [
    `Validation fails when trying to upgrade the contract ${id} from ${shownIdentifier(from)} to ${shownIdentifier(to)}`,
    "Verify that neither the signatories, nor the observers, nor the contract key, nor the key's maintainers, nor the package name have changed",
    `original package name is ${compared.fromPackageName}`,
    `original signatories are ${braced(original.signatories)}`,
    `original observers are ${braced(original.observers)}`,
    `target package name is ${compared.toPackageName}`,
    `recomputed signatories are ${braced(recomputed.signatories)}`,
    `recomputed observers are ${braced(recomputed.observers)}`,
    ...keyLines('original', original.key, textOf),
    ...keyLines('recomputed', recomputed.key, textOf),
  ]
  return new Failure('INTERPRETATION_UPGRADE_ERROR_VALIDATION_FAILED', lines.join('\n'), {
    CONTRACT_ID: id,
    TEMPLATE_ID: fullName(from),
    targetTemplateId: fullName(to),
    PACKAGE_NAME: compared.fromPackageName,
    targetPackageName: compared.toPackageName,
    ...metadataDetails('original', original, compared.fromPackageName, textOf),
    ...metadataDetails('recomputed', recomputed, compared.toPackageName, textOf),
  })
}

function metadataDetails(
  which: 'original' | 'recomputed',
  { signatories, observers, key }: Metadata,
  packageName: string,
  textOf: ValueText,
): Record<string, string> {
  return {
    [`${which}Signatories`]: signatories.join(','),
    [`${which}Observers`]: observers.join(','),
    [`${which}Key`]: key === undefined ? 'NULL' : textOf(key, 'resource'),
    [`${which}KeyPackage`]: key === undefined ? 'NULL' : packageName,
    [`${which}Maintainers`]: key === undefined ? 'NULL' : key.maintainers.join(','),
  }
}

/** An absent key leaves an empty line, as in Canton. */
function keyLines(which: string, key: ContractKey | undefined, textOf: ValueText): string[] {
  if (key === undefined) return ['']
  return [`${which} maintainers are ${braced(key.maintainers)}`, `${which} key is ${textOf(key, 'ledger')}`]
}

export type Untranslatable = {
  readonly id: string | undefined
  readonly from: Identifier
  readonly to: Identifier
  readonly argument: TypedValue
  readonly error: TranslationError
}

/** Blanks as in Canton. */
export function translationFailed({ id, from, to, argument, error }: Untranslatable, textOf: ValueText): Failure {
  const { expected, isUnknownConstructor, isAboutValue, part } = error
  const reason = isAboutValue ? `${error.reason} and value: ${textOf(part, 'key')}` : error.reason
  const mismatch = [`  Expected type: ${expected}`, `  Actual value: ${textOf(part, 'ledger')}`]
  const lines = [
    `Translation of ${id === undefined ? 'a contract' : `contract ${id}`} to a value of type ${shownIdentifier(to)} fails.`,
    ...(isUnknownConstructor ? [`Reason: ${reason}`] : [`Reason: Type-checking fails  ${reason}`, ...mismatch]),
    `The contract is purportedly an instance of ${shownIdentifier(from)}`,
    `Its contract argument is:  ${textOf(argument, 'ledger')}`,
  ]
  return new Failure('INTERPRETATION_UPGRADE_ERROR_TRANSLATION_FAILED', lines.join('\n'), {
    NULLABLE_CONTRACT_ID: id ?? 'NULL',
    TEMPLATE_ID: fullName(from),
    targetTemplateId: fullName(to),
    CONTRACT_ARG: textOf(argument, 'resource'),
  })
}

export function authenticationFailed(
  id: string,
  from: Identifier,
  template: TemplateCode,
  argument: TypedValue,
  textOf: ValueText,
): Failure {
  return new Failure(
    'INTERPRETATION_UPGRADE_ERROR_AUTHENTICATION_FAILED',
    `Error when authenticating contract ${id} against template ${shownIdentifier(template.id)} : failed to authenticate contract\n` +
      `The contract is purportedly an instance of ${shownIdentifier(from)}\n` +
      `The contract argument is ${textOf(argument, 'ledger')}`,
    {
      CONTRACT_ID: id,
      TEMPLATE_ID: fullName(from),
      targetTemplateId: fullName(template.id),
      CONTRACT_ARG: textOf(argument, 'resource'),
    },
  )
}

// ── Rollback

export function effectfulRollback(undone: readonly UndoneNode[]): Failure {
  const texts = undone.map((node) => {
    const contract = `${shownIdentifier(node.templateId)} ( ${node.contractId} )`
    if (node.kind === 'create') return `Create of ${contract}`
    return `Consuming ${node.isByKey ? 'exercise by key' : 'exercise'} of ${node.choice} on ${contract}`
  })
  return new Failure('DAML_EFFECTFUL_ROLLBACK_ERROR', `Tried to rollback side-effectful node(s): ${texts.join(', \n')}`)
}

function braced(parties: Parties): string {
  return `{ ${parties.map((party) => `'${party}'`).join(',')} }`
}
