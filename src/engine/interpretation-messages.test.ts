// What goes into a message comes out of it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { packRequest, packResult, unpackRequest, unpackResult } from './interpretation-messages.ts'
import { createInterpreter } from './interpreter.ts'
import { serve } from './served-transaction.ts'
import { loadDar } from './testing/dars.ts'
import { ledgerOf } from './testing/ledger.ts'
import { iouWith, requestOf } from './testing/requests.ts'

const quickstart = loadDar('packages/quickstart/quickstart.dar')
const request = requestOf({
  commands: [
    {
      kind: 'create-and-exercise',
      templateId: `${quickstart.main}:Iou:Iou`,
      createArguments: { ...iouWith({ observers: ['Zoe'] }), currency: '€' },
      choice: 'Iou_Split',
      choiceArgument: { amount: '40' },
    },
  ],
  contracts: [{ id: '00ab', blob: Uint8Array.of(1, 2, 3), isDisclosed: true }],
  prefetchKeys: [],
  seed: Buffer.alloc(32, 7),
})

test('requests, with times of any size', () => {
  const times = [0, -62_135_596_800_000_000n, 1_767_225_600_000_000, 253_402_300_799_999_999n]
  for (const ledgerTime of times) {
    const given = { ...request, ledgerTime }
    const { ledgerTime: arrived, ...rest } = unpackRequest(structuredClone(packRequest(given)))
    assert.equal(BigInt(arrived), BigInt(ledgerTime))
    const { ledgerTime: _, ...expected } = given
    assert.deepEqual(rest, expected)
  }
})

test('results, with several contracts and text beyond ASCII', () => {
  const interpreter = createInterpreter(ledgerOf({ dalfs: quickstart.dalfs }))
  const parties = ['Bank', 'Alice', 'Zoe']
  const { transaction, traces } = interpreter.interpret(
    { ...request, contracts: [], actAs: parties },
    { stepsMax: 1e6 },
  )
  const prepared = { transaction: Uint8Array.of(1), hash: Uint8Array.of(2, 3) }
  const result = { ...serve(transaction, request.ledgerTime), traces, prepared }
  const arrived = unpackResult(structuredClone(packResult(result)))
  assert.deepEqual(arrived, result)
  assert.equal(arrived.effects.created.length, 3)
})
