// Engine failures as refusals: code, text, category, resources and context.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { errorCodes, type LedgerError } from '../../base/errors.ts'
import { damlFailure, Failure, failureCodes } from '../failures/failures.ts'
import { contractNotFound, wronglyTyped } from '../transaction/effect-failures.ts'
import { asRefusal, refusalOf } from './refusal.ts'

const foundBy = 'interpretation'
const template = (name: string) => ({ packageId: 'p', module: 'M', name })

const cases: [title: string, failure: Failure, expected: Partial<LedgerError>][] = [
  [
    'a missing contract, in its own words',
    contractNotFound('00ab'),
    {
      code: 'CONTRACT_NOT_FOUND',
      message: 'Contract could not be found with id 00ab',
      details: { resources: [['CONTRACT_ID', '00ab']], remarks: {}, foundBy },
    },
  ],
  [
    'both templates of a wrongly typed contract',
    wronglyTyped('00ab', template('A'), template('B')),
    {
      code: 'WRONGLY_TYPED_CONTRACT',
      message:
        'Interpretation error: Error: Update failed due to wrongly typed contract id 00ab\n' +
        'Expected contract of type M:A@p but got M:B@p',
      details: {
        resources: [
          ['CONTRACT_ID', '00ab'],
          ['TEMPLATE_ID', 'p:M:A'],
          ['TEMPLATE_ID', 'p:M:B'],
        ],
        remarks: {},
        foundBy,
      },
    },
  ],
  [
    'where a failure happened',
    new Failure('INTERPRETATION_USER_ERROR', 'User abort: no', {
      EXCEPTION_TEXT: 'no',
      choice: 'p:M:A:Go',
      exercises: 'p:M:A:Go (00ab)',
    }),
    {
      code: 'INTERPRETATION_USER_ERROR',
      message: 'Interpretation error: Error: User abort: no',
      details: {
        resources: [['EXCEPTION_TEXT', 'no']],
        remarks: { choice: 'p:M:A:Go', exercises: 'p:M:A:Go (00ab)' },
        foundBy,
      },
    },
  ],
  [
    'the category and metadata that Daml code chose',
    damlFailure({
      errorId: 'MINE',
      category: 8,
      message: 'no',
      metadata: [
        ['k', 'v'],
        ['error_id', 'x'],
      ],
    }),
    {
      code: 'DAML_FAILURE',
      message: 'Interpretation error: Error: User failure: MINE (error category 8): no',
      details: { category: 'Invalid', context: { k: 'v', error_id: 'MINE' }, remarks: {}, foundBy },
    },
  ],
  [
    'a failure of the engine itself as an internal error',
    new Failure('INTERPRETER_ERROR', 'invalid code point 0xd800.'),
    { code: 'DAML_INTERPRETATION_ERROR', message: 'invalid code point 0xd800.', details: { remarks: {}, foundBy } },
  ],
]

for (const [title, failure, expected] of cases) {
  test(`a refusal names ${title}`, () => {
    const { code, message, details } = refusalOf(failure)
    assert.deepEqual({ code, message, details }, expected)
  })
}

test('Daml code decides the category of its failures', () => {
  const of = (category: number) => refusalOf(damlFailure({ errorId: 'E', category, message: '', metadata: [] }))
  assert.equal(of(8).category.number, 8)
  assert.equal(of(9).category.number, 9)
})

test('every failure code is one that clients know', () => {
  for (const code of failureCodes) assert.ok(Object.hasOwn(errorCodes, refusalOf(new Failure(code, '')).code), code)
})

test('a bug is not a refusal', () => assert.equal(asRefusal(new Error('a bug')), undefined))
