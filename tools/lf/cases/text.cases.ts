// Text by code points, parties, and tracing.
import { type Cases, contractId, id, inPackage, int64, list, party, text } from './case.ts'

const apply = inPackage('builtins-lf21')
// A combining accent, an astral character, a zero-width joiner sequence, the last character before the surrogates,
// the first after them, and the last of all.
const texts = [
  '',
  'a',
  'abc',
  'e\u0301',
  '\u{1f600}',
  '\u{1f469}\u200d\u{1f680}',
  '\ud7ff\ue000',
  '\u{10ffff}',
  ' \t\r\n',
  '\u007f\u0080',
  'a\u{1d11e}b',
]
const parties = [
  'Alice',
  'Alice::1220abc',
  'a-b_c d:e',
  '',
  ' ',
  'a.b',
  'a#b',
  'a/b',
  'a@b',
  "a'b",
  '\u00e9',
  'a\nb',
  'p'.repeat(255),
  'p'.repeat(256),
]

export default {
  dars: ['test/lf/builtins-lf21.dar'],
  cases: [
    ...texts.flatMap((value) => [
      apply('Text:explode', text(value)),
      apply('Text:toCodePoints', text(value)),
      apply('Text:append', text(value), text('|')),
      apply('Text:append', text(''), text(value)),
    ]),
    apply('Text:implode', list()),
    apply('Text:implode', list(text(''))),
    apply('Text:implode', list(...texts.map(text))),
    ...[
      [],
      [97, 98],
      [0x1f600],
      [0x10ffff],
      [0x110000],
      [0xd7ff],
      [0xd800],
      [0xdfff],
      [0xe000],
      [0xd83d, 0xde00],
      [-1],
      [97, -1, 0xd800],
      [0xffff],
      [1],
      [4294967393],
    ].map((points) => apply('Text:fromCodePoints', list(...points.map(int64)))),
    apply('Text:fromCodePoints', list(int64(0))),
    ...parties.map((value) => apply('Text:toParty', text(value))),
    apply('Text:fromParty', party('Alice')),
    apply('Text:fromParty', party('a-b_c d:e')),
    apply('Text:fromContractId', contractId(id(1))),
    apply('Text:fromContractId', contractId(`00${'ab'.repeat(32)}`)),
    apply('Text:trace', text('seen'), int64(7)),
  ],
} satisfies Cases
