// GetCommandStatus: the commands in flight and the last ones.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { answerFrom, openGrpc, requestBytes } from '../fixtures/grpc.ts'
import { archiveIou, exercise, iouType, type Json, startTestLedger } from '../fixtures/ledger.ts'

const path = '/com.daml.ledger.api.v2.admin.CommandInspectionService/GetCommandStatus'

async function startInspected(limits: object = {}, compatibility: 'specification' | 'canton-3.5' = 'specification') {
  const ledger = await startTestLedger({ settings: { grpc: { port: 0 }, limits, compatibility } })
  const client = openGrpc(ledger.node.node.grpcUrl!, ledger.node.adminToken)
  return {
    ledger,
    client,
    async find(request: object): Promise<Json[]> {
      const { code, message, messages } = await client.call(path, requestBytes(path, request))
      assert.equal(code, 0, message)
      return answerFrom(path, messages[0]!).commandStatus
    },
    async [Symbol.asyncDispose]() {
      await client[Symbol.asyncDispose]()
      await ledger[Symbol.asyncDispose]()
    },
  }
}

type Inspected = Awaited<ReturnType<typeof startInspected>>

const idsOf = (statuses: readonly Json[]) => statuses.map(({ completion }) => completion.commandId)

describe('GetCommandStatus', () => {
  let inspected: Inspected

  before(async () => {
    inspected = await startInspected()
  })
  after(() => inspected[Symbol.asyncDispose]())

  test('tells of commands what they were, what became of them, and what they did', async () => {
    const { ledger, find } = inspected
    const names = ['too-much', 'split', 'made']
    const { contractId } = await ledger.submit([ledger.createIou()], { commandId: 'made' })
    const split = exercise(iouType, contractId, 'Iou_Split', { amount: '300' })
    await ledger.post('/v2/commands/async/submit', ledger.commandsOf([split], { commandId: 'too-much' }))
    const good = exercise(iouType, contractId, 'Iou_Split', { amount: '30' })
    await ledger.submit([good], { commandId: 'split' })

    const all = (await find({})).filter(({ completion }) => names.includes(completion.commandId))
    assert.deepEqual(idsOf(all), names)
    const inState = async (state: string) => idsOf(await find({ state })).filter((id) => names.includes(id))
    assert.deepEqual(await inState('COMMAND_STATE_FAILED'), ['too-much'])
    assert.deepEqual(await inState('COMMAND_STATE_SUCCEEDED'), ['split', 'made'])
    assert.deepEqual(idsOf(await find({ commandIdPrefix: 'ma' })), ['made'])
    assert.equal((await find({ limit: 1 })).length, 1)

    const [failed, done, made] = all as [Json, Json, Json]
    assert.equal(failed.state, 'COMMAND_STATE_FAILED')
    assert.match(failed.completion.status.message, /^DAML_FAILURE\(9,/)
    assert.deepEqual([failed.updates.created, failed.completion.updateId], [[], ''])
    assert.equal(done.completion.status.code, 0)
    assert.equal(done.completion.userId, 'app')
    assert.ok(done.completed >= done.started && done.started > 0n)
    assert.equal(done.updates.exercised, 1)
    assert.deepEqual(
      done.updates.archived.map((contract: Json) => contract.contractId),
      [contractId],
    )
    assert.equal(done.updates.created.length, 2)
    assert.match(done.updates.created[0].templateId, /^[0-9a-f]{64}:Iou:Iou$/)
    assert.deepEqual(
      done.timings.map(({ description }: Json) => description),
      ['1a_interpretation', '7b_indexing'],
    )
    assert.match(done.synchronizerId, /^global::/)
    assert.equal(done.requestStatistics.requestSize, 0)
    // The values are there, as protobuf: a choice argument and a record.
    const [{ exercise: exercised }] = done.commands.map(unwrapped)
    assert.deepEqual([exercised.choice, exercised.contractId, exercised.templateId], ['Iou_Split', contractId, iouType])
    assert.ok(valueText(exercised.choiceArgument).includes('30.0000000000'))
    const [{ create: created }] = made.commands.map(unwrapped)
    assert.ok(valueText(created.createArguments).includes(ledger.alice))
  })

  test('shows commands that came over gRPC as they were sent', async () => {
    const { ledger, client, find } = inspected
    const submit = '/com.daml.ledger.api.v2.CommandService/SubmitAndWait'
    const Party = (name: string) => ({ value: { sum: { Party: name } } })
    const fields = [
      Party(ledger.bank),
      Party(ledger.alice),
      { value: { sum: { Numeric: '7.5' } } },
      { value: { sum: { Text: 'EUR' } } },
      { value: { sum: { List: { elements: [] } } } },
    ]
    const command = { CreateCommand: { templateId: iouType, createArguments: { fields } } }
    const commands = { commandId: 'wired', userId: 'app', actAs: [ledger.bank, ledger.alice], commands: [command] }
    const token = await ledger.node.token('app')
    const { code, message } = await client.call(submit, requestBytes(submit, { commands }), { token })
    assert.equal(code, 0, message)
    const [status] = await find({ commandIdPrefix: 'wired' })
    const [{ create: created }] = status.commands.map(unwrapped)
    assert.ok(valueText(created.createArguments).includes('7.5'))
    assert.ok(!valueText(created.createArguments).includes('7.50'))
  })

  test('shows commands that wait for their ledger time as pending', async () => {
    const { ledger, find } = inspected
    const later = ledger.commandsOf([ledger.createIou()], {
      commandId: 'later',
      minLedgerTimeRel: { seconds: 600, nanos: 0 },
    })
    const abort = new AbortController()
    const waiting = fetch(`${ledger.node.url}/v2/commands/submit-and-wait`, {
      method: 'POST',
      headers: { authorization: `Bearer ${await ledger.node.token('app')}` },
      body: JSON.stringify(later),
      signal: abort.signal,
    }).catch(() => undefined)
    let pending: Json[] = []
    for (const end = Date.now() + 20_000; pending.length === 0 && Date.now() < end; ) {
      pending = await find({ state: 'COMMAND_STATE_PENDING' })
    }
    abort.abort()
    await waiting
    assert.deepEqual(idsOf(pending), ['later'])
    assert.equal(pending[0].completion.status, undefined)
    assert.equal(pending[0].completed, undefined)
  })

  test('is for administrators, and refuses a prefix that no command id has', async () => {
    const { ledger, client } = inspected
    const codeWith = async (token: string | null) => (await client.call(path, new Uint8Array(), { token })).code
    assert.deepEqual([await codeWith(null), await codeWith(await ledger.node.token('app'))], [16, 7])
    const { code, message } = await client.call(path, requestBytes(path, { commandIdPrefix: 'é' }))
    assert.equal(code, 3)
    assert.match(
      message,
      /^INVALID_FIELD\(8,.{8}\): The submitted command has a field with invalid value: Invalid field command_id_prefix: /,
    )
  })
})

test('GetCommandStatus keeps a bounded number and size of commands, and takes no limit for zero where Canton does', async () => {
  await using inspected = await startInspected({ commandStatusesKept: 3 }, 'canton-3.5')
  const { ledger, find } = inspected
  for (const name of ['a', 'b', 'c', 'd', 'e']) {
    await ledger.post('/v2/commands/async/submit', ledger.commandsOf([archiveIou('00')], { commandId: name }))
  }
  assert.deepEqual(idsOf(await find({})), [])
  assert.deepEqual(idsOf(await find({ limit: 10 })), ['e', 'd', 'c'])
  const large = { ...ledger.commandsOf([archiveIou('0'.repeat(100_000))], { commandId: 'large' }) }
  await ledger.post('/v2/commands/async/submit', large)
  const [status] = await find({ commandIdPrefix: 'large', limit: 1 })
  assert.deepEqual([status.state, status.commands], ['COMMAND_STATE_FAILED', []])
})

/** The one member of the oneof. */
function unwrapped(command: Json): Json {
  return command.command ?? command
}

/** The texts in a value of protobuf, which the decoder keeps as Base64. */
function valueText(kept: string): string {
  return Buffer.from(kept.slice(2), 'base64').toString('latin1')
}
