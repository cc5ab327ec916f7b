import assert from 'node:assert/strict'
import { test } from 'node:test'
import { textProblem } from './value-error.ts'

const cases: [text: string, problem: string | undefined][] = [
  ['', undefined],
  ['a¶‱😂\u0001', undefined],
  ['a\0b', 'Text contains null character'],
  ['\ud83d', 'Text contains unpaired high surrogate'],
  ['\ud83dx', 'Text contains unpaired high surrogate'],
  ['\udc00', 'Text contains unpaired low surrogate'],
  ['😂\udc00', 'Text contains unpaired low surrogate'],
  ['\ud83d\0', 'Text contains unpaired high surrogate'],
  ['\0\ud83d', 'Text contains null character'],
]

for (const [text, problem] of cases) {
  test(`${JSON.stringify(text)} ${problem ?? 'may be on the ledger'}`, () => assert.equal(textProblem(text), problem))
}
