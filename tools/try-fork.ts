// Tries forks of any participant, such as a real Canton: after random commands (IOUs, keys, interfaces, nested programs, values of
// every type), a fork has its contracts field by field, and the same commands give the same transactions or refusals on both; a
// fork that follows has its updates, and its contracts at random offsets. It uploads packages and allocates parties; a ledger
// without tokens is assumed, or one token that may do everything.
//
//   node_modules/.bin/node tools/try-fork.ts --ledger URL [--token T] [--seed N] [--creates N] [--commands N] [--same N]
//     [--offsets N]
import assert from 'node:assert/strict'
import { parseArgs } from 'node:util'
import { type AnyParticipant, openAnyParticipant, submission } from '../test/fixtures/any-participant.ts'
import { createDice } from '../test/fixtures/dice.ts'
import { assertSameContracts, contractsAt, meaningOf, readerOf, updatesIn } from '../test/fixtures/fork.ts'
import type { Json } from '../test/fixtures/ledger.ts'
import { type Answer, startTestNode, type TestNode } from '../test/fixtures/node.ts'
import { createMixture, mixedCommands } from '../test/fixtures/random-commands.ts'
import { until } from '../test/fixtures/until.ts'

const { values } = parseArgs({
  options: {
    ledger: { type: 'string' },
    token: { type: 'string' },
    seed: { type: 'string', default: '1' },
    creates: { type: 'string', default: '2000' },
    commands: { type: 'string', default: '200' },
    same: { type: 'string', default: '100' },
    offsets: { type: 'string', default: '20' },
  },
})
const { ledger: url, token } = values
assert.ok(url, '--ledger URL is missing')
const [seed, creates, commands, same, offsets] = [
  ...[values.seed, values.creates, values.commands, values.same, values.offsets],
].map(Number) as [number, number, number, number, number]
const createsAtOnce = 100
const rounds = 5
const lanesMax = 24

const tell = (line: string) => process.stdout.write(`${line}\n`)
const since = (startedMs: number) => `${((performance.now() - startedMs) / 1000).toFixed(1)} s`

function fork(follow: boolean): Promise<TestNode> {
  const settings = { auth: { mode: 'off' as const }, fork: { url: url!, ...(token && { token }), follow } }
  return startTestNode({ store: 'sqlite', settings })
}

/** Several at a time: a participant takes as long for one as for some. */
async function manyCommands(ledger: AnyParticipant, first: number, count: number): Promise<void> {
  const lanes = Math.min(lanesMax, count)
  const each = Math.ceil(count / lanes)
  await Promise.all(Array.from({ length: lanes }, (_, lane) => mixedCommands(ledger, first + lane, each)))
}

const endOf = async (node: TestNode): Promise<number> => (await node.call('GET', '/v2/state/ledger-end')).json.offset

/** On contracts that both have. Returns how many were refused, by both. */
async function sameCommands(ledger: AnyParticipant, node: TestNode, created: readonly Json[]): Promise<number> {
  const mixture = createMixture(ledger, seed)
  mixture.learn({ events: created.map((event) => ({ CreatedEvent: event })) })
  const known = new Set(created.map(({ contractId }) => contractId))
  const outcomeOf = ({ status, json }: Answer) =>
    status === 200 ? meaningOf(json.transaction, known) : { status, code: json?.code }
  let refused = 0
  for (let index = 0; index < same; index += 1) {
    const request = ledger.requestOf(...mixture.next())
    const here = await node.call('POST', submission, { body: request })
    const there = await ledger.ask(request)
    assert.deepEqual(outcomeOf(here), outcomeOf(there), `${JSON.stringify(request)}\n${here.text}\n${there.text}`)
    if (there.status !== 200) refused += 1
    // What it made has another id on each.
    else mixture.learn({ events: there.json.transaction.events.filter((event: Json) => event.ExercisedEvent) })
  }
  return refused
}

const ledger = await openAnyParticipant(url, token)
const theirs = readerOf(url, token)
const startedMs = performance.now()
for (let done = 0; done < creates; done += createsAtOnce) {
  await ledger.submit(
    Array.from({ length: createsAtOnce }, (_, index) => ledger.createIou({ amount: `${done + index + 1}` })),
  )
}
await manyCommands(ledger, seed, commands)
tell(`${creates} creates and ${commands} random commands in ${since(startedMs)}`)
{
  const forkingMs = performance.now()
  await using node = await fork(false)
  const offset = await endOf(node)
  tell(`forked at offset ${offset} in ${since(forkingMs)}`)
  tell(`${await assertSameContracts(readerOf(node.url), theirs, offset)} contracts are equal, field by field`)
  const created = (await contractsAt(theirs, offset)).map(
    ({ contractEntry: entry }) => entry.JsActiveContract.createdEvent,
  )
  const own = created.filter(
    ({ signatories }) => signatories.includes(ledger.bank) || signatories.includes(ledger.alice),
  )
  const refused = await sameCommands(ledger, node, own)
  tell(`${same} commands gave the same transactions on both; ${refused} of them the same refusal`)
}
{
  await using node = await fork(true)
  const begin = await endOf(node)
  for (let round = 0; round < rounds; round += 1) {
    await manyCommands(ledger, seed + 1_000 * (1 + round), Math.ceil(commands / rounds))
    if (round === 2) await node.restart()
  }
  const updates = await updatesIn(theirs, begin, await ledger.end(), 'LEDGER_EFFECTS')
  const last = updates.at(-1).offset
  const ours = readerOf(node.url)
  await until(async () => (await endOf(node)) >= last)
  for (const shape of ['ACS_DELTA', 'LEDGER_EFFECTS'] as const) {
    assert.deepEqual(await updatesIn(ours, begin, last, shape), await updatesIn(theirs, begin, last, shape))
  }
  tell(`followed ${updates.length} updates, which are equal`)
  const dice = createDice(seed)
  for (let index = 0; index < offsets; index += 1) {
    await assertSameContracts(ours, theirs, index === 0 ? last : begin + dice(last - begin + 1))
  }
  tell(`contracts are equal at ${offsets} offsets up to ${last}`)
}
process.exit(0)
