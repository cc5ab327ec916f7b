import assert from 'node:assert/strict'
import { test } from 'node:test'
import { evaluate, plain } from '../../../test/support/engine/evaluate.ts'
import type { Type } from '../../lf/syntax/ast.ts'
import { OrderedMap } from '../../lf/values/ordered-map.ts'
import { createRecordType } from '../../lf/values/structures.ts'
import { Any, ContractId, type RecordType } from '../../lf/values/values.ts'
import { Failure } from '../failures/failures.ts'
import { compareValues } from '../values/order.ts'
import { createControlBuiltins } from './control.ts'

function failureOf(run: () => unknown): Failure {
  try {
    run()
  } catch (error) {
    if (error instanceof Failure) return error
  }
  return assert.fail('it did not fail')
}

const traced: string[] = []
const createBuiltins = (isInTransaction: boolean) =>
  createControlBuiltins({
    code: { exceptionMessage: ({ name }) => `a message of ${name}` },
    trace: (message) => traced.push(message),
    isInTransaction: () => isInTransaction,
  })
const builtins = createBuiltins(true)

test("ERROR fails with the text of the user's code", () => {
  const failure = failureOf(() => builtins.ERROR('broken'))
  assert.equal(failure.code, 'INTERPRETATION_USER_ERROR')
  assert.equal(failure.message, 'User abort: broken')
  assert.deepEqual(failure.details, { EXCEPTION_TEXT: 'broken' })
})

test('FAIL_WITH_STATUS carries the status that Daml code chose', () => {
  const metadata = OrderedMap.empty(compareValues).with('errorId', 'mine').with('b', '2')
  const failure = failureOf(() => builtins.FAIL_WITH_STATUS('MY_ERROR', 9, 'it broke', metadata))
  assert.equal(failure.code, 'DAML_FAILURE')
  assert.equal(failure.message, 'User failure: MY_ERROR (error category 9): it broke')
  assert.deepEqual(failure.details, {
    errorId: 'MY_ERROR',
    category: '9',
    message: 'it broke',
    'metadata.b': '2',
    'metadata.errorId': 'mine',
  })
})

test('TRACE emits its message and returns its value', () => {
  assert.equal(builtins.TRACE('seen', 7), 7)
  assert.deepEqual(traced, ['seen'])
})

const anyOf = (type: RecordType, ...fields: unknown[]) =>
  new Any({ kind: 'constructor', id: type.id, args: [] } satisfies Type, new type.create(...fields))

test('ANY_EXCEPTION_MESSAGE calls the code of the exception type', () => {
  const oops = createRecordType({ packageId: 'p', module: 'M', name: 'Oops' }, ['text'])
  assert.equal(evaluate('ANY_EXCEPTION_MESSAGE', [anyOf(oops, 'x')]), 'a message of M:Oops')
})

test('a contract id has a text only outside of transactions', () => {
  const id = new ContractId(`00${'ab'.repeat(32)}`)
  assert.equal(plain(builtins.CONTRACT_ID_TO_TEXT(id)), null)
  assert.deepEqual(plain(createBuiltins(false).CONTRACT_ID_TO_TEXT(id)), { some: id.text })
})
