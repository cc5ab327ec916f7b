// Hashes of contracts and keys in typed normal form.
import {
  type Case,
  type Cases,
  contractId,
  date,
  enumeration,
  genMap,
  id,
  int64,
  list,
  none,
  numeric,
  party,
  record,
  settings,
  some,
  text,
  textMap,
  timestamp,
  unit,
  type Value,
  variant,
} from './case.ts'
import { parties, target } from './effects.ts'

const plain = (): Record<string, Value> => ({
  party: party('Alice'),
  unit,
  bool: { bool: false },
  int: int64(0),
  numeric: numeric('0.0000000000'),
  text: text(''),
  date: date('1970-01-01'),
  timestamp: timestamp(0n),
  optional: none,
  optional2: none,
  list: list(),
  textMap: textMap(),
  genMap: genMap(),
  fault: enumeration('Fine'),
  ref: variant('Made', int64(0)),
  faults: record(...['Fine', 'Fine', 'Fine', 'Fine'].map(enumeration)),
})
const everything = (different: Record<string, Value> = {}): Case => ({
  contractHash: '#effects-lf21:Effects:Everything',
  argument: record(...Object.values({ ...plain(), ...different })),
})
const fields: Record<string, Value[]> = {
  party: [party('Bob'), party('Alice::1220ff')],
  bool: [{ bool: true }],
  int: [int64(1), int64(-1), int64(2n ** 63n - 1n), int64(-(2n ** 63n))],
  numeric: [
    '0.0000000001',
    '-0.0000000001',
    '1.0000000000',
    '0.0000000127',
    '0.0000000128',
    '-0.0000000128',
    '-0.0000000129',
    '9999999999999999999999999999.9999999999',
    '-9999999999999999999999999999.9999999999',
  ].map(numeric),
  text: [text('a'), text('\u00e9'), text('\u{1f600}'), text('x'.repeat(1000))],
  date: [date('0001-01-01'), date('9999-12-31'), date('2026-01-01')],
  timestamp: [timestamp(-62135596800000000n), timestamp(253402300799999999n), timestamp(1767225600000000n)],
  optional: [some(int64(0))],
  optional2: [some(none), some(some(int64(0)))],
  list: [list(int64(1)), list(int64(1), int64(2)), list(int64(2), int64(1))],
  textMap: [
    textMap(['a', int64(1)]),
    textMap(['b', int64(1)], ['a', int64(2)]),
    textMap(['\uffff', int64(1)], ['\u{10000}', int64(2)]),
  ],
  genMap: [genMap([int64(1), text('a')]), genMap([int64(2), text('b')], [int64(1), text('a')])],
  fault: [enumeration('Lies'), enumeration('Errors')],
  ref: [variant('Made', int64(1)), variant('Given', contractId(id(1)))],
  faults: [record(...['Fine', 'Lies', 'Throws', 'Errors'].map(enumeration))],
}
const target21 = (argument: Value, name = 'effects-lf21'): Case => ({
  contractHash: `#${name}:Effects:Target`,
  argument: record(...(argument.record as Value[]).slice(0, 4)),
})

const keyHash = (name: string, last: Value[] = []): Case => ({
  keyHash: '#keys-lf23:Keys:Keyed',
  key: record(parties('Alice'), text(name), enumeration('Fine'), ...last),
})

export default {
  ...settings,
  dars: [
    'test/lf/effects-lf21.dar',
    'test/lf/effects-lf22.dar',
    'test/lf/keys-lf23.dar',
    'packages/quickstart/quickstart.dar',
  ],
  cases: [
    everything(),
    ...Object.entries(fields).flatMap(([name, values]) => values.map((value) => everything({ [name]: value }))),
    everything({ maybe: some(record(text('x'), parties('Bob'))) }),
    everything({ maybe: none, last: some(unit) }),
    everything({ maybe: none, last: none }), // Not normalised.
    everything({ int: text('wrong') }),
    everything({ ref: variant('Given', contractId(id(1).slice(0, 66))) }),
    target21(target({ signatories: ['Alice'], observers: ['Bob'] })),
    target21(target({ signatories: ['Alice'], observers: ['Bob'] }), 'effects-lf22'),
    { contractHash: '#effects-lf21:Effects:Other', argument: record(party('Alice')) },
    { contractHash: '#effects-lf21:Effects:Actor', argument: record(parties('Alice')) },
    { contractHash: '#quickstart:Wallet:Wallet', argument: record(party('Alice')) },
    {
      contractHash: '#quickstart:Iou:Iou',
      argument: record(party('Bank'), party('Alice'), numeric('12.5000000000'), text('EUR'), list()),
    },
    keyHash('key'),
    keyHash('key', [none]),
    keyHash('key', [some(int64(1))]),
    keyHash('another'),
    keyHash(''),
    { keyHash: '#keys-lf23:Keys:KeyWithId', key: record(party('Alice'), some(contractId(id(1)))) },
    { keyHash: '#keys-lf23:Keys:KeyWithId', key: record(party('Alice'), none) },
    { keyHash: '#keys-lf23:Keys:KeyWithId', key: record(party('Alice')) },
  ],
} satisfies Cases
