// Numerics: 38 digits, half-even rounding, scales that differ, and the text form.
import { type Cases, inPackage, int64, numeric, pairs, text } from './case.ts'

const apply = inPackage('builtins-lf21')
const nines = (whole: number, fraction: number) => numeric(`${'9'.repeat(whole)}.${'9'.repeat(fraction)}`)
const negative = (value: { [kind: string]: unknown }) => numeric(`-${value.numeric}`)

const max0 = nines(38, 0)
const max10 = nines(28, 10)
const max37 = nines(1, 37)
const tiny37 = numeric(`0.${'0'.repeat(36)}1`)
const witness0 = numeric('0.')
const witness1 = numeric('0.0')
const witness2 = numeric('0.00')
const witness10 = numeric('0.0000000000')
const witness20 = numeric(`0.${'0'.repeat(20)}`)
const witness37 = numeric(`0.${'0'.repeat(37)}`)

const scale0 = [max0, negative(max0), numeric('0.'), numeric('1.'), numeric('-1.')]
const scale10 = [
  max10,
  negative(max10),
  witness10,
  numeric('0.0000000001'),
  numeric('-0.0000000001'),
  numeric('1.0000000000'),
  numeric('-1.0000000000'),
  numeric('0.5000000000'),
  numeric('2.5000000000'),
  numeric('-2.5000000000'),
  numeric('3.0000000000'),
  numeric('0.0000500000'),
  numeric('12345678901234.5678901234'),
]
const scale37 = [
  max37,
  negative(max37),
  witness37,
  tiny37,
  numeric(`1.${'0'.repeat(37)}`),
  numeric(`-1.${'0'.repeat(37)}`),
]
// Products and quotients that end in a half, above and below zero, with an even and an odd digit before it.
const halves2 = ['0.10', '0.30', '0.50', '-0.50', '0.70', '1.50', '2.50', '-2.50', '9.99', '0.00'].map(numeric)
const halves3 = ['0.500', '-0.500', '0.250', '1.500', '0.501', '0.499', '2.000', '0.000'].map(numeric)

const round10 = ['1.2345678905', '1.2345678915', '-1.2345678905', '15.0000000000', '25.0000000000', '-25.0000000000']
  .map(numeric)
  .flatMap((value) => [-27n, -28n, -1n, 0n, 1n, 9n, 10n, 11n, 2n ** 62n].map((digits) => [digits, value] as const))

const texts = [
  '0',
  '0.0',
  '-0.0',
  '+1.5',
  '1',
  '1.',
  '.5',
  '-.5',
  '00001.50000',
  '1.0000000000',
  '1.00000000000000000000000000000000000000000000000',
  '1.00000000001',
  '0.0000000001',
  '-0.0000000001',
  '9999999999999999999999999999.9999999999',
  '10000000000000000000000000000.0',
  '99999999999999999999999999999999999999',
  '100000000000000000000000000000000000000',
  `${'0'.repeat(60)}1`,
  '1e3',
  '1,5',
  '1.5.5',
  ' 1',
  '1 ',
  '',
  '-',
  '+',
  '--1',
  '1_0',
  '\u0661',
  '0x1',
  'NaN',
]

export default {
  dars: ['test/lf/builtins-lf21.dar'],
  cases: [
    ...['add0', 'sub0'].flatMap((name) => pairs(scale0).map(([a, b]) => apply(`Numeric:${name}`, a, b))),
    ...['add10', 'sub10'].flatMap((name) => pairs(scale10.slice(0, 7)).map(([a, b]) => apply(`Numeric:${name}`, a, b))),
    ...['add37', 'sub37'].flatMap((name) => pairs(scale37).map(([a, b]) => apply(`Numeric:${name}`, a, b))),
    ...['mul10', 'div10'].flatMap((name) => pairs(scale10).map(([a, b]) => apply(`Numeric:${name}`, witness10, a, b))),
    ...['mul_2_3_1', 'div_2_3_1'].flatMap((name) =>
      halves2.flatMap((a) => halves3.map((b) => apply(`Numeric:${name}`, witness1, a, b))),
    ),
    ...pairs(scale37).map(([a, b]) => apply('Numeric:mul37', witness37, a, b)),
    ...scale0.flatMap((a) => scale37.map((b) => apply('Numeric:mul_0_37_0', witness0, a, b))),
    ...pairs(scale0).map(([a, b]) => apply('Numeric:div_0_0_37', witness37, a, b)),
    apply('Numeric:div_0_0_37', witness37, numeric('2.'), numeric('3.')),
    apply('Numeric:div_0_0_37', witness37, numeric('20.'), numeric('3.')),
    ...pairs(scale37).map(([a, b]) => apply('Numeric:div_37_37_0', witness0, a, b)),
    ...round10.map(([digits, value]) => apply('Numeric:round10', int64(digits), value)),
    apply('Numeric:round10', int64(0n), max10),
    apply('Numeric:round10', int64(9n), negative(max10)),
    apply('Numeric:round10', int64(-27n), numeric('5000000000000000000000000000.0000000000')),
    apply('Numeric:round10', int64(-27n), numeric('5000000000000000000000000000.0000000001')),
    ...[-38n, -37n, -36n, -1n, 0n, 1n].map((digits) => apply('Numeric:round0', int64(digits), numeric('15.'))),
    ...[-1n, 0n, 1n, 36n, 37n, 38n].map((digits) => apply('Numeric:round37', int64(digits), max37)),
    ...scale10.map((value) => apply('Numeric:cast_10_2', witness2, value)),
    ...[nines(36, 2), nines(28, 2), numeric('10000000000000000000000000000.00'), numeric('-1.25')].map((value) =>
      apply('Numeric:cast_2_10', witness10, value),
    ),
    ...[...scale0, numeric('9.'), numeric('10.'), numeric('-9.')].map((value) =>
      apply('Numeric:cast_0_37', witness37, value),
    ),
    ...scale10.map((value) => apply('Numeric:shift_10_2', witness2, value)),
    ...scale0.map((value) => apply('Numeric:shift_0_37', witness37, value)),
    ...scale37.map((value) => apply('Numeric:shift_37_0', witness0, value)),
    ...[-(2n ** 63n), 2n ** 63n - 1n, 0n, 9n, 10n, -9n, -10n, 999999999999999999n, 10n ** 18n].flatMap((value) => [
      apply('Numeric:fromInt64_0', witness0, int64(value)),
      apply('Numeric:fromInt64_10', witness10, int64(value)),
      apply('Numeric:fromInt64_20', witness20, int64(value)),
      apply('Numeric:fromInt64_37', witness37, int64(value)),
    ]),
    ...[
      ...scale0,
      numeric('9223372036854775807.'),
      numeric('9223372036854775808.'),
      numeric('-9223372036854775808.'),
      numeric('-9223372036854775809.'),
    ].map((value) => apply('Numeric:toInt64_0', value)),
    ...[
      ...scale10,
      numeric('9223372036854775807.9999999999'),
      numeric('-9223372036854775808.9999999999'),
      numeric('-1.9999999999'),
    ].map((value) => apply('Numeric:toInt64_10', value)),
    ...scale0.map((value) => apply('Numeric:toText0', value)),
    ...scale10.map((value) => apply('Numeric:toText10', value)),
    ...scale37.map((value) => apply('Numeric:toText37', value)),
    ...texts.map((value) => apply('Numeric:fromText10', witness10, text(value))),
    ...texts.map((value) => apply('Numeric:fromText0', witness0, text(value))),
    ...[
      '1.5',
      '9.9999999999999999999999999999999999999',
      '10',
      '0.0000000000000000000000000000000000001',
      '0.00000000000000000000000000000000000001',
    ].map((value) => apply('Numeric:fromText37', witness37, text(value))),
  ],
} satisfies Cases
