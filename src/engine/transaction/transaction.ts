// What a running update does to its transaction (Canton: PartialTransaction.scala, SBuiltinFun.scala). Each effect has
// a file of its own, with its checks in their order and the node it adds.
//
// Nothing is cleaned up when a failure ends the command: the exercises still open are where it happened.
import { asContractId, asTimestamp } from '../../lf/values/kinds.ts'
import { ContractId, type Int64 } from '../../lf/values/values.ts'
import type { Code, Effects, TemplateCode } from '../code/code.ts'
import type { TypedValue } from '../values/typed-value.ts'
import type { CheckValue } from '../values/value-check.ts'
import { noValueText, type ValueText } from '../values/value-text.ts'
import { createContractReader } from './contract-reader.ts'
import { createContractState } from './contract-state.ts'
import type { ContractRules, StoredContract } from './contracts.ts'
import { create } from './create.ts'
import { inconsistentKey } from './effect-failures.ts'
import { choiceOf, exercise } from './exercise.ts'
import { fetch } from './fetch.ts'
import { firstWithKey, pair, queryByKey } from './keys.ts'
import { type ContractKey, type Node, packagesOf, type TimeBounds } from './nodes.ts'
import type { OpenExercise } from './open-exercises.ts'
import { normaliseRollbacks, numberNodes } from './rollback.ts'
import type { Running } from './running-transaction.ts'
import { openExercises, rootScope } from './scopes.ts'
import type { LazySeed, Seed } from './seeds.ts'
import { allTime, exactly, narrowed } from './time-bounds.ts'
import { tryCatch } from './try-catch.ts'

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
  readonly keyInputs: readonly {
    readonly hash: string
    readonly ids: readonly string[]
    readonly isExhaustive: boolean
  }[]
  /** The packages of the nodes, sorted, without their dependencies. */
  readonly packages: readonly string[]
  readonly timeBounds: TimeBounds
}

export type RunningTransaction = {
  readonly effects: Effects
  finish(): Transaction
  /** Innermost first. */
  openExercises(): readonly OpenExercise[]
}

export function createTransaction(settings: TransactionSettings): RunningTransaction {
  const { code, ledgerTime, preparationTime } = settings
  const textOf = settings.textOf ?? noValueText
  const checkValue = settings.checkValue ?? (() => {})
  const rules: ContractRules = {
    code,
    hashKey: settings.hashKey,
    convert: settings.convert,
    isAuthentic: settings.isAuthentic ?? (() => true),
    textOf,
    checkValue,
  }
  const state = createContractState({
    contractsWithKey: (key) => reader.contractsWithKey(key),
    inconsistentKey: (key) => inconsistentKey(key, textOf),
    undoesEffects: settings.undoesEffects ?? false,
  })
  const reader = createContractReader({ reading: settings, rules, state })

  const effects: Effects = {
    create: (template, argument) => create(running, template, argument),

    exercise(template, name, id, argument) {
      const contract = reader.byTemplate(template, asContractId(id).text)
      const choice = choiceOf(template, name)
      return exercise(running, { id, contract, choice, interfaceId: undefined, argument, isByKey: false })
    },

    exerciseInterface(of, name, id, argument) {
      const contract = reader.byInterface(of, asContractId(id).text)
      const choice = choiceOf(of, name)
      return exercise(running, { id, contract, choice, interfaceId: of.id, argument, isByKey: false })
    },

    exerciseByKey(template, name, key, argument) {
      const { id, contract } = firstWithKey(running, template, key)
      const choice = choiceOf(template, name)
      const exercising = { contract, choice, interfaceId: undefined, argument, isByKey: true }
      return exercise(running, { id: new ContractId(id), ...exercising })
    },

    fetch(template, id) {
      const contract = reader.byTemplate(template, asContractId(id).text)
      return fetch(running, { id: id.text, contract, interfaceId: undefined, isByKey: false })
    },

    fetchInterface(of, id) {
      const contract = reader.byInterface(of, asContractId(id).text)
      return fetch(running, { id: id.text, contract, interfaceId: of.id, isByKey: false })
    },

    fetchByKey(template, key) {
      const { id, contract } = firstWithKey(running, template, key)
      return pair(id, fetch(running, { id, contract, interfaceId: undefined, isByKey: true }))
    },

    queryByKey: (template, count, key) => queryByKey(running, template, count, key),

    getTime() {
      running.timeBounds = exactly(ledgerTime)
      return ledgerTime
    },

    isBefore(time) {
      running.timeBounds = narrowed(running.timeBounds, ledgerTime, asTimestamp(time))
      return ledgerTime < time
    },

    tryCatch: (body, handler) => tryCatch(running, body, handler),
  }

  const running: Running = {
    code,
    rules,
    textOf,
    checkValue,
    ledgerTime,
    preparationTime,
    state,
    reader,
    effects,
    scope: rootScope(settings.actAs, settings.seed, settings.rootSeeds ?? []),
    nextNode: 0,
    timeBounds: allTime,
  }

  return { effects, finish: () => finished(running), openExercises: () => openExercises(running.scope) }
}

function finished({ scope, state, timeBounds }: Running): Transaction {
  if (scope.parent !== undefined) throw new Error('a transaction cannot be finished inside an exercise')
  const { nodes, roots } = numberNodes(normaliseRollbacks(scope.children))
  const packages = new Set<string>()
  for (const node of nodes) {
    if (node.kind !== 'rollback') for (const id of packagesOf(node)) packages.add(id)
  }
  return {
    nodes,
    roots,
    inputContracts: state.inputs(),
    keyInputs: state.keyInputs(),
    packages: [...packages].sort(),
    timeBounds,
  }
}
