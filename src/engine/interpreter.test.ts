// Interpretation from end to end, in the process: what events say, which contracts are asked for, what is authentic.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LedgerError } from '../base/errors.ts'
import { decodeContractBlob, encodeContractBlob } from '../lf/codec/contract-blob.ts'
import type { EventNode } from './events.ts'
import { createInterpreter, type Interpretation, type InterpretationRequest } from './interpreter.ts'
import { loadDar } from './testing/dars.ts'
import { createdBy, iouWith, requestOf } from './testing/requests.ts'

const quickstart = loadDar('packages/quickstart/quickstart.dar')
const keys = loadDar('test/lf/keys-lf23.dar')
const interpreter = createInterpreter()
for (const { bytes } of [...quickstart.dalfs, ...keys.dalfs]) interpreter.load(bytes)

const templateId = `${quickstart.main}:Iou:Iou`
const interpret = (given: Partial<InterpretationRequest>) =>
  interpreter.interpret(requestOf(given), { stepsMax: 100_000 })
const create = { kind: 'create', templateId, createArguments: iouWith({ observers: ['Carol'] }) } as const
const split = (contractId: string) =>
  ({ kind: 'exercise', templateId, contractId, choice: 'Iou_Split', choiceArgument: { amount: '40' } }) as const

function nodesOf(interpretation: Interpretation): readonly EventNode[] {
  return interpretation.kind === 'done' ? interpretation.transaction.nodes : assert.fail('contracts are missing')
}

const created = interpret({ commands: [create] })
const [iou] = createdBy(created)

test('a create has its argument as JSON and the whole contract as a blob', () => {
  const [node] = nodesOf(created)
  assert.equal(node?.kind, 'create')
  assert.deepEqual(JSON.parse(node.createArgument), { ...create.createArguments, amount: '100.0000000000' })
  assert.match(node.contractId, /^00[0-9a-f]{64}ca121220[0-9a-f]{64}$/)
  assert.deepEqual(node.witnesses, ['Alice', 'Bank', 'Carol'])
  const blob = decodeContractBlob(node.blob)
  assert.equal(blob.contractId.text, node.contractId)
  assert.deepEqual(blob.stakeholders, ['Alice', 'Bank', 'Carol'])
})

test('the same seed makes the same contract', () => {
  assert.deepEqual(interpret({ commands: [create] }), created)
  const other = interpret({ commands: [create], seed: new Uint8Array(32) })
  assert.notEqual(createdBy(other)[0]!.id, iou!.id)
})

test('a contract comes back as it left', () => {
  const nodes = nodesOf(interpret({ commands: [split(iou!.id)], contracts: [iou!] }))
  const [exercise, ...creates] = nodes
  assert.equal(exercise?.kind, 'exercise')
  assert.deepEqual([exercise.choice, exercise.children, exercise.isConsuming], ['Iou_Split', [1, 2], true])
  const ids = creates.map((node) => (node.kind === 'create' ? node.contractId : ''))
  assert.deepEqual(JSON.parse(exercise.exerciseResult!), { split: ids[0], rest: ids[1] })
})

test('what a command names and nobody brought is asked for, all at once', () => {
  const other = `00${'ab'.repeat(32)}ca121220${'cd'.repeat(32)}`
  const merge = { ...split(iou!.id), choice: 'Iou_Merge', choiceArgument: { other } }
  assert.deepEqual(interpret({ commands: [merge] }), { kind: 'missing', contractIds: [iou!.id, other], keys: [] })
  assert.deepEqual(interpret({ commands: [merge], contracts: [iou!] }), {
    kind: 'missing',
    contractIds: [other],
    keys: [],
  })
})

test('a contract that is not there is refused', () => {
  assert.throws(
    () => interpret({ commands: [split(iou!.id)], absent: [iou!.id] }),
    new LedgerError('CONTRACT_NOT_FOUND', `Contract could not be found with id ${iou!.id}`, {
      resources: [['CONTRACT_ID', iou!.id]],
      context: {},
    }),
  )
})

const shown = (blob: Uint8Array) => {
  const commands = [{ ...split(iou!.id), choice: 'Iou_Show', choiceArgument: { viewers: [] } }]
  return interpret({ commands, contracts: [{ id: iou!.id, blob, isDisclosed: true }], actAs: ['Alice'] })
}

test('a disclosed contract is used if its id commits to it', () => {
  assert.equal(shown(iou!.blob).kind, 'done')
  const changed = { ...decodeContractBlob(iou!.blob), createdAt: 1 }
  assert.throws(() => shown(encodeContractBlob(changed)), {
    code: 'INTERPRETATION_UPGRADE_ERROR_AUTHENTICATION_FAILED',
  })
})

test('a disclosed contract that cannot be read is refused', () => {
  assert.throws(() => shown(iou!.blob.slice(0, -1)), {
    code: 'INVALID_ARGUMENT',
    message: /^The submitted request has invalid arguments: Unable to decode disclosed contract event payload: /,
  })
})

test('keys are asked for by their hash', () => {
  const key = { maintainers: ['Alice'], name: 'k', maintainersFault: 'Fine' }
  const keyed = { signatories: ['Alice'], observers: [], key, keyFault: 'Fine', note: '' }
  const byKey = { templateId: `${keys.main}:Keys:Keyed`, contractKey: key, choice: 'Archive', choiceArgument: null }
  const made = interpret({ commands: [{ kind: 'create', templateId: byKey.templateId, createArguments: keyed }] })
  const [contract] = createdBy(made)
  const commands = [{ kind: 'exercise-by-key', ...byKey } as const]
  const first = interpret({ commands })
  assert.equal(first.kind, 'missing')
  const [hash] = first.keys
  const found = { commands, contracts: [contract!], keys: [{ hash: hash!, contractIds: [contract!.id] }] }
  const [node] = nodesOf(interpret(found))
  assert.equal(node?.kind, 'exercise')
  assert.deepEqual([node.isByKey, node.key?.hash, node.contractId], [true, hash, contract!.id])
  assert.throws(() => interpret({ commands, keys: [{ hash: hash!, contractIds: [] }] }), {
    code: 'CONTRACT_KEY_NOT_FOUND',
  })
})

test('a failure says where it happened', () => {
  const tooMuch = { ...split(iou!.id), choiceArgument: { amount: '1000' } }
  assert.throws(
    () => interpret({ commands: [tooMuch], contracts: [iou!] }),
    (error) => {
      assert.ok(error instanceof LedgerError)
      assert.equal(error.code, 'DAML_FAILURE')
      assert.equal(error.details.context?.choice, `${templateId}:Iou_Split`)
      assert.equal(error.details.context?.error_id, 'UNHANDLED_EXCEPTION/Iou:InvalidAmount')
      return true
    },
  )
})

test('events can cross threads', () => assert.deepEqual(structuredClone(created), created))
