// A running transaction, as its effects share it: the rules, the contracts, and where the next node goes.
import type { Int64 } from '../../lf/values/values.ts'
import type { Code, Effects } from '../code/code.ts'
import type { CheckValue } from '../values/value-check.ts'
import type { ValueText } from '../values/value-text.ts'
import type { ContractReader } from './contract-reader.ts'
import type { ContractState } from './contract-state.ts'
import type { ContractRules } from './contracts.ts'
import type { NodeTree, TimeBounds } from './nodes.ts'
import type { Scope } from './scopes.ts'

export type Running = {
  readonly code: Code
  readonly rules: ContractRules
  readonly textOf: ValueText
  readonly checkValue: CheckValue
  readonly ledgerTime: Int64
  readonly preparationTime: Int64
  readonly state: ContractState
  readonly reader: ContractReader
  /** The effects that the code of choices calls. */
  readonly effects: Effects
  scope: Scope
  /** The number that the next node gets in errors. */
  nextNode: number
  timeBounds: TimeBounds
}

/** The approximate cost of a node besides the code of its template, in calls. */
export const nodeSteps = 500

export function addAction({ scope }: Running, node: NodeTree): void {
  scope.children.push(node)
  scope.nextChild += 1
}

export function closeExercise(running: Running): void {
  const node = running.scope.exercise!
  running.scope = running.scope.parent!
  addAction(running, node)
}
