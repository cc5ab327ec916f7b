// The grammars of names, and the texts for names that do not fit.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { anyText } from '../../test/fixtures/any-text.ts'
import { fc } from '../../test/fixtures/seed.ts'
import {
  dottedNameProblem,
  isStorable,
  ledgerStringProblem,
  packageReferenceProblem,
  participantProblem,
  partyHintProblem,
  partyProblem,
  shorten,
  uniqueIdentifierProblem,
  userIdProblem,
} from './names.ts'

const userIdRegex = "[a-zA-Z0-9@^$.!`\\-#+'~_|:\\(\\)]{1,128}"

const grammars: [check: (text: string) => string | undefined, rows: [text: string, problem: string | undefined][]][] = [
  [
    packageReferenceProblem,
    [
      ['#some-name', undefined],
      ['abc0', undefined],
      ['', 'Daml-LF Package ID is empty'],
      ['#', 'Daml-LF Package Name is empty'],
      ['#a b', 'non expected character 0x20 in Daml-LF Package Name "a b"'],
      ['a.b', 'non expected character 0x2e in Daml-LF Package ID "a.b"'],
    ],
  ],
  [
    dottedNameProblem,
    [
      ['Main.Sub$_1', undefined],
      ['', 'Expected a non-empty string'],
      ['A.', 'Daml-LF Name is empty'],
      ['1', 'non expected first character 0x31 in Daml-LF Name "1"'],
      ['A.b-c', 'non expected non first character 0x2d in Daml-LF Name "b-c"'],
      ['x'.repeat(1001), 'DottedName is too long (max: 1000)'],
    ],
  ],
  [
    partyProblem,
    [
      ['a', undefined],
      ['Alice-1_x y::1220ab', undefined],
      ['x'.repeat(255), undefined],
      ['x'.repeat(256), 'Daml-LF Party is too long (max: 255)'],
      ['', 'Daml-LF Party is empty'],
      ['a%b', 'non expected character 0x25 in Daml-LF Party "a%b"'],
      ['a.b', 'non expected character 0x2e in Daml-LF Party "a.b"'],
      ['a\n', 'non expected character 0xa in Daml-LF Party "a\n"'],
      ['é', 'non expected character 0xe9 in Daml-LF Party "é"'],
      ['\u{1f600}', 'non expected character 0xd83d in Daml-LF Party "\u{1f600}"'],
    ],
  ],
  [
    ledgerStringProblem,
    [
      ['Zeta #1/a.b:c_d-e', undefined],
      ['x'.repeat(255), undefined],
      ['x'.repeat(256), 'Daml-LF Ledger String is too long (max: 255)'],
      ['', 'Daml-LF Ledger String is empty'],
      ['a%b', 'non expected character 0x25 in Daml-LF Ledger String "a%b"'],
      ['a\0b', 'non expected character 0x0 in Daml-LF Ledger String "a\0b"'],
    ],
  ],
  [
    userIdProblem,
    [
      ["aZ09@^$.!`-#+'~_|:()", undefined],
      ['x'.repeat(128), undefined],
      ['x'.repeat(129), `User ID "${'x'.repeat(129)}" does not match regex "${userIdRegex}"`],
      ['', `User ID "" does not match regex "${userIdRegex}"`],
      ['a b', `User ID "a b" does not match regex "${userIdRegex}"`],
      ['a/b', `User ID "a/b" does not match regex "${userIdRegex}"`],
      ['alice\n', `User ID "alice\n" does not match regex "${userIdRegex}"`],
    ],
  ],
  [
    uniqueIdentifierProblem,
    [
      ['sync::1220ab', undefined],
      ['', 'Empty string is not a valid unique identifier.'],
      ['sync', 'Invalid unique identifier `sync` with missing namespace.'],
      ['sync::', 'Fingerprint decoding of `sync::` failed with: StringConversionError(Daml-LF Party is empty,None)'],
      ['::1220', 'Invalid unique identifier `::1220` with empty identifier.'],
      ['a%::1220', 'Identifier decoding of `a%::1220` failed with: non expected character 0x25 in Daml-LF Party "a%"'],
      [
        'a::b%',
        'Fingerprint decoding of `a::b%` failed with: ' +
          'StringConversionError(non expected character 0x25 in Daml-LF Party "b%",None)',
      ],
      [
        'a::b::c',
        'Fingerprint decoding of `a::b::c` failed with: ' +
          'StringConversionError(String contains reserved delimiter `::`.,None)',
      ],
      [
        `a::${'b'.repeat(69)}`,
        `Fingerprint decoding of \`a::${'b'.repeat(69)}\` failed with: InvariantViolation(Some(Fingerprint),` +
          `The given Fingerprint has a maximum length of 68 but a Fingerprint of length 69 ('${'b'.repeat(69)}.') was given)`,
      ],
    ],
  ],
  [
    participantProblem,
    [
      ['sandbox::1220ab', undefined],
      [
        'ab',
        'Unable to convert field `participant_id`: Invalid member `PAR::ab`, expecting <three-letter-code>::id::fingerprint.',
      ],
      ['abc', 'Unable to convert field `participant_id`: Invalid unique identifier `abc` with missing namespace.'],
    ],
  ],
  [
    partyHintProblem,
    [
      ['alice', undefined],
      ['x'.repeat(185), undefined],
      ['a::b', 'String contains reserved delimiter `::`.'],
      [
        'x'.repeat(186),
        `The given string has a maximum length of 185 but a string of length 186 ('${'x'.repeat(186)}.') was given`,
      ],
    ],
  ],
]

for (const [check, rows] of grammars) {
  describe(check.name, () => {
    for (const [text, problem] of rows) {
      const shown = text.length > 30 ? `${text.length} characters` : JSON.stringify(text)
      test(`${shown} is ${problem === undefined ? 'fine' : 'refused'}`, () => assert.equal(check(text), problem))
    }
  })
}

test('a name that fits its grammar is text that every database keeps', () => {
  fc.assert(
    fc.property(anyText({ minLength: 1, maxLength: 40 }), (text) => {
      for (const check of [partyProblem, ledgerStringProblem, userIdProblem]) {
        if (check(text) === undefined) assert.ok(isStorable(text) && /^[ -~]+$/.test(text))
      }
    }),
  )
})

test('text with NUL or a lone surrogate cannot be stored', () => {
  const rows: [text: string, expected: boolean][] = [
    ['', true],
    ['é \u{1f600}', true],
    ['a\0', false],
    ['\ud800', false],
    ['\udc00x', false],
    ['\ude00\ud83d', false],
  ]
  for (const [text, expected] of rows) assert.equal(isStorable(text), expected, JSON.stringify(text))
})

test('long text is shortened, and short text is not', () => {
  assert.equal(shorten('abc', 3), 'abc')
  assert.equal(shorten('abcd', 3), 'abc...')
  assert.equal(shorten('x'.repeat(300)).length, 259)
})
