// One interpretation from end to end: a request as plain data in, the events of its transaction as plain data out. Runs
// in the worker threads of a node (worker.ts), and in the process itself for tests and simulation.
import { decodeArchive } from '../lf/archive.ts'
import type { Package } from '../lf/ast.ts'
import { createJsonCodec } from '../lf/codec/json.ts'
import { createProtobufCodec } from '../lf/codec/protobuf.ts'
import type { Int64 } from '../lf/values.ts'
import { createLookUp, type GivenContracts, givenContracts, MissingContracts } from './contract-source.ts'
import { typeOfTemplate } from './contracts.ts'
import { createEngine, type EngineCommand, exhausted, type Interpreted } from './engine.ts'
import { eventsOf, type TransactionEvents } from './events.ts'
import { contractIdsIn } from './ledger-values.ts'
import { compareValues } from './order.ts'
import { type ClientCommand, prepareCommands } from './preparation.ts'
import { asRefusal } from './refusal.ts'
import type { Seed } from './seeds.ts'
import type { Budget } from './steps.ts'
import { deriveSalt, type HashContract, suffixTransaction } from './suffix.ts'

export type InterpretationRequest = GivenContracts & {
  readonly commands: readonly ClientCommand[]
  readonly actAs: readonly string[]
  readonly readAs: readonly string[]
  /** Microseconds since 1970. */
  readonly ledgerTime: Int64
  readonly preparationTime: Int64
  /** 32 random bytes that nobody else knows: ids and salts follow from them. */
  readonly seed: Seed
  readonly participantId: string
  /** Which version of a package, by its name, interfaces are to use. */
  readonly packagePreference: Readonly<Record<string, string>>
  /** As before protocol version 35. */
  readonly allowsEffectfulRollback?: boolean
}

export type Interpretation =
  | { readonly kind: 'done'; readonly transaction: TransactionEvents; readonly traces: readonly string[] }
  /** Look these up, and ask again with what was found. */
  | { readonly kind: 'missing'; readonly contractIds: readonly string[]; readonly keys: readonly string[] }

export type Interpreter = {
  /** Adds a package, given as its dalf. */
  load(dalf: Uint8Array): void
  /** Throws a LedgerError for what is refused. */
  interpret(request: InterpretationRequest, budget: Budget): Interpretation
}

export function createInterpreter(): Interpreter {
  const packages = new Map<string, Package>()
  const engine = createEngine(packages)
  const { dataTypes, hash } = engine
  const codecParts = { dataTypes, compare: compareValues }
  const json = createJsonCodec(codecParts)
  const protobuf = createProtobufCodec(codecParts)

  function interpret(request: InterpretationRequest, budget: Budget): Interpretation {
    const { packagePreference, ...submission } = request
    const source = givenContracts(request)
    const commands = prepareCommands(request.commands, { packages, json })
    try {
      const interpreted = engine.interpret({
        ...submission,
        ...budget,
        ...createLookUp(source, { packages, protobuf, hash }),
        commands,
        preferredPackage: (name) => (Object.hasOwn(packagePreference, name) ? packagePreference[name] : undefined),
      })
      return done(interpreted, request, budget)
    } catch (error) {
      if (!(error instanceof MissingContracts)) throw error
      const unknown = [...mentionedIn(commands)].filter((id) => source.contract(id) === undefined)
      return { kind: 'missing', contractIds: [...new Set([...error.contractIds, ...unknown])], keys: error.keys }
    }
  }

  function done(
    { transaction, traces }: Interpreted,
    request: InterpretationRequest,
    { check }: Budget,
  ): Interpretation {
    const { ledgerTime: createdAt, seed } = request
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
    return { kind: 'done', transaction: eventsOf(suffixed, { json, protobuf, createdAt, check }), traces }
  }

  return {
    load(dalf) {
      const { package: loaded } = decodeArchive(dalf)
      if (!packages.has(loaded.id)) packages.set(loaded.id, loaded)
    },

    interpret(request, budget) {
      try {
        return interpret(request, budget)
      } catch (error) {
        throw asRefusal(error instanceof RangeError ? exhausted(error) : error) ?? error
      }
    },
  }
}

/** What a command names it will likely use: asked for together, it costs one more run, not one for each. */
function* mentionedIn(commands: readonly EngineCommand[]): Iterable<string> {
  for (const command of commands) {
    if (command.kind === 'exercise') yield command.contractId
    if (command.kind !== 'create') {
      yield* contractIdsIn(command.kind === 'create-and-exercise' ? command.choiceArgument : command.argument)
    }
  }
}
