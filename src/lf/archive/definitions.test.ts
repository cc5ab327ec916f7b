// The definitions of the sample package, each with every field it can have.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sampleArchive } from '../../../test/support/lf/sample-package.ts'
import type { Body, Choice } from '../syntax/ast.ts'
import { decodeArchive } from './archive.ts'

for (const minor of [1, 2, 3] as const) {
  const { package: decoded } = decodeArchive(sampleArchive(minor))
  const module = decoded.modules.get('Main')!
  const id = (module: string, name: string) => ({ packageId: decoded.id, module, name })
  const type = (name: string) => ({ kind: 'constructor', id: id('Main', name), args: [] })
  const party = { kind: 'builtin', name: 'Party', args: [] }
  const parameter = (name: string) => ({ name, kind: { kind: 'star' } })
  const kinds = (...bodies: Body[]) => bodies.map((body) => body().kind)

  test(`LF 2.${minor}: synonyms and data types have their parameters`, () => {
    assert.deepEqual(module.synonyms.get('Parties'), {
      name: 'Parties',
      parameters: [parameter('a')],
      type: { kind: 'builtin', name: 'List', args: [party] },
    })
    assert.deepEqual(module.dataTypes.get('Pair'), {
      name: 'Pair',
      parameters: [parameter('a'), parameter('b')],
      isSerializable: false,
      constructors: { kind: 'record', fields: [] },
    })
    assert.equal(module.dataTypes.get('Iou')!.isSerializable, true)
    assert.equal(module.dataTypes.get('Shape')!.constructors.kind, 'variant')
    assert.deepEqual(module.dataTypes.get('Holding')!.constructors, { kind: 'interface' })
  })

  test(`LF 2.${minor}: a template has its bodies, choices, instances and key`, () => {
    const template = module.templates.get('Iou')!
    assert.equal(template.parameter, 'this')
    const { precondition, signatories, observers, key } = template
    assert.deepEqual(kinds(precondition!, signatories, observers), ['application', 'nil', 'nil'])
    checkChoice(template.choices.get('Transfer')!, 'Transfer', true)
    const [instance, ...others] = template.interfaceInstances
    assert.deepEqual([instance!.interface, others], [id('Main', 'Holding'), []])
    assert.deepEqual(kinds(instance!.methods.get('owner')!, instance!.view), ['application', 'record'])
    if (minor < 3) return assert.equal(key, undefined)
    assert.deepEqual(key!.type, party)
    assert.deepEqual(kinds(key!.body, key!.maintainers), ['application', 'abstraction'])
  })

  test(`LF 2.${minor}: an interface has its methods, choices, view and requirements`, () => {
    const iface = module.interfaces.get('Holding')!
    assert.deepEqual([...iface.methods], [['owner', party]])
    assert.deepEqual([iface.parameter, iface.requires, iface.viewType], ['this', [id('Other', 'Base')], type('View')])
    checkChoice(iface.choices.get('Lock')!, 'Lock', false)
  })

  test(`LF 2.${minor}: values and exceptions have their bodies`, () => {
    const value = module.values.get('nobody')!
    assert.deepEqual(value.type, { kind: 'builtin', name: 'List', args: [party] })
    assert.deepEqual(kinds(value.body, module.exceptions.get('Failure')!.message), ['nil', 'application'])
  })

  function checkChoice(choice: Choice, name: string, isConsuming: boolean): void {
    assert.deepEqual([choice.name, choice.isConsuming, choice.selfBinder], [name, isConsuming, 'self'])
    assert.deepEqual(choice.argument, { name: 'arg', type: type(name) })
    assert.deepEqual(choice.returnType, { kind: 'builtin', name: 'ContractId', args: [type('Iou')] })
    assert.deepEqual(kinds(choice.controllers, choice.observers, choice.update), ['nil', 'nil', 'application'])
  }
}
