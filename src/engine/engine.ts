// The engine as the ledger uses it: packages and a submission in, a transaction or a Failure out. One engine compiles
// each definition once; its interpretations run one after the other and share nothing but the compiled code.

import assert from 'node:assert/strict'
import type { ProtocolVersion } from '../base/protocol-version.ts'
import { createValueHash, type ValueHash } from '../lf/codec/hash.ts'
import { createProtobufCodec } from '../lf/codec/protobuf.ts'
import type { Identifier, Location } from '../lf/syntax/ast.ts'
import { fullName } from '../lf/syntax/names.ts'
import { createDataTypes, type DataTypes, type Packages } from '../lf/values/data-types.ts'
import type { Int64, LfRecord, LfValue } from '../lf/values/values.ts'
import { createBuiltins } from './builtins/all.ts'
import { applyAll, type LfFunction } from './code/apply.ts'
import type { TemplateCode } from './code/code.ts'
import { failureOf } from './code/evaluation-failures.ts'
import { type Compiler, createCompiler } from './compile/compiler.ts'
import { type Coverage, createCoverage } from './compile/coverage.ts'
import { createRuntime } from './compile/runtime.ts'
import { commandTrace, type EngineCommand, ofCommand, runCommand } from './engine-commands.ts'
import { Failure } from './failures/failures.ts'
import { type Budget, steps } from './failures/steps.ts'
import type { ContractRules, StoredContract } from './transaction/contracts.ts'
import { createConversion } from './transaction/conversion.ts'
import type { ContractKey } from './transaction/nodes.ts'
import { withExercises } from './transaction/open-exercises.ts'
import { LazySeed, type Seed, transactionSeed } from './transaction/seeds.ts'
import { createTransaction, type Transaction } from './transaction/transaction.ts'
import { compareValues } from './values/order.ts'
import type { TypedValue } from './values/typed-value.ts'
import { createValueCheck } from './values/value-check.ts'
import { createValueText } from './values/value-text.ts'

export type EngineSubmission = {
  readonly commands: readonly EngineCommand[]
  readonly actAs: readonly string[]
  readonly readAs: readonly string[]
  readonly ledgerTime: Int64
  readonly preparationTime: Int64
  /** 32 random bytes; everything the transaction creates is derived from them. */
  readonly seed: Seed
  /** Seeds of root nodes that are replayed, instead of those derived from `seed`. */
  readonly rootSeeds?: readonly Seed[] | undefined
  readonly participantId: string
  /** The newest unless it is said. */
  readonly protocolVersion?: ProtocolVersion | undefined
  /** Finds any active contract; whether the submitters may see it is decided here. */
  readonly lookUpContract: (id: string) => StoredContract | undefined
  /** All active contracts with the key, in the ledger's order. */
  readonly lookUpKey: (key: ContractKey) => Iterable<StoredContract>
  /** The version of a package that interfaces use. */
  readonly preferredPackage: (packageName: string) => string | undefined
  readonly isAuthentic?: ContractRules['isAuthentic'] | undefined
} & Budget

export type Interpreted = { readonly transaction: Transaction; readonly traces: readonly string[] }

export type Engine = {
  readonly code: Compiler
  /** Undefined unless coverage is asked for. */
  readonly coverage: Coverage | undefined
  readonly dataTypes: DataTypes
  readonly hash: ValueHash
  /** Throws a Failure when the command cannot be executed. */
  interpret(submission: EngineSubmission): Interpreted
  /** A top-level value applied to arguments, outside of any transaction. A Daml exception is thrown as it is. */
  evaluate(id: Identifier, args: readonly LfValue[], stepsMax: number, tracesTo?: string[]): LfValue
  /** Runs compiled code outside of any transaction. What it throws is thrown as it is. */
  run<Result>(budget: Budget, tracesTo: string[], code: () => Result): Result
  /** Why compiled code ended early, with the place in the model. A bug of ours is rethrown. */
  failureOf(thrown: unknown): Failure
  /** The interface view of a contract, computed outside of any transaction. */
  view(template: Identifier, interfaceId: Identifier, contract: LfRecord, budget: Budget): LfValue
}

/** Maximum number and total length of a command's traces; later ones are dropped. */
const tracesMax = 10_000
const tracesLengthMax = 2 ** 20

/** Several times the size of the largest published package in one script. */
const usualScriptLengthMax = 2 ** 23

export type EngineLimits = {
  /** Maximum number of characters of JavaScript that a choice and all it calls may become. */
  readonly scriptLengthMax?: number | undefined
  /** Packages whose code counts what it comes to. */
  readonly covered?: readonly string[] | undefined
}

export function createEngine(
  packages: Packages,
  { scriptLengthMax = usualScriptLengthMax, covered }: EngineLimits = {},
): Engine {
  const dataTypes = createDataTypes(packages)
  const hash = createValueHash(dataTypes)
  const { encode } = createProtobufCodec({ dataTypes, compare: compareValues })
  const textOf = createValueText({ definition: dataTypes.definition, encode })
  const checkValue = createValueCheck(dataTypes)
  const convert = createConversion({ dataTypes, textOf, checkValue })
  let traces: string[] = []
  let tracesLength = 0
  let isInTransaction = false
  const coverage = covered && createCoverage(covered)
  const code = createCompiler({
    packages,
    dataTypes,
    scriptLengthMax,
    coverage,
    runtime: (compiled) =>
      createRuntime(
        compiled,
        createBuiltins({
          code: compiled,
          trace: (message) => {
            tracesLength += message.length
            if (traces.length < tracesMax && tracesLength <= tracesLengthMax) traces.push(message)
          },
          isInTransaction: () => isInTransaction,
        }),
        convert,
      ),
  })

  function hashKey({ id, package: { name } }: TemplateCode, { type, value }: TypedValue): string {
    return hash.keyHash({ packageName: name, templateId: id, type, value })
  }

  function run<Result>(budget: Budget, tracesTo: string[], body: () => Result): Result {
    steps.start(budget)
    traces = tracesTo
    tracesLength = 0
    try {
      return body()
    } finally {
      steps.stop()
    }
  }

  /** Turns whatever ends `body` early into a Failure; a bug of ours is rethrown as it is. */
  function attempt<Result>(budget: Budget, body: () => Result): Result {
    return run(budget, [], () => {
      try {
        return body()
      } catch (error) {
        throw located(failureOf(error, code), error as Error)
      }
    })
  }

  /** The failure, with the place in the model that `thrown` came from, for its developers. */
  function located({ code: failureCode, message, details, cause }: Failure, thrown: Error): Failure {
    const origins = code.originsOf(thrown)
    const [innermost] = origins
    if (innermost === undefined) return new Failure(failureCode, message, details, cause)
    const location = origins.find((origin) => origin.location !== undefined)?.location
    const definition =
      failureCode === 'DAML_INTERPRETATION_ERROR'
        ? `${innermost.packageId}:${innermost.definition}` // Tells developers which package it is.
        : innermost.definition
    const where = { definition, ...(location && { location: locationText(location) }) }
    return new Failure(failureCode, message, { ...where, ...details }, cause)
  }

  return {
    code,
    coverage,
    dataTypes,
    hash,

    interpret(submission) {
      const { participantId, preparationTime } = submission
      const running = createTransaction({
        code,
        actAs: submission.actAs,
        readAs: submission.readAs,
        ledgerTime: submission.ledgerTime,
        preparationTime,
        seed: new LazySeed(() => transactionSeed(submission.seed, participantId, preparationTime)),
        rootSeeds: submission.rootSeeds,
        lookUpContract: submission.lookUpContract,
        lookUpKey: submission.lookUpKey,
        hashKey,
        preferredPackage: submission.preferredPackage,
        convert,
        isAuthentic: submission.isAuthentic,
        textOf,
        checkValue,
        undoesEffects: submission.protocolVersion === 34,
      })
      isInTransaction = true
      let current: EngineCommand | undefined
      try {
        return attempt(submission, () => {
          for (const command of submission.commands) {
            current = command
            runCommand(command, running.effects, code, packages)
          }
          return { transaction: running.finish(), traces }
        })
      } catch (error) {
        if (!(error instanceof Failure)) throw error
        const failure = withExercises(
          ofCommand(error, current),
          running.openExercises(),
          current && commandTrace(current),
          running.soFar(),
        )
        failure.traces = traces
        throw failure
      } finally {
        isInTransaction = false
      }
    },

    evaluate(id, args, stepsMax, tracesTo = []) {
      return run({ stepsMax }, tracesTo, () => {
        const value = code.value(id)
        return args.length === 0 ? value : applyAll(value as LfFunction, args)
      })
    },

    run,
    failureOf: (thrown) => located(failureOf(thrown, code), thrown as Error),

    view(templateId, interfaceId, contract, budget) {
      const instance = code.template(templateId).instances.get(fullName(interfaceId))
      assert(instance !== undefined, `${templateId.name} does not implement ${interfaceId.name}`)
      const { viewType } = code.interface(interfaceId)
      return attempt(budget, () => {
        const view = instance.view(contract)
        checkValue(view, viewType)
        return view
      })
    },
  }
}

/** Counted from one, as in editors. */
function locationText({ packageId, module, startLine, startColumn }: Location): string {
  return `${module}:${startLine + 1}:${startColumn + 1} in package ${packageId}`
}
