// Locations that were changed on disk: reassignments, hosting, DAR files, vetting, synchronizers. The node names the
// row and does not use it; rows from before checksums are used as they are.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import fs from 'node:fs'
import { test } from 'node:test'
import { assertDegraded, damaged, openBench, told } from '../fixtures/damage.ts'
import { move } from '../fixtures/ledger.ts'
import { stores } from '../fixtures/node.ts'

for (const kind of stores) {
  test(`a changed reassignment does not move its contract, on ${kind}`, async () => {
    await using bench = await openBench(kind)
    const { ledger } = bench
    const { contractId } = await ledger.submit([ledger.createIou()])
    const command = await move(ledger, contractId, false)
    const unassigned = await ledger.end()
    const reassignment = new RegExp(`^What is stored is damaged: the reassignment \\w+ at offset ${unassigned}$`)
    const assign = () => {
      const reassignmentCommands = { commandId: 'assign', submitter: ledger.alice, commands: [{ command }] }
      return ledger.post('/v2/commands/submit-and-wait-for-reassignment', { reassignmentCommands, eventFormat })
    }
    const eventFormat = { filtersForAnyParty: {} }
    const active = async () =>
      ledger.post('/v2/state/active-contracts', { activeAtOffset: await ledger.end(), eventFormat })
    const cases: [table: string, column: string, by: number, cause: RegExp][] = [
      ['reassignments', 'source', 1, reassignment],
      ['reassignments', 'exclusive_until', 1, reassignment],
      ['contract_moves', 'node_id', 8, /^What is stored is damaged: a move of the contract with number 1$/],
      ['contract_moves', 'counter', 8, /^What is stored is damaged: a move of the contract with number 1$/],
    ]
    for (const [table, column, by, cause] of cases) {
      await bench.alter(`UPDATE ${table} SET ${column} = ${column} + ${by}`)
      for (const reply of [await assign(), await active()]) {
        assert.deepEqual([reply.status, reply.json.code], [500, 'NA'], `${table}.${column}: ${reply.text}`)
        assert.match(reply.json.cause, cause)
      }
      await bench.alter(`UPDATE ${table} SET ${column} = ${column} - ${by}`)
    }
    await bench.alter('UPDATE contract_moves SET unassigned_offset = 77')
    assert.deepEqual(told(await active()), damaged('a move of the contract with number 1'))
    await bench.alter(`UPDATE contract_moves SET unassigned_offset = ${unassigned}`)
    await assertDegraded(ledger)
    const reply = await assign()
    assert.equal(reply.status, 200, reply.text)
    await bench.alter('UPDATE reassignments SET assigned_offset = assigned_offset - 1')
    assert.match((await active()).json.cause, reassignment)
  })

  test(`a changed host, DAR file, vetting or synchronizer is reported and not used, on ${kind}`, async () => {
    await using bench = await openBench(kind)
    const { ledger } = bench
    await ledger.submit([ledger.createIou()])
    const dar = fs.readFileSync(new URL('../../packages/quickstart/quickstart.dar', import.meta.url))
    const upload = () => ledger.node.call('POST', '/v2/dars', { body: dar })
    assert.equal((await upload()).status, 200)
    await bench.alter('UPDATE dars SET is_vetted = 1 - is_vetted')
    const hash = createHash('sha256').update(dar).digest('hex')
    assert.deepEqual(told(await upload()), damaged(`the DAR file ${hash}`))

    await bench.alter('UPDATE vetting SET serial = serial + 1')
    await bench.alter('UPDATE party_synchronizers SET synchronizer = synchronizer + 5')
    await ledger.node.restart() // The node must read everything again.
    const hosts = await ledger.node.call('GET', `/v2/state/connected-synchronizers?party=${ledger.alice}`)
    assert.deepEqual(told(hosts), damaged(`a host of the party ${ledger.alice}`))
    const vetting = await ledger.node.call('POST', '/v2/package-vetting/list', { body: {} })
    assert.deepEqual(told(vetting), damaged('the vetting of the synchronizer with number 1'))
    await bench.alter('UPDATE vetting SET serial = serial - 1')
    await bench.alter('UPDATE party_synchronizers SET synchronizer = synchronizer - 5')

    for (const [column, change, undo] of [
      ['record_time', 'record_time + 1', 'record_time - 1'],
      ['is_connected', '1 - is_connected', '1 - is_connected'],
    ]) {
      await bench.alter(`UPDATE synchronizers SET ${column} = ${change}`)
      const reply = await ledger.post('/v2/commands/submit-and-wait', ledger.commandsOf([ledger.createIou()]))
      assert.equal(reply.status, 500, reply.text)
      assert.match(reply.json.cause, /^What is stored is damaged: the synchronizer \S+ \(number 1\)$/)
      await bench.alter(`UPDATE synchronizers SET ${column} = ${undo}`)
    }
    await ledger.submit([ledger.createIou()])
    await bench.alter("UPDATE synchronizers SET alias = alias || 'x'")
    await assert.rejects(ledger.node.restart(), /What is stored is damaged: the synchronizer \S+ \(number 1\)/)
  })

  test(`rows from before checksums are used as they are, on ${kind}`, async () => {
    await using bench = await openBench(kind)
    const { ledger } = bench
    const { contractId } = await ledger.submit([ledger.createIou()])
    const command = await move(ledger, contractId, false)
    for (const table of ['reassignments', 'contract_moves', 'party_synchronizers', 'dars', 'vetting', 'node']) {
      await bench.alter(`UPDATE ${table} SET checksum = NULL`)
    }
    await bench.alter(
      'UPDATE synchronizers SET checksum = NULL, record_time_checksum = NULL, connected_checksum = NULL',
    )
    await ledger.node.restart()
    const reassignmentCommands = { commandId: 'assign', submitter: ledger.alice, commands: [{ command }] }
    const eventFormat = { filtersForAnyParty: {} }
    const path = '/v2/commands/submit-and-wait-for-reassignment'
    const assigned = await ledger.post(path, { reassignmentCommands, eventFormat })
    assert.equal(assigned.status, 200, assigned.text)
    const active = { activeAtOffset: await ledger.end(), eventFormat }
    assert.equal((await ledger.post('/v2/state/active-contracts', active)).json.length, 1)
    await ledger.submit([ledger.createIou()])
    await ledger.node.restart()
    assert.equal((await ledger.node.call('GET', '/readyz')).status, 200)
  })
}
