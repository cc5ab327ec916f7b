// Tries forks of any participant, such as a real Canton: after random commands, a fork has its contracts field by field, and the
// same command gives the same transaction on both; a fork that follows has its updates, and its contracts at random offsets. It
// uploads the quickstart package and allocates parties; a ledger without tokens is assumed, or one token that may do everything.
//
//   node_modules/.bin/node tools/try-fork.ts --ledger URL [--token T] [--seed N] [--creates N] [--commands N] [--offsets N]
import assert from 'node:assert/strict'
import { parseArgs } from 'node:util'
import { openAnyParticipant } from '../test/fixtures/any-participant.ts'
import { createDice } from '../test/fixtures/dice.ts'
import { assertSameContracts, commandsOn, contractsAt, meaningOf, readerOf, updatesIn } from '../test/fixtures/fork.ts'
import { type Json, transactionFormat } from '../test/fixtures/ledger.ts'
import { startTestNode, type TestNode } from '../test/fixtures/node.ts'
import { randomCommands, type WrittenLedger } from '../test/fixtures/query-store.ts'
import { until } from '../test/fixtures/until.ts'

const { values } = parseArgs({
  options: {
    ledger: { type: 'string' },
    token: { type: 'string' },
    seed: { type: 'string', default: '1' },
    creates: { type: 'string', default: '2000' },
    commands: { type: 'string', default: '200' },
    offsets: { type: 'string', default: '20' },
  },
})
const { ledger: url, token } = values
assert.ok(url, '--ledger URL is missing')
const [seed, creates, commands, offsets] = [values.seed, values.creates, values.commands, values.offsets].map(
  Number,
) as [number, number, number, number]
const createsAtOnce = 100
const usedIous = 10
const rounds = 5
const lanesMax = 12

const tell = (line: string) => process.stdout.write(`${line}\n`)
const since = (startedMs: number) => `${((performance.now() - startedMs) / 1000).toFixed(1)} s`

function fork(follow: boolean): Promise<TestNode> {
  const settings = { auth: { mode: 'off' as const }, fork: { url: url!, ...(token && { token }), follow } }
  return startTestNode({ store: 'sqlite', settings })
}

/** Several at a time: a participant takes as long for one as for some. */
async function manyCommands(ledger: WrittenLedger, first: number, count: number): Promise<void> {
  const lanes = Math.min(lanesMax, count)
  const each = Math.ceil(count / lanes)
  await Promise.all(Array.from({ length: lanes }, (_, lane) => randomCommands(ledger, first + lane, each)))
}

const endOf = async (node: TestNode): Promise<number> => (await node.call('GET', '/v2/state/ledger-end')).json.offset

async function sameCommands(ledger: Awaited<ReturnType<typeof openAnyParticipant>>, node: TestNode, iou: Json) {
  const { contractId, createArgument } = iou
  for (const [index, command] of commandsOn(contractId, createArgument.amount, ledger.carol).entries()) {
    const fields = { actAs: [createArgument.owner], commandId: `same ${contractId} ${index}` }
    const body = {
      commands: { ...fields, commands: [command], userId: 'try' },
      transactionFormat: transactionFormat({ filtersForAnyParty: {} }, 'LEDGER_EFFECTS'),
    }
    const here = await node.call('POST', '/v2/commands/submit-and-wait-for-transaction', { body })
    assert.equal(here.status, 200, here.text)
    const there = await ledger.submit([command], { actAs: [createArgument.owner] })
    const known = new Set([contractId])
    assert.deepEqual(meaningOf(here.json.transaction, known), meaningOf(there.transaction, known))
  }
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
  const ious = (await contractsAt(theirs, offset))
    .map(({ contractEntry }) => contractEntry.JsActiveContract.createdEvent)
    .filter(({ templateId, signatories }) => templateId.endsWith(':Iou:Iou') && signatories.includes(ledger.bank))
  const dice = createDice(seed)
  for (let used = 0; used < usedIous && ious.length > 0; used += 1) {
    await sameCommands(ledger, node, ious.splice(dice(ious.length), 1)[0])
  }
  tell(`the same commands gave the same transactions`)
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
