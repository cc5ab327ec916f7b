// Faults on order: what an application has to cope with, when a test wants it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Json, startTestLedger, type TestLedger, updateFormat } from '../fixtures/ledger.ts'
import { refusalOf } from '../fixtures/node.ts'
import { openSocket } from '../fixtures/websocket.ts'

const order = ({ node }: TestLedger, body: object) => node.call('POST', '/dev/faults', { body })
const listed = async ({ node }: TestLedger): Promise<Json[]> => (await node.call('GET', '/dev/faults')).json.faults
const submit = (ledger: TestLedger, fields: object = {}) =>
  ledger.post('/v2/commands/submit-and-wait', ledger.commandsOf([ledger.createIou()], fields))

test('the next submission fails with the code that was ordered, once', async () => {
  await using ledger = await startTestLedger()
  const fail = { code: 'LOCAL_VERDICT_LOCKED_CONTRACTS', message: 'busy' }
  assert.equal((await order(ledger, { fail })).status, 200)
  assert.deepEqual(refusalOf(await submit(ledger)), [409, fail.code, 'busy'])
  assert.equal((await submit(ledger)).status, 200)
  assert.deepEqual(await listed(ledger), [])
})

test('each n-th submission that matches fails until the fault is cancelled', async () => {
  await using ledger = await startTestLedger()
  const match = { templateId: 'Iou:Iou', userId: 'app' }
  await order(ledger, { match, every: 2, times: 0, fail: { code: 'PARTICIPANT_BACKPRESSURE' } })
  await order(ledger, { match: { commandId: 'other' }, fail: { code: 'CONTRACT_NOT_FOUND' } })
  const statuses = []
  for (let count = 0; count < 4; count += 1) statuses.push((await submit(ledger)).status)
  assert.deepEqual(statuses, [200, 409, 200, 409])
  const [first, second] = await listed(ledger)
  assert.deepEqual([first.met, first.struck, second.met], [4, 2, 0])
  assert.equal((await ledger.node.call('DELETE', `/dev/faults/${first.id}`)).status, 200)
  assert.equal((await ledger.node.call('DELETE', `/dev/faults/${first.id}`)).status, 404)
  assert.equal((await submit(ledger)).status, 200)
  assert.equal((await submit(ledger, { commandId: 'other' })).status, 404)
})

test('a submission is committed, and its answer lost', async () => {
  await using ledger = await startTestLedger()
  await order(ledger, { loseAnswer: true })
  const end = await ledger.end()
  await assert.rejects(submit(ledger, { commandId: 'lost' }), { code: 'ECONNRESET' })
  assert.equal(await ledger.end(), end + 1)
  assert.equal(refusalOf(await submit(ledger, { commandId: 'lost' }))[1], 'DUPLICATE_COMMAND')
})

test('a submission is delayed', async () => {
  await using ledger = await startTestLedger()
  await order(ledger, { delayMs: 300 })
  const startedMs = performance.now()
  assert.equal((await submit(ledger)).status, 200)
  assert.ok(performance.now() - startedMs >= 299)
})

test('open streams end with an error, and can be opened again', async () => {
  await using ledger = await startTestLedger()
  const options = {
    protocols: [`jwt.token.${ledger.token}`, 'daml.ws.auth'],
    request: { beginExclusive: await ledger.end(), updateFormat: updateFormat({ filtersForAnyParty: {} }) },
  }
  await using first = await openSocket(`${ledger.node.url}/v2/updates`, options)
  await submit(ledger)
  assert.ok('update' in (await first.next()))
  await order(ledger, { endStreams: true })
  await submit(ledger)
  const last = (await first.rest()).at(-1)
  assert.deepEqual([last.code, await submit(ledger).then(({ status }) => status)], ['SERVICE_NOT_RUNNING', 200])
  await using second = await openSocket(`${ledger.node.url}/v2/updates`, options)
  assert.ok('update' in (await second.next()))
})

const mistakes: [body: object, cause: RegExp][] = [
  [{}, /give one of fail, delayMs, loseAnswer and endStreams/],
  [{ loseAnswer: true, endStreams: true }, /give one of/],
  [{ fail: { code: 'NO_SUCH_CODE' } }, /'NO_SUCH_CODE' is no error code of the API/],
  [{ every: 0, loseAnswer: true }, /every/],
  [{ delayMs: -1 }, /delayMs/],
]
test('mistakes are refused', async (t) => {
  await using ledger = await startTestLedger()
  for (const [body, cause] of mistakes) {
    await t.test(JSON.stringify(body), async () => {
      const answer = await order(ledger, body)
      assert.equal(answer.status, 400)
      assert.match(answer.text, cause)
    })
  }
  assert.equal((await ledger.post('/dev/faults', { loseAnswer: true })).status, 403)
  assert.deepEqual(await listed(ledger), [])
})
