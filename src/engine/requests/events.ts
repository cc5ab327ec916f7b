// A transaction as it leaves the engine: every value already in the form in which it is served (JSON) and passed on
// (contract blobs), so that storing and sending it touches no value.

import { encodeContractBlob } from '../../lf/codec/contract-blob.ts'
import type { JsonCodec } from '../../lf/codec/json.ts'
import type { ProtobufCodec } from '../../lf/codec/protobuf.ts'
import type { Identifier } from '../../lf/syntax/ast.ts'
import { fullName } from '../../lf/syntax/names.ts'
import { ContractId, type Int64 } from '../../lf/values/values.ts'
import { authenticationDataOf } from '../transaction/authentication-data.ts'
import { witnessesOf } from '../transaction/blinding.ts'
import type { StoredContract } from '../transaction/contracts.ts'
import type { ContractKey, Create, Node, TimeBounds } from '../transaction/nodes.ts'
import type { Parties } from '../transaction/parties.ts'
import type { Suffixed } from '../transaction/suffix.ts'
import type { TypedValue } from '../values/typed-value.ts'

/** Types are `packageId:Module:Entity`, values JSON text, hashes hex. Sets of parties are sorted. */
export type EventNode = {
  readonly id: number
  /** Its own id if it has no children. */
  readonly lastDescendantId: number
  /** The parties that see it. */
  readonly witnesses: Parties
} & (CreateEvent | ExerciseEvent | FetchEvent | QueryEvent | RollbackEvent)

type OfContract = {
  readonly contractId: string
  readonly packageName: string
  readonly templateId: string
  readonly signatories: Parties
  readonly stakeholders: Parties
  readonly key: EventKey | undefined
}

export type EventKey = { readonly json: string; readonly hash: string; readonly maintainers: Parties }

export type CreateEvent = OfContract & {
  readonly kind: 'create'
  readonly createArgument: string
  /** `createdEventBlob`; also how a contract comes back to the engine. */
  readonly blob: Uint8Array
}

export type ExerciseEvent = OfContract & {
  readonly kind: 'exercise'
  readonly interfaceId: string | undefined
  readonly choice: string
  readonly choiceArgument: string
  /** Undefined if an exception ended it: then it is inside a rollback. */
  readonly exerciseResult: string | undefined
  readonly isConsuming: boolean
  readonly isByKey: boolean
  readonly actors: Parties
  readonly choiceObservers: Parties
  readonly children: readonly number[]
}

export type FetchEvent = OfContract & {
  readonly kind: 'fetch'
  readonly interfaceId: string | undefined
  readonly isByKey: boolean
  readonly actors: Parties
}

export type QueryEvent = {
  readonly kind: 'query-by-key'
  readonly packageName: string
  readonly templateId: string
  readonly key: EventKey
  readonly contractIds: readonly string[]
  readonly isExhaustive: boolean
}

export type RollbackEvent = { readonly kind: 'rollback'; readonly children: readonly number[] }

export type TransactionEvents = {
  /** A node's id is its index. */
  readonly nodes: readonly EventNode[]
  readonly roots: readonly number[]
  /** Ids of the ledger's contracts that it used, in the order of their first use. */
  readonly inputContracts: readonly string[]
  /** When the latest of these was created, if that is after the ledger time of the transaction. */
  readonly laterInput: Int64 | undefined
  readonly keyInputs: readonly { readonly hash: string; readonly ids: readonly string[] }[]
  /** Packages of the nodes, sorted. */
  readonly packages: readonly string[]
  readonly timeBounds: TimeBounds
}

export type EventParts = {
  readonly json: JsonCodec
  readonly protobuf: ProtobufCodec
  readonly createdAt: Int64
  /** Called for each node; throws to end the work. */
  readonly check: (() => void) | undefined
}

export function eventsOf({ transaction, salts }: Suffixed, parts: EventParts): TransactionEvents {
  const witnesses = witnessesOf(transaction)
  const { roots, inputContracts, keyInputs, packages, timeBounds } = transaction
  return {
    nodes: transaction.nodes.map((node) => {
      parts.check?.()
      return eventOf(node, witnesses[node.id]!, salts, parts)
    }),
    roots,
    inputContracts: inputContracts.map((contract) => contract.id),
    laterInput: laterInputOf(inputContracts, parts.createdAt),
    keyInputs,
    packages,
    timeBounds,
  }
}

function laterInputOf(inputs: readonly StoredContract[], ledgerTime: Int64): Int64 | undefined {
  let latest: Int64 | undefined
  for (const { createdAt } of inputs) {
    if (createdAt !== undefined && createdAt > (latest ?? ledgerTime)) latest = createdAt
  }
  return latest
}

/** Each kind is one literal: assembling it from parts costs several times as much. */
function eventOf(node: Node, witnesses: Parties, salts: Suffixed['salts'], parts: EventParts): EventNode {
  const { json } = parts
  const { id, lastDescendantId } = node
  switch (node.kind) {
    case 'create':
      return {
        kind: node.kind,
        id,
        lastDescendantId,
        witnesses,
        contractId: node.contractId,
        packageName: node.packageName,
        templateId: textOfId(node.templateId),
        signatories: node.signatories,
        stakeholders: node.stakeholders,
        key: node.key && keyOf(node.key, json),
        createArgument: textOf(node.argument, json),
        blob: blobOf(node, salts.get(node.contractId)!, parts),
      }
    case 'exercise':
      return {
        kind: node.kind,
        id,
        lastDescendantId,
        witnesses,
        contractId: node.contractId,
        packageName: node.packageName,
        templateId: textOfId(node.templateId),
        signatories: node.signatories,
        stakeholders: node.stakeholders,
        key: node.key && keyOf(node.key, json),
        interfaceId: node.interfaceId && textOfId(node.interfaceId),
        choice: node.choice,
        choiceArgument: textOf(node.argument, json),
        exerciseResult: node.result && textOf(node.result, json),
        isConsuming: node.isConsuming,
        isByKey: node.isByKey,
        actors: node.actors,
        choiceObservers: node.choiceObservers,
        children: node.children,
      }
    case 'fetch':
      return {
        kind: node.kind,
        id,
        lastDescendantId,
        witnesses,
        contractId: node.contractId,
        packageName: node.packageName,
        templateId: textOfId(node.templateId),
        signatories: node.signatories,
        stakeholders: node.stakeholders,
        key: node.key && keyOf(node.key, json),
        interfaceId: node.interfaceId && textOfId(node.interfaceId),
        isByKey: node.isByKey,
        actors: node.actors,
      }
    case 'query-by-key':
      return {
        kind: node.kind,
        id,
        lastDescendantId,
        witnesses,
        packageName: node.packageName,
        templateId: textOfId(node.templateId),
        key: keyOf(node.key, json),
        contractIds: node.result,
        isExhaustive: node.isExhaustive,
      }
    case 'rollback':
      return { kind: node.kind, id, lastDescendantId, witnesses, children: node.children }
  }
}

/** One string object per identifier: V8 is much faster with the same string than with an equal one. */
const textsOfIds = new WeakMap<Identifier, string>()

function textOfId(id: Identifier): string {
  let text = textsOfIds.get(id)
  if (text === undefined) {
    text = fullName(id)
    textsOfIds.set(id, text)
  }
  return text
}

function textOf({ type, value }: TypedValue, json: JsonCodec): string {
  return json.codecFor(type).encode(value)
}

function keyOf(key: ContractKey, json: JsonCodec): EventKey {
  return { json: textOf(key, json), hash: key.hash, maintainers: key.maintainers }
}

function blobOf(create: Create, salt: Uint8Array, { protobuf, createdAt }: EventParts): Uint8Array {
  const { contractId, packageName, templateId, argument, signatories, stakeholders, key } = create
  return encodeContractBlob({
    contractId: new ContractId(contractId),
    packageName,
    templateId,
    createArgument: protobuf.encode(argument.value, argument.type),
    signatories,
    stakeholders,
    key: key && {
      value: protobuf.encode(key.value, key.type),
      maintainers: key.maintainers,
      hash: Buffer.from(key.hash, 'hex'),
    },
    createdAt,
    authenticationData: authenticationDataOf(salt),
  })
}
