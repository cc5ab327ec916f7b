// What a running update may do to the transaction it belongs to. Compiled code calls it; transaction.ts implements it.
import type { Any, ContractId, Int64, LfRecord, LfValue } from '../lf/values.ts'
import type { InterfaceCode, TemplateCode, Update } from './code.ts'

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
  /** Runs `body`; what it throws goes to `handler`, which answers an Optional Update: none lets it go on. */
  tryCatch(body: Update, handler: (exception: Any) => LfValue): LfValue
}
