// Interpretation end to end, in process: what events say, which contracts are requested, what is authentic.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loadDar } from '../../test/support/engine/dars.ts'
import { ledgerOf } from '../../test/support/engine/ledger.ts'
import { createdBy, iouWith, requestOf } from '../../test/support/engine/requests.ts'
import { LedgerError } from '../base/errors.ts'
import { decodeContractBlob, encodeContractBlob } from '../lf/codec/contract-blob.ts'
import { createInterpreter, type Interpretation, type InterpretationRequest } from './interpreter.ts'
import type { KnownContract, LedgerReader } from './ledger-access.ts'
import type { EventNode } from './requests/events.ts'

const quickstart = loadDar('packages/quickstart/quickstart.dar')
const keys = loadDar('test/lf/keys-lf23.dar')
const dalfs = [...quickstart.dalfs, ...keys.dalfs]
const interpreter = createInterpreter(ledgerOf({ dalfs }))

const templateId = `${quickstart.main}:Iou:Iou`
const interpret = (given: Partial<InterpretationRequest>) =>
  interpreter.interpret(requestOf(given), { stepsMax: 100_000 })
const create = { kind: 'create', templateId, createArguments: iouWith({ observers: ['Carol'] }) } as const
const split = (contractId: string) =>
  ({ kind: 'exercise', templateId, contractId, choice: 'Iou_Split', choiceArgument: { amount: '40' } }) as const

function nodesOf({ transaction }: Interpretation): readonly EventNode[] {
  return transaction.nodes
}

/** Interprets on a ledger with these contracts, which records what it is asked for. */
function interpretOn(contracts: readonly KnownContract[], given: Partial<InterpretationRequest>) {
  const ledger = ledgerOf({ dalfs, contracts })
  const asked: (readonly string[])[] = []
  const noting: LedgerReader = {
    ...ledger,
    contracts(ids) {
      asked.push(ids)
      return ledger.contracts(ids)
    },
    contractsWithKey(hash, before) {
      asked.push([hash])
      return ledger.contractsWithKey(hash, before)
    },
  }
  return { asked, interpretation: createInterpreter(noting).interpret(requestOf(given), { stepsMax: 100_000 }) }
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

test('a contract reads back as it was written', () => {
  const nodes = nodesOf(interpret({ commands: [split(iou!.id)], contracts: [iou!] }))
  const [exercise, ...creates] = nodes
  assert.equal(exercise?.kind, 'exercise')
  assert.deepEqual([exercise.choice, exercise.children, exercise.isConsuming], ['Iou_Split', [1, 2], true])
  const parts = creates.filter((node) => node.kind === 'create')
  assert.deepEqual(
    parts.map((node) => JSON.parse(node.createArgument)),
    ['40.0000000000', '60.0000000000'].map((amount) => ({ ...create.createArguments, amount })),
  )
  const [one, rest] = parts.map(({ contractId }) => contractId)
  assert.deepEqual(JSON.parse(exercise.exerciseResult!), { split: one, rest })
})

test('contracts that a command names and does not bring along are requested together', () => {
  const other = createdBy(interpret({ commands: [create], seed: new Uint8Array(32) }))[0]!
  const merge = { ...split(iou!.id), choice: 'Iou_Merge', choiceArgument: { other: other.id } }
  const commands = [merge]
  assert.deepEqual(interpretOn([iou!, other], { commands }).asked, [[iou!.id, other.id]])
  assert.deepEqual(interpretOn([iou!, other], { commands, contracts: [iou!] }).asked, [[other.id]])
  assert.deepEqual(interpretOn([], { commands, contracts: [iou!, other] }).asked, [])
})

test('a missing contract is refused', () => {
  assert.throws(
    () => interpret({ commands: [split(iou!.id)] }),
    new LedgerError('CONTRACT_NOT_FOUND', `Contract could not be found with id ${iou!.id}`, {
      ...{ resources: [['CONTRACT_ID', iou!.id]], remarks: {}, foundBy: 'interpretation' },
    }),
  )
})

test('a package that the ledger does not have is reported as unknown', () => {
  const unknown = { ...create, templateId: `${'ab'.repeat(32)}:Iou:Iou` }
  assert.throws(() => interpret({ commands: [unknown] }), { code: 'TEMPLATES_OR_INTERFACES_NOT_FOUND' })
})

test('packages are requested once, and only those that are needed', () => {
  const ledger = ledgerOf({ dalfs })
  const asked: string[] = []
  const lazy = createInterpreter({
    ...ledger,
    package(id) {
      asked.push(id)
      return ledger.package(id)
    },
  })
  for (let count = 0; count < 2; count += 1) lazy.interpret(requestOf({ commands: [create] }), { stepsMax: 100_000 })
  assert.ok(asked.includes(quickstart.main) && !asked.includes(keys.main))
  assert.deepEqual([...new Set(asked)], asked)
})

const shown = (blob: Uint8Array) => {
  const commands = [{ ...split(iou!.id), choice: 'Iou_Show', choiceArgument: { viewers: [] } }]
  return interpret({ commands, contracts: [{ id: iou!.id, blob, isDisclosed: true }], actAs: ['Alice'] })
}

test('a disclosed contract is used if its id commits to it', () => {
  assert.equal(nodesOf(shown(iou!.blob)).length, 1)
  const changed = { ...decodeContractBlob(iou!.blob), createdAt: 1 }
  assert.throws(() => shown(encodeContractBlob(changed)), {
    code: 'INTERPRETATION_UPGRADE_ERROR_AUTHENTICATION_FAILED',
  })
})

test('an unreadable disclosed contract is refused', () => {
  assert.throws(() => shown(iou!.blob.slice(0, -1)), {
    code: 'INVALID_ARGUMENT',
    message: /^The submitted request has invalid arguments: Unable to decode disclosed contract event payload: /,
  })
})

test('a contract of the ledger is damaged whichever byte of it changed', () => {
  for (let place = 0; place < iou!.blob.length; place += 1) {
    for (const bit of [1, 4, 128]) {
      const blob = Buffer.from(iou!.blob)
      blob[place]! ^= bit
      const commands = [split(iou!.id)]
      assert.throws(
        () => interpret({ commands, contracts: [{ id: iou!.id, blob }] }),
        { message: /^What is stored is damaged: the contract / },
        `bit ${bit} of byte ${place}`,
      )
    }
  }
})

test('keys are looked up by their hash', () => {
  const key = { maintainers: ['Alice'], name: 'k', maintainersFault: 'Fine' }
  const keyed = { signatories: ['Alice'], observers: [], key, keyFault: 'Fine', note: '' }
  const byKey = { templateId: `${keys.main}:Keys:Keyed`, contractKey: key, choice: 'Archive', choiceArgument: null }
  const made = interpret({ commands: [{ kind: 'create', templateId: byKey.templateId, createArguments: keyed }] })
  const [contract] = createdBy(made)
  const commands = [{ kind: 'exercise-by-key', ...byKey } as const]
  const { asked, interpretation } = interpretOn([contract!], { commands })
  const [node] = nodesOf(interpretation)
  assert.equal(node?.kind, 'exercise')
  assert.deepEqual([node.isByKey, [[node.key?.hash]], node.contractId], [true, asked, contract!.id])
  assert.throws(() => interpret({ commands }), { code: 'CONTRACT_KEY_NOT_FOUND' })
})

test('a failure says where it happened', () => {
  const tooMuch = { ...split(iou!.id), choiceArgument: { amount: '1000' } }
  assert.throws(
    () => interpret({ commands: [tooMuch], contracts: [iou!] }),
    (error) => {
      assert.ok(error instanceof LedgerError)
      assert.equal(error.code, 'DAML_FAILURE')
      assert.equal(error.details.remarks?.choice, `${templateId}:Iou_Split`)
      assert.equal(error.details.context?.error_id, 'UNHANDLED_EXCEPTION/Iou:InvalidAmount')
      const where = `${templateId.slice(0, 8)}:Iou:Iou:Iou_Split on contract ${iou!.id.slice(0, 10)}`
      const trace = `    in choice ${where} (#0)\n    in exercise command ${where}.\n`
      assert.equal(error.details.context?.exercise_trace, trace)
      return true
    },
  )
})

test('a failure outside of any choice says in which command it happened', () => {
  const wrong = { issuer: 'Bank', owner: 'Alice', amount: '0', currency: 'EUR', observers: [] }
  const [type, at] = [`${templateId.slice(0, 8)}:Iou:Iou`, 'command']
  const rows = [
    [{ kind: 'create', templateId, createArguments: wrong }, `    in create ${at} ${type}.\n`],
    [
      {
        kind: 'create-and-exercise',
        templateId,
        createArguments: wrong,
        choice: 'Iou_Split',
        choiceArgument: { amount: '1' },
      },
      `    in create-and-exercise ${at} ${type}:Iou_Split.\n`,
    ],
  ] as const
  for (const [command, trace] of rows) {
    assert.throws(
      () => interpret({ commands: [command] }),
      (error) => error instanceof LedgerError && error.details.context?.exercise_trace === trace,
    )
  }
})

test('prefetched keys are looked up first, and once', () => {
  const templateId = `${keys.main}:Keys:Keyed`
  const key = { maintainers: ['Alice'], name: 'k', maintainersFault: 'Fine', last: null }
  const archive = {
    kind: 'exercise-by-key',
    templateId,
    contractKey: key,
    choice: 'Archive',
    choiceArgument: {},
  } as const
  const keyed = { signatories: ['Alice'], observers: [], key, keyFault: 'Fine', note: '' }
  const contracts = createdBy(interpret({ commands: [{ kind: 'create', templateId, createArguments: keyed }] }))
  const prefetchKeys = [{ templateId, contractKey: key }]
  const { asked } = interpretOn(contracts, { commands: [archive], prefetchKeys })
  assert.equal(asked.length, 1)
  const refused = (given: Partial<InterpretationRequest>) => () =>
    interpretOn(contracts, { commands: [archive], ...given })
  assert.throws(refused({ prefetchKeys: [{ templateId: `${quickstart.main}:Iou:Iou`, contractKey: key }] }), {
    code: 'TEMPLATES_OR_INTERFACES_NOT_FOUND',
  })
  assert.throws(refused({ prefetchKeys: [{ templateId, contractKey: {} }] }), { code: 'COMMAND_PREPROCESSING_FAILED' })
})
