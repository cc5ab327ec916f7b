// POST /dev/dry-run: what commands would do, without recording anything.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, describe, test } from 'node:test'
import {
  archiveIou,
  effectsDar,
  exercise,
  iouType,
  type Json,
  startTestLedger,
  type TestLedger,
} from '../fixtures/ledger.ts'
import { refusalOf } from '../fixtures/node.ts'

describe('a dry run', () => {
  let ledger: TestLedger
  before(async () => {
    ledger = await startTestLedger()
    await ledger.node.call('POST', '/v2/dars', { body: readFileSync(effectsDar) })
  })
  after(() => ledger[Symbol.asyncDispose]())

  const dryRun = (commands: readonly object[], fields: object = {}) =>
    ledger.node.call('POST', '/dev/dry-run', {
      body: { commands: ledger.commandsOf(commands, { userId: 'app', ...fields }) },
    })

  test('tells what would happen, and records nothing', async () => {
    const { contractId } = await ledger.submit([ledger.createIou()])
    const end = await ledger.end()
    const split = exercise(iouType, contractId, 'Iou_Split', { amount: '30' })
    const { status, json, text } = await dryRun([split])
    assert.equal(status, 200, text)
    assert.deepEqual(
      kindsOf(json).map(([kind, { choice, createArgument }]) => [kind, choice ?? createArgument.amount]),
      [
        ['Exercise', 'Iou_Split'],
        ['Create', '30.0000000000'],
        ['Create', '70.0000000000'],
      ],
    )
    const [[, root], [, first]] = kindsOf(json) as [Shown, Shown]
    assert.deepEqual([json.roots, root.children], [[0], [1, 2]])
    assert.deepEqual(root.authorizers, [ledger.alice, ledger.bank].sort())
    assert.deepEqual(first.authorizers, [ledger.alice, ledger.bank].sort())
    assert.deepEqual(first.witnesses, [ledger.alice, ledger.bank].sort())
    assert.deepEqual(json.contractsRead, [contractId])
    assert.equal(json.synchronizerId, ledger.synchronizerId)
    assert.ok(json.steps > 0 && json.microseconds > 0)
    assert.equal(await ledger.end(), end)
    await ledger.submit([archiveIou(contractId)])
  })

  test('is refused as the submission would be, with the place in Daml', async () => {
    const { contractId } = await ledger.submit([ledger.createIou()])
    const split = exercise(iouType, contractId, 'Iou_Split', { amount: '300' })
    const refused = await dryRun([split])
    const body = ledger.commandsOf([split])
    const submitted = await ledger.post('/v2/commands/submit-and-wait', body)
    assert.deepEqual(refusalOf(refused).slice(0, 2), refusalOf(submitted).slice(0, 2))
    assert.match(refused.json.context.choice, /Iou_Split$/)
    const { json: journal } = await ledger.node.call('GET', '/dev/rejections')
    assert.equal(journal.length, 1) // The submission, not the dry run.
    assert.match(refused.json.context.exercises, /Iou_Split/)
    assert.equal(refused.json.context.definition, 'Iou:require')
  })

  test('is refused for what only a commit would find', async () => {
    await ledger.submit([ledger.createIou()], { commandId: 'same' })
    const refused = await dryRun([ledger.createIou()], { commandId: 'same' })
    assert.equal(refusalOf(refused)[1], 'DUPLICATE_COMMAND')
  })

  test('shows what is only read', async () => {
    const { contractId } = await ledger.submit([ledger.createIou()])
    const other = (await ledger.submit([ledger.createIou()])).contractId
    const { json } = await dryRun([exercise(iouType, contractId, 'Iou_Merge', { other })])
    assert.deepEqual(
      kindsOf(json).map(([kind, { choice, contractId: of }]) => [kind, choice, of === other]),
      [
        ['Exercise', 'Iou_Merge', false],
        ['Fetch', undefined, true],
        ['Exercise', 'Archive', true],
        ['Create', undefined, false],
      ],
    )
    assert.deepEqual(json.contractsRead, [contractId, other])
  })

  test('is for administrators', async () => {
    const answer = await ledger.post('/dev/dry-run', { commands: ledger.commandsOf([ledger.createIou()]) })
    assert.equal(answer.status, 403)
  })
})

type Shown = [kind: string, node: Json]

function kindsOf({ nodes }: Json): Shown[] {
  return nodes.map((node: Json) => Object.entries(node)[0])
}
