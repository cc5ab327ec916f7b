// Tries a query store against any participant, such as a real Canton: random commands (IOUs, keys, interfaces, nested programs,
// values of every type) while the follower or PostgreSQL is killed and connections are cut, and then everything compared with what
// the participant's own API says, `active` at random offsets. It uploads packages and allocates parties; a ledger without tokens
// is assumed, or one token that may do everything.
//
//   node_modules/.bin/node tools/try-query-store.ts --ledger URL [--from URL] [--token T] [--seed N] [--commands N] [--faults N]
//     [--offsets N]
//
// --ledger is the JSON Ledger API, which gets the commands and says what is true; --from is what the store follows, if that is
// another address: grpc://host:port of the same participant.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { parseArgs } from 'node:util'
import { openAnyParticipant } from '../test/fixtures/any-participant.ts'
import { createDice } from '../test/fixtures/dice.ts'
import { openFlakyProxy } from '../test/fixtures/flaky-proxy.ts'
import { createTestDatabase, cutConnections, startPostgres } from '../test/fixtures/postgres.ts'
import { launch } from '../test/fixtures/process.ts'
import { compareActive, compareUpdates, openSession } from '../test/fixtures/query-store.ts'
import { mixedCommands } from '../test/fixtures/random-commands.ts'
import { until } from '../test/fixtures/until.ts'

const { values } = parseArgs({
  options: {
    ledger: { type: 'string' },
    from: { type: 'string' },
    token: { type: 'string' },
    seed: { type: 'string', default: '1' },
    commands: { type: 'string', default: '200' },
    faults: { type: 'string', default: '12' },
    offsets: { type: 'string', default: '50' },
  },
})
const { ledger: url, token } = values
assert.ok(url, '--ledger URL is missing')
const [seed, commands, faults, offsets] = [values.seed, values.commands, values.faults, values.offsets].map(Number) as [
  ...[number, number, number, number],
]
const lanes = 8
const noLimit = 0
const tell = (line: string) => process.stdout.write(`${line}\n`)

const server = await startPostgres()
try {
  const database = await createTestDatabase(server.url)
  const ledger = await openAnyParticipant(url, token)
  await using wire = await openFlakyProxy(values.from ?? url)
  let follower = follow()
  function follow() {
    const words = ['query-store', '--from', wire.url, '--to', database.url, '--start', 'Genesis', '--log-level', 'warn']
    const all = [
      ...words,
      '--data-source',
      'TransactionTreeStream',
      '--health-port',
      '0',
      ...(token ? ['--token', token] : []),
    ]
    return launch(all, {}, noLimit)
  }
  async function end(signal: NodeJS.Signals) {
    assert.equal(follower.process.exitCode, null, `the follower ended: ${follower.errors()}`)
    follower.process.kill(signal)
    await once(follower.process, 'close')
  }
  const kinds: readonly (readonly [name: string, happen: () => Promise<void>])[] = [
    [
      'follower killed',
      async () => {
        await end('SIGKILL')
        follower = follow()
      },
    ],
    ['PostgreSQL killed', () => server.crash()],
    ['connection to the ledger cut', async () => wire.cut()],
    ['connections to PostgreSQL cut', () => cutConnections(database.url)],
  ]
  const dice = createDice(seed)
  const counts = new Map<string, number>()
  const each = Math.ceil(commands / faults / lanes)
  for (let round = 0; round < faults; round += 1) {
    const some = Array.from({ length: lanes }, (_, lane) => mixedCommands(ledger, seed + 1_000 * round + lane, each))
    await Promise.race(some) // The fault is in the middle of them.
    const [name, happen] = kinds[round < kinds.length ? round : dice(kinds.length)]!
    await happen()
    await Promise.all(some)
    counts.set(name, (counts.get(name) ?? 0) + 1)
    tell(`${(round + 1) * lanes * each} commands; ${name}`)
  }
  const last = await ledger.end()
  await using session = await openSession(database.url)
  const reached = async () => (await session.query('SELECT latest_offset() AS latest')).rows[0].latest >= last
  await until(() => {
    assert.equal(follower.process.exitCode, null, `the follower ended: ${follower.errors()}`)
    return reached()
  })
  await end('SIGTERM')
  assert.equal(follower.process.exitCode, 0, follower.errors())
  await compareActive(ledger, session, seed, offsets)
  await compareUpdates(ledger, session)
  const { rows } = await session.query('SELECT * FROM summary_updates() ORDER BY 1')
  for (const row of rows) tell(`${row.template_fqn}: ${row.creates} created, ${row.archives} archived`)
  const { rows: sums } = await session.query(`SELECT (SELECT count(*) FROM transactions) AS transactions,
    (SELECT count(*) FROM creates()) AS creates, (SELECT count(*) FROM archives()) AS archives,
    (SELECT count(*) FROM exercises()) AS exercises`)
  tell(`in the store: ${JSON.stringify(sums[0])}; faults: ${JSON.stringify(Object.fromEntries(counts))}`)
  tell(`everything agrees up to offset ${last}; active() at ${offsets} offsets`)
} finally {
  await server.stop()
}
process.exit(0)
