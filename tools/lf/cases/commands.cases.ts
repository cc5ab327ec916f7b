// Commands that do not match their types, and those that match in unexpected ways.
import {
  type Case,
  type Cases,
  contractId,
  date,
  enumeration,
  genMap,
  id,
  int64,
  labelled,
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
import { parties } from './effects.ts'

const fields: [name: string, value: Value][] = [
  ['party', party('Alice')],
  ['unit', unit],
  ['bool', { bool: true }],
  ['int', int64(-7)],
  ['numeric', numeric('1.5000000000')],
  ['text', text('a text')],
  ['date', date('2026-01-01')],
  ['timestamp', timestamp(1n)],
  ['optional', some(int64(1))],
  ['optional2', some(none)],
  ['list', list(int64(1), int64(2))],
  ['textMap', textMap(['b', int64(2)], ['a', int64(1)])],
  ['genMap', genMap([int64(2), text('b')], [int64(1), text('a')])],
  ['fault', enumeration('Lies')],
  ['ref', variant('Made', int64(0))],
  ['faults', record(...['Fine', 'Lies', 'Throws', 'Errors'].map(enumeration))],
  ['maybe', some(record(text('x'), parties('Bob')))],
  ['last', some(unit)],
]
const names = fields.map(([name]) => name)
const everything = (different: Record<string, Value> = {}): Value =>
  record(...fields.map(([name, value]) => different[name] ?? value))
const withLabels = (different: Record<string, Value | undefined>, order = names): Value =>
  labelled(
    ...order.flatMap((name): [string, Value][] => {
      const value = name in different ? different[name] : fields.find(([field]) => field === name)?.[1]
      return value ? [[name, value]] : []
    }),
  )

const create = (name: string, argument: Value, rest: Case = {}): Case => ({
  name,
  actAs: ['Alice'],
  commands: [{ create: '#effects-lf21:Effects:Everything', argument }],
  ...rest,
})
const withField = (name: string, value: Value) =>
  create(`${name}: ${JSON.stringify(value)}`, everything({ [name]: value }))
const nested = (depth: number): Value => (depth === 0 ? variant('Stop', unit) : variant('More', nested(depth - 1)))

export default {
  ...settings,
  dars: ['test/lf/effects-lf21.dar', 'packages/quickstart/quickstart.dar'],
  cases: [
    create('everything', everything()),
    create('everything that can be, is None', everything({ optional: none, optional2: none, maybe: none, last: none })),
    create('None before the end stays', everything({ optional: none, optional2: none, maybe: none })),
    create('fields at the end left out', record(...fields.slice(0, -2).map(([, value]) => value))),
    create('one field too few', record(...fields.slice(0, -3).map(([, value]) => value))),
    create('a None too many', record(...fields.map(([, value]) => value), none)),
    create('a Some too many', record(...fields.map(([, value]) => value), some(unit))),
    create('labelled', withLabels({})),
    create('labelled, in another order', withLabels({}, [...names].reverse())),
    create(
      'labelled, optional fields left out',
      withLabels({ optional: undefined, maybe: undefined, last: undefined }),
    ),
    create('labelled, a field left out', withLabels({ int: undefined })),
    create('labelled, an unknown field', labelled(['nothing', int64(1)], ...fields)),
    create('labelled, an unknown field that is None', labelled(...fields, ['nothing', none])),
    create('labelled, a field twice', labelled(...fields, ['int', int64(1)])),
    withField('party', text('Alice')),
    withField('unit', record()),
    withField('bool', int64(1)),
    withField('int', numeric('1.0')),
    withField('int', text('1')),
    ...[
      '1.5',
      '1.',
      '1.50000000000000000000',
      '1.00000000001',
      '9999999999999999999999999999.9999999999',
      '10000000000000000000000000000.0',
    ].map((value) => withField('numeric', numeric(value))),
    withField('numeric', int64(1)),
    withField('text', text('\u0000')),
    withField('text', text('\u{1f600}')),
    withField('text', { text: '\ud800' }),
    withField('textMap', textMap(['\u0000', int64(1)])),
    withField('date', date('0001-01-01')),
    withField('optional', int64(1)),
    withField('optional2', some(int64(1))),
    withField('list', list(text('x'))),
    withField('textMap', textMap()),
    withField('genMap', genMap([int64(1), text('first')], [int64(1), text('second')])),
    withField('genMap', textMap()),
    withField('fault', enumeration('Nothing')),
    withField('fault', variant('Fine', unit)),
    withField('ref', variant('Nothing', unit)),
    withField('ref', variant('Given', contractId(id(3)))),
    withField('ref', variant('Given', contractId(id(3).slice(0, 66)))),
    withField('ref', enumeration('Made')),
    withField('faults', record()),
    withField('faults', list()),
    create('the choice gives back what it gets', everything(), {
      commands: [
        {
          createAndExercise: '#effects-lf21:Effects:Everything',
          createArgument: everything(),
          choice: 'Everything_Same',
          choiceArgument: everything({ optional2: none, maybe: none, last: none }),
        },
      ],
    }),
    ...[97, 98, 99, 100].map((depth) =>
      create(`nested ${depth} deep`, record(), {
        commands: [{ create: '#effects-lf21:Effects:Deep', argument: record(party('Alice'), nested(depth)) }],
      }),
    ),
    ...[
      ['unknown template', { create: '#effects-lf21:Effects:Nothing', argument: record() }],
      ['unknown module', { create: '#effects-lf21:Nothing:Target', argument: record() }],
      ['unknown package name', { create: '#nothing:Effects:Target', argument: record() }],
      ['unknown package id', { create: `${'0'.repeat(64)}:Effects:Target`, argument: record() }],
      ['a record that is no template', { create: '#effects-lf21:Effects:Faults', argument: record() }],
      [
        'unknown choice',
        { exercise: '#effects-lf21:Effects:Target', contractId: id(2), choice: 'Nothing', argument: unit },
      ],
      [
        'argument of the choice does not fit',
        { exercise: '#effects-lf21:Effects:Target', contractId: id(2), choice: 'Keep', argument: unit },
      ],
      [
        'by key, but there is no key',
        { exerciseByKey: '#effects-lf21:Effects:Target', key: unit, choice: 'Keep', argument: unit },
      ],
    ].map(([name, command]): Case => ({ name, actAs: ['Alice'], commands: [command] })),
  ],
} satisfies Cases
