// One interpretation end to end: a request as plain data in, the events of its transaction as plain data out. Runs in a
// node's worker threads (worker.ts), and in process for tests and simulation.
import { LedgerError } from '../base/errors.ts'
import type { ProtocolVersion } from '../base/protocol-version.ts'
import { createLedgerValues } from '../lf/codec/api-value/convert.ts'
import { createJsonCodec } from '../lf/codec/json.ts'
import { createProtobufCodec } from '../lf/codec/protobuf.ts'
import type { Packages } from '../lf/values/data-types.ts'
import type { Int64 } from '../lf/values/values.ts'
import { exhaustionOf } from './code/evaluation-failures.ts'
import type { Compiled } from './compile/script.ts'
import { createEngine, type Engine, type EngineLimits } from './engine.ts'
import type { EngineCommand } from './engine-commands.ts'
import type { Budget } from './failures/steps.ts'
import type { KnownContract, LedgerReader } from './ledger-access.ts'
import { createPackages, packagesOf } from './packages.ts'
import { type ClientCommand, type ClientKey, decodeCommands, decodeKey } from './requests/command-decoding.ts'
import { createContractSource, createLookUp } from './requests/contract-source.ts'
import { createValuePlans, type PlanValues } from './requests/event-types.ts'
import { eventsOf, type TransactionEvents } from './requests/events.ts'
import { computeView, failedView, type ViewRequest, type ViewResult } from './requests/interface-views.ts'
import { type PreparationFacts, type Prepared, prepareTransaction } from './requests/prepared-transaction.ts'
import { checkProtobufCommand } from './requests/protobuf-commands.ts'
import { createElementRendering, type RenderElements } from './requests/protobuf-elements.ts'
import { asRefusal } from './requests/refusal.ts'
import { replayOf } from './requests/replay.ts'
import { typeOfTemplate } from './transaction/contracts.ts'
import type { Seed } from './transaction/seeds.ts'
import { deriveSalt, type HashContract, suffixTransaction } from './transaction/suffix.ts'
import type { Transaction } from './transaction/transaction.ts'
import { sizedCodecs } from './transaction/transaction-size.ts'
import { contractIdsIn } from './values/ledger-values.ts'
import { compareValues } from './values/order.ts'

export type InterpretationRequest = {
  readonly commands: readonly ClientCommand[]
  readonly actAs: readonly string[]
  readonly readAs: readonly string[]
  /** Disclosed with the commands, or already known to be active. Others are requested from the ledger. */
  readonly contracts: readonly KnownContract[]
  /** To be looked up before the commands run. */
  readonly prefetchKeys?: readonly ClientKey[]
  /** Microseconds since 1970. */
  readonly ledgerTime: Int64
  readonly preparationTime: Int64
  /** 32 secret random bytes, from which ids and salts are derived. */
  readonly seed: Seed
  readonly participantId: string
  /** That of the synchronizer that the transaction is for; the newest unless it is said. */
  readonly protocolVersion?: ProtocolVersion | undefined
  /** The package versions, by name, that this request prefers to those of `prefer`. */
  readonly packagePreference?: Preferences
  /** Facts for preparing the transaction for signing. */
  readonly preparation?: PreparationFacts
  /** Whether the result should include the account of what happened: see requests/account.ts. */
  readonly explains?: boolean
  /** Whether other participants may see parts of the transaction: then the result includes who sees which, and needs what. */
  readonly isShared?: boolean
  /** A prepared transaction to interpret again, instead of commands. */
  readonly replay?: Uint8Array
}

/** The package that interfaces use, by package name. */
export type Preferences = Readonly<Record<string, string>>

export type Interpretation = {
  readonly transaction: TransactionEvents
  readonly traces: readonly string[]
  /** Set if the request `explains`. */
  readonly prepared: Prepared | undefined
}

/** What is interpreted, wherever it came from. */
type Task = {
  readonly commands: readonly EngineCommand[]
  readonly contracts: readonly KnownContract[]
  readonly packagePreference: Preferences
  readonly rootSeeds: readonly Seed[]
}

const usualTransactionBytesMax = 2 ** 25
const noPreferences: Preferences = {}
const noSeeds: readonly Seed[] = []

export type Interpreter = {
  /** Holds for all later requests for this ledger; replaces earlier preferences. */
  prefer(byName: Preferences, ledger?: number): void
  forget(ledger: number): void
  /** Throws a LedgerError for a refusal. */
  interpret(request: InterpretationRequest, budget: Budget, ledger?: number): Interpretation
  view(request: ViewRequest, budget: Budget): ViewResult
  /** Elements of answers as protobuf. */
  readonly render: RenderElements
  /** How values are rendered elsewhere. */
  plans(names: readonly string[], check: () => void): ReturnType<PlanValues>
  /** What was compiled so far. */
  readonly compiled: Compiled
}

/** Protocol version 34 has no contract keys, so it has none of the versions of LF that know them. */
function checkLanguage34(used: readonly string[], packages: Packages): void {
  const allowedLanguageVersions = 'List(2.1, 2.2)'
  for (const packageId of used) {
    const languageVersion = packages.get(packageId)!.languageVersion
    if (languageVersion !== '2.3') continue
    const expected = `Expected version range is ${allowedLanguageVersions} but got ${languageVersion}`
    const cause = `Disallowed language version in package ${packageId}: ${expected}`
    // Reported like every failure of interpretation, unlike at an upload.
    throw new LedgerError('ALLOWED_LANGUAGE_VERSIONS', cause, {
      foundBy: 'interpretation',
      context: { definite_answer: 'false' },
    })
  }
}

export type InterpreterLimits = EngineLimits & {
  /** Maximum number of bytes in the events of one transaction. */
  readonly transactionBytesMax?: number | undefined
  /** Reads values that Canton refuses (`lenient` of the settings). */
  readonly isLenient?: boolean | undefined
}

/** An engine with the packages that it compiles. */
export type Compiling = { readonly packages: Packages; readonly engine: Engine }

/** `compiling` is an engine that evaluates other code, too; by default the interpreter has its own, for the ledger's packages. */
export function createInterpreter(
  ledger: LedgerReader,
  { transactionBytesMax = usualTransactionBytesMax, isLenient, ...limits }: InterpreterLimits = {},
  compiling?: Compiling,
): Interpreter {
  let check: Budget['check']
  const kept = createPackages(ledger, () => check?.())
  const packages = compiling?.packages ?? kept
  const engine = compiling?.engine ?? createEngine(packages, limits)
  const { dataTypes, hash } = engine
  const codecParts = { dataTypes, compare: compareValues }
  const json = createJsonCodec({ ...codecParts, isLenient })
  const protobuf = createProtobufCodec(codecParts)
  const ledgerValueOf = createLedgerValues(dataTypes)
  const parts = { packages, json, protobuf, hash }
  /** By the number of the ledger, and then by package name. */
  const preferred = new Map<number, ReadonlyMap<string, string>>()
  /** By the number of the ledger: what commands may name. */
  const named = new Map<number, Packages>()

  function interpret(request: InterpretationRequest, budget: Budget, ledgerNumber: number): Interpretation {
    const { prefetchKeys = [], actAs, readAs, ledgerTime, preparationTime, seed, participantId, preparation } = request
    const { commands, contracts, packagePreference, rootSeeds } = taskOf(request, ledgerNumber)
    const source = createContractSource({ contracts, mentioned: () => mentionedIn(commands), ledger })
    for (const key of prefetchKeys) {
      source.prefetchKey(hash.keyHash(decodeKey(key, parts)))
    }
    const { lookUpContract, lookUpKey, isAuthentic } = createLookUp(source, parts)
    const { transaction, traces } = engine.interpret({
      commands,
      actAs,
      readAs,
      ledgerTime,
      preparationTime,
      seed,
      rootSeeds,
      participantId,
      protocolVersion: request.protocolVersion,
      lookUpContract,
      lookUpKey,
      isAuthentic,
      preferredPackage: (name) =>
        (Object.hasOwn(packagePreference, name) ? packagePreference[name] : preferred.get(ledgerNumber)?.get(name)) ||
        undefined,
      stepsMax: budget.stepsMax,
      check: budget.check,
    })
    if (request.protocolVersion === 34) checkLanguage34(transaction.packages, packages)
    const prepared =
      preparation &&
      prepareTransaction(transaction, {
        facts: preparation,
        source,
        packages,
        protobuf,
        ledgerValueOf,
        actAs,
        preparationTime,
        check: budget.check,
      })
    return { transaction: finished(transaction, request, budget), traces, prepared }
  }

  function taskOf(request: InterpretationRequest, ledgerNumber: number): Task {
    const packages = compiling?.packages ?? named.getOrInsertComputed(ledgerNumber, () => packagesOf(ledger, kept))
    const parts = { packages, json, protobuf, hash }
    if (request.replay !== undefined) return replayOf(request.replay, parts)
    for (const command of request.commands) checkProtobufCommand(command, parts)
    return {
      commands: decodeCommands(request.commands, parts),
      contracts: request.contracts,
      packagePreference: request.packagePreference ?? noPreferences,
      rootSeeds: noSeeds,
    }
  }

  function finished(
    transaction: Transaction,
    { ledgerTime: createdAt, seed }: InterpretationRequest,
    { check }: Budget,
  ): TransactionEvents {
    const hashContract: HashContract = (templateId, packageName, value) => {
      check?.()
      return hash.contractHash({
        packageName,
        templateId,
        type: typeOfTemplate(templateId),
        value,
      })
    }
    const suffixed = suffixTransaction(transaction, {
      createdAt,
      hashContract,
      saltOf: (_, index) => deriveSalt(seed, index),
    })
    return eventsOf(suffixed, { ...sizedCodecs({ json, protobuf }, transactionBytesMax), createdAt, check })
  }

  const render = createElementRendering({ packages, dataTypes, json })
  const plans = createValuePlans(packages, dataTypes)

  return {
    compiled: engine.code.compiled,

    prefer(byName, ledgerNumber = 0) {
      preferred.set(ledgerNumber, new Map(Object.entries(byName)))
      named.delete(ledgerNumber) // The ledger has other packages than before.
    },

    forget(ledgerNumber) {
      preferred.delete(ledgerNumber)
      named.delete(ledgerNumber)
    },

    interpret(request, budget, ledgerNumber = 0) {
      check = budget.check
      try {
        return interpret(request, budget, ledgerNumber)
      } catch (error) {
        throw refused(error) ?? error
      }
    },

    render(request, checkNow) {
      check = checkNow
      return render(request, checkNow)
    },

    plans(names, checkNow) {
      check = checkNow
      return plans(names)
    },

    view(request, budget) {
      check = budget.check
      try {
        return { kind: 'view', json: computeView(request, budget, { engine, packages, json, protobuf }) }
      } catch (error) {
        const refusal = refused(error)
        if (refusal === undefined) throw error
        return failedView(refusal)
      }
    },
  }
}

function refused(error: unknown) {
  return asRefusal(exhaustionOf(error) ?? error)
}

/** The contracts that commands name, and will likely use. */
function* mentionedIn(commands: readonly EngineCommand[]): Iterable<string> {
  for (const command of commands) {
    if (command.kind === 'exercise') yield command.contractId
    if (command.kind !== 'create') {
      yield* contractIdsIn(command.kind === 'create-and-exercise' ? command.choiceArgument : command.argument)
    }
  }
}
