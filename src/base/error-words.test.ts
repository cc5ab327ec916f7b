import assert from 'node:assert/strict'
import { test } from 'node:test'
import { errorAnswerOf } from './error-answer.ts'
import { errorWords } from './error-words.ts'

const answer = (code: string, cause: string, context: object = {}) => JSON.stringify({ code, cause, context })

const cases: [title: string, text: string, header: string | null, words: string][] = [
  ['code and cause are one line', answer('DUPLICATE_COMMAND', 'It exists'), null, 'DUPLICATE_COMMAND: It exists'],
  [
    'the hint has a line of its own',
    answer('PACKAGE_NAMES_NOT_FOUND', 'No such name', { hint: 'did you mean `#iou`?', tid: 'abc' }),
    'did you mean `#iou`?',
    'PACKAGE_NAMES_NOT_FOUND: No such name\n  hint: did you mean `#iou`?',
  ],
  [
    'the place in Daml follows',
    answer('DAML_FAILURE', 'not positive', { definition: 'Iou:require', location: 'Iou:12', choice: 'Split' }),
    null,
    'DAML_FAILURE: not positive\n  choice: Split\n  in: Iou:require\n  at: Iou:12',
  ],
  [
    'so does the place in the request',
    answer('INVALID_ARGUMENT', 'Unexpected fields: ownr', { path: 'createArguments', expected: 'Iou:Iou' }),
    null,
    'INVALID_ARGUMENT: Unexpected fields: ownr\n  field: createArguments\n  expected: Iou:Iou',
  ],
  [
    'a place that the hint begins with is not repeated',
    answer('INVALID_ARGUMENT', 'Unexpected fields: x', { path: 'a.b', expected: 'T', hint: 'a.b: write y' }),
    null,
    'INVALID_ARGUMENT: Unexpected fields: x\n  hint: a.b: write y\n  expected: T',
  ],
  ['a code that is kept from clients is left out', answer('NA', 'No token'), null, 'No token'],
  ['a code that the cause begins with is not repeated', answer('X', 'X(9,0): one\ntwo'), null, 'X(9,0): one two'],
  ['plain text has its hint in a header', 'Invalid value', 'write a number', 'Invalid value\n  hint: write a number'],
  ['what is no error is shown as it is', '["code"]', null, '["code"]'],
  ['control characters do not reach the terminal', 'a\u001b[31mb\u0007', null, 'a [31mb'],
]

for (const [title, text, header, words] of cases) {
  test(title, () => assert.equal(errorWords(errorAnswerOf(text, header)), words))
}
