// tallystick sql: the views over both stores say what the API says, and nothing can be changed through them.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { sqlCommand } from '../../src/cli/commands/sql.ts'
import {
  archiveIou,
  effectsDar,
  exercise,
  iouType,
  type Json,
  quickstart,
  startTestLedger,
  updateFormat,
} from '../fixtures/ledger.ts'
import { stores } from '../fixtures/node.ts'
import { createTestDatabase } from '../fixtures/postgres.ts'

for (const store of stores) {
  test(`the views on ${store} say what the API says, beside the node and after it`, async () => {
    await using database = store === 'postgres' ? await createTestDatabase() : undefined
    const given = database === undefined ? {} : { postgresUrl: database.url }
    await using ledger = await startTestLedger({ store, ...given, settings: { dars: [effectsDar] } })
    const { alice, bank, node } = ledger
    const place = database === undefined ? { data: node.folder } : { postgres: database.url }
    const run = async (statement: string, flags: object = { json: true }) => {
      let output = ''
      const print = (text: string) => {
        output += text
      }
      await sqlCommand.run({ ...place, ...flags }, { environment: {}, print } as never, [statement])
      return output
    }
    const ask = async (statement: string): Promise<Json[]> => JSON.parse(await run(statement))
    const text = 'Zürich, "100"\n€'
    const { contractId, transaction: first } = await ledger.submit(
      [ledger.createIou({ currency: text }), ledger.createIou()],
      {
        workflowId: 'flow',
      },
    )
    const other = first.events[1].CreatedEvent.contractId
    const { transaction } = await ledger.submit([
      exercise(iouType, contractId, 'Iou_Split', { amount: '30' }),
      ledger.createIou({ amount: '5' }),
      archiveIou(other),
    ])
    const end = await ledger.end()
    const read = { beginExclusive: 0, endInclusive: end }
    const updates = await ledger.post('/v2/updates', {
      ...read,
      updateFormat: updateFormat({ filtersForAnyParty: {} }, 'LEDGER_EFFECTS'),
    })
    const served = updates.json.map(({ update }: Json) => update.Transaction?.value).filter(Boolean)
    const events = served.flatMap(({ events, offset }: Json) => events.map((event: Json) => ({ ...event, offset })))

    const contracts = await ask('SELECT * FROM contracts ORDER BY number')
    const created = events.map(({ CreatedEvent }: Json) => CreatedEvent).filter(Boolean)
    assert.equal(contracts.length, 5)
    assert.deepEqual(
      contracts.map((row) => [row.contract_id, row.template_id, row.payload, row.signatories, row.observers]),
      created.map((event: Json) => [
        event.contractId,
        event.templateId,
        event.createArgument,
        event.signatories,
        event.observers,
      ]),
    )
    const split = contracts.find((row) => row.contract_id === contractId)!
    assert.deepEqual(
      [split.template, split.package_id, split.package_name, split.created_offset, split.archived_offset],
      ['#quickstart:Iou:Iou', quickstart, 'quickstart', end - 1, end],
    )
    assert.deepEqual(
      [split.created_at, split.archived_at, split.is_active, split.synchronizer, split.workflow_id],
      [served[0].effectiveAt, transaction.effectiveAt, 0, 'global', 'flow'],
    )
    const active = await ask('SELECT archived_offset, archived_at, contract_key FROM contracts WHERE is_active = 1')
    assert.deepEqual(active, Array(3).fill({ archived_offset: null, archived_at: null, contract_key: null }))

    const exercises = events.filter(({ ExercisedEvent }: Json) => ExercisedEvent)
    assert.equal(exercises.length, 2)
    assert.deepEqual(
      await ask(`SELECT * FROM exercises WHERE update_offset = ${end} ORDER BY node_id`),
      exercises.map(({ ExercisedEvent: event }: Json) => ({
        update_offset: end,
        node_id: event.nodeId,
        contract_id: event.contractId,
        template: '#quickstart:Iou:Iou',
        template_id: event.templateId,
        package_name: 'quickstart',
        interface_id: event.interfaceId ?? null,
        choice: event.choice,
        argument: event.choiceArgument,
        result: event.exerciseResult ?? null,
        acting_parties: event.actingParties,
        is_consuming: 1,
        last_descendant_node_id: event.lastDescendantNodeId,
      })),
    )

    const transactions = await ask('SELECT * FROM transactions ORDER BY update_offset')
    assert.deepEqual(
      transactions,
      served.map((one: Json, index: number) => ({
        update_offset: one.offset,
        update_id: one.updateId,
        command_id: one.commandId,
        workflow_id: one.workflowId,
        user_id: 'app',
        act_as: [alice, bank],
        effective_at: one.effectiveAt,
        record_time: one.recordTime,
        synchronizer: 'global',
        events: [2, 5][index],
      })),
    )

    const amounts = "SELECT payload ->> 'amount' AS amount FROM contracts WHERE is_active = 1 ORDER BY number"
    assert.equal(await run(amounts, {}), 'amount\n-------------\n30.0000000000\n70.0000000000\n5.0000000000\n(3 rows)')
    const refused: [string, RegExp][] = [
      ['DELETE FROM updates', /the statement is refused: tallystick sql only reads/],
      ['DELETE FROM contracts', /only reads/],
      ['DROP VIEW contracts', /only reads/],
      ['UPDATE ledger SET ledger_end = 0', /only reads/],
      ['WITH gone AS (DELETE FROM updates RETURNING 1) SELECT * FROM gone', /only reads|syntax error/],
      ['CREATE TABLE mine (a BIGINT)', /only reads/],
      ['SELECT 1; DELETE FROM updates', /one statement at a time/],
      ['COMMIT', /only reads/],
      ["VACUUM INTO 'copy.sqlite'", /only reads/],
      ["ATTACH 'copy.sqlite' AS mine", /only reads/],
      ['PRAGMA journal_mode = DELETE', /only reads/],
      ['SELECT nothing FROM contracts', /the statement failed: .*nothing/],
    ]
    for (const [statement, message] of refused) await assert.rejects(ask(statement), message, statement)

    await ledger.submit([ledger.createIou()]) // The node goes on.
    assert.equal((await ask('SELECT COUNT(*) AS n FROM contracts'))[0].n, 6)
    let without: Json
    await node.restart(() => {
      without = ask('SELECT COUNT(*) AS n FROM contracts') // While no node is running.
    })
    assert.equal((await without)[0].n, 6)
  })
}

describe('tallystick sql', () => {
  test('says why it cannot ask', async () => {
    const run = (flags: object) =>
      sqlCommand.run(flags, { environment: {}, print: () => undefined } as never, ['SELECT 1'])
    await assert.rejects(run({ data: '/nowhere' }), /there is no ledger in \/nowhere/)
    await using empty = await createTestDatabase()
    await assert.rejects(run({ postgres: empty.url }), /there is no ledger in this database/)
    await assert.rejects(run({ postgres: 'postgres://127.0.0.1:1/x' }), /cannot reach the database/)
  })
})
