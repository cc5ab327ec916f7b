// The parts of a prepared transaction that cannot be read, each with the text of Canton's PreparedTransactionDecoder.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { PreparedMetadata, PreparedNodes } from '../../lf/codec/prepared-transaction.ts'
import { readTransaction } from './execute-request.ts'
import type { ExecuteRequest } from './interactive-requests.ts'

const contractId = `00${'ab'.repeat(34)}`
const fetched = {
  kind: 'fetch',
  value: {
    ...{ lfVersion: '2.1', contractId, packageName: 'p', templateId: undefined, signatories: [], stakeholders: [] },
    ...{ key: undefined, actingParties: [], interfaceId: undefined, byKey: false },
  },
} as const
const nodes: PreparedNodes = { version: '2.1', roots: ['0'], nodes: [{ nodeId: '0', v1: undefined }], nodeSeeds: [] }
const fetching: PreparedNodes = { ...nodes, nodes: [{ nodeId: '0', v1: fetched }] }
const { value } = fetched
const input = { v1: { ...value, argument: undefined }, createdAt: 0n, eventBlob: new Uint8Array() }
const metadata: PreparedMetadata = {
  submitterInfo: { actAs: ['alice'], commandId: 'c' },
  synchronizerId: 'sync::1220ab::35-0',
  mediatorGroup: 0,
  transactionUuid: '4c6471d3-4e09-49dd-addf-6cd90e19c583',
  preparationTime: 0n,
  inputContracts: [],
  minLedgerEffectiveTime: undefined,
  maxLedgerEffectiveTime: undefined,
  maxRecordTime: undefined,
}
const far = 2n ** 62n
const outOfBounds = `cannot convert long ${far} into Timestamp:out of bound Timestamp ${far}`
const inputs = 'Provided input contracts do not match the input contracts in the transaction'

const cases: [
  what: string,
  metadata: Partial<PreparedMetadata>,
  transaction: PreparedNodes,
  reason: string | undefined,
][] = [
  ['nothing', {}, nodes, undefined],
  ['its UUID', { transactionUuid: 'x' }, nodes, 'Failed to deserialize transaction UUID: Invalid UUID string: x'],
  [
    'its mediator group',
    { mediatorGroup: -1 },
    nodes,
    'Failed to deserialize mediator group: Invariant violation in field `mediator_group`: ' +
      'Received the negative -1 as argument, but we require a non-negative value here.',
  ],
  [
    'its parties and command id',
    { submitterInfo: { actAs: ['alice', 'a%', 'b%'], commandId: 'ä' } },
    nodes,
    'Failed to deserialize submitter info: non expected character 0x25 in Daml-LF Party "a%" at path actAs(1), ' +
      'non expected character 0x25 in Daml-LF Party "b%" at path actAs(2), ' +
      'non expected character 0xe4 in Daml-LF Ledger String "ä"',
  ],
  ['its latest record time', { maxRecordTime: far }, nodes, `Failed to deserialize max record time: ${outOfBounds}`],
  [
    'a bound of its time',
    { minLedgerEffectiveTime: far },
    nodes,
    `Failed to deserialize time boundaries: ${outOfBounds}`,
  ],
  [
    'its time of preparation',
    { preparationTime: far },
    nodes,
    `Failed to deserialize transaction meta: ${outOfBounds} at path preparationTime`,
  ],
  ['an input missing and nothing else', {}, fetching, `${inputs}: Missing input contracts: ContractId(${contractId})`],
  [
    'an input too many and nothing else',
    { inputContracts: [input as never] },
    nodes,
    `${inputs}: Superfluous input contracts: ContractId(${contractId})`,
  ],
  ['no input', { inputContracts: [input as never] }, fetching, undefined],
]

for (const [what, fields, transaction, reason] of cases) {
  test(`a prepared transaction with ${what} wrong is ${reason === undefined ? 'read' : 'refused'}`, () => {
    const request = { prepared: { transaction, metadata: { ...metadata, ...fields } } } as ExecuteRequest
    if (reason === undefined) return void readTransaction(request)
    const message = `The participant failed to execute the transaction: ${reason}`
    assert.throws(() => readTransaction(request), { code: 'FAILED_TO_EXECUTE_TRANSACTION', message })
  })
}
