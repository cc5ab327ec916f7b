// A prepared transaction in Canton's protobuf form (interactive_submission_service.proto and
// interactive_submission_data.proto): what a participant interpreted, for others to inspect and sign. Values here are
// as in the bytes; errors in them are found where they are used.
import { ledgerMessage } from '../../protobuf/ledger-api.ts'
import { createStrictCodec, type OwnNames, type StrictCodec } from '../../protobuf/strict-codec.ts'
import type { Identifier } from '../syntax/ast.ts'
import type { MaybeValue } from './api-value/type.ts'
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

/** A value may be nested a hundred deep, with three messages for each level. */
const limits = { depthMax: 320, messagesMax: 500_000 } as const

/** Where objects have other names than the messages. */
const ownNames: OwnNames = {
  'com.daml.ledger.api.v2.Identifier': { module_name: 'module', entity_name: 'name' },
  // Canton does not write it, and the hash does not cover it.
  'com.daml.ledger.api.v2.interactive.Metadata': { global_key_mapping: undefined },
}

let created: StrictCodec<PreparedTransaction> | undefined

/** Created when it is first needed: few nodes serve external parties. */
function codec(): StrictCodec<PreparedTransaction> {
  created ??= createStrictCodec(ledgerMessage('interactive.PreparedTransaction'), ownNames)
  return created
}

export function encodePreparedTransaction(prepared: PreparedTransaction): Uint8Array {
  return codec().encode(prepared)
}

/** Throws a ValueError for bytes that are not such a message. */
export function decodePreparedTransaction(bytes: Uint8Array): PreparedTransaction {
  return orValueError('a prepared transaction', () => codec().decode(bytes, 'PreparedTransaction', limits))
}
