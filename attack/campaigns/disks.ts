// Disks that temporarily fail to flush, and data folders that are deleted, under a working node.
import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { type Flushing, systemFlushing } from '../../src/store/sqlite/flushing.ts'
import { createDice, pick } from '../../test/fixtures/dice.ts'
import { startTestLedger, type TestLedger } from '../../test/fixtures/ledger.ts'
import type { Campaign } from '../campaign.ts'
import { runRounds } from '../rounds.ts'
import { pause } from '../target/besieged.ts'

const attemptsMax = 3_000
const readyMsMax = 60_000
const causes = [
  'EIO: i/o error, fdatasync',
  'ENOSPC: no space left on device, fdatasync',
  'EROFS: read-only file system',
]

export const disks: Campaign[] = [
  {
    name: 'failing and full disks',
    attack: 'flushes fail (EIO, ENOSPC, EROFS) at a random moment, for a random time, once or several times',
    invariant: 'Commands are refused with 503 while it lasts; each that was answered 200 has exactly one completion',
    unit: 'outages',
    full: 60,
    short: 1,
    run: (plan) => runRounds(plan, failFlushes, { sideBySide: 2, failureKind: 'lost' }),
  },
  {
    name: 'deleted folders',
    attack: 'the data folder is deleted while commands arrive',
    invariant: 'Within a second no command is acknowledged any more, and /readyz says 503',
    unit: 'folders',
    full: 30,
    short: 1,
    run: (plan) => runRounds(plan, deleteFolder, { sideBySide: 2, failureKind: 'lost' }),
  },
]

async function failFlushes(seed: number): Promise<number> {
  const dice = createDice(seed)
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
  const taken: string[] = []
  for (let outage = 1 + dice(3); outage > 0; outage -= 1) {
    taken.push(...(await submitMany(ledger, dice(20))))
    failure = new Error(pick(dice, causes))
    taken.push(...(await submitUntilRefused(ledger)))
    assert.equal((await ledger.node.call('GET', '/readyz')).status, 503)
    assert.equal((await ledger.node.call('GET', '/livez')).status, 200)
    await pause(dice(600))
    failure = undefined
    await untilReady(ledger)
  }
  taken.push(...(await submitMany(ledger, 1)))
  await allCompleted(ledger, taken)
  return 1
}

async function submitMany(ledger: TestLedger, count: number): Promise<string[]> {
  const taken: string[] = []
  for (let made = 0; made < count; made += 1) {
    const commands = ledger.commandsOf([ledger.createIou()]) as { commandId: string }
    const reply = await ledger.post('/v2/commands/async/submit', commands)
    assert.equal(reply.status, 200, reply.text)
    taken.push(commands.commandId)
  }
  return taken
}

/** Returns the ids of the accepted commands. */
async function submitUntilRefused(ledger: TestLedger): Promise<string[]> {
  const taken: string[] = []
  for (let count = 0; count < attemptsMax; count += 1) {
    const commands = ledger.commandsOf([ledger.createIou()]) as { commandId: string }
    const reply = await ledger.post('/v2/commands/async/submit', commands)
    if (reply.status !== 200) {
      assert.equal(reply.status, 503, reply.text)
      return taken
    }
    taken.push(commands.commandId)
  }
  assert.fail('nothing was refused')
}

async function allCompleted(ledger: TestLedger, taken: readonly string[]): Promise<void> {
  const untilMs = performance.now() + readyMsMax
  for (;;) {
    const told = (await everyCompletion(ledger)).sort()
    if (told.length >= taken.length || performance.now() > untilMs) {
      assert.deepEqual(told, [...taken].sort(), 'each command that was taken has one completion')
      return
    }
    await pause(50)
  }
}

/** One list call returns at most 200. */
async function everyCompletion(ledger: TestLedger): Promise<string[]> {
  const ids: string[] = []
  let after = 0
  for (;;) {
    const body = { userId: 'app', parties: [ledger.bank, ledger.alice], beginExclusive: after }
    const { json } = await ledger.post('/v2/commands/completions?limit=100&stream_idle_timeout_ms=50', body)
    const found = (json as { completionResponse: { Completion?: { value: { commandId: string; offset: number } } } }[])
      .map(({ completionResponse }) => completionResponse.Completion?.value)
      .filter((completion) => completion !== undefined)
    if (found.length === 0) return ids
    ids.push(...found.map(({ commandId }) => commandId))
    after = found.at(-1)!.offset
  }
}

async function untilReady(ledger: TestLedger): Promise<void> {
  const untilMs = performance.now() + readyMsMax
  while ((await ledger.node.call('GET', '/readyz')).status !== 200) {
    assert.ok(performance.now() < untilMs, 'it is ready again')
    await pause(50)
  }
}

/** After this time the node must acknowledge nothing more. */
const noticeMsMax = 1_000

async function deleteFolder(seed: number): Promise<number> {
  const dice = createDice(seed)
  await using ledger = await startTestLedger({ store: 'sqlite' })
  await submitMany(ledger, 1 + dice(20))
  await pause(dice(300))
  rmSync(ledger.node.folder, { recursive: true })
  const deletedMs = performance.now()
  await submitUntilRefused(ledger)
  const noticedMs = performance.now() - deletedMs
  assert.ok(noticedMs < 30 * noticeMsMax, `it took ${noticedMs} ms to notice`)
  for (let again = 0; again < 5; again += 1) {
    const commands = ledger.commandsOf([ledger.createIou()])
    assert.equal((await ledger.post('/v2/commands/async/submit', commands)).status, 503)
  }
  assert.equal((await ledger.node.call('GET', '/readyz')).status, 503)
  return 1
}
