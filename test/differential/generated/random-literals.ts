// Random scalars, with more of those at the edges than chance would give.
import type { Random } from './random.ts'

export function int64Literal(random: Random): bigint {
  return random.weighted<() => bigint>([
    [8, () => BigInt(random.below(12) - 4)],
    [
      1,
      () =>
        random.pick([
          2n ** 63n - 1n,
          -(2n ** 63n),
          2n ** 62n,
          2n ** 31n,
          -(2n ** 31n) - 1n,
          2n ** 53n,
          -(2n ** 53n) - 1n,
        ]),
    ],
    [1, () => 10n ** BigInt(random.below(19)) * (random.chance(0.5) ? 1n : -1n)],
    [1, () => BigInt.asIntN(64, random.bigint(64))],
    [1, () => BigInt.asIntN(33, random.bigint(33))],
  ])()
}

/** Unscaled, with at most 38 digits. */
export function numericLiteral(random: Random, scale: number): bigint {
  const one = 10n ** BigInt(scale)
  const sign = random.chance(0.5) ? 1n : -1n
  const fitting = (value: bigint): bigint => (value < 10n ** 38n ? sign * value : sign * (value % 10n ** 38n))
  return random.weighted<() => bigint>([
    [5, () => fitting(BigInt(random.below(12)) * one)],
    [3, () => fitting((BigInt(random.below(40)) * one) / random.pick([2n, 3n, 4n, 8n, 10n, 20n]))],
    [2, () => fitting(BigInt(random.below(1000)))],
    [1, () => fitting(10n ** 38n - 1n - BigInt(random.below(3)))],
    [2, () => fitting(random.bigint(20 + random.below(100)))],
  ])()
}

const texts = [
  '',
  'a',
  'b',
  'ab',
  'Alice',
  'Bob',
  '0',
  '1',
  '-1',
  '+1',
  '-0',
  '007',
  '1.5',
  '1.',
  '.5',
  '-0.05',
  '1e3',
  ' 1',
  '12345678901234567890',
  '9223372036854775807',
  '-9223372036854775809',
  '99999999999999999999999999999999999999',
  'é',
  'e\u0301',
  '\u{1F600}',
  '\uFFFF',
  '\u{10FFFF}',
  '\uFB01',
  'ﬀ',
  'ab:cd',
  'a b',
  'a\nb',
  '"q"',
  '\\',
  '00ff',
  '00FF',
  'deadbeef',
  'abc',
  'xyz',
  '٣',
  'ß',
  '\u200B',
]

export function textLiteral(random: Random): string {
  return random.weighted<() => string>([
    [6, () => random.pick(texts)],
    [1, () => random.pick(texts) + random.pick(texts)],
    [1, () => String(int64Literal(random))],
    [1, () => Array.from({ length: random.below(7) }, () => random.pick([...'abcXYZ09 _-:é\u{1F600}'])).join('')],
    [1, () => random.bigint(8 * random.below(34)).toString(16)],
  ])()
}

export function dateLiteral(random: Random): number {
  return random.weighted<() => number>([
    [3, () => random.below(20) - 10],
    [1, () => random.pick([-719162, 2932896, -719161, 2932895, 11016, -141427])],
    [3, () => random.below(2932896 + 719162 + 1) - 719162],
  ])()
}

const firstMicros = -62135596800000000n
const lastMicros = 253402300799999999n

export function timestampLiteral(random: Random): bigint {
  return random.weighted<() => bigint>([
    [3, () => BigInt(random.below(4_000_000) - 2_000_000)],
    [1, () => random.pick([firstMicros, lastMicros, firstMicros + 1n, lastMicros - 1n])],
    [3, () => firstMicros + (random.bigint(64) % (lastMicros - firstMicros + 1n))],
    [2, () => (BigInt(random.below(2_000_000_000)) - 1_000_000_000n) * 1_000_000n],
  ])()
}
