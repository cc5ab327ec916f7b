// Limits on the size of a transaction: a value that is referenced many times is written as often.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loadDar } from '../../../test/support/engine/dars.ts'
import { ledgerOf } from '../../../test/support/engine/ledger.ts'
import { iouWith, requestOf } from '../../../test/support/engine/requests.ts'
import { createInterpreter } from '../interpreter.ts'

const quickstart = loadDar('packages/quickstart/quickstart.dar')
const ledger = ledgerOf({ dalfs: quickstart.dalfs })

function creating(count: number) {
  const create = { kind: 'create', templateId: `${quickstart.main}:Iou:Iou`, createArguments: iouWith() } as const
  return requestOf({ commands: Array.from({ length: count }, () => create) })
}

test('a transaction whose events have more bytes than allowed is refused', () => {
  const interpreter = createInterpreter(ledger, { transactionBytesMax: 1_000 })
  assert.equal(interpreter.interpret(creating(2), { stepsMax: 1e6 }).transaction.nodes.length, 2)
  assert.throws(() => interpreter.interpret(creating(100), { stepsMax: 1e6 }), {
    code: 'INTERPRETATION_TIME_EXCEEDED',
    message:
      'The command makes a larger transaction than this node allows: its events have more than 1000 bytes ' +
      '(engine.transactionBytesMax)',
  })
  assert.equal(interpreter.interpret(creating(2), { stepsMax: 1e6 }).transaction.nodes.length, 2)
})
