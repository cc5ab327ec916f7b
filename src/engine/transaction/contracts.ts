// Contracts in a running transaction: as the ledger stored them, and as the code of a template sees them.
import type { Identifier, Type } from '../../lf/syntax/ast.ts'
import { asBool, KindError } from '../../lf/values/kinds.ts'
import type { Int64, LfRecord, LfValue } from '../../lf/values/values.ts'
import type { Code, KeyCode, TemplateCode } from '../code/code.ts'
import { uncatchable } from '../code/evaluation-failures.ts'
import { someContractId } from '../values/ledger-values.ts'
import type { TypedValue } from '../values/typed-value.ts'
import type { CheckValue } from '../values/value-check.ts'
import type { ValueText } from '../values/value-text.ts'
import {
  authenticationFailed,
  type Compared,
  contractIdInKey,
  preconditionViolated,
  validationFailed,
  wronglyTyped,
} from './effect-failures.ts'
import type { ContractKey } from './nodes.ts'
import { difference, isSame, nobody, type Parties, partiesFromList, union } from './parties.ts'

/** A contract of an earlier transaction. Sets of parties are sorted. */
export type StoredContract = {
  readonly id: string
  readonly templateId: Identifier
  readonly packageName: string
  /** A value of the record type of `templateId`. */
  readonly argument: LfRecord
  readonly signatories: Parties
  readonly stakeholders: Parties
  readonly key: ContractKey | undefined
  /** Given with the command, so the submitters may see it. */
  readonly isDisclosed?: boolean
  /** Ledger time of its creation; undefined for a contract of the same transaction. */
  readonly createdAt?: Int64 | undefined
}

/** A contract with everything its template says about it. */
export type Contract = {
  readonly template: TemplateCode
  readonly argument: LfRecord
  readonly signatories: Parties
  readonly observers: Parties
  readonly stakeholders: Parties
  readonly key: ContractKey | undefined
}

export type ContractRules = {
  readonly code: Code
  /** In hex; covers the package's name, the template's name, and the key. */
  readonly hashKey: (template: TemplateCode, key: TypedValue) => string
  readonly convert: (from: ContractSource, to: TemplateCode) => LfRecord
  /** Whether the contract id commits to this argument, or would, for a contract of this transaction. */
  readonly isAuthentic: (contract: StoredContract, argument: LfRecord, template: TemplateCode) => boolean
  readonly textOf: ValueText
  readonly checkValue: CheckValue
}

/** What is converted: a stored contract, or one that this transaction created under another version. */
export type ContractSource = Omit<StoredContract, 'isDisclosed'>

const typesOfTemplates = new WeakMap<Identifier, Type>()

/** One type object per template, so that codecs find it in their caches. */
export function typeOfTemplate(id: Identifier): Type {
  let type = typesOfTemplates.get(id)
  if (type === undefined) {
    type = { kind: 'constructor', id, args: [] }
    typesOfTemplates.set(id, type)
  }
  return type
}

export function argumentOf({ template, argument }: Pick<Contract, 'template' | 'argument'>): TypedValue {
  return { type: typeOfTemplate(template.id), value: argument }
}

/**
 * Asks the template about the contract, in the order that decides which of several errors is reported. What the parts
 * throw can be caught when a contract is created, but not when it already exists: see `readContract`.
 */
export function describeContract(template: TemplateCode, argument: LfRecord, rules: ContractRules): Contract {
  if (!asBool(template.precondition(argument))) {
    throw preconditionViolated(template, argumentOf({ template, argument }), rules.textOf)
  }
  const signatories = partiesFromList(template.signatories(argument))
  const observers = partiesFromList(template.observers(argument))
  let key: ContractKey | undefined
  if (template.key !== undefined) {
    const value = template.key.of(argument)
    key = keyWith(template, value, maintainersOf(template, value), rules)
  }
  return { template, argument, signatories, observers, stakeholders: union(signatories, observers), key }
}

/** There may be none. */
export function maintainersOf(template: TemplateCode, key: LfValue): Parties {
  return partiesFromList(keyCodeOf(template).maintainers(key))
}

export function keyWith(
  template: TemplateCode,
  value: LfValue,
  maintainers: Parties,
  rules: ContractRules,
): ContractKey {
  const typed = { type: keyCodeOf(template).type, value }
  rules.checkValue(value, typed.type)
  const id = someContractId(value)
  if (id !== undefined) throw contractIdInKey(id)
  return { ...typed, hash: rules.hashKey(template, typed), maintainers }
}

function keyCodeOf(template: TemplateCode): KeyCode {
  if (template.key === undefined) throw new KindError(`${template.id.name} has no key`)
  return template.key
}

/** An existing contract as the template sees it: converted, described anew and compared with what is stored. */
export function readContract(source: ContractSource, template: TemplateCode, rules: ContractRules): Contract {
  const { id, templateId } = source
  if (templateId.module !== template.id.module || templateId.name !== template.id.name) {
    throw wronglyTyped(id, template.id, templateId)
  }
  const isSameVersion = templateId.packageId === template.id.packageId
  const argument = isSameVersion ? source.argument : rules.convert(source, template)
  const contract = uncatchable(() => describeContract(template, argument, rules), rules.code)
  const compared: Compared = {
    id,
    from: templateId,
    to: template.id,
    fromPackageName: source.packageName,
    toPackageName: template.package.name,
    original: { ...source, observers: difference(source.stakeholders, source.signatories) },
    recomputed: contract,
  }
  if (!isUnchanged(source, contract)) throw validationFailed(compared, rules.textOf)
  return contract
}

/** Observers may lose parties that are signatories anyway, so stakeholders are compared. */
function isUnchanged(source: ContractSource, contract: Contract): boolean {
  return (
    isSame(source.signatories, contract.signatories) &&
    isSame(source.stakeholders, contract.stakeholders) &&
    isSame(source.key?.maintainers ?? nobody, contract.key?.maintainers ?? nobody) &&
    source.key?.hash === contract.key?.hash &&
    source.packageName === contract.template.package.name
  )
}

export function authenticate(stored: StoredContract, contract: Contract, rules: ContractRules): void {
  if (rules.isAuthentic(stored, contract.argument, contract.template)) return
  throw authenticationFailed(stored.id, stored.templateId, contract.template, argumentOf(contract), rules.textOf)
}
