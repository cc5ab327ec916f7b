import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compilerErrors } from '../../test/fixtures/typescript.ts'
import type { DataType, Package } from '../lf/syntax/ast.ts'
import {
  dataType,
  intType,
  optionalType,
  packageOf,
  record,
  testPackageId,
  textType,
  variableType,
  variant,
} from '../lf/testing/data-package.ts'
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

test('names that TypeScript reserves and names that would collide are told apart', async () => {
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
