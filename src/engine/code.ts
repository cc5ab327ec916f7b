// What compilation makes of templates and interfaces: functions over run-time values, and the few facts that ledger
// effects need beside them. The compiler produces it; effects use it and know nothing of how it came about.
import type { Identifier, Type } from '../lf/ast.ts'
import type { Minor } from '../lf/language-version.ts'
import type { ContractId, LfRecord, LfValue, List, RecordType } from '../lf/values.ts'
import type { Effects } from './effects.ts'

/** Running it adds to the transaction; building it does nothing. */
export type Update = (effects: Effects) => LfValue

export type PackageFacts = {
  readonly id: string
  readonly name: string
  readonly version: string
  readonly minor: Minor
}

/** Parties are a Daml list of texts; it may hold duplicates. */
export type TemplateCode = {
  readonly id: Identifier
  readonly package: PackageFacts
  readonly type: RecordType
  precondition(contract: LfRecord): boolean
  signatories(contract: LfRecord): List
  observers(contract: LfRecord): List
  readonly key: KeyCode | undefined
  readonly choices: ReadonlyMap<string, ChoiceCode>
  /** By `package:module:name` of the interface. */
  readonly instances: ReadonlyMap<string, InstanceCode>
}

export type KeyCode = {
  readonly type: Type
  of(contract: LfRecord): LfValue
  maintainers(key: LfValue): List
}

export type ChoiceCode = {
  readonly name: string
  readonly isConsuming: boolean
  readonly argumentType: Type
  readonly returnType: Type
  controllers(contract: LfRecord, argument: LfValue): List
  observers(contract: LfRecord, argument: LfValue): List
  update(self: ContractId, contract: LfRecord, argument: LfValue): Update
}

export type InstanceCode = {
  readonly methods: ReadonlyMap<string, (contract: LfRecord) => LfValue>
  view(contract: LfRecord): LfValue
}

export type InterfaceCode = {
  readonly id: Identifier
  readonly package: PackageFacts
  readonly viewType: Type
  readonly requires: readonly Identifier[]
  readonly choices: ReadonlyMap<string, ChoiceCode>
}

export type Code = {
  template(id: Identifier): TemplateCode
  interface(id: Identifier): InterfaceCode
  /** Where a value of an exception type gets its message from. */
  exceptionMessage(type: Identifier, exception: LfValue): string
}
