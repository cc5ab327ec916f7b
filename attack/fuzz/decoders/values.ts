// Decoders of Daml values: JSON and protobuf by their types, contracts as blobs, prepared transactions.
import fc from 'fast-check'
import { createLedgerValues } from '../../../src/lf/codec/api-value/convert.ts'
import { decodeContractBlob, encodeContractBlob } from '../../../src/lf/codec/contract-blob.ts'
import { createJsonCodec } from '../../../src/lf/codec/json.ts'
import { hashPreparedTransaction } from '../../../src/lf/codec/prepared-hash.ts'
import { HashingError } from '../../../src/lf/codec/prepared-hash-input.ts'
import {
  decodePreparedTransaction,
  encodePreparedTransaction,
  type PreparedCreate,
  type PreparedNode,
  type PreparedTransaction,
} from '../../../src/lf/codec/prepared-transaction.ts'
import { createProtobufCodec } from '../../../src/lf/codec/protobuf.ts'
import { ValueError } from '../../../src/lf/codec/value-error.ts'
import type { Type } from '../../../src/lf/syntax/ast.ts'
import { ContractId, type LfValue } from '../../../src/lf/values/values.ts'
import { anyType, anyValueOf } from '../../../test/support/lf/arbitrary-values.ts'
import { compareValues } from '../../../test/support/lf/compare-values.ts'
import { dataType } from '../../../test/support/lf/data-package.ts'
import { sampleDataTypes, sampleTypes } from '../../../test/support/lf/sample-types.ts'
import { bytesDecoder, numbered, numberedJsonDecoder } from '../decoder.ts'

const parts = { dataTypes: sampleTypes, compare: compareValues }
const { codecFor } = createJsonCodec(parts)
const protobuf = createProtobufCodec(parts)
const isValueError = (error: unknown) => error instanceof ValueError
const fixed = { seed: 1 }

const types: readonly Type[] = [...sampleDataTypes, ...fc.sample(anyType, { ...fixed, numRuns: 40 })]
const typeAt = (number: number): Type => types[number % types.length]!

function values(): { readonly number: number; readonly type: Type; readonly value: LfValue }[] {
  return types.flatMap((type, number) =>
    fc.sample(anyValueOf(type, sampleTypes), { ...fixed, numRuns: 3 }).map((value) => ({ number, type, value })),
  )
}

export const jsonValues = numberedJsonDecoder({
  name: 'JSON values',
  corpus: () => values().map(({ number, type, value }) => `${number}|${codecFor(type).encode(value)}`),
  read(input) {
    const { number, text } = numbered(input)
    const { decode, encode } = codecFor(typeAt(number))
    return `${number}|${encode(decode(JSON.parse(text)))}`
  },
  isRefusal: (error) => isValueError(error) || error instanceof SyntaxError,
})

export const protobufValues = bytesDecoder({
  name: 'protobuf values',
  corpus: () =>
    values().map(({ number, type, value }) => Buffer.concat([Buffer.of(number), protobuf.encode(value, type)])),
  read(input) {
    const number = input[0] ?? 0
    const type = typeAt(number)
    return Buffer.concat([Buffer.of(number), protobuf.encode(protobuf.decode(input.subarray(1), type), type)])
  },
  isRefusal: isValueError,
})

// ── Contracts and transactions

const party = (hint: string) => `${hint}::1220${'ab'.repeat(32)}`
const packageId = 'cd'.repeat(32)
const templateId = { packageId, module: 'Main.Sub', name: 'Iou' }
const contractIds = [1, 2].map((digit) => `00${String(digit).repeat(64)}ca121220${'0a'.repeat(32)}`)

export const contractBlobs = bytesDecoder({
  name: 'contract blobs',
  corpus() {
    const key = { value: Buffer.from('4200', 'hex'), maintainers: [party('carol')], hash: Buffer.alloc(32, 7) }
    return values()
      .slice(0, 20)
      .flatMap(({ type, value }) => {
        const blob = {
          contractId: new ContractId(contractIds[0]!),
          packageName: 'main',
          templateId,
          createArgument: protobuf.encode(value, type),
          signatories: [party('alice'), party('carol')],
          stakeholders: [party('alice'), party('bob'), party('carol')],
          key: undefined,
          createdAt: 1_739_979_776_032_995,
          authenticationData: Buffer.from('0a0102', 'hex'),
        }
        return [blob, { ...blob, key }, { ...blob, createdAt: undefined }]
      })
      .map((blob) => Buffer.from(encodeContractBlob(blob)))
  },
  read: (input) => Buffer.from(encodeContractBlob(decodeContractBlob(input))),
  isRefusal: isValueError,
})

const ledgerValueOf = createLedgerValues(sampleTypes)

export const preparedTransactions = bytesDecoder({
  name: 'prepared transactions',
  corpus: () => sampleTransactions().map((prepared) => Buffer.from(encodePreparedTransaction(prepared))),
  read(input) {
    const prepared = decodePreparedTransaction(input)
    const { transaction, metadata } = prepared
    if (transaction !== undefined && metadata !== undefined) {
      for (const scheme of ['V2', 'V3'] as const)
        hashOrRefuse(() => hashPreparedTransaction(transaction, metadata, scheme))
    }
    return Buffer.from(encodePreparedTransaction(prepared))
  },
  isRefusal: isValueError,
})

/** A transaction that cannot be hashed may still be readable. */
function hashOrRefuse(hash: () => unknown): void {
  try {
    hash()
  } catch (error) {
    if (!(error instanceof HashingError)) throw error
  }
}

function sampleTransactions(): PreparedTransaction[] {
  const iou = dataType('Everything')
  return fc.sample(anyValueOf(iou, sampleTypes), { ...fixed, numRuns: 12 }).map((value, index) => {
    const argument = ledgerValueOf(value, iou)
    const create: PreparedCreate = {
      lfVersion: '2.1',
      contractId: contractIds[0]!,
      packageName: 'main',
      templateId,
      argument,
      signatories: [party('alice')],
      stakeholders: [party('alice'), party('bob')],
      key:
        index % 3 === 0
          ? {
              key: { templateId, packageName: 'main', key: argument, hash: Buffer.alloc(32) },
              maintainers: [party('alice')],
            }
          : undefined,
    }
    const { argument: _, ...ofContract } = create
    const acting = {
      actingParties: [party('alice')],
      interfaceId: index % 2 === 0 ? templateId : undefined,
      byKey: false,
    }
    const exercise: PreparedNode = {
      kind: 'exercise',
      value: {
        ...{ ...ofContract, ...acting, choiceId: 'Transfer', chosenValue: argument, consuming: true },
        ...{ children: ['1', '2'], exerciseResult: argument, choiceObservers: [] },
      },
    }
    const nodes: PreparedNode[] = [
      exercise,
      { kind: 'create', value: create },
      { kind: 'rollback', value: { children: ['3'] } },
      { kind: 'fetch', value: { ...ofContract, ...acting } },
    ]
    return {
      transaction: {
        version: '2.1',
        roots: ['0'],
        nodes: nodes.map((v1, nodeId) => ({ nodeId: String(nodeId), v1 })),
        nodeSeeds: [0, 1].map((nodeId) => ({ nodeId, seed: Buffer.alloc(32, nodeId) })),
      },
      metadata: {
        submitterInfo: { actAs: [party('alice')], commandId: 'command' },
        synchronizerId: `${party('local')}::35-0`,
        mediatorGroup: 0,
        transactionUuid: '00000000-0000-4000-8000-000000000000',
        preparationTime: 1_739_979_776_032_995n,
        inputContracts: [{ v1: create, createdAt: 1_739_979_776_032_995n, eventBlob: Buffer.from('0a0102', 'hex') }],
        minLedgerEffectiveTime: index % 2 === 0 ? 5n : undefined,
        maxLedgerEffectiveTime: undefined,
        maxRecordTime: 7n,
      },
    }
  })
}
