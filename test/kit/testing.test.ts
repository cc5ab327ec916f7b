// A file of an application's tests: each test begins with the ledger of the setup.
import assert from 'node:assert/strict'
import * as hooks from 'node:test'
import { useNode } from '../../src/kit/testing.ts'

const iou = '#quickstart:Iou:Iou'
let alice: string
const node = useNode(hooks, {
  async setup(started) {
    alice = await started.party('alice')
    await issue(started)
  },
})

for (const round of ['first', 'second', 'third']) {
  hooks.test(`the ${round} test has one contract, and may add another`, async () => {
    assert.equal((await node().contracts(iou)).length, 1)
    await issue(node())
    assert.equal((await node().contracts(iou)).length, 2)
    assert.deepEqual(await node().rejections(), [])
    await node().orderFault({ times: 0, fail: { code: 'PARTICIPANT_BACKPRESSURE' } }) // Gone with this test.
    await assert.rejects(issue(node()), { code: 'PARTICIPANT_BACKPRESSURE' })
    const [refused] = await node().rejections()
    assert.deepEqual([refused!.operation, refused!.actAs, refused!.commands!.length], ['submit', [alice], 1])
  })
}

function issue(to: ReturnType<typeof node>) {
  const payload = { issuer: alice, owner: alice, amount: '1', currency: 'EUR', observers: [] }
  return to.create(iou, payload, { actAs: alice })
}
