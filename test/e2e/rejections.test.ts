// The journal of refused submissions of a development node.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { archiveIou, exercise, iouType, type Json, startTestLedger, type TestLedger } from '../fixtures/ledger.ts'
import { openSocket } from '../fixtures/websocket.ts'

const list = async ({ node }: TestLedger, query = ''): Promise<Json[]> => {
  const { status, json, text } = await node.call('GET', `/dev/rejections${query}`)
  assert.equal(status, 200, text)
  return json
}

test('the journal names who sent what, the error, and where in Daml it happened', async () => {
  await using ledger = await startTestLedger()
  const { contractId } = await ledger.submit([ledger.createIou()])
  const split = exercise(iouType, contractId, 'Iou_Split', { amount: '300' })
  await ledger.post('/v2/commands/async/submit', ledger.commandsOf([split], { commandId: 'too-much' }))
  const [entry, ...rest] = await list(ledger)
  assert.deepEqual(rest, [])
  const { userId, commandId, actAs, commands, code, where, offset } = entry
  assert.deepEqual([userId, commandId, actAs], ['app', 'too-much', [ledger.bank, ledger.alice]])
  assert.deepEqual(commands, [split])
  assert.equal(code, 'DAML_FAILURE')
  assert.match(where.choice, /Iou:Iou:Iou_Split$/)
  assert.equal(where.exercises.length, 1)
  assert.equal(offset, null)
})

test('the journal has what a commit rejects, too', async () => {
  await using ledger = await startTestLedger()
  const { contractId } = await ledger.submit([ledger.createIou()])
  const archive = () => ledger.post('/v2/commands/submit-and-wait', ledger.commandsOf([archiveIou(contractId)]))
  const answers = await Promise.all([archive(), archive(), archive()])
  const refused = answers.filter(({ status }) => status !== 200)
  const noted = await list(ledger)
  assert.deepEqual(noted.map(({ code }) => code).sort(), refused.map(({ json }) => json.code).sort())
})

test('the journal can be followed, and is bounded', async () => {
  await using ledger = await startTestLedger({ settings: { limits: { rejectionsKept: 3 } } })
  const { node } = ledger
  const fail = (commandId: string) =>
    ledger.post('/v2/commands/async/submit', ledger.commandsOf([archiveIou('00')], { commandId }))
  await using socket = await openSocket(`${node.url}/dev/rejections`, {
    protocols: ['daml.ws.auth', `jwt.token.${node.adminToken}`],
    request: {},
  })
  for (const name of ['a', 'b', 'c', 'd', 'e']) {
    await fail(name)
    assert.equal((await socket.next()).commandId, name)
  }
  const kept = await list(ledger)
  assert.deepEqual(
    kept.map(({ number, commandId }) => [number, commandId]),
    [
      [3, 'c'],
      [4, 'd'],
      [5, 'e'],
    ],
  )
  assert.deepEqual(
    (await list(ledger, '?after=4')).map(({ commandId }) => commandId),
    ['e'],
  )
})

test('the journal is for administrators', async () => {
  await using ledger = await startTestLedger()
  assert.equal((await ledger.node.call('GET', '/dev/rejections', { token: ledger.token })).status, 403)
})
