// A running transaction and what its code does to it: creates, fetches, exercises, and tries that can be undone.
import type { Identifier } from '../../lf/syntax/ast.ts'
import { asRecordOf, contentOf, KindError } from '../../lf/values/kinds.ts'
import { type Any, ContractId, type Int64, type LfRecord, type LfValue } from '../../lf/values/values.ts'
import { asUpdate } from '../code/apply.ts'
import type { ChoiceCode, Code, Effects, InterfaceCode, TemplateCode, Update } from '../code/code.ts'
import { uncatchable } from '../code/evaluation-failures.ts'
import { DamlException } from '../failures/failures.ts'
import { steps } from '../failures/steps.ts'
import type { CheckValue } from '../values/value-check.ts'
import type { ValueText } from '../values/value-text.ts'
import { authorizeCreate, authorizeExercise, authorizeFetch } from './authority.ts'
import type { ContractReader } from './contract-reader.ts'
import type { ContractState } from './contract-state.ts'
import { argumentOf, type Contract, type ContractRules, describeContract } from './contracts.ts'
import { createWithoutMaintainers } from './effect-failures.ts'
import { type Create, type NodeTree, type TimeBounds, unnumbered } from './nodes.ts'
import { partiesFromList } from './parties.ts'
import { rollbackOf } from './rollback.ts'
import { type Exercising, exerciseScope, nextSeed, type Scope, tryScope } from './scopes.ts'
import { localContractId } from './seeds.ts'

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

// ── Create

export function create(running: Running, template: TemplateCode, argument: LfRecord): ContractId {
  steps.charge(nodeSteps)
  const contract = describeContract(template, asRecordOf(template.type, argument), running.rules)
  const { key, signatories, stakeholders } = contract
  const typed = argumentOf(contract)
  if (key !== undefined && key.maintainers.length === 0) {
    throw createWithoutMaintainers(template, typed, key, running.textOf)
  }
  const seed = nextSeed(running.scope)
  const id = localContractId(seed.bytes, running.preparationTime, stakeholders)
  running.checkValue(argument, typed.type)
  const node: Create & NodeTree = {
    kind: 'create',
    contractId: id,
    packageName: template.package.name,
    templateId: template.id,
    argument: typed,
    signatories,
    stakeholders,
    key,
    seed,
    id: unnumbered,
    lastDescendantId: unnumbered,
  }
  authorizeCreate(running.nextNode, node, running.scope.authority)
  running.nextNode += 1
  running.state.create(node, contract)
  addAction(running, node)
  return new ContractId(id)
}

// ── Fetch

export type Fetching = {
  readonly id: string
  readonly contract: Contract
  readonly interfaceId: Identifier | undefined
  readonly isByKey: boolean
}

export function fetch(running: Running, { id, contract, interfaceId, isByKey }: Fetching): LfRecord {
  steps.charge(nodeSteps)
  const { template, signatories, stakeholders, key } = contract
  running.reader.use(id, contract)
  const actors = authorizeFetch(running.nextNode, template.id, stakeholders, running.scope.authority)
  running.nextNode += 1
  addAction(running, {
    kind: 'fetch',
    contractId: id,
    packageName: template.package.name,
    templateId: template.id,
    interfaceId,
    isByKey,
    actors,
    signatories,
    stakeholders,
    key,
    id: unnumbered,
    lastDescendantId: unnumbered,
  })
  return contract.argument
}

// ── Exercise

export function exercise(running: Running, exercising: Exercising): LfValue {
  steps.charge(nodeSteps)
  const { code, checkValue, scope, nextNode } = running
  const { id, contract, choice, argument } = exercising
  const actors = uncatchable(() => partiesFromList(choice.controllers(contract.argument, argument)), code)
  const choiceObservers = uncatchable(() => partiesFromList(choice.observers(contract.argument, argument)), code)
  checkValue(argument, choice.argumentType)
  const opened = exerciseScope(scope, exercising, { actors, choiceObservers }, nextNode)
  running.reader.use(id.text, contract)
  if (choice.isConsuming) running.state.archive(opened.exercise, nextNode)
  authorizeExercise(nextNode, contract.template.id, actors, scope.authority)
  running.nextNode += 1
  running.scope = opened
  const result = asUpdate(choice.update(id, contract.argument, argument))(running.effects)
  checkValue(result, choice.returnType)
  opened.exercise.result = { type: choice.returnType, value: result }
  closeExercise(running)
  return result
}

export function choiceOf(of: TemplateCode | InterfaceCode, name: string): ChoiceCode {
  const choice = of.choices.get(name)
  if (choice === undefined) throw new KindError(`${of.id.name} has no choice ${name}`)
  return choice
}

// ── Try

export function tryCatch(running: Running, body: Update, handler: (exception: Any) => LfValue): LfValue {
  steps.charge(nodeSteps)
  const { state, scope: outer, effects } = running
  const mark = state.mark()
  const tried = tryScope(outer, running.nextNode)
  running.nextNode += 1
  running.scope = tried
  let thrown: DamlException
  try {
    const result = body(effects)
    for (const child of tried.children) outer.children.push(child)
    outer.nextChild = tried.nextChild
    running.scope = outer
    return result
  } catch (error) {
    if (!(error instanceof DamlException)) throw error
    thrown = error
  }
  state.rollBack(mark)
  while (running.scope !== tried) closeExercise(running)
  running.scope = outer
  outer.nextChild = tried.nextChild
  outer.children.push(rollbackOf(tried.children))
  const handling = contentOf(handler(thrown.exception))
  if (handling === undefined) throw thrown
  return asUpdate(handling)(effects)
}
