// A disk that corrupts bytes of the database: the node must serve what was stored, or report an error.
import assert from 'node:assert/strict'
import { closeSync, cpSync, openSync, readFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { createDice, type Dice, pick } from '../../test/fixtures/dice.ts'
import {
  answered,
  createLedgerClient,
  type History,
  type Json,
  type LedgerClient,
  partyNamed,
  readHistory,
  userId,
} from '../../test/fixtures/ledger-client.ts'
import { run, start, temporaryFolder } from '../../test/fixtures/process.ts'
import type { Campaign } from '../campaign.ts'
import { runRounds } from '../rounds.ts'

const flipsPerLedger = 10

export const flippedBytes: Campaign = {
  name: 'flipped bytes',
  attack: 'one to sixteen bytes of the database file change while the node is down',
  invariant: 'The node refuses to start, answers with an error about damage, or serves exactly what was stored',
  unit: 'flips',
  full: 200,
  short: 1,
  run(plan) {
    // The short test must not fail for damage that only hides rows; `tallystick check` finds that.
    const isStrict = !plan.isShort
    const round = (seed: number, count: number) => flipMany(seed, count, isStrict)
    return runRounds(plan, round, { timesPerRound: flipsPerLedger, sideBySide: 2, failureKind: 'lost' })
  },
}

const foundLength = 600
const contracts = 40

async function flipMany(seed: number, count: number, isStrict: boolean): Promise<number> {
  using folder = temporaryFolder()
  const original = join(folder.path, 'original')
  const history = await makeLedger(original, createDice(seed))
  const trees = treesOf(join(original, 'ledger.sqlite'))
  for (let flip = 0; flip < count; flip += 1) {
    const copy = join(folder.path, `copy-${flip}`)
    cpSync(original, copy, { recursive: true })
    const places = changeBytes(join(copy, 'ledger.sqlite'), trees, createDice(seed * 101 + flip))
    try {
      await compare(copy, history, isStrict)
    } catch (error) {
      const { output, errors } = await run(['check', '--data', copy])
      const found = `${output}${errors}`.slice(0, foundLength)
      throw new Error(`flip ${flip} at ${places.join(', ')}; check says ${found}`, { cause: error })
    }
  }
  return count
}

const args = (folder: string) => ['--data', folder, '--auth', 'off', '--log-level', 'error']

async function makeLedger(folder: string, dice: Dice): Promise<History> {
  await using node = await start(args(folder))
  const client = createLedgerClient(node.url)
  const owner = await partyNamed(client, 'owner')
  const templateId = '#quickstart:Iou:Iou'
  const submit = async (commandId: string, command: object) =>
    answered(
      await client.post('/v2/commands/submit-and-wait', { commandId, userId, actAs: [owner], commands: [command] }),
    )
  for (let made = 0; made < contracts; made += 1) {
    const amount = String(1 + dice(1_000_000))
    const createArguments = { issuer: owner, owner, amount, currency: 'EUR', observers: [] }
    await submit(`create-${made}`, { CreateCommand: { templateId, createArguments } })
  }
  const { active } = await readHistory(client)
  for (const [index, contractId] of [...active.keys()].slice(0, contracts / 4).entries()) {
    const choice = pick(dice, ['Archive', 'Iou_Split'])
    const choiceArgument = choice === 'Archive' ? {} : { amount: '0.5' }
    await submit(`use-${index}`, { ExerciseCommand: { templateId, contractId, choice, choiceArgument } })
  }
  const history = await readHistory(client)
  assert.equal(await node.stop('SIGTERM'), 0)
  return history
}

type Tree = { readonly name: string; readonly pages: readonly number[] }

const pageBytes = 4096

/** The tables and indexes of the file, including the schema. */
function treesOf(path: string): Tree[] {
  using db = new DatabaseSync(path, { readOnly: true })
  const pages = db.prepare('SELECT name, pageno FROM dbstat ORDER BY pageno').all() as {
    name: string
    pageno: number
  }[]
  const byName = Map.groupBy(pages, ({ name }) => name)
  return [...byName].map(([name, some]) => ({ name, pages: some.map(({ pageno }) => pageno) }))
}

/** Changes bytes anywhere in the file, or in one tree, because most of the file is events. Returns the places. */
function changeBytes(path: string, trees: readonly Tree[], dice: Dice): string[] {
  const bytes = readFileSync(path)
  const file = openSync(path, 'r+')
  const places: string[] = []
  const tree = dice(2) === 0 ? undefined : pick(dice, trees)
  for (let left = pick(dice, [1, 1, 2, 16]); left > 0; ) {
    const start = tree === undefined ? 0 : (pick(dice, tree.pages) - 1) * pageBytes
    const place = start + dice(tree === undefined ? bytes.length : pageBytes)
    if (bytes[place] === 0 && dice(4) > 0) continue // Mostly skips empty bytes.
    writeSync(file, Buffer.of(bytes[place]! ^ (1 << dice(8))), 0, 1, place)
    places.push(`${place} (${tree?.name ?? 'the file'})`)
    left -= 1
  }
  closeSync(file)
  return places
}

async function compare(folder: string, history: History, isStrict: boolean): Promise<void> {
  const node = await start(args(folder)).catch((error: Error) => error)
  if (node instanceof Error) {
    assert.match(node.message, /damaged|malformed|not a database|corrupt|integrity/i, 'it says why it does not start')
    return
  }
  await using running = node
  try {
    await compareAll(createLedgerClient(running.url), history, isStrict)
  } catch (error) {
    throw new Error(`the log ends with ${running.errors.slice(-logEndLength)}`, { cause: error })
  }
}

const logEndLength = 2_000

async function compareAll(client: LedgerClient, history: History, isStrict: boolean): Promise<void> {
  const end = await client.get('/v2/state/ledger-end')
  if (!isGood(end)) return
  assert.equal(end.json.offset, history.end, 'the end of the ledger is another')
  await compareUpdates(client, history)
  await compareActive(client, history, isStrict)
  await compareUse(client, history)
}

/** Whether it is a successful answer. An error must report damage, or that the store failed because of it. */
function isGood(reply: { status: number; json: Json } | undefined): reply is { status: 200; json: Json } {
  assert.ok(reply, 'the node answers')
  if (reply.status === 200) return true
  const text = JSON.stringify(reply.json)
  assert.ok(/stored is damaged|database is damaged/.test(text), `${reply.status} ${text}`)
  return false
}

const everything = {
  eventFormat: { filtersByParty: {}, filtersForAnyParty: {} },
  transactionShape: 'TRANSACTION_SHAPE_LEDGER_EFFECTS',
}

async function compareUpdates(client: LedgerClient, { end, updates }: History): Promise<void> {
  for (let offset = 1; offset <= end; offset += 1) {
    const expected = updates.get(offset)
    const body = { offset, updateFormat: { includeTransactions: everything } }
    const reply = await client.post('/v2/updates/update-by-offset', body)
    if (expected === undefined || !isGood(reply)) continue
    assert.deepEqual(reply.json.update.Transaction.value, expected, `the update at ${offset} is another`)
  }
}

async function compareActive(client: LedgerClient, { end, active }: History, isStrict: boolean): Promise<void> {
  const eventFormat = { filtersByParty: {}, filtersForAnyParty: {} }
  const body = { activeAtOffset: end, eventFormat, maxPageSize: 500 }
  const reply = await client.post('/v2/state/active-contracts-page', body)
  if (!isGood(reply)) return
  const found = reply.json.activeContracts.map(({ contractEntry }: Json) => contractEntry.JsActiveContract.createdEvent)
  for (const event of found) assert.deepEqual(event, active.get(event.contractId), 'an active contract is another')
  if (isStrict) assert.equal(found.length, active.size, 'as many contracts are active')
}

/** A contract must pay out what it holds. */
async function compareUse(client: LedgerClient, { active }: History): Promise<void> {
  for (const [contractId, { createArgument }] of [...active].slice(0, 8)) {
    const { owner, amount } = createArgument
    const command = {
      templateId: '#quickstart:Iou:Iou',
      contractId,
      choice: 'Iou_Split',
      choiceArgument: { amount: '0.25' },
    }
    const commands = {
      commandId: `check-${contractId}`,
      userId,
      actAs: [owner],
      commands: [{ ExerciseCommand: command }],
    }
    const reply = await client.post('/v2/commands/submit-and-wait-for-transaction', { commands })
    if (!isGood(reply)) continue
    const amounts = reply.json.transaction.events
      .map(({ CreatedEvent }: Json) => Number(CreatedEvent?.createArgument.amount ?? 0))
      .reduce((sum: number, part: number) => sum + part, 0)
    assert.equal(amounts, Number(amount), 'another amount is paid out')
  }
}
