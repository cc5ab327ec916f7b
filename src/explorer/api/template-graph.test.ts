import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ChoiceTypes, PackageTypes } from '../../codegen/type-description.ts'
import { templateGraph } from './template-graph.ts'

const choice = (name: string, creates: string[], exercises: ChoiceTypes['exercises'] = []): ChoiceTypes => ({
  name,
  consuming: true,
  argument: { kind: 'Unit' },
  result: { kind: 'Unit' },
  creates,
  exercises,
})

test('the choices of one template to another are one edge', () => {
  const unit = { kind: 'Unit' } as const
  const types: PackageTypes = {
    packageId: 'p',
    name: 'shop',
    version: '1.0.0',
    types: {},
    scripts: [],
    packages: {},
    templates: [
      {
        id: 'p:M:Order',
        payload: unit,
        implements: ['q:I:Asset'],
        choices: [choice('Pay', ['p:M:Receipt']), choice('Refund', ['p:M:Receipt', 'p:M:Order'])],
      },
      {
        id: 'p:M:Receipt',
        payload: unit,
        implements: [],
        choices: [choice('Use', [], [{ id: 'r:M:Far', choice: 'Go' }])],
      },
    ],
    interfaces: [
      { id: 'q:I:Asset', view: unit, choices: [choice('Move', ['p:M:Receipt'])], requires: [] },
      { id: 'q:I:Unused', view: unit, choices: [], requires: [] },
    ],
  }
  const { nodes, edges } = templateGraph(types)
  assert.deepEqual(
    nodes.map(({ id, kind, isOwn }) => `${id} ${kind}${isOwn ? '' : ' of another package'}`),
    [
      'p:M:Order template',
      'p:M:Receipt template',
      'q:I:Asset interface of another package',
      'r:M:Far template of another package',
    ],
  )
  assert.deepEqual(
    edges.map(({ from, to, kind, choices }) => `${from} ${kind} ${to} ${choices.join()}`.trim()),
    [
      'p:M:Order creates p:M:Receipt Pay,Refund',
      'p:M:Order creates p:M:Order Refund',
      'p:M:Order implements q:I:Asset',
      'p:M:Receipt exercises r:M:Far Use',
      'q:I:Asset creates p:M:Receipt Move',
    ],
  )
})
