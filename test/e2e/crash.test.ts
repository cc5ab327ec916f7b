// A node that is killed with SIGKILL, again and again, and whether what its clients were told is still true afterwards.
//
// The operating system and its cache of the disk survive such a kill, so this shows that nothing is answered or
// published before it is committed, and that what is half done is undone or finished. A power cut takes the cache too.
// Then all depends on every commit having been flushed before it is reported: over SQLite the node sees to that
// (src/store/sqlite.test.ts pins it), PostgreSQL does it unless an operator turns synchronous_commit or fsync off.
// Not covered by either: disks that lie about having flushed, which includes macOS without PRAGMA fullfsync.
//
// TALLYSTICK_CRASHES=200 asks for so many kills on SQLite, TALLYSTICK_CRASH_SEED=7 for the choices of an earlier run.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, type TestContext, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { checkLedger, resubmit } from '../fixtures/crash-checks.ts'
import { createWitness, type Witness, workUntilDeath } from '../fixtures/crash-load.ts'
import { createDice, type Dice, pick } from '../fixtures/dice.ts'
import { createLedgerClient, partyNamed } from '../fixtures/ledger-client.ts'
import { createTestDatabase } from '../fixtures/postgres.ts'
import { launch, run, type Started, start, temporaryFolder } from '../fixtures/process.ts'

const kills = Number(process.env.TALLYSTICK_CRASHES ?? 12)
const killsOnPostgres = Math.ceil(kills / 3)
const killsPerLedger = 6
const firstSeed = Number(process.env.TALLYSTICK_CRASH_SEED ?? Math.floor(Math.random() * 1_000_000))

const quickstart = fileURLToPath(new URL('../../packages/quickstart/quickstart.dar', import.meta.url))
const loadMs = 300
const warmAnswers = 100
/** What a start takes, until one was measured. */
const typicalStartMs = 500
const pruneMs = 400
/** A node is ready in a fraction of that; machines that run tests are slow. */
const readyMsMax = 10_000

describe('a node that is killed', { concurrency: 2 }, () => {
  for (const { seed, count } of ledgersFor(kills, firstSeed)) {
    test(`keeps over SQLite what it told: ${count} kills, seed ${seed}`, async (context) => {
      using folder = temporaryFolder()
      await killAgainAndAgain(['--data', folder.path], { seed, count, context })
      await checkStored(['--data', folder.path])
      checkFile(join(folder.path, 'ledger.sqlite'))
    })
  }

  for (const { seed, count } of ledgersFor(killsOnPostgres, firstSeed + 500_000)) {
    test(`keeps over PostgreSQL what it told: ${count} kills, seed ${seed}`, async (context) => {
      await using database = await createTestDatabase()
      await killAgainAndAgain(['--postgres', database.url], { seed, count, context })
      await checkStored(['--postgres', database.url])
    })
  }
})

/** A ledger that grew old is slow to compare, so a new one takes its place after a few kills. */
function ledgersFor(total: number, seed: number): { seed: number; count: number }[] {
  const ledgers = Math.ceil(total / killsPerLedger)
  return Array.from({ length: ledgers }, (_, index) => ({
    seed: seed + index,
    count: Math.min(killsPerLedger, total - index * killsPerLedger),
  }))
}

type Run = { readonly seed: number; readonly count: number; readonly context: TestContext }

/** When the next kill comes: at work, while it prunes, or at work and then once more where it says. */
const moments = ['work', 'work', 'work', 'pruning', 'start', 'offline pruning'] as const
type Moment = (typeof moments)[number]

async function killAgainAndAgain(store: string[], { seed, count, context }: Run): Promise<void> {
  const dice = createDice(seed)
  const clientDice = createDice(~seed) // Clients race each other for theirs; the moments are the seed's alone.
  const witness = createWitness()
  const tellings: string[] = []
  let killed = 0
  let startMs = typicalStartMs
  const restart = async () => {
    const startedMs = performance.now()
    const started = await start([...store, '--auth', 'off', '--log-level', 'warn', '--dar', quickstart])
    startMs = performance.now() - startedMs
    tellings.push(`ready ${Math.round(startMs)} ms`)
    assert.ok(startMs < readyMsMax, `ready after ${startMs} ms`)
    return started
  }
  if (dice(2) === 0) killed += await killDuringStart(store, { dice, startMs })
  let node = await restart()
  try {
    for (;;) {
      const client = createLedgerClient(node.url)
      await checkLedger(client, witness)
      await resubmit(client, witness, clientDice)
      if (killed >= count) break
      const moment = pick(dice, moments)
      killed += await killAtWork(node, moment, { witness, dice, clientDice })
      if (moment === 'start') killed += await killDuringStart(store, { dice, startMs })
      if (moment === 'offline pruning') killed += await killDuringPruning(store, { witness, dice, startMs })
      tellings.push(moment)
      node = await restart()
    }
    assert.equal(await node.stop('SIGTERM'), 0)
  } finally {
    await node[Symbol.asyncDispose]()
    const { end, prunedUpTo, sent } = witness
    context.diagnostic(`seed ${seed}: ${killed} kills, ${sent.size} commands, end ${end}, pruned up to ${prunedUpTo}`)
    context.diagnostic(tellings.join(', '))
  }
}

type Knowledge = { readonly witness: Witness; readonly dice: Dice }

/** Answers how many kills it was. */
async function killAtWork(
  node: Started,
  moment: Moment,
  { witness, dice, clientDice }: Knowledge & { readonly clientDice: Dice },
): Promise<number> {
  const client = createLedgerClient(node.url)
  const owner = await partyNamed(client, 'owner')
  const observer = await partyNamed(client, 'observer')
  const work = workUntilDeath({ client, witness, dice: clientDice, owner, observer })
  work.catch(() => undefined) // It is awaited below, once the node is gone.
  if (dice(3) > 0) await answersAfter(witness, warmAnswers)
  await pause(dice(loadMs))
  if (moment === 'pruning') {
    witness.pruningUpTo = offsetToPrune({ witness, dice })
    const answer = client.post('/v2/pruning', { pruneUpTo: witness.pruningUpTo })
    const reply = await Promise.race([answer, pause(dice(pruneMs))])
    if (reply?.status === 200) witness.prunedUpTo = reply.json.prunedUpTo // From here on it has to be so.
  }
  await node.stop('SIGKILL')
  await work
  assert.doesNotMatch(node.errors, /"level":(50|60)/, 'nothing went wrong inside')
  return 1
}

/** A node that has just started is slow; most kills are for one that is at full speed. */
async function answersAfter(witness: Witness, count: number): Promise<void> {
  const wanted = witness.answers + count
  while (witness.answers < wanted) await pause(5)
}

/** Somewhere in what was read completely, so that the witness knows all that is forgotten; 0 where there is nothing. */
function offsetToPrune({ witness: { prunedUpTo, checkedUpTo }, dice }: Knowledge): number {
  return prunedUpTo + dice(Math.max(1, checkedUpTo - prunedUpTo))
}

type Timed = { readonly dice: Dice; readonly startMs: number }

async function killDuringStart(store: string[], { dice, startMs }: Timed): Promise<number> {
  return kill(['start', '--port', '0', ...store, '--auth', 'off', '--dar', quickstart], momentWithin(startMs, dice))
}

async function killDuringPruning(store: string[], knowledge: Knowledge & Timed): Promise<number> {
  const upTo = offsetToPrune(knowledge)
  if (upTo === 0) return 0
  knowledge.witness.pruningUpTo = upTo
  return kill(['prune', '--up-to', String(upTo), ...store], momentWithin(knowledge.startMs, knowledge.dice))
}

/** From the beginning to a little after the end of what takes so long. */
function momentWithin(durationMs: number, dice: Dice): number {
  return (durationMs * 1.2 * dice(1000)) / 1000
}

async function kill(args: string[], afterMs: number): Promise<number> {
  const child = launch(args, {})
  const closed = once(child.process, 'close')
  await pause(afterMs)
  child.process.kill('SIGKILL')
  await closed
  assert.doesNotMatch(child.errors(), /^tallystick: (?!prune_up_to)/, child.errors())
  return child.process.signalCode === 'SIGKILL' ? 1 : 0
}

function pause(delayMs: number): Promise<undefined> {
  return new Promise((resolve) => setTimeout(resolve, delayMs, undefined))
}

async function checkStored(store: string[]): Promise<void> {
  const { code, output, errors } = await run(['check', ...store])
  assert.equal(code, 0, `${output}${errors}`)
}

function checkFile(path: string): void {
  using db = new DatabaseSync(path, { readOnly: true })
  assert.deepEqual(
    db
      .prepare('PRAGMA integrity_check')
      .all()
      .map((row) => ({ ...row })),
    [{ integrity_check: 'ok' }],
  )
  assert.deepEqual(db.prepare('PRAGMA foreign_key_check').all(), [])
}
