// A transaction as external parties sign it: its nodes before their contract ids have suffixes, every value with its
// names, and the contracts that it uses (Canton: PreparedTransactionEncoder, InteractiveSubmissionEnricher).

import type { LedgerValue } from '../../lf/codec/api-value/type.ts'
import { decodeContractBlob } from '../../lf/codec/contract-blob.ts'
import { hashPreparedTransaction } from '../../lf/codec/prepared-hash.ts'
import { HashingError, type HashingScheme } from '../../lf/codec/prepared-hash-input.ts'
import {
  encodePreparedTransaction,
  type InputContract,
  type PreparedKey,
  type PreparedMetadata,
  type PreparedNode,
  type PreparedNodes,
} from '../../lf/codec/prepared-transaction.ts'
import type { ProtobufCodec } from '../../lf/codec/protobuf.ts'
import type { Identifier } from '../../lf/syntax/ast.ts'
import type { Packages } from '../../lf/values/data-types.ts'
import type { Int64 } from '../../lf/values/values.ts'
import { typeOfTemplate } from '../transaction/contracts.ts'
import { type Action, type ContractKey, type Node, serializationVersionOf } from '../transaction/nodes.ts'
import { maxTime, minTime } from '../transaction/time-bounds.ts'
import type { Transaction } from '../transaction/transaction.ts'
import type { TypedValue } from '../values/typed-value.ts'
import type { ContractSource } from './contract-source.ts'
import { failedToPrepare } from './unpreparable.ts'

/** What is signed besides the transaction. */
export type PreparationFacts = {
  readonly commandId: string
  /** The id of the physical synchronizer. */
  readonly synchronizerId: string
  readonly mediatorGroup: number
  readonly transactionUuid: string
  /** Microseconds since 1970, as text. */
  readonly maxRecordTime: string | undefined
  readonly scheme: HashingScheme
}

export type Prepared = { readonly transaction: Uint8Array; readonly hash: Uint8Array }

type Parts = {
  readonly facts: PreparationFacts
  readonly actAs: readonly string[]
  readonly preparationTime: Int64
  readonly source: ContractSource
  readonly packages: Packages
  readonly protobuf: ProtobufCodec
  readonly ledgerValueOf: (value: TypedValue['value'], type: TypedValue['type']) => LedgerValue
  /** Called for each node; throws to end the work. */
  readonly check: (() => void) | undefined
}

export function prepareTransaction(transaction: Transaction, parts: Parts): Prepared {
  const nodes = nodesOf(transaction, parts)
  const metadata = metadataOf(transaction, parts)
  try {
    return {
      transaction: encodePreparedTransaction({ transaction: nodes, metadata }),
      hash: hashPreparedTransaction(nodes, metadata, parts.facts.scheme),
    }
  } catch (error) {
    if (error instanceof HashingError) throw failedToPrepare(error.message)
    throw error
  }
}

// ── Nodes

function nodesOf({ nodes, roots }: Transaction, parts: Parts): PreparedNodes {
  const usesKeys = nodes.some((node) => node.kind !== 'rollback' && serializationVersionOf(node) === '2')
  return {
    version: usesKeys ? '2' : '2.1',
    roots: roots.map(String),
    nodes: nodes.map((node) => {
      parts.check?.()
      return { nodeId: String(node.id), v1: preparedNode(node, parts) }
    }),
    nodeSeeds: nodes.flatMap((node) => ('seed' in node ? [{ nodeId: node.id, seed: node.seed.bytes }] : [])),
  }
}

function preparedNode(node: Node, parts: Parts): PreparedNode {
  const shown = ({ value, type }: TypedValue) => parts.ledgerValueOf(value, type)
  switch (node.kind) {
    case 'create':
      return { kind: 'create', value: { ...ofContract(node, parts), argument: shown(node.argument) } }
    case 'fetch': {
      const { actors: actingParties, interfaceId, isByKey: byKey } = node
      return { kind: 'fetch', value: { ...ofContract(node, parts), actingParties, interfaceId, byKey } }
    }
    case 'exercise': {
      const { actors: actingParties, interfaceId, isByKey: byKey, choiceObservers } = node
      return {
        kind: 'exercise',
        value: {
          ...ofContract(node, parts),
          actingParties,
          interfaceId,
          choiceId: node.choice,
          chosenValue: shown(node.argument),
          consuming: node.isConsuming,
          children: node.children.map(String),
          exerciseResult: node.result && shown(node.result),
          choiceObservers,
          byKey,
        },
      }
    }
    case 'query-by-key': {
      const { packageName, templateId, isExhaustive: exhaustive, result } = node
      const key = keyOf(node.key, packageName, templateId, parts)
      const lfVersion = serializationVersionOf(node)
      return { kind: 'query-by-key', value: { lfVersion, packageName, templateId, exhaustive, key, result } }
    }
    case 'rollback':
      return { kind: 'rollback', value: { children: node.children.map(String) } }
  }
}

function ofContract(node: Exclude<Action<unknown>, { kind: 'query-by-key' }>, parts: Parts) {
  const { contractId, packageName, templateId, signatories, stakeholders, key } = node
  return {
    lfVersion: serializationVersionOf(node),
    contractId,
    packageName,
    templateId,
    signatories,
    stakeholders,
    key: key && keyOf(key, packageName, templateId, parts),
  }
}

function keyOf(key: ContractKey, packageName: string, templateId: Identifier, { ledgerValueOf }: Parts): PreparedKey {
  const { type, value, hash, maintainers } = key
  return {
    key: { templateId, packageName, key: ledgerValueOf(value, type), hash: Buffer.from(hash, 'hex') },
    maintainers,
  }
}

// ── Metadata

function metadataOf(transaction: Transaction, parts: Parts): PreparedMetadata {
  const { facts, actAs, preparationTime } = parts
  const { min, max } = transaction.timeBounds
  const used = [...usedContracts(transaction)].sort(([a], [b]) => (a < b ? -1 : 1))
  return {
    submitterInfo: { actAs: actAs.toSorted(), commandId: facts.commandId },
    synchronizerId: facts.synchronizerId,
    mediatorGroup: facts.mediatorGroup,
    transactionUuid: facts.transactionUuid,
    preparationTime: BigInt(preparationTime),
    inputContracts: used.map(([id, packageIds]) => inputContract(id, packageIds, parts)),
    minLedgerEffectiveTime: BigInt(min) === minTime ? undefined : BigInt(min),
    maxLedgerEffectiveTime: BigInt(max) === maxTime ? undefined : BigInt(max),
    maxRecordTime: facts.maxRecordTime === undefined ? undefined : BigInt(facts.maxRecordTime),
  }
}

/** The ledger's contracts that nodes refer to, with the packages through which they use them. */
function usedContracts({ nodes }: Transaction): Map<string, Set<string>> {
  const created = new Set(nodes.flatMap((node) => (node.kind === 'create' ? [node.contractId] : [])))
  const used = new Map<string, Set<string>>()
  const use = (id: string, packageId: string) => {
    if (!created.has(id)) used.set(id, (used.get(id) ?? new Set()).add(packageId))
  }
  for (const node of nodes) {
    if (node.kind === 'exercise' || node.kind === 'fetch') use(node.contractId, node.templateId.packageId)
    if (node.kind === 'query-by-key') for (const id of node.result) use(id, node.templateId.packageId)
  }
  return used
}

/** Written with the types of the first package; the engine has checked that all of them see the same contract. */
function inputContract(id: string, packageIds: ReadonlySet<string>, parts: Parts): InputContract {
  parts.check?.()
  const { source, packages, protobuf, ledgerValueOf } = parts
  const known = source.contract(id)
  if (known === undefined) throw new Error(`the contract ${id} was used, and is not known`)
  const blob = decodeContractBlob(known.blob)
  const { packageName, templateId, signatories, stakeholders, key, createdAt = 0 } = blob
  const type = typeOfTemplate({ ...templateId, packageId: [...packageIds].sort()[0]! })
  const keyType = packages
    .get(templateId.packageId)
    ?.modules.get(templateId.module)
    ?.templates.get(templateId.name)?.key
  return {
    v1: {
      lfVersion: key === undefined ? '2.1' : '2',
      contractId: id,
      packageName,
      templateId,
      argument: ledgerValueOf(protobuf.decode(blob.createArgument, type), type),
      signatories,
      stakeholders,
      key: key &&
        keyType && {
          key: {
            templateId,
            packageName,
            key: ledgerValueOf(protobuf.decode(key.value, keyType.type), keyType.type),
            hash: key.hash,
          },
          maintainers: key.maintainers,
        },
    },
    createdAt: BigInt(createdAt),
    eventBlob: known.blob,
  }
}
