// What replaying a prepared transaction needs: the command and the seed of its root node, and the contracts that it
// brings along. Nothing of it is trusted; the caller compares the result.
import { invalidArgument } from '../../base/errors.ts'
import { storedValueOf } from '../../lf/codec/api-value/convert.ts'
import { decodeContractBlob } from '../../lf/codec/contract-blob.ts'
import {
  decodePreparedTransaction,
  type InputContract,
  type PreparedExercise,
  type PreparedNode,
} from '../../lf/codec/prepared-transaction.ts'
import type { ProtobufCodec } from '../../lf/codec/protobuf.ts'
import type { Identifier } from '../../lf/syntax/ast.ts'
import { contractIdFromText, foreignIdProblem } from '../../lf/values/contract-ids.ts'
import type { Packages } from '../../lf/values/data-types.ts'
import type { LfRecord } from '../../lf/values/values.ts'
import type { EngineCommand } from '../engine-commands.ts'
import type { KnownContract } from '../ledger-access.ts'
import { typeOfTemplate } from '../transaction/contracts.ts'
import type { Seed } from '../transaction/seeds.ts'
import { choicesOf, templateOf } from './command-decoding.ts'

export type Replay = {
  readonly commands: readonly EngineCommand[]
  readonly rootSeeds: readonly Seed[]
  readonly contracts: readonly KnownContract[]
  /** The package versions that interfaces used. */
  readonly packagePreference: Readonly<Record<string, string>>
}

type Parts = { readonly packages: Packages; readonly protobuf: ProtobufCodec }

/** Throws a LedgerError or a ValueError if it cannot be replayed. */
export function replayOf(bytes: Uint8Array, parts: Parts): Replay {
  const { transaction, metadata } = decodePreparedTransaction(bytes)
  const [rootId, ...otherRoots] = transaction?.roots ?? []
  if (rootId === undefined || otherRoots.length > 0) throw notReplayable('it does not have one root node')
  const root = transaction!.nodes.find(({ nodeId }) => nodeId === rootId)?.v1
  const seed = transaction!.nodeSeeds.find(({ nodeId }) => String(nodeId) === rootId)?.seed
  if (root === undefined || seed?.length !== 32) throw notReplayable('its root node is not complete')
  const nodes = transaction!.nodes.map(({ v1 }) => v1)
  return {
    commands: [commandOf(root, parts)],
    rootSeeds: [seed],
    contracts: inOrderOfKeys((metadata?.inputContracts ?? []).map(contractOf), nodes),
    packagePreference: preferenceOf(nodes),
  }
}

function commandOf(node: PreparedNode, parts: Parts): EngineCommand {
  if (node.kind === 'create') {
    const templateId = present(node.value.templateId)
    templateOf(templateId, parts)
    const argument = parts.protobuf.decode(storedValueOf(node.value.argument), typeOfTemplate(templateId))
    return { kind: 'create', templateId, argument: argument as LfRecord }
  }
  if (node.kind === 'exercise') return exerciseOf(node.value, parts)
  throw notReplayable(`its root node is a ${node.kind}`)
}

function exerciseOf(exercise: PreparedExercise, parts: Parts): EngineCommand {
  const { choiceId: choice, chosenValue, contractId, byKey } = exercise
  const templateId = present(exercise.templateId)
  const typeId = exercise.interfaceId ?? templateId
  const declared = choicesOf(typeId, parts).get(choice)
  if (declared === undefined) throw notReplayable(`there is no choice ${choice.slice(0, 300)}`)
  const argument = parts.protobuf.decode(storedValueOf(chosenValue), declared.argument.type)
  if (!byKey) {
    const id = contractIdFromText(contractId)
    if (id === undefined || foreignIdProblem(id) !== undefined) throw notReplayable('its contract id is none')
    return { kind: 'exercise', typeId, contractId, choice, argument }
  }
  const { key } = templateOf(templateId, parts)
  if (key === undefined || exercise.interfaceId !== undefined) throw notReplayable('it has no such key')
  const value = parts.protobuf.decode(storedValueOf(exercise.key?.key?.key), key.type)
  return { kind: 'exercise-by-key', templateId, key: value, choice, argument }
}

function contractOf({ v1, eventBlob }: InputContract): KnownContract {
  const { contractId, createdAt } = decodeContractBlob(eventBlob)
  if (v1?.contractId !== contractId.text) throw notReplayable('an input contract is not that of its blob')
  if (createdAt === undefined) throw notReplayable('an input contract was not created yet')
  return { id: contractId.text, blob: eventBlob, isDisclosed: true }
}

/** Contracts that keys stood for, in the order in which they did: the key then stands for the same ones again. */
function inOrderOfKeys(
  contracts: readonly KnownContract[],
  nodes: readonly (PreparedNode | undefined)[],
): readonly KnownContract[] {
  const ids = new Set(
    nodes.flatMap((node) => {
      if (node?.kind === 'query-by-key') return node.value.result
      return (node?.kind === 'fetch' || node?.kind === 'exercise') && node.value.byKey ? [node.value.contractId] : []
    }),
  )
  const byId = new Map(contracts.map((contract) => [contract.id, contract]))
  const found = [...ids].flatMap((id) => byId.get(id) ?? [])
  return [...found, ...contracts.filter(({ id }) => !ids.has(id))]
}

function preferenceOf(nodes: readonly (PreparedNode | undefined)[]): Record<string, string> {
  const preference: [string, string][] = []
  for (const node of nodes) {
    if (node?.kind !== 'exercise' && node?.kind !== 'fetch') continue
    const { interfaceId, templateId, packageName } = node.value
    if (interfaceId !== undefined && templateId !== undefined) preference.push([packageName, templateId.packageId])
  }
  return Object.fromEntries(preference)
}

function present(id: Identifier | undefined): Identifier {
  if (id === undefined) throw notReplayable('its root node has no template')
  return id
}

function notReplayable(reason: string) {
  return invalidArgument(`The transaction cannot be interpreted: ${reason}`)
}
