// Code that is larger than its package: what compilation may cost, and how it can be ended.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { ledgerOf } from '../../../test/support/engine/ledger.ts'
import { requestOf } from '../../../test/support/engine/requests.ts'
import { type SharedForm, sharedForms, sharedPackage } from '../../../test/support/engine/shared-package.ts'
import { createInterpreter, type Interpreter } from '../interpreter.ts'
import { createWriter, nestedBlocksMax } from './writer.ts'

const small = sharedPackage(6)
const huge = sharedPackage(40)
const ledger = ledgerOf({ dalfs: [{ bytes: small.dalf }, { bytes: huge.dalf }] })
const tooLarge = {
  code: 'INTERPRETATION_TIME_EXCEEDED',
  message: /^The command needs more code than this node allows: .* has more than \d+ /,
}

/** Runs a choice, and counts how often it could have been ended. */
function runIn(interpreter: Interpreter, shared: typeof small, form: SharedForm | 'Quick', endAt = Infinity) {
  let checks = 0
  const check = () => {
    checks += 1
    if (checks === endAt) throw new Error('ended')
  }
  const request = requestOf({ commands: [shared.command(form)], actAs: ['Alice'] })
  const run = () => interpreter.interpret(request, { stepsMax: 1_000_000, check })
  return { run, checks: () => checks }
}

function resultOf({ transaction }: ReturnType<Interpreter['interpret']>): unknown {
  const last = transaction.nodes.at(-1)!
  return last.kind === 'exercise' && JSON.parse(last.exerciseResult!.toString())
}

describe('a package of a few kilobytes that stands for 2^40 expressions', () => {
  test('is small', () => assert.ok(huge.dalf.length < 16_000, `${huge.dalf.length}`))

  for (const form of sharedForms) {
    test(`is refused: ${form}`, () => {
      const interpreter = createInterpreter(ledger)
      runIn(interpreter, small, 'Quick').run()
      assert.throws(runIn(interpreter, huge, form).run, tooLarge)
      runIn(interpreter, huge, 'Quick').run()
    })

    test(`is refused without compiling it again: ${form}`, () => {
      const interpreter = createInterpreter(ledger)
      const [first, second] = [runIn(interpreter, huge, form), runIn(interpreter, huge, form)]
      assert.throws(first.run, tooLarge)
      assert.throws(second.run, tooLarge)
      assert.ok(first.checks() > second.checks() + 5, `${first.checks()}, then ${second.checks()}`)
    })

    test(`can be ended during compilation, and compiled later: ${form}`, () => {
      const interpreter = createInterpreter(ledger)
      runIn(interpreter, huge, 'Quick').run()
      assert.throws(runIn(interpreter, huge, form, 5).run, { message: 'ended' })
      assert.throws(runIn(interpreter, huge, form).run, tooLarge)
    })
  }
})

for (const form of sharedForms) {
  test(`moderate sharing keeps its meaning: ${form}`, () => {
    const value = { sum: 64, list: 2, function: 1, case: 1, let: 64, update: 1, free: 64 }[form]
    assert.equal(Number(resultOf(runIn(createInterpreter(ledger), small, form).run())), value)
  })
}

test('the maximum length of a script is a setting', () => {
  const message = /with all it calls, it has more than 1000 characters as JavaScript$/
  const interpreter = createInterpreter(ledger, { scriptLengthMax: 1_000 })
  runIn(interpreter, small, 'Quick').run()
  assert.throws(runIn(interpreter, small, 'sum').run, { ...tooLarge, message })
})

test('nested blocks have a limit, before V8 takes too long over them', () => {
  const writer = createWriter({ scriptLengthMax: Infinity, check: () => {} })
  const nest = (depth: number): void => {
    if (depth > 0) writer.block('', () => nest(depth - 1))
  }
  nest(nestedBlocksMax)
  const deeper = () => writer.within('p', 'M:f', () => nest(nestedBlocksMax + 1))
  assert.throws(deeper, { message: /M:f has more than 2000 blocks inside of one another$/ })
})
