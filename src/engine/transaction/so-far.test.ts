import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { NodeTree } from './nodes.ts'
import type { Scope } from './scopes.ts'
import { soFar } from './so-far.ts'

const templateId = { packageId: 'p', module: 'M', name: 'T' }
const node = (kind: string, contractId = '00ab') =>
  ({ kind, templateId, contractId, choice: 'Go' }) as unknown as NodeTree
const scope = (parent: Scope | undefined, children: NodeTree[], exercise?: NodeTree) =>
  ({ parent, children, exercise }) as unknown as Scope

test('a failed command shows what each exercise under way had done', () => {
  const root = scope(undefined, [node('create')])
  const outer = scope(root, [node('fetch'), node('exercise')], node('exercise', '0123456789abcdef'))
  const tried = scope(outer, [node('query-by-key'), node('rollback')])
  const inner = scope(tried, [node('create')], node('exercise'))
  assert.equal(
    soFar(inner),
    `exercise Go of M:T 0123456789ab…
  fetch M:T 00ab
  exercise Go of M:T 00ab
  look up M:T by key
  undone by an exception
  exercise Go of M:T 00ab
    create M:T 00ab
    failed here`,
  )
  assert.equal(soFar(root), undefined)
})

test('a failed command shows the last steps of a long exercise, and the innermost of many nested ones', () => {
  const steps = Array.from({ length: 10_000 }, (_, index) => node('create', `00${index}`))
  const long = soFar(scope(scope(undefined, []), steps, node('exercise')))!.split('\n')
  assert.deepEqual([long.length, long[1], long[2], long[9]], [11, '  …', '  create M:T 009992', '  create M:T 009999'])
  let deep = scope(undefined, [])
  for (let depth = 0; depth < 1000; depth += 1) deep = scope(deep, [], node('exercise', `00${depth}`))
  const lines = soFar(deep)!.split('\n')
  assert.deepEqual(lines.slice(0, 3), ['exercise Go of M:T 000', '  …', '  exercise Go of M:T 00980'])
  assert.equal(lines.length, 23)
})
