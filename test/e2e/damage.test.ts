// Rows that were changed on disk: they are neither served nor used, everything else is, and /readyz reports it. On
// SQLite also destroyed pages.
import assert from 'node:assert/strict'
import fs from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { runHere, startHere } from '../fixtures/command.ts'
import { assertDegraded, damaged, openBench, ownThreads, told } from '../fixtures/damage.ts'
import { archiveIou, exercise, iouType, type TestLedger } from '../fixtures/ledger.ts'
import { createLedgerClient, partyNamed } from '../fixtures/ledger-client.ts'
import { stores } from '../fixtures/node.ts'
import { assertOneLine, start, temporaryFolder } from '../fixtures/process.ts'
import { until } from '../fixtures/until.ts'

const at = (ledger: TestLedger, offset: number) =>
  ledger.node.call('POST', '/v2/updates/update-by-offset', {
    token: ledger.token,
    body: { offset, updateFormat: { includeTransactions: everything } },
  })
const everything = { eventFormat: { filtersForAnyParty: {} }, transactionShape: 'TRANSACTION_SHAPE_LEDGER_EFFECTS' }

const lost = [
  ['its state', 'DELETE FROM ledger', /damaged: the ledger's state/],
  ['its id', "DELETE FROM node WHERE name = 'participant-id'", /damaged: the identity of the participant/],
  ['its key', "DELETE FROM node WHERE name = 'participant-key'", /damaged: the identity of the participant/],
] as const

for (const [what, sql, problem] of lost) {
  test(`a ledger without ${what} does not start, and says why`, async () => {
    using folder = temporaryFolder()
    const args = ['--data', folder.path, '--auth', 'off']
    await (await startHere(args)).stop()
    {
      using database = new DatabaseSync(join(folder.path, 'ledger.sqlite'))
      database.exec(sql)
    }
    await assert.rejects(
      runHere(['start', ...args]),
      (error: Error) => problem.test(error.message) && !(error instanceof TypeError),
    )
    const { output, errors } = await runHere(['check', '--data', folder.path])
    assert.match(output + errors, problem)
  })
}

test('a ledger whose tables are defined differently does not start, and says which', async () => {
  using folder = temporaryFolder()
  const args = ['--data', folder.path, '--auth', 'off']
  await (await startHere(args)).stop()
  // Other software may add tables and indexes of its own.
  rewriteSchema(folder.path, 'CREATE TABLE _other (id); CREATE INDEX contracts_by_other ON contracts (counter)')
  await (await startHere(args)).stop()
  // SQLite takes it for a type, the column is no longer the number of the row, and all rows seem to have none.
  rewriteSchema(
    folder.path,
    "UPDATE sqlite_schema SET sql = replace(sql, 'PRIMARY KEY', 'PRILARY KEY') WHERE name = 'contracts'",
  )
  const definition = /damaged, or other software has changed it: contracts is not defined as it was/
  assertOneLine(await runHere(['start', ...args]), 1, definition)
  const { output, errors, code } = await runHere(['check', '--data', folder.path])
  assert.match(output + errors, /damaged: the definition of contracts is not what was written/)
  assert.equal(code, 1)
})

function rewriteSchema(folder: string, sql: string): void {
  using database = new DatabaseSync(join(folder, 'ledger.sqlite'), { defensive: false })
  database.exec(`PRAGMA writable_schema = on; ${sql}`)
}

for (const kind of stores) {
  /** An amount with a text of the same length. */
  const changed = (column: string) =>
    kind === 'sqlite'
      ? `CAST(replace(CAST(${column} AS TEXT), '4242', '9999') AS BLOB)`
      : `decode(replace(encode(${column}, 'hex'), '34323432', '39393939'), 'hex')`

  test(`an amount that was changed in the database is not paid out, on ${kind}`, async () => {
    await using bench = await openBench(kind)
    const { ledger } = bench
    const { contractId } = await ledger.submit([ledger.createIou({ amount: '4242' })])
    const other = await ledger.submit([ledger.createIou({ amount: '1' })])
    // On SQLite the blob as a whole is no text, so its bytes are changed directly.
    if (kind === 'sqlite') changeBlob(join(ledger.node.folder, 'ledger.sqlite'), contractId)
    else await bench.alter(`UPDATE contracts SET blob = ${changed('blob')} WHERE contract_id = '${contractId}'`)
    const what = `the contract ${contractId} is not what its id commits to`
    for (const path of ['/v2/commands/async/submit', '/v2/commands/submit-and-wait']) {
      const reply = await ledger.post(path, ledger.commandsOf([archiveIou(contractId)]))
      assert.deepEqual(told(reply), damaged(what))
    }
    await assertDegraded(ledger)
    await ledger.submit([archiveIou(other.contractId)])
  })

  test(`rows that were changed in the database are not served, on ${kind}`, async () => {
    await using bench = await openBench(kind)
    const { ledger } = bench
    const { transaction, contractId } = await ledger.submit([ledger.createIou({ amount: '4242' })])
    const other = await ledger.submit([ledger.createIou({ amount: '1' })])
    const { offset } = transaction

    await bench.alter(`UPDATE updates SET body = ${changed('body')} WHERE update_offset = ${offset}`)
    assert.deepEqual(told(await at(ledger, offset)), damaged(`the update at offset ${offset}`))
    assert.equal((await at(ledger, other.transaction.offset)).status, 200)
    await assertDegraded(ledger)

    // Its created event is a part of the body.
    const activeContracts = await ledger.post('/v2/state/active-contracts', {
      activeAtOffset: await ledger.end(),
      eventFormat: { filtersForAnyParty: {} },
    })
    assert.match(activeContracts.json.cause, new RegExp(`damaged: the contract ${contractId} `))

    await bench.alter("UPDATE updates SET meta = replace(meta, 'submission', 'confirmation') WHERE update_offset = 1")
    const topology = await ledger.post('/v2/updates/update-by-offset', {
      offset: 1,
      updateFormat: { includeTopologyEvents: { includeParticipantAuthorizationEvents: {} } },
    })
    assert.deepEqual(told(topology), damaged('the update at offset 1'))

    await bench.alter(`UPDATE completions SET head = replace(head, '${transaction.updateId}', '00')`)
    const body = { userId: 'app', parties: [ledger.alice], beginExclusive: 0 }
    const completions = await ledger.post('/v2/commands/completions?stream_idle_timeout_ms=50', body)
    assert.deepEqual(told(completions), damaged(`the completion at offset ${offset}`))
  })

  test(`a contract with changed state cannot be used, on ${kind}`, async () => {
    await using bench = await openBench(kind)
    const { ledger } = bench
    const used = await ledger.submit([ledger.createIou()])
    const other = await ledger.submit([ledger.createIou()])
    await bench.alter(`UPDATE contracts SET stakeholders = ',77,' WHERE contract_id = '${used.contractId}'`)
    const commands = ledger.commandsOf([archiveIou(used.contractId)]) as { commandId: string }
    const reply = await ledger.post('/v2/commands/submit-and-wait', commands)
    assert.equal(reply.status, 500, reply.text)
    assert.match(reply.json.cause, new RegExp(`damaged: the contract ${used.contractId} `))
    await ledger.submit([exercise(iouType, other.contractId, 'Archive')])
  })
}

for (const kind of stores) {
  test(`a changed user, right or party grants nothing additional, on ${kind}`, async () => {
    await using bench = await openBench(kind)
    const { ledger } = bench
    const call = async (method: 'GET' | 'POST', path: string, body?: object) =>
      told(await ledger.node.call(method, path, body && { body }))
    const user = { id: 'small', primaryParty: '', isDeactivated: true, identityProviderId: '', metadata: {} }
    const rights = [{ kind: { CanReadAs: { value: { party: ledger.alice } } } }]
    assert.equal((await call('POST', '/v2/users', { user: { ...user, id: 'other' }, rights }))[0], 200)
    assert.equal((await call('POST', '/v2/users', { user, rights: [] }))[0], 200)

    await bench.alter("UPDATE users SET is_deactivated = 0 WHERE id = 'small'")
    assert.deepEqual(await call('GET', '/v2/users/small'), damaged('the user small'))
    await bench.alter("UPDATE user_rights SET kind = 'CanActAs' WHERE user_id = 'other'")
    assert.deepEqual(await call('GET', '/v2/users/other/rights'), damaged('a right of the user other'))
    await bench.alter(`UPDATE parties SET identity_provider_id = 'x' WHERE party = '${ledger.alice}'`)
    assert.deepEqual(await call('GET', `/v2/parties/${ledger.alice}`), damaged(`the party ${ledger.alice}`))
    await assertDegraded(ledger)
  })

  test(`a changed package is reported and not used, on ${kind}`, async () => {
    await using bench = await openBench(kind, ownThreads)
    const { ledger } = bench
    const { contractId } = await ledger.submit([ledger.createIou()])
    const reply = await ledger.node.call('GET', '/v2/packages', { token: ledger.token })
    const dalf =
      kind === 'sqlite'
        ? "CAST(substr(dalf, 1, 100) || x'00' || substr(dalf, 102) AS BLOB)"
        : "overlay(dalf placing '\\x00'::bytea from 101)"
    await bench.alter(`UPDATE packages SET dalf = ${dalf}`)
    const [packageId] = reply.json.packageIds
    const package_ = await ledger.node.call('GET', `/v2/packages/${packageId}`, { token: ledger.token })
    assert.deepEqual(told(package_), damaged(`the package ${packageId} is not what its id is the hash of`))
    await ledger.node.restart() // The engine must read it again.
    const used = await ledger.post('/v2/commands/submit-and-wait', ledger.commandsOf([archiveIou(contractId)]))
    assert.equal(used.status, 500)
    assert.match(used.json.cause, /^What is stored is damaged: the package \w+ is not what its id is the hash of$/)
    await assertDegraded(ledger)
  })
}

test('a contract whose id was changed is not reported as unknown', async () => {
  await using bench = await openBench('sqlite')
  const { ledger } = bench
  const { contractId } = await ledger.submit([ledger.createIou()])
  await bench.alter(
    `UPDATE contracts SET contract_id =
       substr(contract_id, 1, 63) || iif(substr(contract_id, 64, 1) = 'f', '0', 'f') || substr(contract_id, 65)`,
  )
  const reply = await ledger.post('/v2/commands/submit-and-wait', ledger.commandsOf([archiveIou(contractId)]))
  assert.equal(reply.status, 500, reply.text)
  assert.match(reply.json.cause, /^What is stored is damaged: the contract \w+ \(number 1\)$/)
})

test('a changed archive is not served as if nothing had happened', async () => {
  await using bench = await openBench('sqlite')
  const { ledger } = bench
  const { contractId } = await ledger.submit([ledger.createIou()])
  await ledger.submit([archiveIou(contractId)])
  await bench.alter('UPDATE archives SET archived_offset = archived_offset + 1')
  const body = { contractId, eventFormat: { filtersForAnyParty: {} } }
  const reply = await ledger.post('/v2/events/events-by-contract-id', body)
  assert.match(reply.json.cause, new RegExp(`damaged: the contract ${contractId} `))
})

for (const kind of stores) {
  test(`damage at the end of the ledger is reported at start, on ${kind}`, async () => {
    await using bench = await openBench(kind)
    const { ledger } = bench
    const { offset } = (await ledger.submit([ledger.createIou()])).transaction
    assert.equal((await ledger.node.call('GET', '/readyz')).status, 200)
    await bench.alter(`DELETE FROM completions WHERE completion_offset = ${offset}`)
    await ledger.node.restart()
    await assertDegraded(ledger)
  })
}

test('an index of active contracts that lost entries is not used', async () => {
  await using bench = await openBench('sqlite')
  const { ledger } = bench
  const { transaction } = await ledger.submit([ledger.createIou()])
  for (let count = 1; count < 40; count += 1) await ledger.submit([ledger.createIou()])
  await ledger.node.restart(() => loseCells(join(ledger.node.folder, 'ledger.sqlite'), 'active_contracts'))
  const body = { activeAtOffset: await ledger.end(), eventFormat: { filtersForAnyParty: {} } }
  const reply = await ledger.post('/v2/state/active-contracts', body)
  assert.equal(reply.status, 500, reply.text)
  assert.match(reply.json.cause, /^What is stored is damaged: the table active_contracts: /)
  assert.equal((await at(ledger, transaction.offset)).status, 200, 'other tables are read')
  const submitted = await ledger.post('/v2/commands/async/submit', ledger.commandsOf([ledger.createIou()]))
  assert.equal(submitted.status, 503)
  assert.match((await ledger.node.call('GET', '/readyz')).text, /\[-\] store failed \(the database is damaged\)/)
  const checked = await runHere(['check', '--data', ledger.node.folder])
  assert.equal(checked.code, 1)
  assert.match(checked.errors, /^tallystick: \d+ things are damaged\n$/)
})

/** Changes one bit of the cell count of a page, which makes the page shorter. */
function loseCells(path: string, table: string): void {
  using db = new DatabaseSync(path)
  const { pageno } = db.prepare('SELECT pageno FROM dbstat WHERE name = ? ORDER BY 1').get(table) as { pageno: number }
  const file = fs.openSync(path, 'r+')
  const place = (pageno - 1) * 4096 + 4
  const count = new Uint8Array(1)
  fs.readSync(file, count, 0, 1, place)
  count[0]! &= count[0]! - 1 // Clears its lowest bit.
  fs.writeSync(file, count, 0, 1, place)
  fs.closeSync(file)
}

test('destroyed pages are reported as damage, and nothing more is written', async () => {
  await using bench = await openBench('sqlite')
  const { ledger } = bench
  for (let count = 0; count < 100; count += 1) await ledger.submit([ledger.createIou()])
  await ledger.node.restart()
  await ruin(ledger, 'updates')
  const unsure = await at(ledger, 20) // Neither the first page nor one of the last, which are read at start.
  assert.equal(unsure.status, 503, 'it may be the disk')
  await untilCertain(ledger.node.url)
  const reply = await at(ledger, 20)
  assert.equal(reply.status, 500)
  assert.match(reply.json.cause, /^What is stored is damaged: database disk image is malformed/)
  const submitted = await ledger.post('/v2/commands/async/submit', ledger.commandsOf([ledger.createIou()]))
  assert.equal(submitted.status, 503)
  assert.match((await ledger.node.call('GET', '/readyz')).text, /\[-\] store failed \(the database is damaged\)/)
})

test('a truncated file is reported as damage, and the node keeps running', async () => {
  using folder = temporaryFolder()
  const args = ['--data', folder.path, '--auth', 'off', '--log-level', 'warn']
  {
    await using node = await start(args)
    const client = createLedgerClient(node.url)
    const owner = await partyNamed(client, 'owner')
    for (let count = 0; count < 40; count += 1) {
      const createArguments = { issuer: owner, owner, amount: '1', currency: 'E'.repeat(20_000), observers: [] }
      const commands = [{ CreateCommand: { templateId: iouType, createArguments } }]
      const body = { commandId: `c-${count}`, userId: 'u', actAs: [owner], commands }
      assert.equal((await client.post('/v2/commands/submit-and-wait', body))!.status, 200)
    }
    await node.stop('SIGTERM')
  }
  await using node = await start(args)
  const file = join(folder.path, 'ledger.sqlite')
  fs.truncateSync(file, Math.floor(fs.statSync(file).size / 2))
  const client = createLedgerClient(node.url)
  const body = { beginExclusive: 0, updateFormat: { includeTransactions: everything } }
  const read = () => client.post('/v2/updates?stream_idle_timeout_ms=50', body)
  assert.equal((await read())?.status, 503, 'it may be the disk')
  await untilCertain(node.url)
  assert.equal((await read())?.status, 500)
  assert.equal((await fetch(`${node.url}/livez`)).status, 200)
  assert.match(node.errors, /"part":"store"|stored data is damaged/)
})

/** After SQLite called the file malformed, it is looked at as a whole. */
async function untilCertain(url: string): Promise<void> {
  await until(async () => {
    const ready = await fetch(`${url}/readyz`)
    assert.equal(ready.status, 503)
    return /store failed \(the database is damaged\)/.test(await ready.text())
  })
}

/** Overwrites the pages of a table in the file. */
async function ruin(ledger: TestLedger, table: string): Promise<void> {
  const path = join(ledger.node.folder, 'ledger.sqlite')
  using db = new DatabaseSync(path)
  const pages = db.prepare('SELECT pageno FROM dbstat WHERE name = ?').all(table) as { pageno: number }[]
  const file = fs.openSync(path, 'r+')
  for (const { pageno } of pages) fs.writeSync(file, new Uint8Array(4096).fill(0xa5), 0, 4096, (pageno - 1) * 4096)
  fs.closeSync(file)
}

function changeBlob(path: string, contractId: string): void {
  using db = new DatabaseSync(path)
  const row = db.prepare('SELECT blob FROM contracts WHERE contract_id = ?').get(contractId) as { blob: Uint8Array }
  const blob = Buffer.from(row.blob)
  const place = blob.indexOf('4242')
  assert.ok(place > 0)
  blob.write('9999', place)
  db.prepare('UPDATE contracts SET blob = ? WHERE contract_id = ?').run(blob, contractId)
}
