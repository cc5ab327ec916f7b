// The test kit with Jest: one node for the file, and each test begins with the ledger that `setup` left.
const runner = require('@jest/globals')
const { useNode } = require('tallystick/testing')

const { expect, test } = runner

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

test('an IOU is split', async () => {
  await node().as(alice).exercise(Iou, iou, 'Iou_Split', { amount: '30' })
  expect(await amounts()).toEqual([30, 70])
})

test('nobody splits off more than there is', async () => {
  const split = node().as(alice).exercise(Iou, iou, 'Iou_Split', { amount: '300' })
  await expect(split).rejects.toThrow('not less than the whole')
  expect(await amounts()).toEqual([100])
})
