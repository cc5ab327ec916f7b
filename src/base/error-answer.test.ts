import assert from 'node:assert/strict'
import { test } from 'node:test'
import { descriptionOf, errorAnswerOf } from './error-answer.ts'

const contention = {
  code: 'CONTRACT_NOT_FOUND',
  cause: 'Contract could not be found',
  errorCategory: 11,
  grpcCodeValue: 5,
  traceId: '0123456789abcdef',
  resources: [['ErrorResource(CONTRACT_ID)', '00ab'], null],
}

test('an error answer has what a client of gRPC gets in its status', () => {
  const answer = errorAnswerOf(JSON.stringify(contention))
  assert.deepEqual([answer.grpcCode, answer.resources], [5, [['CONTRACT_ID', '00ab']]])
  assert.equal(descriptionOf(answer), 'CONTRACT_NOT_FOUND(11,01234567): Contract could not be found')
})

test('the id of a submission comes before that of its trace in the description of an error', () => {
  const answer = errorAnswerOf(JSON.stringify({ ...contention, correlationId: 'submission' }))
  assert.equal(descriptionOf(answer), 'CONTRACT_NOT_FOUND(11,submissi): Contract could not be found')
})

for (const text of ['', 'Invalid value', '[1]', 'null', '{"code":5,"resources":{}}']) {
  test(`${JSON.stringify(text)}, which is no error of the Ledger API, is its own description`, () => {
    const answer = errorAnswerOf(text)
    assert.deepEqual([answer.code, descriptionOf(answer), answer.resources], [undefined, text, []])
  })
}
