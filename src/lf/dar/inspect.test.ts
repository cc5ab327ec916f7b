import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Type } from '../syntax/ast.ts'
import type { BuiltinTypeName } from '../syntax/builtins.ts'
import { renderType } from '../syntax/render-type.ts'
import { sampleDar } from '../testing/sample-package.ts'
import { decodeDar } from './dar.ts'
import { inspectDar } from './inspect.ts'
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
  const description = inspectDar(decodeDar(sampleDar(3)))
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
        choices: [{ name: 'Lock', isConsuming: false, argument: 'Lock', fields: [], returns: 'ContractId Iou' }],
        requires: [`${packageId}:Other:Base`],
        implementedBy: [`${packageId}:Main:Iou`],
      },
    ],
  })
})

test('a DAR is shown as text', () => {
  const description = inspectDar(decodeDar(sampleDar(3)))
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
