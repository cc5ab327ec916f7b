// Dates and timestamps up to their limits.
import { type Cases, date, inPackage, int64, timestamp } from './case.ts'

const apply = inPackage('builtins-lf21')
const dates = [
  '0001-01-01',
  '0001-12-31',
  '0004-02-29',
  '1582-10-15',
  '1899-12-31',
  '1900-02-28',
  '1969-12-31',
  '1970-01-01',
  '2000-02-29',
  '2100-03-01',
  '9999-12-31',
]
const days = [
  -719163n,
  -719162n,
  -1n,
  0n,
  1n,
  11016n,
  2932896n,
  2932897n,
  2n ** 31n,
  -(2n ** 31n) - 1n,
  2n ** 63n - 1n,
  -(2n ** 63n),
]
const first = -62135596800000000n
const last = 253402300799999999n
const moments = [
  first,
  first + 1n,
  -1000001n,
  -1000000n,
  -1000n,
  -1n,
  0n,
  1n,
  10n,
  999n,
  1000n,
  100000n,
  123000n,
  123456n,
  1000000n,
  1000010n,
  1767225600000000n,
  last - 999n,
  last,
]

export default {
  dars: ['test/lf/builtins-lf21.dar'],
  cases: [
    ...dates.flatMap((value) => [apply('Time:dateToText', date(value)), apply('Time:dateToDays', date(value))]),
    ...days.map((value) => apply('Time:dateFromDays', int64(value))),
    ...moments.flatMap((value) => [
      apply('Time:timestampToText', timestamp(value)),
      apply('Time:timestampToMicroseconds', timestamp(value)),
      apply('Time:timestampFromMicroseconds', int64(value)),
    ]),
    ...[first - 1n, last + 1n, 2n ** 63n - 1n, -(2n ** 63n)].map((value) =>
      apply('Time:timestampFromMicroseconds', int64(value)),
    ),
  ],
} satisfies Cases
