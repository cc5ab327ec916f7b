// A node whose disk fails, fills up or is removed: commands are refused as retryable, /readyz says why, and everything
// that was answered with 200 gets its completion once it can be written.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { type Flushing, systemFlushing } from '../../src/store/sqlite/flushing.ts'
import { startTestLedger, type TestLedger } from '../fixtures/ledger.ts'
import { createLedgerClient, type Json, partyNamed, userId } from '../fixtures/ledger-client.ts'
import { nextRequest } from '../fixtures/next-request.ts'
import { start, temporaryFolder } from '../fixtures/process.ts'
import { prepareReadErrors } from '../fixtures/read-errors.ts'
import { until } from '../fixtures/until.ts'

const async = '/v2/commands/async/submit'
const wait = '/v2/commands/submit-and-wait'
const attemptsMax = 2000
const unavailable = /^Processing the request failed due to a transient database error: /

/** To stop. */
const noHurry = { TALLYSTICK_LIMITS_STOP_WITHIN_MS: '240000' }

test('a failed flush is reported and retried, and loses nothing that was confirmed', async () => {
  let failure: Error | undefined
  const flushing: Flushing = {
    ...systemFlushing,
    now(log) {
      if (failure !== undefined) throw failure
      systemFlushing.now(log)
    },
    aside: async (log) => flushing.now(log),
  }
  await using ledger = await startTestLedger({ store: 'sqlite', flushing })
  await ledger.submit([ledger.createIou()])
  const before = await ledger.end()
  failure = new Error('EIO: i/o error')
  const taken = await submitUntilRefused(ledger)
  assert.ok(taken.length > 0)
  const ready = await ledger.node.call('GET', '/readyz')
  assert.equal(ready.status, 503)
  assert.match(ready.text, /\[-\] store failed \(the disk does not take what was committed\)\n/)
  assert.equal((await ledger.node.call('GET', '/livez')).status, 200)
  await setTimeout(500)
  failure = undefined
  await untilReady(ledger.node.url)
  await ledger.submit([ledger.createIou()])
  const completions = await ledger.completions(before)
  const accepted = completions.filter(({ status }) => status.code === 0).map(({ commandId }) => commandId)
  assert.deepEqual(accepted.slice(0, -1).sort(), taken.sort(), 'each once, and nothing that was refused')
  assert.equal(completions.length, taken.length + 1)
})

test('requests wait while another program holds the file, as backups do for a moment', async () => {
  await using ledger = await startTestLedger({ store: 'sqlite' })
  const holder = new Worker(
    `const { DatabaseSync } = require('node:sqlite')
    const { parentPort, workerData } = require('node:worker_threads')
    const db = new DatabaseSync(workerData)
    db.exec('BEGIN IMMEDIATE')
    parentPort.postMessage('held')
    parentPort.once('message', () => setTimeout(() => { db.exec('COMMIT'); db.close() }, 100))`,
    { eval: true, workerData: join(ledger.node.folder, 'ledger.sqlite') },
  )
  const gone = once(holder, 'exit')
  await once(holder, 'message')
  const arrived = nextRequest()
  const sent = [
    ledger.post('/v2/commands/submit-and-wait', ledger.commandsOf([ledger.createIou()])),
    ledger.node.call('POST', '/v2/parties', { body: { partyIdHint: 'dora' } }),
    ledger.node.call('POST', '/v2/users', { body: { user: { id: 'dora' } } }),
  ]
  await arrived
  holder.postMessage('let go')
  for (const reply of await Promise.all(sent)) assert.equal(reply.status, 200, reply.text)
  await gone
})

test('after its folder is deleted, the node acknowledges nothing more', async () => {
  await using ledger = await startTestLedger({ store: 'sqlite' })
  await ledger.submit([ledger.createIou()])
  rmSync(ledger.node.folder, { recursive: true })
  await submitUntilRefused(ledger)
  const reply = await ledger.post('/v2/commands/submit-and-wait', ledger.commandsOf([ledger.createIou()]))
  assert.equal(reply.status, 503)
  assert.match(reply.json.cause, unavailable)
  const ready = await ledger.node.call('GET', '/readyz')
  assert.equal(ready.status, 503)
  assert.match(ready.text, /\[-\] store failed \(ledger.sqlite-wal was deleted or moved while the node ran\)/)
})

test('a full disk is reported, and the node waits for space', async (t) => {
  using folder = temporaryFolder()
  using cleanUp = new DisposableStack()
  if (!mount(folder.path)) return t.skip('mounting is not permitted here')
  cleanUp.defer(() => execFileSync('umount', [folder.path]))
  await using node = await start(['--data', folder.path, '--auth', 'off', '--log-level', 'warn'], noHurry)
  const client = createLedgerClient(node.url)
  const owner = await partyNamed(client, 'owner')
  const submit = (commandId: string) => client.post(async, commandOf(owner, commandId))
  const taken: string[] = []
  let refused: Json
  writeFileSync(join(folder.path, 'ballast'), new Uint8Array(12 * 1024 * 1024))
  for (let count = 0; count < attemptsMax && refused === undefined; count += 1) {
    const reply = await submit(`c-${count}`)
    if (reply!.status === 200) taken.push(`c-${count}`)
    else refused = reply
  }
  assert.equal(refused.status, 503)
  assert.match(refused.json.cause, unavailable)
  assert.equal((await fetch(`${node.url}/readyz`)).status, 503)
  rmSync(join(folder.path, 'ballast'))
  await untilReady(node.url)
  assert.equal((await submit('last'))!.status, 200)
  const wanted = [...taken, 'last']
  const path = `/v2/commands/completions?limit=200&stream_idle_timeout_ms=1000`
  const told: string[] = []
  for (let after = 0; told.length < wanted.length; ) {
    const reply = await client.post(path, { beginExclusive: after, userId, parties: [owner] })
    const some = reply!.json.flatMap(({ completionResponse }: Json) => completionResponse.Completion?.value ?? [])
    after = some.at(-1)?.offset ?? after // The last command may take longer than the list waits.
    for (const { commandId, status } of some) {
      assert.equal(status.code, 0, JSON.stringify(status))
      told.push(commandId)
    }
  }
  assert.deepEqual(told.sort(), wanted.sort())
  assert.equal(await node.stop('SIGTERM'), 0)
})

test('reads that fail for a while (EIO) are refused as retryable, and the node goes on once the file can be read', async (t) => {
  using tools = temporaryFolder()
  using folder = temporaryFolder()
  const readErrors = process.platform === 'linux' ? prepareReadErrors(tools.path) : undefined
  if (readErrors === undefined) return t.skip('there is no C compiler here')
  const args = ['--data', folder.path, '--auth', 'off', '--log-level', 'info']
  let owner: string
  {
    await using node = await start(args)
    const client = createLedgerClient(node.url)
    owner = await partyNamed(client, 'owner')
    for (let count = 0; count < 60; count += 1) {
      assert.equal((await client.post(wait, commandOf(owner, `c-${count}`)))!.status, 200)
    }
    await node.stop('SIGTERM')
  }
  await using node = await start(args, { ...readErrors.environment, ...noHurry })
  const client = createLedgerClient(node.url)
  const includeTransactions = { eventFormat: { filtersByParty: { [owner]: {} } } }
  const atOffset = (offset: number) =>
    client.post('/v2/updates/update-by-offset', {
      offset,
      updateFormat: {
        includeTransactions: { ...includeTransactions, transactionShape: 'TRANSACTION_SHAPE_LEDGER_EFFECTS' },
      },
    })
  readErrors.begin()
  const failing = /store failed \(the disk does not read, or the database is damaged: the file is being checked\)/
  let tries = 0
  // After half a second the file is looked at, by a process that can read it; each time the node waits for longer.
  await until(async () => {
    const refused = await atOffset(20)
    assert.equal(refused!.status, 503, JSON.stringify(refused))
    assert.match(refused!.json.cause, unavailable)
    const ready = await (await fetch(`${node.url}/readyz`)).text()
    const command = await client.post(wait, commandOf(owner, `refused-${++tries}`))
    return failing.test(ready) && command!.status === 503
  })
  readErrors.end()
  await untilReady(node.url)
  assert.equal((await atOffset(20))!.status, 200)
  assert.equal((await client.post(wait, commandOf(owner, 'last')))!.status, 200)
  assert.match(node.errors, /a part of the node works again/)
  assert.equal(await node.stop('SIGTERM'), 0)
})

/** Returns the ids of the accepted commands. */
async function submitUntilRefused(ledger: TestLedger): Promise<string[]> {
  const taken: string[] = []
  for (let count = 0; count < attemptsMax; count += 1) {
    const commands = ledger.commandsOf([ledger.createIou()]) as { commandId: string }
    const reply = await ledger.post(async, commands)
    if (reply.status !== 200) {
      assert.equal(reply.status, 503, reply.text)
      assert.equal(reply.json.code, 'INDEX_DB_SQL_TRANSIENT_ERROR')
      assert.match(reply.json.cause, unavailable)
      assert.equal(reply.json.retryInfo, '1 second')
      return taken
    }
    taken.push(commands.commandId)
  }
  assert.fail('nothing was refused')
}

async function untilReady(url: string): Promise<void> {
  await until(async () => (await fetch(`${url}/readyz`)).status === 200)
}

/** A few kilobytes, so that a small disk fills up quickly. */
function commandOf(owner: string, commandId: string): object {
  const createArguments = { issuer: owner, owner, amount: '1', currency: 'E'.repeat(8000), observers: [] }
  const commands = [{ CreateCommand: { templateId: '#quickstart:Iou:Iou', createArguments } }]
  return { commandId, userId, actAs: [owner], commands }
}

function mount(folder: string): boolean {
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=16m', 'tmpfs', folder], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}
