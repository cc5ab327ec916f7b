import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { compilerErrors } from '../../test/fixtures/typescript.ts'
import {
  dataType,
  intType,
  optionalType,
  packageOf,
  partyType,
  record,
  testPackageId,
  textType,
  unitType,
  variableType,
  variant,
} from '../../test/support/lf/data-package.ts'
import type { DataType, Identifier, Interface, Module, Package, Template, Type } from '../lf/syntax/ast.ts'
import { collectPackages } from './package-set.ts'
import { typedDocument } from './typed-document.ts'
import { generateTypeScript } from './typescript.ts'

const other = { packageId: 'other-id', module: 'Main', name: 'Same' }
const older = { packageId: 'older-id', module: 'Main', name: 'Same' }
const notSerializable: DataType = { ...record('Hidden', { x: intType }), isSerializable: false }

const definitions = [
  record('Same', {
    mine: optionalType(dataType('Same')),
    theirs: { kind: 'constructor', id: other, args: [] },
    older: { kind: 'constructor', id: older, args: [] },
    hidden: dataType('Hidden'),
    missing: dataType('NotThere'),
  }),
  notSerializable,
  record('Shape_Circle', { radius: intType }),
  variant('Shape', { Circle: dataType('Shape.Circle'), Nothing: dataType('string') }),
  record('Shape.Circle', { center: textType }),
  record('string', {}),
  record('daml', { text: textType }),
  record('Phantom', { x: intType }, ['a']),
  record('Open', { x: variableType('type'), y: intType, z: variableType('b') }, ['type', 'b']),
  record('$Main', { open: dataType('Open', optionalType(intType), dataType('Phantom', intType)) }),
]

function named(id: string, name: string, version: string, ...types: DataType[]): Package {
  return { ...packageOf(id, types), name, version }
}

const main = named(testPackageId, 'same', '3.0.0', ...definitions)
const packages = [
  main,
  named('other-id', 'same', '2.0.0', record('Same', { two: textType })),
  named('older-id', 'same', '2.0.0', record('Same', { one: textType })),
]
const files = generateTypeScript({ main, get: (id) => packages.find((one) => one.id === id) })

test('packages of the same name get separate folders', () => {
  assert.deepEqual([...files.keys()], ['daml.ts', 'same/Main.ts', 'same-2.0.0/Main.ts', 'same-2.0.0-older-id/Main.ts'])
})

test('reserved names of TypeScript and colliding names are renamed', async () => {
  const values = `
import type * as Main from './same/Main.js'
export const same: Main.Same = { theirs: { two: '' }, older: { one: '' }, hidden: 1, missing: null }
export const circle: Main.Shape = { tag: 'Circle', value: { center: '' } }
export const nothing: Main.Shape = { tag: 'Nothing', value: {} }
export const radius: Main.Shape_Circle = { radius: '1' }
export const text: Main.daml_ = { text: '' }
export const left: Main.$Main = { open: { y: '1', z: { x: '1' } } }
// @ts-expect-error Only what is an Optional may be left out.
export const missing: Main.$Main = { open: { y: '1' } }
`
  assert.equal(await compilerErrors(new Map([...files, ['values.ts', values]])), '')
})

test('a module holds its types and ids, and no other code', () => {
  const text = files.get('same/Main.ts')!
  assert.match(text, /^\/\/ Made by tallystick codegen; changes will be lost\.\n\/\/ Module Main of same 3\.0\.0\.\n/)
  assert.doesNotMatch(text, /Hidden/)
})

describe('interfaces of other packages that a template implements', () => {
  const holding = { packageId: 'holding-id', module: 'Holding', name: 'Holding' }
  const base = { packageId: 'base-id', module: 'Base', name: 'Base' }
  const main = withTemplate(named(testPackageId, 'token', '1.0.0', record('Token', { owner: partyType })), holding)
  const all = [
    main,
    withInterface('holding-id', 'Holding', record('View', { amount: intType }), [base]),
    withInterface('base-id', 'Base', record('View', { owner: partyType }), []),
    // Not implemented by any template.
    withInterface('other-id', 'Other', record('View', {}), []),
  ]
  const packages = { main, get: (id: string) => all.find((one) => one.id === id) }

  test('are written with those that they require, although no payload mentions them', async () => {
    const files = generateTypeScript(packages)
    assert.deepEqual([...files.keys()], ['daml.ts', 'token/Main.ts', 'Holding/Holding.ts', 'Base/Base.ts'])
    const values = `
import type { Argument, ExerciseCommand, View } from './daml.js'
import { Holding } from './Holding/Holding.js'
export const view: View<typeof Holding> = { amount: '1' }
export const lock: ExerciseCommand<typeof Holding, 'Lock'> = {
  ExerciseCommand: { templateId: Holding.interfaceId, contractId: '00', choice: 'Lock', choiceArgument: { amount: '1' } },
}
export const id: '#Holding:Holding:Holding' = Holding.interfaceId
// @ts-expect-error It takes a record.
export const wrong: Argument<typeof Holding, 'Lock'> = '1'
`
    assert.equal(await compilerErrors(new Map([...files, ['values.ts', values]])), '')
  })

  test('are loaded from a node', async () => {
    const asked: string[] = []
    const loaded = await collectPackages(main, async (id) => {
      asked.push(id)
      return packages.get(id)
    })
    assert.deepEqual(asked, ['holding-id', 'base-id'])
    assert.equal(loaded.get('holding-id')?.name, 'Holding')
  })

  test('are in the OpenAPI document of the package', () => {
    const anything = { type: 'object', properties: {} }
    const names = ['CreateCommand', 'ExerciseCommand', 'CreatedEvent', 'ExercisedEvent', 'JsInterfaceView']
    const general = Object.fromEntries(names.map((name) => [name, anything]))
    const { components } = typedDocument({ info: { description: '' }, components: { schemas: general } }, packages)
    const { schemas } = components
    const view = schemas['JsInterfaceView.Holding.Holding.Holding']!.properties as Record<string, unknown>
    assert.deepEqual(view.interfaceId, { type: 'string', pattern: '^[^:]+:Holding:Holding$' })
    const exercise = schemas['ExerciseCommand.Holding.Holding.Holding.Lock']!.properties as Record<string, unknown>
    assert.deepEqual(exercise.templateId, { type: 'string', enum: ['#Holding:Holding:Holding'] })
    assert.ok('JsInterfaceView.Base.Base.Base' in schemas)
    assert.ok(!Object.keys(schemas).some((name) => name.includes('Other')))
  })
})

function withTemplate(owner: Package, implemented: Identifier): Package {
  const module = owner.modules.get('Main')!
  const template = {
    name: 'Token',
    choices: new Map(),
    interfaceInstances: [{ interface: implemented }],
  } as unknown as Template
  return { ...owner, modules: new Map([['Main', { ...module, templates: new Map([['Token', template]]) }]]) }
}

/** A package with one module that has its name, and an interface of that name with the choice Lock. */
function withInterface(packageId: string, name: string, view: DataType, requires: readonly Identifier[]): Package {
  const own: DataType = { name, parameters: [], isSerializable: false, constructors: { kind: 'interface' } }
  const owner = packageOf(packageId, [own, view], name)
  const viewType: Type = { kind: 'constructor', id: { packageId, module: name, name: 'View' }, args: [] }
  const lock = { name: 'Lock', argument: { name: 'arg', type: viewType }, returnType: unitType }
  const iface = { name, viewType, choices: new Map([['Lock', lock]]), requires } as unknown as Interface
  const module: Module = { ...owner.modules.get(name)!, interfaces: new Map([[name, iface]]) }
  return { ...owner, name, modules: new Map([[name, module]]) }
}
