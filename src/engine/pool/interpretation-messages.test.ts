// Messages round-trip.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loadDar } from '../../../test/support/engine/dars.ts'
import { ledgerOf } from '../../../test/support/engine/ledger.ts'
import { iouWith, requestOf } from '../../../test/support/engine/requests.ts'
import { createInterpreter } from '../interpreter.ts'
import { serve } from '../requests/served-transaction.ts'
import {
  packRequest,
  packResult,
  type ServedInterpretation,
  unpackRequest,
  unpackResult,
} from './interpretation-messages.ts'

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

for (const [size, currency] of [
  ['small', '€'],
  ['large', '€'.repeat(50_000)],
] as const) {
  test(`${size} results, with several contracts and text beyond ASCII`, () => {
    const interpreter = createInterpreter(ledgerOf({ dalfs: quickstart.dalfs }))
    const [command] = request.commands
    const commands = [{ ...command, createArguments: { ...iouWith({ observers: ['Zoe'] }), currency } }]
    const { transaction, traces } = interpreter.interpret(
      { ...request, commands: commands as typeof request.commands, contracts: [], actAs: ['Bank', 'Alice', 'Zoe'] },
      { stepsMax: 1e6 },
    )
    const prepared = { transaction: Uint8Array.of(1), hash: Uint8Array.of(2, 3) }
    const { served, effects } = serve(transaction, request.ledgerTime, size === 'large')
    const arrived = unpackResult(structuredClone(packResult({ served, effects, traces, prepared, account: '"a":1' })))
    assert.deepEqual(withPlainBytes(arrived), withPlainBytes({ served, effects, traces, prepared, account: '"a":1' }))
    assert.equal(arrived.effects.created.length, 3)
  })
}

function withPlainBytes({ served, effects, ...rest }: ServedInterpretation): ServedInterpretation {
  const created = effects.created.map((contract) => ({ ...contract, blob: new Uint8Array(contract.blob) }))
  return { ...rest, served: { ...served, body: new Uint8Array(served.body) }, effects: { ...effects, created } }
}
