// What a running update does to its transaction: the checks of each effect in their order, the tree of nodes, and what
// can be taken back (Canton: PartialTransaction.scala, SBuiltinFun.scala).
//
// Nothing is cleaned up when a failure ends the command: the exercises that are open then are where it happened.
import type { Identifier } from '../../lf/syntax/ast.ts'
import { asContractId, asInt64, asRecordOf, asTimestamp, contentOf, KindError } from '../../lf/values/kinds.ts'
import { tuple2Type } from '../../lf/values/stable-types.ts'
import {
  type Any,
  ContractId,
  type Int64,
  type LfRecord,
  type LfValue,
  listFromArray,
  Some,
} from '../../lf/values/values.ts'
import { asUpdate } from '../code/apply.ts'
import type { ChoiceCode, Code, Effects, InterfaceCode, TemplateCode, Update } from '../code/code.ts'
import { uncatchable } from '../code/unhandled.ts'
import { DamlException, Failure } from '../failures/failures.ts'
import { steps } from '../failures/steps.ts'
import type { TypedValue } from '../values/typed-value.ts'
import type { CheckValue } from '../values/value-check.ts'
import type { ValueText } from '../values/value-text.ts'
import { noValueText } from '../values/value-text.ts'
import { authorizeCreate, authorizeExercise, authorizeFetch, authorizeQuery } from './authority.ts'
import { createContractReader } from './contract-reader.ts'
import { createContractState } from './contract-state.ts'
import {
  argumentOf,
  type Contract,
  type ContractRules,
  describeContract,
  keyWith,
  maintainersOf,
  type StoredContract,
} from './contracts.ts'
import { createWithoutMaintainers, fetchWithoutMaintainers, inconsistentKey, keyNotFound } from './effect-failures.ts'
import {
  type ContractKey,
  type Create,
  type Node,
  type NodeTree,
  packagesOf,
  type TimeBounds,
  unnumbered,
} from './nodes.ts'
import type { OpenExercise } from './open-exercises.ts'
import { partiesFromList, partiesOf } from './parties.ts'
import { normaliseRollbacks, numberNodes, rollbackOf } from './rollback.ts'
import { type Exercising, exerciseScope, nextSeed, openExercises, rootScope, tryScope } from './scopes.ts'
import { localContractId, type Seed } from './seeds.ts'
import { allTime, exactly, narrowed } from './time-bounds.ts'

export type TransactionSettings = {
  readonly code: Code
  /** Who submits, and so authorizes the root nodes. */
  readonly actAs: readonly string[]
  /** Who else's contracts may be used. */
  readonly readAs: readonly string[]
  readonly ledgerTime: Int64
  /** Of the discriminators of contract ids; mostly the ledger time. */
  readonly preparationTime: Int64
  /** See `transactionSeed`. */
  readonly seed: Seed
  /** Of the first root nodes, where they are repeated: those of others derive from `seed`. */
  readonly rootSeeds?: readonly Seed[] | undefined
  /** Any contract that is active; whether it may be seen by who submits is decided here. */
  readonly lookUpContract: (id: string) => StoredContract | undefined
  /** All active contracts with the key, in the ledger's order; read no further than needed. */
  readonly lookUpKey: (key: ContractKey) => Iterable<StoredContract>
  readonly hashKey: (template: TemplateCode, key: TypedValue) => string
  /** The id of the version of a package that interfaces are to use. */
  readonly preferredPackage: (packageName: string) => string | undefined
  readonly convert: ContractRules['convert']
  readonly isAuthentic?: ContractRules['isAuthentic'] | undefined
  readonly textOf?: ValueText
  /** Decides which values may become part of the transaction. */
  readonly checkValue?: CheckValue
  /** As before protocol version 35. */
  readonly allowsEffectfulRollback?: boolean | undefined
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
  /** The packages of the nodes, sorted; what these depend on is not among them. */
  readonly packages: readonly string[]
  readonly timeBounds: TimeBounds
}

export type RunningTransaction = {
  readonly effects: Effects
  finish(): Transaction
  /** The innermost first. */
  openExercises(): readonly OpenExercise[]
}

const contractsByKeyMax = 1_000_000

/** About what a node takes beside the code of its template, in the time of calls. */
const nodeSteps = 500

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
    allowsEffectfulRollback: settings.allowsEffectfulRollback ?? false,
  })
  const reader = createContractReader({ reading: settings, rules, state })
  let timeBounds = allTime
  let nextNode = 0
  let scope = rootScope(settings.actAs, settings.seed, settings.rootSeeds ?? [])

  // ── Create

  function create(template: TemplateCode, argument: LfRecord): ContractId {
    steps.charge(nodeSteps)
    const contract = describeContract(template, asRecordOf(template.type, argument), rules)
    const { key, signatories, stakeholders } = contract
    const typed = argumentOf(contract)
    if (key !== undefined && key.maintainers.length === 0) {
      throw createWithoutMaintainers(template, typed, key, textOf)
    }
    const seed = nextSeed(scope)
    const id = localContractId(seed, preparationTime, stakeholders)
    checkValue(argument, typed.type)
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
    authorizeCreate(nextNode, node, scope.authority)
    nextNode += 1
    state.create(node, contract)
    addAction(node)
    return new ContractId(id)
  }

  function addAction(node: NodeTree): void {
    scope.children.push(node)
    scope.nextChild += 1
  }

  // ── Exercise

  function exercise(exercising: Exercising): LfValue {
    steps.charge(nodeSteps)
    const { id, contract, choice, argument } = exercising
    const actors = uncatchable(() => partiesFromList(choice.controllers(contract.argument, argument)), code)
    const choiceObservers = uncatchable(() => partiesFromList(choice.observers(contract.argument, argument)), code)
    checkValue(argument, choice.argumentType)
    const opened = exerciseScope(scope, exercising, { actors, choiceObservers }, nextNode)
    reader.use(id.text, contract)
    if (choice.isConsuming) state.archive(opened.exercise, nextNode)
    authorizeExercise(nextNode, contract.template.id, actors, scope.authority)
    nextNode += 1
    scope = opened
    const result = asUpdate(choice.update(id, contract.argument, argument))(effects)
    checkValue(result, choice.returnType)
    opened.exercise.result = { type: choice.returnType, value: result }
    closeExercise()
    return result
  }

  function closeExercise(): void {
    const node = scope.exercise!
    scope = scope.parent!
    addAction(node)
  }

  // ── Fetch

  function insertFetch(id: string, contract: Contract, interfaceId: Identifier | undefined, isByKey: boolean): void {
    steps.charge(nodeSteps)
    const { template, signatories, stakeholders, key } = contract
    reader.use(id, contract)
    const actors = authorizeFetch(nextNode, template.id, stakeholders, scope.authority)
    nextNode += 1
    addAction({
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
  }

  // ── Keys

  /** `check` has its say between the maintainers, which may throw, and the key, which may be refused. */
  function keyFor(template: TemplateCode, value: LfValue, check?: () => void): ContractKey {
    const maintainers = uncatchable(() => maintainersOf(template, value), code)
    check?.()
    const key = keyWith(template, value, maintainers, rules)
    if (maintainers.length === 0) throw fetchWithoutMaintainers(template, key, textOf)
    return key
  }

  function firstWithKey(template: TemplateCode, value: LfValue): { id: string; contract: Contract } {
    const key = keyFor(template, value)
    const id = state.query(key, 1).ids[0]
    if (id === undefined) throw keyNotFound(template, key, textOf)
    return { id, contract: reader.byTemplate(template, id) }
  }

  function queryByKey(template: TemplateCode, count: Int64, value: LfValue): LfValue {
    steps.charge(nodeSteps)
    const wanted = asInt64(count) < contractsByKeyMax ? Number(count) : contractsByKeyMax
    const key = keyFor(template, value, () => {
      if (wanted >= 1) return
      const text = `Invalid argument n for QueryNByKey: ${wanted}. Expected a positive integer.`
      throw new Failure('INTERPRETER_ERROR', text)
    })
    authorizeQuery(nextNode, template.id, key.maintainers, scope.authority)
    const { ids, isExhaustive } = state.query(key, wanted)
    const found = ids.map((id) => pair(id, reader.byTemplate(template, id).argument))
    nextNode += 1
    addAction({
      kind: 'query-by-key',
      packageName: template.package.name,
      templateId: template.id,
      key,
      result: ids,
      isExhaustive,
      id: unnumbered,
      lastDescendantId: unnumbered,
    })
    return new Some(listFromArray(found))
  }

  function pair(id: string, argument: LfRecord): LfRecord {
    return new tuple2Type.create(new ContractId(id), argument)
  }

  // ── Try

  function tryCatch(body: Update, handler: (exception: Any) => LfValue): LfValue {
    steps.charge(nodeSteps)
    const outer = scope
    const mark = state.mark()
    const tried = tryScope(outer, nextNode)
    nextNode += 1
    scope = tried
    let thrown: DamlException
    try {
      const result = body(effects)
      for (const child of tried.children) outer.children.push(child)
      outer.nextChild = tried.nextChild
      scope = outer
      return result
    } catch (error) {
      if (!(error instanceof DamlException)) throw error
      thrown = error
    }
    state.rollBack(mark)
    while (scope !== tried) closeExercise()
    scope = outer
    outer.nextChild = tried.nextChild
    outer.children.push(rollbackOf(tried.children))
    const handling = contentOf(handler(thrown.exception))
    if (handling === undefined) throw thrown
    return asUpdate(handling)(effects)
  }

  // ── The whole

  const effects: Effects = {
    create,

    exercise(template, choice, id, argument) {
      const contract = reader.byTemplate(template, asContractId(id).text)
      return exercise({
        id,
        contract,
        choice: choiceOf(template, choice),
        interfaceId: undefined,
        argument,
        isByKey: false,
      })
    },

    exerciseInterface(of, choice, id, argument) {
      const contract = reader.byInterface(of, asContractId(id).text)
      return exercise({ id, contract, choice: choiceOf(of, choice), interfaceId: of.id, argument, isByKey: false })
    },

    exerciseByKey(template, choice, key, argument) {
      const { id, contract } = firstWithKey(template, key)
      return exercise({
        id: new ContractId(id),
        contract,
        choice: choiceOf(template, choice),
        interfaceId: undefined,
        argument,
        isByKey: true,
      })
    },

    fetch(template, id) {
      const contract = reader.byTemplate(template, asContractId(id).text)
      insertFetch(id.text, contract, undefined, false)
      return contract.argument
    },

    fetchInterface(of, id) {
      const contract = reader.byInterface(of, asContractId(id).text)
      insertFetch(id.text, contract, of.id, false)
      return contract.argument
    },

    fetchByKey(template, key) {
      const { id, contract } = firstWithKey(template, key)
      insertFetch(id, contract, undefined, true)
      return pair(id, contract.argument)
    },

    queryByKey,

    getTime() {
      timeBounds = exactly(ledgerTime)
      return ledgerTime
    },

    isBefore(time) {
      timeBounds = narrowed(timeBounds, ledgerTime, asTimestamp(time))
      return ledgerTime < time
    },

    tryCatch,
  }

  function finish(): Transaction {
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
      packages: partiesOf(packages),
      timeBounds,
    }
  }

  return { effects, finish, openExercises: () => openExercises(scope) }
}

function choiceOf(of: TemplateCode | InterfaceCode, name: string): ChoiceCode {
  const choice = of.choices.get(name)
  if (choice === undefined) throw new KindError(`${of.id.name} has no choice ${name}`)
  return choice
}
