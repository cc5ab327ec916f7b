// A prepared transaction in Canton's protobuf form (interactive_submission_service.proto and
// interactive_submission_data.proto): what a participant interpreted, for others to inspect and sign. Values here are
// as in the bytes; errors in them are found where they are used.
import type { Identifier } from '../syntax/ast.ts'
import { identifierMessage, ledgerValueMessage, type MaybeValue } from './api-value/type.ts'
import { many, maybe, messageOf, once, oneOf, readWholeMessage, writeWholeMessage } from './proto-message.ts'
import { orValueError } from './value-error.ts'

export type PreparedTransaction = {
  readonly transaction: PreparedNodes | undefined
  readonly metadata: PreparedMetadata | undefined
}

export type PreparedNodes = {
  readonly version: string
  readonly roots: readonly string[]
  readonly nodes: readonly { readonly nodeId: string; readonly v1: PreparedNode | undefined }[]
  readonly nodeSeeds: readonly { readonly nodeId: number; readonly seed: Uint8Array }[]
}

export type PreparedMetadata = {
  readonly submitterInfo: { readonly actAs: readonly string[]; readonly commandId: string } | undefined
  /** The id of the physical synchronizer. */
  readonly synchronizerId: string
  readonly mediatorGroup: number
  readonly transactionUuid: string
  /** Microseconds since 1970, here and below. */
  readonly preparationTime: bigint
  readonly inputContracts: readonly InputContract[]
  readonly minLedgerEffectiveTime: bigint | undefined
  readonly maxLedgerEffectiveTime: bigint | undefined
  readonly maxRecordTime: bigint | undefined
}

export type InputContract = {
  readonly v1: PreparedCreate | undefined
  readonly createdAt: bigint
  /** Not signed: the id of the contract commits to it. */
  readonly eventBlob: Uint8Array
}

export type PreparedNode =
  | { readonly kind: 'create'; readonly value: PreparedCreate }
  | { readonly kind: 'fetch'; readonly value: PreparedFetch }
  | { readonly kind: 'exercise'; readonly value: PreparedExercise }
  | { readonly kind: 'rollback'; readonly value: { readonly children: readonly string[] } }
  | { readonly kind: 'query-by-key'; readonly value: PreparedQuery }

type OfContract = {
  readonly lfVersion: string
  readonly contractId: string
  readonly packageName: string
  readonly templateId: Identifier | undefined
  readonly signatories: readonly string[]
  readonly stakeholders: readonly string[]
  readonly key: PreparedKey | undefined
}

export type PreparedCreate = OfContract & { readonly argument: MaybeValue }

export type PreparedFetch = OfContract & {
  readonly actingParties: readonly string[]
  readonly interfaceId: Identifier | undefined
  readonly byKey: boolean
}

export type PreparedExercise = OfContract & {
  readonly actingParties: readonly string[]
  readonly interfaceId: Identifier | undefined
  readonly choiceId: string
  readonly chosenValue: MaybeValue
  readonly consuming: boolean
  readonly children: readonly string[]
  readonly exerciseResult: MaybeValue
  readonly choiceObservers: readonly string[]
  readonly byKey: boolean
}

export type PreparedQuery = {
  readonly lfVersion: string
  readonly packageName: string
  readonly templateId: Identifier | undefined
  readonly exhaustive: boolean
  readonly key: PreparedKey | undefined
  readonly result: readonly string[]
}

export type PreparedKey = { readonly key: GlobalKey | undefined; readonly maintainers: readonly string[] }

type GlobalKey = {
  readonly templateId: Identifier | undefined
  readonly packageName: string
  readonly key: MaybeValue
  readonly hash: Uint8Array
}

const identifier = () => identifierMessage
const value = () => ledgerValueMessage
const key = () => keyWithMaintainers

const globalKey = messageOf<GlobalKey>({
  templateId: maybe(1, identifier),
  packageName: once(2, 'string'),
  key: maybe(3, value),
  hash: once(4, 'bytes'),
})

const keyWithMaintainers = messageOf<PreparedKey>({ key: maybe(1, () => globalKey), maintainers: many(2, 'string') })

const create = messageOf<PreparedCreate>({
  lfVersion: once(1, 'string'),
  contractId: once(2, 'string'),
  packageName: once(3, 'string'),
  templateId: maybe(4, identifier),
  argument: maybe(5, value),
  signatories: many(6, 'string'),
  stakeholders: many(7, 'string'),
  key: maybe(8, key),
})

const fetch = messageOf<PreparedFetch>({
  lfVersion: once(1, 'string'),
  contractId: once(2, 'string'),
  packageName: once(3, 'string'),
  templateId: maybe(4, identifier),
  signatories: many(5, 'string'),
  stakeholders: many(6, 'string'),
  actingParties: many(7, 'string'),
  interfaceId: maybe(8, identifier),
  key: maybe(9, key),
  byKey: once(10, 'bool'),
})

const exercise = messageOf<PreparedExercise>({
  lfVersion: once(1, 'string'),
  contractId: once(2, 'string'),
  packageName: once(3, 'string'),
  templateId: maybe(4, identifier),
  signatories: many(5, 'string'),
  stakeholders: many(6, 'string'),
  actingParties: many(7, 'string'),
  interfaceId: maybe(8, identifier),
  choiceId: once(9, 'string'),
  chosenValue: maybe(10, value),
  consuming: once(11, 'bool'),
  children: many(12, 'string'),
  exerciseResult: maybe(13, value),
  choiceObservers: many(14, 'string'),
  key: maybe(15, key),
  byKey: once(16, 'bool'),
})

const rollback = messageOf<{ children: readonly string[] }>({ children: many(1, 'string') })

const queryByKey = messageOf<PreparedQuery>({
  lfVersion: once(1, 'string'),
  packageName: once(2, 'string'),
  templateId: maybe(3, identifier),
  exhaustive: once(4, 'bool'),
  key: maybe(5, key),
  result: many(6, 'string'),
})

const node = oneOf<PreparedNode>({
  create: [1, () => create],
  fetch: [2, () => fetch],
  exercise: [3, () => exercise],
  rollback: [4, () => rollback],
  'query-by-key': [5, () => queryByKey],
})

const versionedNode = messageOf<PreparedNodes['nodes'][number]>({
  nodeId: once(1, 'string'),
  v1: maybe(1000, () => node),
})
const nodeSeed = messageOf<PreparedNodes['nodeSeeds'][number]>({ nodeId: once(1, 'int32'), seed: once(2, 'bytes') })

const nodes = messageOf<PreparedNodes>({
  version: once(1, 'string'),
  roots: many(2, 'string'),
  nodes: many(3, () => versionedNode),
  nodeSeeds: many(4, () => nodeSeed),
})

const submitterInfo = messageOf<NonNullable<PreparedMetadata['submitterInfo']>>({
  actAs: many(1, 'string'),
  commandId: once(2, 'string'),
})

const inputContract = messageOf<InputContract>({
  v1: maybe(1, () => create),
  createdAt: once(1000, 'int64'),
  eventBlob: once(1002, 'bytes'),
})

const metadata = messageOf<PreparedMetadata>({
  submitterInfo: maybe(2, () => submitterInfo),
  synchronizerId: once(3, 'string'),
  mediatorGroup: once(4, 'int32'),
  transactionUuid: once(5, 'string'),
  preparationTime: once(6, 'int64'),
  inputContracts: many(7, () => inputContract),
  minLedgerEffectiveTime: maybe(9, 'int64'),
  maxLedgerEffectiveTime: maybe(10, 'int64'),
  maxRecordTime: maybe(11, 'int64'),
})

const preparedTransaction = messageOf<PreparedTransaction>({
  transaction: maybe(1, () => nodes),
  metadata: maybe(2, () => metadata),
})

/** A value may be nested a hundred deep, with three messages for each level. */
const limits = { depthMax: 320, messagesMax: 500_000 } as const

export function encodePreparedTransaction(prepared: PreparedTransaction): Uint8Array {
  return writeWholeMessage(prepared, preparedTransaction)
}

/** Throws a ValueError for bytes that are not such a message. */
export function decodePreparedTransaction(bytes: Uint8Array): PreparedTransaction {
  return orValueError('a prepared transaction', () => {
    return readWholeMessage(bytes, 'PreparedTransaction', preparedTransaction, limits)
  })
}
