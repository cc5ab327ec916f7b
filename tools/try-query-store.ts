// Tries a query store against any participant, such as a real Canton: random commands, followers that are stopped, cut off
// and replaced meanwhile, and then everything compared with what the participant's own API says, `active` at random
// offsets. It uploads the quickstart package and allocates parties; a ledger without tokens is assumed, or one token that
// may do everything.
//
//   node_modules/.bin/node tools/try-query-store.ts --ledger URL [--token T] [--seed N] [--commands N] [--offsets N]
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { createDice } from '../test/fixtures/dice.ts'
import { openFlakyProxy } from '../test/fixtures/flaky-proxy.ts'
import { eventOf, iouType, transactionFormat } from '../test/fixtures/ledger.ts'
import { answerOf } from '../test/fixtures/node.ts'
import { createTestDatabase, cutConnections, startPostgres } from '../test/fixtures/postgres.ts'
import {
  compareActive,
  compareUpdates,
  openSession,
  type ReadLedger,
  randomCommands,
  startFollower,
  type WrittenLedger,
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

const post: ReadLedger['post'] = async (path, body) => {
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` }
  const content = body instanceof Uint8Array ? new Uint8Array(body) : JSON.stringify(body)
  return answerOf(await fetch(new URL(path, url), { method: 'POST', headers, body: content }))
}

async function succeed(path: string, body: unknown) {
  const answer = await post(path, body)
  assert.equal(answer.status, 200, `${path}: ${answer.text}`)
  return answer.json
}

async function openLedger(): Promise<ReadLedger & WrittenLedger> {
  await succeed('/v2/packages', readFileSync(new URL('../packages/quickstart/quickstart.dar', import.meta.url)))
  const run = Date.now().toString(36)
  const parties: string[] = []
  for (const hint of ['bank', 'alice', 'bob', 'carol']) {
    parties.push((await succeed('/v2/parties', { partyIdHint: `${hint}-${run}` })).partyDetails.party)
  }
  const [bank, alice, bob, carol] = parties as [string, string, string, string]
  let last = 0
  return {
    ...{ node: { url: url! }, token, post, bank, alice, bob, carol },
    end: async () => ((await (await fetch(new URL('/v2/state/ledger-end', url))).json()) as { offset: number }).offset,
    createIou: (fields = {}) => ({
      CreateCommand: {
        templateId: iouType,
        createArguments: { issuer: bank, owner: alice, amount: '100', currency: 'EUR', observers: [], ...fields },
      },
    }),
    async submit(list, fields = {}) {
      const composed = { commands: list, commandId: `${run}-${++last}`, userId: 'try', actAs: [bank, alice], ...fields }
      const format = transactionFormat({ filtersForAnyParty: {} }, 'LEDGER_EFFECTS')
      const { transaction } = await succeed('/v2/commands/submit-and-wait-for-transaction', {
        ...{ commands: composed, transactionFormat: format },
      })
      return { transaction, contractId: eventOf(transaction, 'CreatedEvent')?.contractId }
    },
  }
}

const server = await startPostgres()
try {
  const database = await createTestDatabase(server.url)
  const ledger = await openLedger()
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
