// Runs the recorded submissions, views and hashes of one file and reports differences.

import type { EngineSubmission } from '../../src/engine/engine.ts'
import type { EngineCommand } from '../../src/engine/engine-commands.ts'
import { Failure } from '../../src/engine/failures/failures.ts'
import { witnessesOf } from '../../src/engine/transaction/blinding.ts'
import type { StoredContract } from '../../src/engine/transaction/contracts.ts'
import { type Node, serializationVersionOf, type TimeBounds } from '../../src/engine/transaction/nodes.ts'
import { allTime } from '../../src/engine/transaction/time-bounds.ts'
import type { TypedValue } from '../../src/engine/values/typed-value.ts'
import type { Identifier, Type } from '../../src/lf/syntax/ast.ts'
import { fullName } from '../../src/lf/syntax/names.ts'
import type { LfRecord, LfValue } from '../../src/lf/values/values.ts'
import { type Loaded, load } from './load.ts'
import { type Recorded, type Replay, readRecorded, writeRecorded } from './recorded-values.ts'

const stepsMax = 1_000_000

export function replaySubmissions(file: string, isAhead = false): Replay[] {
  const loaded = load(file)
  if (isAhead) for (const id of loaded.packages.keys()) loaded.engine.code.compileAhead(id)
  return loaded.recording.cases.flatMap((entry: Recorded): Replay[] => {
    if (isBeforeInterpretation(entry.outcome)) return []
    if (entry.commands !== undefined) return [submission(entry, loaded)]
    if (entry.view !== undefined) return [view(entry, loaded)]
    return entry.contractHash !== undefined || entry.keyHash !== undefined ? [hash(entry, loaded)] : []
  })
}

/** Values and packages that do not fit are refused before the engine, by codecs, conversion and package selection. */
export function isBeforeInterpretation({ error }: Recorded): boolean {
  return /^(Preprocessing|Package)\.|^Upgrade\.TranslationFailed$/.test(error?.class ?? '')
}

// ── Submissions

function submission(entry: Recorded, loaded: Loaded): Replay {
  const { name, outcome } = entry
  const expected = 'nodes' in outcome ? recordedTransaction(outcome) : { error: outcome.error.message }
  return { name, group: name, actual: submitted(entry, loaded), expected }
}

/** Our outcome, in the form of recordings. */
export function submitted(entry: Recorded, loaded: Loaded): Recorded {
  try {
    const { transaction } = loaded.engine.interpret(submissionOf(entry, loaded))
    const witnesses = witnessesOf(transaction)
    return {
      roots: transaction.roots,
      nodes: transaction.nodes.map((node) => nodeToJson(node, witnesses[node.id]!, loaded)),
      timeBounds: boundsToJson(transaction.timeBounds),
      inputContracts: transaction.inputContracts.map(({ id }) => id).sort(),
    }
  } catch (error) {
    if (error instanceof Failure) return { error: withPrefix(error) }
    return { error: (error as Error).message }
  }
}

/** A recorded case in the form that the engine takes. */
export function submissionOf(entry: Recorded, loaded: Loaded): EngineSubmission {
  const { recording } = loaded
  const setting = (key: string) => entry[key] ?? recording[key]
  const time = microsOf(setting('time'))
  const recorded: Recorded[] = entry.contracts ?? []
  const contracts = recorded.map((contract) => stored(contract, loaded))
  const idsOf = (those: Recorded[]) => new Set(those.map(({ id }) => id))
  const hidden = idsOf(recorded.filter(({ hiddenFromKeys }) => hiddenFromKeys))
  const forged = idsOf(recorded.filter(({ authentic }) => authentic === false))
  return {
    commands: entry.commands.map((command: Recorded) => commandOf(command, loaded)),
    actAs: entry.actAs,
    readAs: entry.readAs ?? [],
    ledgerTime: time,
    preparationTime: time,
    seed: Buffer.from(setting('seed'), 'hex'),
    participantId: setting('participant'),
    protocolVersion: setting('mode') === 'NoKey' ? 34 : 35,
    lookUpContract: (id) => contracts.find((contract) => contract.id === id),
    lookUpKey: (key) => contracts.filter(({ id, key: own }) => own?.hash === key.hash && !hidden.has(id)),
    preferredPackage: (packageName) => recording.packages[packageName],
    isAuthentic: ({ id }) => !forged.has(id),
    stepsMax,
  }
}

function microsOf(time: string): number {
  const [, seconds, fraction = ''] = /^(.*?)(?:\.(\d+))?Z$/.exec(time)!
  return Date.parse(`${seconds}Z`) * 1000 + Number(fraction.padEnd(6, '0'))
}

const unprefixed = ['CONTRACT_NOT_FOUND', 'CONTRACT_KEY_NOT_FOUND', 'INTERPRETER_ERROR']

function withPrefix({ code, message }: Failure): string {
  return unprefixed.includes(code) ? message : `Interpretation error: Error: ${message}`
}

export function recordedTransaction({ roots, nodes, timeBounds, inputContracts = {} }: Recorded): Recorded {
  return { roots, nodes, timeBounds, inputContracts: Object.keys(inputContracts).sort() }
}

/** Absent if the time was not used. */
function boundsToJson({ min, max }: TimeBounds): string[] | undefined {
  return min === allTime.min && max === allTime.max ? undefined : [String(min), String(max)]
}

function commandOf(command: Recorded, { identifier, engine }: Loaded): EngineCommand {
  const read = (json: Recorded, type: Type) => readRecorded(json, type, engine.dataTypes)
  const record = (id: Identifier, json: Recorded) => read(json, { kind: 'constructor', id, args: [] }) as LfRecord
  if (command.create) {
    const templateId = identifier(command.create)
    return { kind: 'create', templateId, argument: record(templateId, command.argument) }
  }
  const typeId = identifier(command.exercise ?? command.exerciseByKey ?? command.createAndExercise)
  const choices = (isInterface(typeId, engine) ? engine.code.interface(typeId) : engine.code.template(typeId)).choices
  const { argumentType } = choices.get(command.choice)!
  if (command.exercise) {
    const { contractId, choice } = command
    return { kind: 'exercise', typeId, contractId, choice, argument: read(command.argument, argumentType) }
  }
  if (command.exerciseByKey) {
    const key = read(command.key, engine.code.template(typeId).key!.type)
    const argument = read(command.argument, argumentType)
    return { kind: 'exercise-by-key', templateId: typeId, key, choice: command.choice, argument }
  }
  return {
    kind: 'create-and-exercise',
    templateId: typeId,
    argument: record(typeId, command.createArgument),
    choice: command.choice,
    choiceArgument: read(command.choiceArgument, argumentType),
  }
}

function isInterface(id: Identifier, engine: Loaded['engine']): boolean {
  return engine.dataTypes.definition(id).constructors.kind === 'interface'
}

function stored(contract: Recorded, { identifier, engine }: Loaded): StoredContract {
  const templateId = identifier(contract.template)
  const template = engine.code.template(templateId)
  const type: Type = { kind: 'constructor', id: templateId, args: [] }
  const keyOf = (): StoredContract['key'] => {
    const keyType = template.key!.type
    const value = readRecorded(contract.key, keyType, engine.dataTypes)
    const hashed = { packageName: template.package.name, templateId, type: keyType, value }
    const maintainers = contract.maintainers.toSorted()
    return { type: keyType, value, hash: engine.hash.keyHash(hashed), maintainers }
  }
  return {
    id: contract.id,
    templateId,
    packageName: contract.packageName ?? template.package.name,
    argument: readRecorded(contract.argument, type, engine.dataTypes) as LfRecord,
    signatories: contract.signatories.toSorted(),
    stakeholders: [...new Set<string>([...contract.signatories, ...contract.observers])].sort(),
    key: contract.key === undefined ? undefined : keyOf(),
    isDisclosed: true,
  }
}

// ── Nodes, as recorded

function nodeToJson(node: Node, witnesses: readonly string[], loaded: Loaded): Recorded {
  const common = { id: node.id, witnesses }
  if (node.kind === 'rollback') return { ...common, kind: 'rollback', children: node.children }
  const key = node.key && {
    key: { hash: node.key.hash, maintainers: node.key.maintainers, value: valueToJson(node.key, loaded) },
  }
  const shared = {
    ...common,
    ...key,
    packageName: node.packageName,
    templateId: fullName(node.templateId),
    version: serializationVersionOf(node),
  }
  if (node.kind === 'query-by-key') {
    return { ...shared, kind: 'queryByKey', result: node.result, exhaustive: node.isExhaustive }
  }
  const { contractId, signatories, stakeholders } = node
  const ofContract = { ...shared, contractId, signatories, stakeholders }
  const interfaceId = 'interfaceId' in node && node.interfaceId ? { interfaceId: fullName(node.interfaceId) } : {}
  switch (node.kind) {
    case 'create':
      return { ...ofContract, kind: 'create', argument: valueToJson(node.argument, loaded), seed: hex(node.seed.bytes) }
    case 'fetch':
      return { ...ofContract, ...interfaceId, kind: 'fetch', actors: node.actors, byKey: node.isByKey }
    case 'exercise':
      return {
        ...ofContract,
        ...interfaceId,
        kind: 'exercise',
        choice: node.choice,
        consuming: node.isConsuming,
        byKey: node.isByKey,
        actors: node.actors,
        choiceObservers: node.choiceObservers,
        argument: valueToJson(node.argument, loaded),
        children: node.children,
        seed: hex(node.seed.bytes),
        ...(node.result && { result: valueToJson(node.result, loaded) }),
      }
  }
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex')
}

/** Stored records omit trailing `none` fields. */
function valueToJson({ type, value }: TypedValue, { engine }: Loaded): Recorded {
  return withoutTrailingNone(writeRecorded(value, type, engine.dataTypes))
}

export function withoutTrailingNone(json: Recorded): Recorded {
  if (Array.isArray(json)) return json.map(withoutTrailingNone)
  if (typeof json !== 'object' || json === null) return json
  const [kind, content] = Object.entries(json)[0] as [string, Recorded]
  if (kind !== 'record') return { [kind]: withoutTrailingNone(content) }
  const last = content.findLastIndex((field: Recorded) => field.none === undefined)
  return { record: content.slice(0, last + 1).map(withoutTrailingNone) }
}

// ── Views and hashes

function view({ view, interface: of, argument, outcome }: Recorded, loaded: Loaded): Replay {
  const { identifier, engine } = loaded
  const template = identifier(view)
  const interfaceId = identifier(of)
  const contract = readRecorded(argument, { kind: 'constructor', id: template, args: [] }, engine.dataTypes) as LfRecord
  const name = `${view} as ${of}`
  const shown = (): LfValue => engine.view(template, interfaceId, contract, { stepsMax })
  const { viewType } = engine.code.interface(interfaceId)
  try {
    const actual = { value: valueToJson({ type: viewType, value: shown() }, loaded) }
    return { name, group: name, actual, expected: outcome.value ? { value: outcome.value } : outcome }
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    return { name, group: name, actual: { error: withPrefix(error) }, expected: { error: outcome.error?.message } }
  }
}

function hash({ contractHash, keyHash, argument, key, outcome }: Recorded, { identifier, engine }: Loaded): Replay {
  const templateId = identifier(contractHash ?? keyHash)
  const template = engine.code.template(templateId)
  const type: Type = contractHash ? { kind: 'constructor', id: templateId, args: [] } : template.key!.type
  const value = readRecorded(argument ?? key, type, engine.dataTypes)
  const hashed = { packageName: template.package.name, templateId, type, value }
  const name = `${contractHash ?? keyHash} ${JSON.stringify(argument ?? key)}`
  try {
    const actual = engine.hash[contractHash ? 'contractHash' : 'keyHash'](hashed)
    return { name, group: contractHash ?? keyHash, actual: { hash: actual }, expected: outcome }
  } catch (error) {
    return { name, group: contractHash ?? keyHash, actual: { error: (error as Error).message }, expected: outcome }
  }
}

/** The hash of a contract of a case, in typed normal form. */
export function contractHashOf(contract: Recorded, { identifier, engine }: Loaded): string {
  const templateId = identifier(contract.template)
  const type: Type = { kind: 'constructor', id: templateId, args: [] }
  const value = readRecorded(contract.argument, type, engine.dataTypes)
  const { name } = engine.code.template(templateId).package
  return engine.hash.contractHash({ packageName: contract.packageName ?? name, templateId, type, value })
}
