// Tries a query store against any participant, such as a real Canton: random commands, followers that are stopped, cut off
// and replaced meanwhile, and then everything compared with what the participant's own API says, `active` at random
// offsets. It uploads the quickstart package and allocates parties; a ledger without tokens is assumed, or one token that
// may do everything.
//
//   node_modules/.bin/node tools/try-query-store.ts --ledger URL [--token T] [--seed N] [--commands N] [--offsets N]
import assert from 'node:assert/strict'
import { parseArgs } from 'node:util'
import { openAnyParticipant } from '../test/fixtures/any-participant.ts'
import { createDice } from '../test/fixtures/dice.ts'
import { openFlakyProxy } from '../test/fixtures/flaky-proxy.ts'
import { createTestDatabase, cutConnections, startPostgres } from '../test/fixtures/postgres.ts'
import {
  compareActive,
  compareUpdates,
  openSession,
  randomCommands,
  startFollower,
} from '../test/fixtures/query-store.ts'

const { values } = parseArgs({
  options: {
    ledger: { type: 'string' },
    token: { type: 'string' },
    seed: { type: 'string', default: '1' },
    commands: { type: 'string', default: '200' },
    offsets: { type: 'string', default: '50' },
  },
})
const { ledger: url, token } = values
assert.ok(url, '--ledger URL is missing')
const [seed, commands, offsets] = [values.seed, values.commands, values.offsets].map(Number) as [number, number, number]
const rounds = 10

const server = await startPostgres()
try {
  const database = await createTestDatabase(server.url)
  const ledger = await openAnyParticipant(url, token)
  await using wire = await openFlakyProxy(url)
  const dice = createDice(seed)
  let follower = startFollower(ledger, database.url, { url: wire.url })
  for (let round = 0; round < rounds; round += 1) {
    await randomCommands(ledger, seed + round, commands / rounds)
    const what = dice(3)
    if (what === 0) wire.cut()
    else if (what === 1) await cutConnections(database.url)
    else {
      await follower[Symbol.asyncDispose]()
      follower = startFollower(ledger, database.url, { url: wire.url })
    }
    process.stdout.write(`round ${round + 1}: ${['ledger cut off', 'database cut off', 'follower replaced'][what]}\n`)
  }
  const end = await ledger.end()
  await follower.reached(end)
  await follower[Symbol.asyncDispose]()
  await using session = await openSession(database.url)
  await compareActive(ledger, session, seed, offsets)
  await compareUpdates(ledger, session)
  const { rows } = await session.query('SELECT * FROM summary_updates() ORDER BY 1')
  for (const row of rows)
    process.stdout.write(`${row.template_fqn}: ${row.creates} created, ${row.archives} archived\n`)
  process.stdout.write(`everything agrees up to offset ${end}; active() at ${offsets} offsets\n`)
} finally {
  await server.stop()
}
