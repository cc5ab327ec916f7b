import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  contractIdType,
  dataType,
  genMapType,
  intType,
  listType,
  optionalType,
  packageOf,
  record,
  testPackageId,
  textType,
  unitType,
  variableType,
  variant,
} from '../../../test/support/lf/data-package.ts'
import { darOf } from '../../../test/support/lf/package-writer.ts'
import { sampleArchive } from '../../../test/support/lf/sample-package.ts'
import type { Type } from '../syntax/ast.ts'
import type { BuiltinTypeName } from '../syntax/builtins.ts'
import { renderType } from '../syntax/types.ts'
import { decodeDar } from './dar.ts'
import { inspectDar } from './inspect.ts'
import { createMemberWriter } from './members.ts'
import { renderDar } from './render-dar.ts'

const builtin = (name: BuiltinTypeName, ...args: Type[]): Type => ({ kind: 'builtin', name, args })
const named = (module: string, name: string, ...args: Type[]): Type => {
  return { kind: 'constructor', id: { packageId: 'p', module, name }, args }
}
const variable = (name: string, ...args: Type[]): Type => ({ kind: 'variable', name, args })
const party = builtin('Party')
const int = builtin('Int64')

const types: readonly (readonly [type: Type, text: string])[] = [
  [builtin('Unit'), '()'],
  [int, 'Int'],
  [builtin('Timestamp'), 'Time'],
  [builtin('Numeric', { kind: 'nat', value: 10 }), 'Numeric 10'],
  [builtin('List', party), '[Party]'],
  [builtin('List'), 'List'],
  [builtin('Optional', builtin('List', party)), 'Optional [Party]'],
  [builtin('Optional', builtin('Optional', int)), 'Optional (Optional Int)'],
  [builtin('GenMap', party, builtin('ContractId', named('M', 'T'))), 'Map Party (ContractId T)'],
  [named('Other', 'T', int), 'Other.T Int'],
  [named('DA.Types', 'Tuple2', int, party), '(Int, Party)'],
  [named('DA.Types', 'Either', int, party), 'DA.Types.Either Int Party'],
  [builtin('Arrow', int, builtin('Arrow', party, builtin('Update', builtin('Unit')))), 'Int -> Party -> Update ()'],
  [builtin('Arrow', builtin('Arrow', int, int), int), '(Int -> Int) -> Int'],
  [builtin('Arrow', builtin('Optional', int), int), 'Optional Int -> Int'],
  [builtin('Optional', builtin('Arrow', int, int)), 'Optional (Int -> Int)'],
  [builtin('Arrow', int), 'Arrow Int'],
  [variable('f', variable('a')), 'f a'],
  [
    { kind: 'forall', parameters: [{ name: 'a', kind: { kind: 'star' } }], body: builtin('Arrow', variable('a'), int) },
    'forall a. a -> Int',
  ],
  [{ kind: 'struct', fields: [{ name: 'x', type: int }] }, '{x : Int}'],
  [{ kind: 'synonym', id: { packageId: 'p', module: 'M', name: 'S' }, args: [int] }, 'S Int'],
]

for (const [type, text] of types) {
  test(`a type is written ${text}`, () => assert.equal(renderType(type, 'M'), text))
}

test('a DAR is described with its templates, choices and interfaces', () => {
  const description = inspectDar(decodeDar(darOf({ 'sample.dalf': sampleArchive(3) })))
  const [described] = description.packages
  const { packageId, size, ...rest } = described!
  assert.deepEqual(
    [description.name, description.version, description.mainPackageId],
    ['test-package', '1.0.0', packageId],
  )
  assert(size > 0)
  assert.deepEqual(rest, {
    name: 'test-package',
    version: '1.0.0',
    languageVersion: '2.3',
    isMain: true,
    upgrades: undefined,
    modules: ['Main'],
    dependencies: [],
    templates: [
      {
        name: 'Main:Iou',
        fields: [
          { name: 'issuer', type: 'Party' },
          { name: 'owner', type: 'Party' },
          { name: 'amount', type: 'Numeric 10' },
        ],
        key: 'Party',
        choices: [
          {
            name: 'Transfer',
            isConsuming: true,
            argument: 'Transfer',
            fields: [{ name: 'newOwner', type: 'Party' }],
            returns: 'ContractId Iou',
            result: [],
          },
        ],
        implements: [`${packageId}:Main:Holding`],
      },
    ],
    interfaces: [
      {
        name: 'Main:Holding',
        viewType: 'View',
        view: [{ name: 'owner', type: 'Party' }],
        methods: [{ name: 'owner', type: 'Party' }],
        choices: [
          { name: 'Lock', isConsuming: false, argument: 'Lock', fields: [], returns: 'ContractId Iou', result: [] },
        ],
        requires: [`${packageId}:Other:Base`],
        implementedBy: [`${packageId}:Main:Iou`],
      },
    ],
  })
})

const lineOf = (item: Type): Type => dataType('Line', item)
const shape = record('Invoice', {
  lines: listType(lineOf(textType)),
  total: dataType('Amount'),
  again: optionalType(dataType('Amount')),
  by: genMapType(dataType('Line', intType), dataType('Tax')),
  contract: contractIdType,
  kind: dataType('Kind'),
  self: optionalType(dataType('Invoice')),
  growing: dataType('Growing', intType),
})
const definitions = [
  shape,
  record('Line', { item: variableType('a'), price: dataType('Amount') }, ['a']),
  record('Amount', { value: intType }),
  record('Tax', { rate: intType }),
  variant('Kind', { Paid: dataType('Tax'), Open: unitType }),
  record('Growing', { next: optionalType(dataType('Growing', dataType('Line', variableType('a')))) }, ['a']),
]

test('records within records are described down to the last field, each once', () => {
  const packages = new Map([[testPackageId, packageOf(testPackageId, definitions)]])
  const { fieldsOf } = createMemberWriter('Main', packages)
  const amount = { type: 'Amount', kind: 'record', fields: [{ name: 'value', type: 'Int' }] }
  const tax = { type: 'Tax', kind: 'record', fields: [{ name: 'rate', type: 'Int' }] }
  const line = [
    { name: 'item', type: 'Text' },
    { name: 'price', type: 'Amount', holds: [amount] },
  ]
  const constructors = [
    { name: 'Paid', type: 'Tax' },
    { name: 'Open', type: '()' },
  ]
  const next = { name: 'next', type: 'Optional (Growing (Line Int))' }
  assert.deepEqual(fieldsOf(dataType('Invoice')), [
    { name: 'lines', type: '[Line Text]', holds: [{ type: 'Line Text', kind: 'record', fields: line }] },
    { name: 'total', type: 'Amount' },
    { name: 'again', type: 'Optional Amount' },
    { name: 'by', type: 'Map (Line Int) Tax', holds: [tax] },
    { name: 'contract', type: 'ContractId Any.Template' },
    { name: 'kind', type: 'Kind', holds: [{ type: 'Kind', kind: 'variant', fields: constructors }] },
    { name: 'self', type: 'Optional Invoice' },
    { name: 'growing', type: 'Growing Int', holds: [{ type: 'Growing Int', kind: 'record', fields: [next] }] },
  ])
})

test('a long chain of records, and types that double, are described quickly', () => {
  const chain = Array.from({ length: 20_000 }, (_, index) => {
    const next = dataType(`R${index + 1}`)
    return record(`R${index}`, { one: next, other: next })
  })
  let doubling: Type = intType
  for (let turn = 0; turn < 60; turn += 1) doubling = dataType('Pair', doubling, doubling)
  const pair = record('Pair', { a: variableType('a'), b: variableType('b') }, ['a', 'b'])
  const packages = new Map([[testPackageId, packageOf(testPackageId, [...chain, pair])]])
  const { fieldsOf } = createMemberWriter('Main', packages)
  assert.equal(fieldsOf(dataType('R0')).length, 2)
  assert.equal(fieldsOf(doubling).length, 2)
})

test('a DAR is shown as text', () => {
  const description = inspectDar(decodeDar(darOf({ 'sample.dalf': sampleArchive(3) })))
  const expected = [
    'test-package 1.0.0: 1 package',
    '',
    `test-package 1.0.0  LF 2.3  ${description.mainPackageId}`,
    '',
    '  template Main:Iou',
    '    issuer : Party',
    '    owner : Party',
    '    amount : Numeric 10',
    '    key Party',
    '    implements Main:Holding (test-package-1.0.0)',
    '    choice Transfer : ContractId Iou',
    '      newOwner : Party',
    '',
    '  interface Main:Holding',
    '    requires Other:Base (test-package-1.0.0)',
    '    view View',
    '      owner : Party',
    '    method owner : Party',
    '    nonconsuming choice Lock : ContractId Iou',
    '    implemented by Main:Iou (test-package-1.0.0)',
  ]
  assert.equal(renderDar(description), expected.join('\n'))
})
