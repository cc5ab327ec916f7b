// The journal of refused submissions of a development node.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { executePath, startSigningLedger, waitPath } from '../fixtures/interactive.ts'
import { archiveIou, exercise, iouType, type Json, startTestLedger, type TestLedger } from '../fixtures/ledger.ts'
import { until } from '../fixtures/until.ts'
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

test('the journal has the hint that the client got', async () => {
  await using ledger = await startTestLedger({ settings: { hints: true } })
  const { createIou, commandsOf } = ledger
  const { contractId } = await ledger.submit([createIou()])
  const commands = [
    archiveIou(`${contractId.slice(0, -1)}${contractId.endsWith('0') ? '1' : '0'}`),
    exercise('#quickstart:Iou:Iuo', contractId, 'Archive'),
  ]
  const hints = []
  for (const command of commands) {
    hints.push((await ledger.post('/v2/commands/submit-and-wait', commandsOf([command]))).json.context.hint)
  }
  assert.match(hints[0], /^no contract with this id/)
  assert.match(hints[1], /did you mean/)
  assert.deepEqual(
    (await list(ledger)).map(({ hint }) => hint),
    hints,
  )
})

test('the journal has general advice where no client got an answer', async () => {
  await using ledger = await startTestLedger({ settings: { hints: true } })
  const again = () =>
    ledger.post('/v2/commands/async/submit', ledger.commandsOf([ledger.createIou()], { commandId: 'twice' }))
  assert.equal((await again()).status, 200)
  await ledger.completionOf('twice')
  assert.equal((await again()).status, 200)
  await until(async () => (await list(ledger)).length === 1)
  const [{ code, hint, offset }] = await list(ledger)
  assert.deepEqual([code, typeof offset], ['DUPLICATE_COMMAND', 'number'])
  assert.match(hint, /command/)
})

test('a node without hints has none in its journal', async () => {
  await using ledger = await startTestLedger()
  await ledger.post('/v2/commands/async/submit', ledger.commandsOf([archiveIou('00')]))
  assert.deepEqual(
    (await list(ledger)).map(({ hint }) => hint),
    [null],
  )
})

test('the journal can be followed, and is bounded', async () => {
  await using ledger = await startTestLedger({ settings: { limits: { rejectionsKept: 3 } } })
  const { node } = ledger
  const fail = (commandId: string) =>
    ledger.post('/v2/commands/async/submit', ledger.commandsOf([archiveIou('00')], { commandId }))
  await using socket = await openSocket(`${node.url}/dev/rejections`, {
    protocols: [`jwt.token.${node.adminToken}`, 'daml.ws.auth'],
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

test('the journal has refused reassignments, and those that a commit rejects', async () => {
  await using ledger = await startTestLedger()
  const { alice, node } = ledger
  const { contractId } = await ledger.submit([ledger.createIou()])
  const { json } = await node.call('GET', '/v2/state/connected-synchronizers')
  const [source, target] = json.connectedSynchronizers.map(({ synchronizerId }: Json) => synchronizerId)
  const unassign = (id: string) => ({ command: { UnassignCommand: { value: { contractId: id, source, target } } } })
  const move = (commandId: string, commands: object[]) => ({
    reassignmentCommands: { commandId, submitter: alice, workflowId: 'flow', commands },
  })
  const gone = `00${'ab'.repeat(33)}`
  await ledger.post('/v2/commands/async/submit-reassignment', move('nowhere', [unassign(gone)]))
  await ledger.post('/v2/commands/async/submit-reassignment', move('invalid', [unassign('0')]))
  await ledger.post('/v2/commands/async/submit-reassignment', move('mixed', []))
  const [first, second, third, ...rest] = await list(ledger)
  assert.deepEqual(rest, [])
  const { operation, userId, commandId, actAs, workflowId, commands, reassignments } = first
  assert.deepEqual(
    [operation, userId, commandId, actAs, workflowId, commands, reassignments],
    ['reassign', 'app', 'nowhere', [alice], 'flow', [], [unassign(gone)]],
  )
  assert.deepEqual([second.code, second.commandId], ['INVALID_FIELD', 'invalid'])
  assert.match(second.submissionId, /^[0-9a-f-]{36}$/)
  assert.match(third.cause, /no commands/)

  const leave = (commandId: string) =>
    ledger.post('/v2/commands/submit-and-wait-for-reassignment', move(commandId, [unassign(contractId)]))
  const answers = await Promise.all(['a', 'b', 'c'].map(leave))
  const refused = answers.filter(({ status }) => status !== 200).map(({ json }) => json.code)
  assert.equal(refused.length, 2)
  assert.deepEqual((await list(ledger, '?after=3')).map(({ code }) => code).sort(), refused.sort())
})

test('the journal has interactive submissions that cannot be prepared, executed or recorded', async () => {
  await using signing = await startSigningLedger()
  const { ledger } = signing
  const { party, signer } = await signing.newParty('signing')
  const payload = { issuer: party, owner: party, amount: '100', currency: 'EUR', observers: [] }
  const create = { CreateCommand: { templateId: iouType, createArguments: payload } }
  const created = await signing.run({ party, signer }, create)
  const { contractId } = created.events[0].CreatedEvent
  const split = exercise(iouType, contractId, 'Iou_Split', { amount: '300' })
  await signing.prepare([split], { actAs: [party], commandId: 'too-much' })
  const archive = archiveIou(contractId)
  const { json: prepared } = await signing.prepare([archive], { actAs: [party], commandId: 'archive' })
  await signing.post(executePath, signing.executionOf(prepared, {}, { submissionId: 'unsigned' }))
  const execution = () => signing.executionOf(prepared, { [party]: [signer] })
  const match = { commandId: 'archive', templateId: 'Iou:Iou' }
  await ledger.node.call('POST', '/dev/faults', { body: { match, fail: { code: 'SERVICE_NOT_RUNNING' } } })
  assert.equal((await signing.post(waitPath, execution())).json.code, 'SERVICE_NOT_RUNNING')
  assert.equal((await signing.post(waitPath, execution())).status, 200)
  await signing.post(waitPath, execution())
  await signing.post('/v2/interactive-submission/preferred-packages', {}) // A question, not a submission.

  const [first, second, faulty, third, ...rest] = await list(ledger)
  assert.deepEqual(rest, [])
  assert.deepEqual(
    [first.operation, first.userId, first.commandId, first.actAs, first.commands, first.code],
    ['prepare', 'signing', 'too-much', [party], [split], 'DAML_FAILURE'],
  )
  assert.match(first.where.choice, /Iou:Iou:Iou_Split$/)
  // A signed transaction has what became of the commands; its values have no types.
  const roots = [{ ExerciseCommand: { ...archive.ExerciseCommand, choiceArgument: null } }]
  assert.deepEqual(
    [second.operation, second.userId, second.commandId, second.submissionId, second.actAs, second.commands],
    ['execute', 'signing', 'archive', 'unsigned', [party], roots],
  )
  assert.deepEqual(
    [faulty, third].map(({ operation, commandId, code }) => [operation, commandId, code]),
    [
      ['execute', 'archive', 'SERVICE_NOT_RUNNING'],
      ['execute', 'archive', third.code],
    ],
  )
})

test('the journal has submissions that a fault refused', async () => {
  await using ledger = await startTestLedger()
  await ledger.node.call('POST', '/dev/faults', { body: { fail: { code: 'PARTICIPANT_BACKPRESSURE' } } })
  const commands = [ledger.createIou()]
  await ledger.post('/v2/commands/submit-and-wait', ledger.commandsOf(commands, { commandId: 'faulty' }))
  const [entry] = await list(ledger)
  assert.deepEqual(
    [entry.operation, entry.commandId, entry.code, entry.commands],
    ['submit', 'faulty', 'PARTICIPANT_BACKPRESSURE', commands],
  )
})

test('the journal is for administrators', async () => {
  await using ledger = await startTestLedger()
  assert.equal((await ledger.node.call('GET', '/dev/rejections', { token: ledger.token })).status, 403)
})
