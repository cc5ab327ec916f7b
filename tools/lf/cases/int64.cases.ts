// Int64 arithmetic at its limits, and its text form.
import { type Cases, inPackage, int64, pairs, text } from './case.ts'

const apply = inPackage('builtins-lf21')
const min = -(2n ** 63n)
const max = 2n ** 63n - 1n
const root = 3037000499n // The largest whose square fits.
const edges = [min, min + 1n, -root - 1n, -7n, -1n, 0n, 1n, 2n, 7n, root, root + 1n, max - 1n, max].map(int64)

const exponents = [
  [0n, 0n],
  [0n, 1n],
  [0n, max],
  [1n, max],
  [-1n, max],
  [-1n, max - 1n],
  [2n, 62n],
  [2n, 63n],
  [-2n, 62n],
  [-2n, 63n],
  [-2n, 64n],
  [10n, 18n],
  [10n, 19n],
  [2n, max],
  [-2n, max],
  [7n, 0n],
  [7n, 1n],
  [7n, 22n],
  [7n, 23n],
  [7n, -1n],
  [1n, -1n],
  [0n, -1n],
  [min, 1n],
  [min, 2n],
  [max, 1n],
  [root, 2n],
  [root + 1n, 2n],
  [3n, min],
]

const texts = [
  '0',
  '-0',
  '+0',
  '1',
  '+1',
  '-1',
  '007',
  '-007',
  '9223372036854775807',
  '9223372036854775808',
  '-9223372036854775808',
  '-9223372036854775809',
  '+9223372036854775807',
  '000000000000000000000000000009223372036854775807',
  '99999999999999999999999999999999',
  '',
  '+',
  '-',
  '--1',
  '+-1',
  ' 1',
  '1 ',
  '1.0',
  '1e3',
  '0x10',
  '1_000',
  '1,000',
  '\u0661', // Arabic-Indic one: a digit, but not ASCII.
  '\uff11', // Full-width one.
  '\u22121', // A minus sign that is not ASCII.
  'one',
]

export default {
  dars: ['test/lf/builtins-lf21.dar'],
  cases: [
    ...['add', 'sub', 'mul', 'div', 'mod'].flatMap((name) =>
      pairs(edges).map(([a, b]) => apply(`Int64:${name}`, a, b)),
    ),
    ...exponents.map(([base, exponent]) => apply('Int64:exp', int64(base!), int64(exponent!))),
    ...edges.map((value) => apply('Int64:toText', value)),
    ...texts.map((value) => apply('Int64:fromText', text(value))),
  ],
} satisfies Cases
