// What a running update does to its transaction (Canton: PartialTransaction.scala, SBuiltinFun.scala). effects.ts has each
// effect with its checks in their order and the node it adds.
//
// Nothing is cleaned up when a failure ends the command: the exercises still open are where it happened.
import { asContractId, asTimestamp } from '../../lf/values/kinds.ts'
import { type Any, ContractId, type Int64, type LfRecord, type LfValue } from '../../lf/values/values.ts'
import type { Code, Effects, InterfaceCode, TemplateCode, Update } from '../code/code.ts'
import type { TypedValue } from '../values/typed-value.ts'
import type { CheckValue } from '../values/value-check.ts'
import { noValueText, type ValueText } from '../values/value-text.ts'
import { ContractReader } from './contract-reader.ts'
import { ContractState } from './contract-state.ts'
import type { ContractRules, StoredContract } from './contracts.ts'
import { inconsistentKey } from './effect-failures.ts'
import type { Running } from './effects.ts'
import { choiceOf, create, exercise, fetch, tryCatch } from './effects.ts'
import { firstWithKey, pair, queryByKey } from './keys.ts'
import { type ContractKey, type Node, packagesOf, type TimeBounds } from './nodes.ts'
import type { OpenExercise } from './open-exercises.ts'
import { normaliseRollbacks, numberNodes } from './rollback.ts'
import { openExercises, rootScope, type Scope } from './scopes.ts'
import type { LazySeed, Seed } from './seeds.ts'
import { soFar } from './so-far.ts'
import { allTime, exactly, narrowed } from './time-bounds.ts'

export type TransactionSettings = {
  readonly code: Code
  /** The submitters, who authorize the root nodes. */
  readonly actAs: readonly string[]
  /** Other parties whose contracts may be used. */
  readonly readAs: readonly string[]
  readonly ledgerTime: Int64
  /** Goes into the discriminators of contract ids; mostly the ledger time. */
  readonly preparationTime: Int64
  /** See `transactionSeed`. */
  readonly seed: LazySeed
  /** Seeds of the first root nodes, where they are replayed: those of others derive from `seed`. */
  readonly rootSeeds?: readonly Seed[] | undefined
  /** Finds any active contract; whether the submitters may see it is decided here. */
  readonly lookUpContract: (id: string) => StoredContract | undefined
  /** All active contracts with the key, in the ledger's order; read no further than needed. */
  readonly lookUpKey: (key: ContractKey) => Iterable<StoredContract>
  readonly hashKey: (template: TemplateCode, key: TypedValue) => string
  /** The id of the package version that interfaces use. */
  readonly preferredPackage: (packageName: string) => string | undefined
  readonly convert: ContractRules['convert']
  readonly isAuthentic?: ContractRules['isAuthentic'] | undefined
  readonly textOf?: ValueText
  /** Decides which values may become part of the transaction. */
  readonly checkValue?: CheckValue
  /** Whether a try that created or archived contracts may be undone. */
  readonly undoesEffects?: boolean
}

export type Transaction = {
  /** A node's id is its index. */
  readonly nodes: readonly Node[]
  readonly roots: readonly number[]
  /** In the order of their first use. */
  readonly inputContracts: readonly StoredContract[]
  readonly keyInputs: readonly { readonly hash: string; readonly ids: readonly string[] }[]
  /** The packages of the nodes, sorted, without their dependencies. */
  readonly packages: readonly string[]
  readonly timeBounds: TimeBounds
}

export type RunningTransaction = {
  readonly effects: Effects
  finish(): Transaction
  /** Innermost first. */
  openExercises(): readonly OpenExercise[]
  /** What the present command has done, as text; undefined if no exercise is under way. */
  soFar(): string | undefined
}

export function createTransaction(settings: TransactionSettings): RunningTransaction {
  const textOf = settings.textOf ?? noValueText
  const rules: ContractRules = {
    code: settings.code,
    hashKey: settings.hashKey,
    convert: settings.convert,
    isAuthentic: settings.isAuthentic ?? always,
    textOf,
    checkValue: settings.checkValue ?? always,
  }
  const state = new ContractState({
    contractsWithKey: (key) => reader.contractsWithKey(key),
    inconsistentKey: (template, key) => inconsistentKey(template, key, textOf),
    undoesEffects: settings.undoesEffects ?? false,
  })
  const reader = new ContractReader(settings, rules, state)
  const scope = rootScope(settings.actAs, settings.seed, settings.rootSeeds ?? noSeeds)
  return new RunningEffects({ settings, rules, state, reader, scope })
}

const always = (): boolean => true
const noSeeds: readonly Seed[] = []

type Parts = Pick<Running, 'rules' | 'state' | 'reader' | 'scope'> & { readonly settings: TransactionSettings }

/** A class, because making its closures anew took a tenth of the time of a small command. */
class RunningEffects implements Effects, Running, RunningTransaction {
  readonly code: Code
  readonly rules: ContractRules
  readonly textOf: ValueText
  readonly checkValue: CheckValue
  readonly ledgerTime: Int64
  readonly preparationTime: Int64
  readonly state: ContractState
  readonly reader: ContractReader
  scope: Scope
  nextNode = 0
  timeBounds: TimeBounds = allTime

  constructor({ settings, rules, state, reader, scope }: Parts) {
    this.code = settings.code
    this.rules = rules
    this.textOf = rules.textOf
    this.checkValue = rules.checkValue
    this.ledgerTime = settings.ledgerTime
    this.preparationTime = settings.preparationTime
    this.state = state
    this.reader = reader
    this.scope = scope
  }

  get effects(): Effects {
    return this
  }

  create(template: TemplateCode, argument: LfRecord): ContractId {
    return create(this, template, argument)
  }

  exercise(template: TemplateCode, name: string, id: ContractId, argument: LfValue): LfValue {
    const contract = this.reader.byTemplate(template, asContractId(id).text)
    const choice = choiceOf(template, name)
    return exercise(this, { id, contract, choice, interfaceId: undefined, argument, isByKey: false })
  }

  exerciseInterface(of: InterfaceCode, name: string, id: ContractId, argument: LfValue): LfValue {
    const contract = this.reader.byInterface(of, asContractId(id).text)
    const choice = choiceOf(of, name)
    return exercise(this, { id, contract, choice, interfaceId: of.id, argument, isByKey: false })
  }

  exerciseByKey(template: TemplateCode, name: string, key: LfValue, argument: LfValue): LfValue {
    const { id, contract } = firstWithKey(this, template, key)
    const choice = choiceOf(template, name)
    const exercising = { contract, choice, interfaceId: undefined, argument, isByKey: true }
    return exercise(this, { id: new ContractId(id), ...exercising })
  }

  fetch(template: TemplateCode, id: ContractId): LfRecord {
    const contract = this.reader.byTemplate(template, asContractId(id).text)
    return fetch(this, { id: id.text, contract, interfaceId: undefined, isByKey: false })
  }

  fetchInterface(of: InterfaceCode, id: ContractId): LfRecord {
    const contract = this.reader.byInterface(of, asContractId(id).text)
    return fetch(this, { id: id.text, contract, interfaceId: of.id, isByKey: false })
  }

  fetchByKey(template: TemplateCode, key: LfValue): LfValue {
    const { id, contract } = firstWithKey(this, template, key)
    return pair(id, fetch(this, { id, contract, interfaceId: undefined, isByKey: true }))
  }

  queryByKey(template: TemplateCode, count: Int64, key: LfValue): LfValue {
    return queryByKey(this, template, count, key)
  }

  getTime(): Int64 {
    this.timeBounds = exactly(this.ledgerTime)
    return this.ledgerTime
  }

  isBefore(time: Int64): boolean {
    this.timeBounds = narrowed(this.timeBounds, this.ledgerTime, asTimestamp(time))
    return this.ledgerTime < time
  }

  tryCatch(body: Update, handler: (exception: Any) => LfValue): LfValue {
    return tryCatch(this, body, handler)
  }

  finish(): Transaction {
    return finished(this)
  }

  openExercises(): readonly OpenExercise[] {
    return openExercises(this.scope)
  }

  soFar(): string | undefined {
    return soFar(this.scope)
  }
}

function finished({ scope, state, timeBounds }: Running): Transaction {
  if (scope.parent !== undefined) throw new Error('a transaction cannot be finished inside an exercise')
  const { nodes, roots } = numberNodes(normaliseRollbacks(scope.children))
  return {
    nodes,
    roots,
    inputContracts: state.inputs(),
    keyInputs: state.keyInputs(),
    packages: packagesIn(nodes),
    timeBounds,
  }
}

function packagesIn(nodes: readonly Node[]): string[] {
  const packages: string[] = []
  for (const node of nodes) {
    if (node.kind === 'rollback') continue
    for (const id of packagesOf(node)) if (!packages.includes(id)) packages.push(id) // There are few.
  }
  return packages.sort()
}
