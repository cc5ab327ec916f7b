// Tries two nodes over PostgreSQL behind PgBouncer with transaction pooling: a load on both, the pooler killed in the
// middle of it, and everything compared afterwards. docs/production.md says what was learnt.
//
//   node_modules/.bin/node tools/try-pooler.ts [--pgbouncer FILE] [--seconds N]
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { checkLedger, checkPromises, resubmit, untilStill } from '../test/fixtures/crash-checks.ts'
import { createWitness, workUntilDeath } from '../test/fixtures/crash-load.ts'
import { createDice } from '../test/fixtures/dice.ts'
import { freePort } from '../test/fixtures/free-port.ts'
import { createLedgerClient, partyNamed } from '../test/fixtures/ledger-client.ts'
import { startTestNode, type TestNode } from '../test/fixtures/node.ts'
import { createTestDatabase, onDatabase, startPostgres } from '../test/fixtures/postgres.ts'

const { values } = parseArgs({
  options: {
    pgbouncer: { type: 'string', default: 'pgbouncer' },
    seconds: { type: 'string', default: '5' },
  },
})

/** What the driver sends at the beginning of a connection, and PgBouncer cannot give to a session it shares. */
const ignored = 'extra_float_digits,options,statement_timeout,idle_in_transaction_session_timeout'
/** The same for all sessions, given to the role instead. */
const roleSettings = {
  statement_timeout: '10s',
  idle_in_transaction_session_timeout: '20s',
  client_connection_check_interval: '500ms',
}
const account = { uid: 65_534, gid: 65_534 } // It refuses to run as root.

async function startPooler(folder: string, port: number, databaseUrl: URL): Promise<ChildProcess> {
  const file = join(folder, 'pgbouncer.ini')
  const lines = [
    '[databases]',
    `* = host=127.0.0.1 port=${databaseUrl.port} user=test`,
    '[pgbouncer]',
    ...['listen_addr = 127.0.0.1', `listen_port = ${port}`, 'unix_socket_dir =', 'auth_type = any'],
    ...['pool_mode = transaction', 'default_pool_size = 10', `ignore_startup_parameters = ${ignored}`],
  ]
  writeFileSync(file, `${lines.join('\n')}\n`)
  const own = process.getuid?.() === 0 ? account : {}
  const pooler = spawn(values.pgbouncer, [file], { ...own, stdio: ['ignore', 'ignore', 'pipe'] })
  let said = ''
  pooler.stderr!.on('data', (data) => {
    said += data
  })
  for (let attempt = 0; attempt < 100; attempt += 1) {
    assert.equal(pooler.exitCode, null, said)
    if (await accepts(port)) return pooler
    await setTimeout(50)
  }
  throw new Error(`PgBouncer does not listen: ${said}`)
}

async function accepts(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1')
  try {
    await once(socket, 'connect')
    return true
  } catch {
    return false
  } finally {
    socket.destroy()
  }
}

async function metric(node: TestNode, name: string): Promise<string> {
  const { text } = await node.call('GET', '/metrics')
  return new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1] ?? 'missing'
}

/** From the answer on one node until another has it on a stream, in milliseconds. */
async function newsTakes(from: TestNode, to: TestNode, owner: string, index: number): Promise<number> {
  const created = { issuer: owner, owner, amount: '1', currency: 'EUR', observers: [] }
  const { json: end } = await to.call('GET', '/v2/state/ledger-end')
  const filters = { filtersByParty: { [owner]: {} } }
  const format = { eventFormat: filters, transactionShape: 'TRANSACTION_SHAPE_ACS_DELTA' }
  const request = { beginExclusive: end.offset, updateFormat: { includeTransactions: format } }
  const seen = to.call('POST', '/v2/updates?limit=1&stream_idle_timeout_ms=20000', { body: request })
  await setTimeout(100)
  const startedMs = performance.now()
  await from.call('POST', '/v2/commands/submit-and-wait', {
    body: {
      commandId: `news-${index}`,
      userId: 'crash',
      actAs: [owner],
      commands: [{ CreateCommand: { templateId: '#quickstart:Iou:Iou', createArguments: created } }],
    },
  })
  assert.equal((await seen).json.length, 1)
  return performance.now() - startedMs
}

await using parts = new AsyncDisposableStack()
const folder = mkdtempSync(join(tmpdir(), 'tallystick-pooler-'))
chmodSync(folder, 0o755)
parts.defer(() => rmSync(folder, { recursive: true, force: true }))
const server = await startPostgres()
parts.defer(() => server.stop())
const { url } = await createTestDatabase(server.url)
for (const [name, value] of Object.entries(roleSettings))
  await onDatabase(url, `ALTER ROLE test SET ${name} = '${value}'`)
const port = await freePort()
let pooler = await startPooler(folder, port, new URL(url))
parts.defer(() => void pooler.kill('SIGKILL'))
const pooled = new URL(url)
pooled.port = String(port)

const over = { store: 'postgres', postgresUrl: pooled.href, settings: { auth: { mode: 'off' } } } as const
const nodes = [parts.use(await startTestNode(over)), parts.use(await startTestNode(over))] as const
const [first] = nodes.map((node) => createLedgerClient(node.url))
const owner = await partyNamed(first!, 'owner')
const observer = await partyNamed(first!, 'observer')
const { rows: members } = await onDatabase(url, 'SELECT is_direct FROM members')
console.log(`members known to be connected directly: ${members.filter(({ is_direct }) => is_direct).length} of 2`)

const news: number[] = []
for (let index = 0; index < 5; index += 1) news.push(Math.round(await newsTakes(nodes[0], nodes[1], owner, index)))
console.log(`from a commit on one node to a stream of the other: ${news.join(', ')} ms`)
console.log(`notifications that arrived: ${await metric(nodes[1], 'tallystick_notifications_total')}`)

const witness = createWitness()
await checkLedger(first!, witness)
let isOver = false
const outages = { isOver: () => isOver }
const works = nodes.map((node, index) => {
  const view = { ...witness, partiesAsked: 1_000_000 * (index + 1) }
  const load = {
    client: createLedgerClient(node.url),
    witness: view,
    dice: createDice(index),
    owner,
    observer,
    outages,
  }
  return workUntilDeath({ ...load, clients: 4, paceMs: 20 })
})
await setTimeout(Number(values.seconds) * 1_000)
pooler.kill('SIGKILL')
await once(pooler, 'exit')
await setTimeout(500)
pooler = await startPooler(folder, port, new URL(url))
await setTimeout(Number(values.seconds) * 1_000)
isOver = true
await Promise.all(works)
const clients = nodes.map((node) => createLedgerClient(node.url))
await untilStill(clients)
for (const client of clients) await checkLedger(client, witness)
checkPromises(witness)
await resubmit(first!, witness, createDice(3))
console.log(`${witness.sent.size} commands, the pooler killed once: nothing lost, nothing twice`)
