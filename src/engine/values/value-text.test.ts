// Values as text; the long ones are recorded from the reference engine.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { DataType, Identifier, Type } from '../../lf/syntax/ast.ts'
import type { BuiltinTypeName } from '../../lf/syntax/builtins.ts'
import { numericOf } from '../../lf/values/numeric.ts'
import { OrderedMap } from '../../lf/values/ordered-map.ts'
import { createRecordType } from '../../lf/values/structures.ts'
import {
  ContractId,
  EnumValue,
  type LfValue,
  listFromArray,
  none,
  Some,
  unit,
  Variant,
} from '../../lf/values/values.ts'
import { createValueText } from './value-text.ts'

const id = (name: string): Identifier => ({ packageId: '746fec11ebae', module: 'Keys', name })
const builtin = (name: BuiltinTypeName, ...args: Type[]): Type => ({ kind: 'builtin', name, args })
const of = (name: string, ...args: Type[]): Type => ({ kind: 'constructor', id: id(name), args })
const variable: Type = { kind: 'variable', name: 'a', args: [] }
const data = (
  name: string,
  constructors: DataType['constructors'],
  parameters: DataType['parameters'] = [],
): DataType => ({
  name,
  parameters,
  isSerializable: true,
  constructors,
})
const definitions = [
  data('Fault', { kind: 'enum', names: ['Fine', 'Throws'] }),
  data('Key', {
    kind: 'record',
    fields: [
      { name: 'maintainers', type: builtin('List', builtin('Party')) },
      { name: 'name', type: builtin('Text') },
      { name: 'maintainersFault', type: of('Fault') },
      { name: 'last', type: builtin('Optional', builtin('Int64')) },
    ],
  }),
  data('Box', { kind: 'variant', fields: [{ name: 'Full', type: variable }] }, [{ name: 'a', kind: { kind: 'star' } }]),
  data('Empty', { kind: 'record', fields: [] }),
]
const textOf = createValueText({
  definition: ({ name }) => definitions.find((definition) => definition.name === name)!,
  encode: () => Buffer.alloc(3),
})

const keyType = createRecordType(id('Key'), ['maintainers', 'name', 'maintainersFault', 'last'])
const fault = { kind: 'enum' as const, id: id('Fault'), tags: ['Fine', 'Throws'], values: [] }
const key = (last: LfValue = none) => new keyType.create(listFromArray(['Alice']), 'k', new EnumValue(fault, 0), last)
const box = { kind: 'variant' as const, id: id('Box'), tags: ['Full'] }
const empty = new (createRecordType(id('Empty'), []).create)()
const byText = (a: LfValue, b: LfValue) => ((a as string) < (b as string) ? -1 : a === b ? 0 : 1)

const cases: [type: Type, value: LfValue, form: 'typed' | 'ledger' | 'key', text: string][] = [
  [of('Key'), key(), 'ledger', `{ <no-label> = ['Alice'], <no-label> = "k", <no-label> = Fine }`],
  [
    of('Key'),
    key(),
    'typed',
    `Keys:Key@746fec11{ maintainers = ['Alice'], name = "k", maintainersFault = Keys:Fault@746fec11:Fine, last = None }`,
  ],
  [
    of('Key'),
    key(),
    'key',
    'Record(None,ImmArray((None,List(FrontStack(Party(Alice)))),(None,Text(k)),(None,Enum(None,Fine))))',
  ],
  [
    of('Key'),
    key(new Some(-7)),
    'ledger',
    `{ <no-label> = ['Alice'], <no-label> = "k", <no-label> = Fine, <no-label> = Option(-7) }`,
  ],
  [of('Empty'), empty, 'ledger', '{  }'],
  [of('Box', builtin('Date')), new Variant(box, 0, 20454), 'typed', 'Keys:Box@746fec11:Full(2026-01-01)'],
  [of('Box', builtin('Bool')), new Variant(box, 0, true), 'ledger', 'Full(true)'],
  [builtin('Unit'), unit, 'ledger', '<unit>'],
  [builtin('Numeric', { kind: 'nat', value: 4 }), numericOf(-25n, 4), 'ledger', '-0.0025'],
  [builtin('Timestamp'), 1767225600000000, 'ledger', '2026-01-01T00:00:00Z'],
  [builtin('Timestamp'), 1767225600120000, 'ledger', '2026-01-01T00:00:00.120Z'],
  [builtin('Timestamp'), -1, 'ledger', '1969-12-31T23:59:59.999999Z'],
  [builtin('ContractId', of('Key')), new ContractId('00ab'), 'typed', '00ab'],
  [
    builtin('TextMap', builtin('Int64')),
    OrderedMap.empty(byText).with('b', 2).with('a', 1),
    'ledger',
    'TextMap(a -> 1, b -> 2)',
  ],
  [
    builtin('GenMap', builtin('Text'), builtin('Int64')),
    OrderedMap.empty(byText).with('a', 1),
    'ledger',
    'GenMap("a" -> 1)',
  ],
]

for (const [type, value, form, text] of cases) {
  test(`${form}: ${text}`, () => assert.equal(textOf({ type, value }, form), text))
}
