// Fixtures for test runners: `import { useNode } from 'tallystick/testing'`.
import type { TestNode, UseNode } from './api.ts'
import { prepareNodes, startNode } from './start-node.ts'

export const useNode: UseNode = (hooks, { setup, fresh = 'test', ...options } = {}) => {
  const { before = hooks.beforeAll, after = hooks.afterAll, beforeEach } = hooks
  if (before === undefined || after === undefined) throw new Error('these are not the functions of a test runner')
  prepareNodes()
  let node: TestNode | undefined
  let start: string | undefined
  before(async () => {
    node = await startNode(options)
    await setup?.(node)
    start = await node.snapshot('setup')
  })
  beforeEach(async () => {
    if (fresh === 'test') await node!.restore(start!)
  })
  after(async () => {
    await node?.close()
  })
  return () => {
    if (node === undefined) throw new Error('the node is there inside tests only')
    return node
  }
}
