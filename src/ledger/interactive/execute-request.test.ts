// The parts of a prepared transaction that cannot be read, each with the text of Canton's PreparedTransactionDecoder.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { PreparedMetadata, PreparedNodes } from '../../lf/codec/prepared-transaction.ts'
import { readTransaction } from './execute-request.ts'
import type { ExecuteRequest } from './interactive-requests.ts'

const contractId = `00${'ab'.repeat(34)}`
const templateId = { packageId: 'id', module: 'M', name: 'T' }
const contract = {
  ...{ lfVersion: '2.1', contractId, packageName: 'p', templateId, signatories: [], stakeholders: [], key: undefined },
} as const
const argument = { kind: 'unit', value: {} } as const
const newId = `00${'cd'.repeat(34)}`
const created = { kind: 'create', value: { ...contract, contractId: newId, argument } } as const
const fetched = {
  kind: 'fetch',
  value: { ...contract, actingParties: [], interfaceId: undefined, byKey: false },
} as const
const exercised = {
  kind: 'exercise',
  value: {
    ...{ ...contract, actingParties: [], interfaceId: undefined, choiceId: 'C', chosenValue: argument, byKey: false },
    ...{ consuming: false, children: [], exerciseResult: argument, choiceObservers: [] },
  },
} as const
const nodes: PreparedNodes = { version: '2.1', roots: ['0'], nodes: [{ nodeId: '0', v1: created }], nodeSeeds: [] }
const fetching: PreparedNodes = { ...nodes, nodes: [{ nodeId: '0', v1: fetched }] }
const { value } = fetched
const input = { v1: { ...value, argument }, createdAt: 0n, eventBlob: new Uint8Array() }
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

const withNode = (v1: unknown): PreparedNodes => ({ ...nodes, nodes: [{ nodeId: '0', v1: v1 as never }] })
const withCreate = (fields: object) => withNode({ ...created, value: { ...created.value, ...fields } })
const withExercise = (fields: object) => withNode({ ...exercised, value: { ...exercised.value, ...fields } })
const wrongTransactions: [what: string, transaction: PreparedNodes, problem: string][] = [
  ['its version', { ...nodes, version: '9.9' }, "Unsupported serialization version '9.9' at path version"],
  ['its root', { ...nodes, roots: ['x'] }, 'Node Id is not a valid integer at path roots'],
  ['a node without a version', withNode(undefined), 'Cannot decode empty versioned node at path nodes'],
  ['the version of a node', withCreate({ lfVersion: '1.0' }), "Unsupported serialization version '1.0' at path nodes"],
  ['a contract id', withCreate({ contractId: 'x' }), 'cannot parse HexString x at path nodes.contractId'],
  [
    'a package name',
    withCreate({ packageName: 'a b' }),
    'non expected character 0x20 in Daml-LF Package Name "a b" at path nodes.packageName',
  ],
  ['a missing template', withCreate({ templateId: undefined }), 'empty value at path nodes.templateId'],
  ['a missing argument', withCreate({ argument: undefined }), 'Missing argument value at path nodes.arg'],
  [
    'a signatory',
    withCreate({ signatories: ['a', 'b%'] }),
    'non expected character 0x25 in Daml-LF Party "b%" at path nodes.signatories(1)',
  ],
  [
    'a choice',
    withExercise({ choiceId: '1x' }),
    'non expected first character 0x31 in Daml-LF Name "1x" at path nodes.choiceId',
  ],
  ['a child', withExercise({ children: ['y'] }), 'Node Id is not a valid integer at path nodes.children'],
]

type Case = [what: string, metadata: Partial<PreparedMetadata>, transaction: PreparedNodes, reason: string | undefined]

const cases: Case[] = [
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
      'non expected character 0xe4 in Daml-LF Ledger String "ä" at path commandId',
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
  [
    'the order of its times',
    { minLedgerEffectiveTime: 5n, maxLedgerEffectiveTime: 3n },
    nodes,
    'Failed to deserialize time boundaries: assertion failed',
  ],
  [
    'a seed',
    {},
    { ...nodes, nodeSeeds: [{ nodeId: 0, seed: new Uint8Array(3) }] },
    'Failed to deserialize transaction meta: hash should have 32 bytes, got 3 at path optNodeSeeds',
  ],
  ...wrongTransactions.map(([what, transaction, problem]): Case => {
    return [what, {}, transaction, `Failed to deserialize transaction: ${problem}`]
  }),
  [
    'an input contract',
    { inputContracts: [{ v1: undefined, createdAt: 0n, eventBlob: new Uint8Array() }] },
    fetching,
    'Failed to deserialize input contracts: Cannot decode empty disclosed contract',
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
