// What /metrics reports about commands, commits, the engine, caches, the store and streams after each was used.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { startTestNode } from '../fixtures/node.ts'

const iou = '#quickstart:Iou:Iou'

for (const store of ['sqlite', 'postgres'] as const) {
  describe(`metrics over ${store}`, () => {
    test('count the outcomes of commands, and their durations', async () => {
      await using node = await startTestNode({
        store,
        settings: { auth: { mode: 'off', userId: 'app' }, engine: { threads: 2 } },
      })
      const { json } = await node.call('POST', '/v2/parties', { body: { partyIdHint: 'alice' } })
      const alice: string = json.partyDetails.party
      const createArguments = { issuer: alice, owner: alice, amount: '1', currency: 'EUR', observers: [] }
      const submit = (commandId: string, templateId = iou) =>
        node.call('POST', '/v2/commands/submit-and-wait', {
          body: { commandId, actAs: [alice], commands: [{ CreateCommand: { templateId, createArguments } }] },
        })
      const begin: number = (await node.call('GET', '/v2/state/ledger-end')).json.offset
      const before = await read()
      assert.equal(before('tallystick_commands_total{outcome="accepted",code=""}'), 0)
      assert.equal((await submit('a')).status, 200)
      assert.equal((await submit('b')).status, 200)
      assert.equal((await submit('a')).status, 409)
      assert.equal((await submit('c', '#nope:Iou:Iou')).status, 404)
      const eventFormat = { filtersByParty: { [alice]: {} }, verbose: false }
      const transactionFormat = { eventFormat, transactionShape: 'TRANSACTION_SHAPE_ACS_DELTA' }
      const updateFormat = { includeTransactions: transactionFormat }
      for (let count = 0; count < 2; count += 1) {
        const body = { beginExclusive: 0, endInclusive: begin + 2, updateFormat }
        const lines = await node.call('POST', '/v2/updates', { body, headers: { accept: 'application/x-ndjson' } })
        assert.equal(lines.status, 200)
      }

      const after = await read()
      assert.equal(after('tallystick_commands_total{outcome="accepted",code=""}'), 2)
      assert.equal(after('tallystick_commands_total{outcome="rejected",code="DUPLICATE_COMMAND"}'), 1)
      assert.equal(after('tallystick_commands_total{outcome="refused",code="PACKAGE_NAMES_NOT_FOUND"}'), 1)
      assert.equal(after('tallystick_command_duration_seconds_count'), 3)
      assert.equal(after('tallystick_commands_under_way'), 0)

      assert.equal(after('tallystick_commit_commands_sum'), 3)
      assert.ok(after('tallystick_commit_duration_seconds_count')! >= 1)
      assert.ok(after('tallystick_commit_bytes_total')! > 0)
      assert.equal(after('tallystick_commit_queue_commands'), 0)
      assert.equal(after('tallystick_commit_queue_bytes'), 0)
      assert.equal(after('tallystick_ledger_end_offset'), begin + 3)

      assert.equal(after('tallystick_engine_threads{lane="quick"}'), 2)
      assert.equal(after('tallystick_engine_requests_total{kind="interpret",outcome="answer"}'), 3)
      for (const name of ['steps', 'busy_seconds', 'compile_seconds', 'compiled_characters']) {
        assert.ok(after(`tallystick_engine_${name}_total`)! > 0, name)
      }
      assert.equal(after('tallystick_engine_queue'), 0)

      assert.equal(after('tallystick_cache_hits_total{cache="compiled formats"}'), 1)
      assert.equal(after('tallystick_cache_misses_total{cache="compiled formats"}'), 1)
      assert.equal(after('tallystick_cache_entries{cache="compiled formats"}'), 1)
      assert.equal(after('tallystick_cache_bytes{cache="interface views"}'), 0)

      assert.ok(after('tallystick_store_bytes')! > 100_000)
      if (store === 'sqlite') {
        assert.ok(after('tallystick_store_log_bytes')! > 0)
        assert.ok(after('tallystick_store_flushes_total')! >= 2)
        assert.equal(after('tallystick_store_checkpoints_total'), 0)
      } else assert.equal(after('tallystick_store_log_bytes'), undefined)

      const stream = 'operation="POST /v2/updates",transport="ndjson"'
      assert.equal(after(`tallystick_streams_opened_total{${stream}}`), 2)
      assert.equal(after(`tallystick_stream_elements_total{${stream}}`), 4)
      assert.equal(after(`tallystick_open_streams{${stream}}`), 0)

      async function read(): Promise<(name: string) => number | undefined> {
        const { text } = await node.call('GET', '/metrics')
        const lines = text.split('\n').map((line) => [line.slice(0, line.lastIndexOf(' ')), line] as const)
        const values = new Map(lines.map(([name, line]) => [name, Number(line.slice(name.length + 1))]))
        return (name) => values.get(name)
      }
    })
  })
}
