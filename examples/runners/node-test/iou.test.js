// The test kit with node:test: one node for the file, and each test begins with the ledger that `setup` left.
import assert from 'node:assert/strict'
import * as runner from 'node:test'
import { useNode } from 'tallystick/testing'

const Iou = '#quickstart:Iou:Iou'
let alice
let iou
const node = useNode(runner, {
  async setup(node) {
    alice = await node.party('alice')
    const payload = { issuer: alice, owner: alice, amount: '100', currency: 'EUR', observers: [] }
    iou = (await node.as(alice).create(Iou, payload)).contractId
  },
})

const amounts = async () => (await node().as(alice).contracts(Iou)).map(({ payload }) => Number(payload.amount))

runner.test('an IOU is split', async () => {
  await node().as(alice).exercise(Iou, iou, 'Iou_Split', { amount: '30' })
  assert.deepEqual(await amounts(), [30, 70])
})

runner.test('nobody splits off more than there is', async () => {
  const split = node().as(alice).exercise(Iou, iou, 'Iou_Split', { amount: '300' })
  await assert.rejects(split, { code: 'DAML_FAILURE', message: /not less than the whole/ })
  assert.deepEqual(await amounts(), [100])
})
