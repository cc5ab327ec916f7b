// The contract between the compiler and a transaction. The compiler produces templates and interfaces as functions over
// run-time values, with the few facts that ledger effects need. The transaction implements the effects that this code
// calls. Neither knows how the other works.
import type { Identifier, Minor, Type } from '../../lf/syntax/ast.ts'
import type { Any, ContractId, Int64, LfRecord, LfValue, List, RecordType } from '../../lf/values/values.ts'

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
  /** Keyed by `package:module:name` of the interface. */
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
  /** The identifier as text, by which templates know their instances. */
  readonly key: string
  readonly package: PackageFacts
  readonly viewType: Type
  readonly requires: readonly Identifier[]
  readonly choices: ReadonlyMap<string, ChoiceCode>
}

export type Code = {
  template(id: Identifier): TemplateCode
  interface(id: Identifier): InterfaceCode
  /** Computes the message of a value of an exception type. */
  exceptionMessage(type: Identifier, exception: LfValue): string
}

/** What a running update may do to its transaction. */
export type Effects = {
  create(template: TemplateCode, contract: LfRecord): ContractId
  exercise(template: TemplateCode, choice: string, id: ContractId, argument: LfValue): LfValue
  exerciseInterface(of: InterfaceCode, choice: string, id: ContractId, argument: LfValue): LfValue
  exerciseByKey(template: TemplateCode, choice: string, key: LfValue, argument: LfValue): LfValue
  fetch(template: TemplateCode, id: ContractId): LfRecord
  /** The record of the template that implements the interface. */
  fetchInterface(of: InterfaceCode, id: ContractId): LfRecord
  /** A stable `DA.Types:Tuple2` of contract id and contract. */
  fetchByKey(template: TemplateCode, key: LfValue): LfValue
  queryByKey(template: TemplateCode, count: Int64, key: LfValue): LfValue
  getTime(): Int64
  isBefore(time: Int64): boolean
  /** Runs `body` and passes what it throws to `handler`, which returns an Optional Update: None lets it propagate. */
  tryCatch(body: Update, handler: (exception: Any) => LfValue): LfValue
}
