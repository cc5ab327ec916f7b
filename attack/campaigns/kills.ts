// Kills a node with SIGKILL, again and again, and checks that everything its clients were told is still true. The
// operating system and its disk cache survive, so this shows that nothing is answered or published before it is
// committed, and that half-done work is undone or finished. Power cuts are another campaign.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { fileURLToPath } from 'node:url'
import { runHere } from '../../test/fixtures/command.ts'
import { checkLedger, resubmit } from '../../test/fixtures/crash-checks.ts'
import { createWitness, untilAnswered, type Witness, workUntilDeath } from '../../test/fixtures/crash-load.ts'
import { createDice, type Dice, pick } from '../../test/fixtures/dice.ts'
import { answered, createLedgerClient, partyNamed } from '../../test/fixtures/ledger-client.ts'
import { createTestDatabase } from '../../test/fixtures/postgres.ts'
import { launch, run, type Started, start, temporaryFolder } from '../../test/fixtures/process.ts'
import { compareActive, compareUpdates, openSession } from '../../test/fixtures/query-store.ts'
import { until } from '../../test/fixtures/until.ts'
import type { Campaign } from '../campaign.ts'
import { runRounds } from '../rounds.ts'

/** A large ledger is slow to compare, so a new one replaces it after a few kills. */
const rounds = { timesPerRound: 6, sideBySide: 2, failureKind: 'lost' } as const

const invariant =
  'Every update, completion and answer a client saw is there afterwards, unchanged; nothing is accepted twice'

export const kills: Campaign[] = [
  {
    name: 'kills, SQLite',
    attack: 'SIGKILL at work, while it prunes, while it starts',
    invariant,
    unit: 'kills',
    full: 420,
    short: 1,
    run: (plan) =>
      runRounds(
        plan,
        async (seed, count) => {
          using folder = temporaryFolder()
          const killed = await killAgainAndAgain({ store: ['--data', folder.path] }, seed, count)
          await checkStored(['--data', folder.path])
          checkFile(join(folder.path, 'ledger.sqlite'))
          return killed
        },
        rounds,
      ),
  },
  {
    name: 'kills, PostgreSQL',
    attack: 'SIGKILL of the node at work, while it prunes, while it starts; the database stays',
    invariant: `${invariant}; the query store in its database has the same, once`,
    unit: 'kills',
    full: 120,
    short: 1,
    needsPostgres: true,
    run: (plan) =>
      runRounds(
        plan,
        async (seed, count) => {
          await using database = await createTestDatabase()
          const killed = await killAgainAndAgain(
            {
              store: ['--postgres', database.url],
              // The store hears of refused commands at the end of the ledger by a checkpoint.
              environment: { TALLYSTICK_STORE_QUERIES: 'true', TALLYSTICK_LIMITS_OFFSET_CHECKPOINT_MS: '500' },
              checkBeside: (node) => checkQueries(node.url, database.url, seed),
            },
            seed,
            count,
          )
          await checkStored(['--postgres', database.url])
          return killed
        },
        rounds,
      ),
  },
]

const quickstart = fileURLToPath(new URL('../../packages/quickstart/quickstart.dar', import.meta.url))
const loadMs = 300
const warmAnswers = 100
/** The assumed duration of a start until one was measured. */
const typicalStartMs = 500
const pruneMs = 400
/** A node starts in a fraction of this. */
const readyMsMax = 10_000
/** A start takes a few times as long as printing the version. */
const startInVersions = 20

/** When to kill next: during work or pruning, or during work and then again during the given phase. */
const moments = ['work', 'work', 'work', 'pruning', 'start', 'offline pruning'] as const
type Moment = (typeof moments)[number]

type Target = {
  /** Options of the command line that name it. */
  readonly store: string[]
  readonly environment?: Record<string, string>
  /** At the end, while a node runs. */
  readonly checkBeside?: (node: Started) => Promise<void>
}

async function killAgainAndAgain(target: Target, seed: number, count: number): Promise<number> {
  const { store, environment } = target
  const dice = createDice(seed)
  const clientDice = createDice(~seed) // Clients race for their dice; the moments must depend on the seed alone.
  const witness = createWitness()
  let killed = 0
  let startMs = typicalStartMs
  const restart = async () => {
    const startedMs = performance.now()
    const started = await start([...store, '--auth', 'off', '--log-level', 'warn', '--dar', quickstart], environment)
    startMs = performance.now() - startedMs
    if (startMs >= readyMsMax) await checkSlowness(startMs)
    return started
  }
  if (dice(2) === 0) killed += await killDuringStart(target, { dice, startMs })
  let node = await restart()
  try {
    for (;;) {
      const client = createLedgerClient(node.url)
      await checkLedger(client, witness)
      await resubmit(client, witness, clientDice)
      if (killed >= count) break
      const moment = pick(dice, moments)
      killed += await killAtWork(node, moment, { witness, dice, clientDice })
      if (moment === 'start') killed += await killDuringStart(target, { dice, startMs })
      if (moment === 'offline pruning') killed += await killDuringPruning(store, { witness, dice, startMs })
      node = await restart()
    }
    await target.checkBeside?.(node)
    assert.equal(await node.stop('SIGTERM'), 0)
    return killed
  } finally {
    await node[Symbol.asyncDispose]()
  }
}

/** A start may take long because the machine is busy, but not because it waits for the lease of something dead. */
async function checkSlowness(startMs: number): Promise<void> {
  const begunMs = performance.now()
  await run(['--version'])
  const allowedMs = readyMsMax + startInVersions * (performance.now() - begunMs)
  assert.ok(startMs < allowedMs, `ready after ${startMs} ms; ${allowedMs} ms would do on a machine this busy`)
}

type Knowledge = { readonly witness: Witness; readonly dice: Dice }

/** Returns the number of kills. */
async function killAtWork(
  node: Started,
  moment: Moment,
  { witness, dice, clientDice }: Knowledge & { readonly clientDice: Dice },
): Promise<number> {
  const client = createLedgerClient(node.url)
  const owner = await partyNamed(client, 'owner')
  const observer = await partyNamed(client, 'observer')
  const work = workUntilDeath({ client, witness, dice: clientDice, owner, observer })
  work.catch(() => undefined) // Awaited below, after the kill.
  // A node that just started is slow; most kills should hit one at full speed.
  if (dice(3) > 0) await untilAnswered(witness, warmAnswers, work)
  await pause(dice(loadMs))
  if (moment === 'pruning') {
    witness.pruningUpTo = offsetToPrune({ witness, dice })
    const answer = client.post('/v2/pruning', { pruneUpTo: witness.pruningUpTo })
    const reply = await Promise.race([answer, pause(dice(pruneMs))])
    if (reply?.status === 200) witness.prunedUpTo = reply.json.prunedUpTo // From here on the pruning must survive.
  }
  await node.stop('SIGKILL')
  await work
  assert.doesNotMatch(node.errors, /"level":(50|60)/, 'nothing went wrong inside')
  return 1
}

/**
 * An offset within the part that was read completely, so that the witness knows everything that is pruned; 0 if there
 * is none.
 */
function offsetToPrune({ witness: { prunedUpTo, checkedUpTo }, dice }: Knowledge): number {
  return prunedUpTo + dice(Math.max(1, checkedUpTo - prunedUpTo))
}

type Timed = { readonly dice: Dice; readonly startMs: number }

async function killDuringStart({ store, environment }: Target, { dice, startMs }: Timed): Promise<number> {
  const args = ['start', '--port', '0', ...store, '--auth', 'off', '--dar', quickstart]
  return kill(args, momentWithin(startMs, dice), environment)
}

async function killDuringPruning(store: string[], knowledge: Knowledge & Timed): Promise<number> {
  const upTo = offsetToPrune(knowledge)
  if (upTo === 0) return 0
  knowledge.witness.pruningUpTo = upTo
  return kill(['prune', '--up-to', String(upTo), ...store], momentWithin(knowledge.startMs, knowledge.dice))
}

/** Between the beginning and shortly after the end of something that takes this long. */
function momentWithin(durationMs: number, dice: Dice): number {
  return (durationMs * 1.2 * dice(1000)) / 1000
}

async function kill(args: string[], afterMs: number, environment: Record<string, string> = {}): Promise<number> {
  const child = launch(args, environment)
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

const offsetsToCheck = 5

/** The query store that the node keeps in its database says what its API says. */
async function checkQueries(url: string, databaseUrl: string, seed: number): Promise<void> {
  const client = createLedgerClient(url)
  const { offset } = answered(await client.get('/v2/state/ledger-end'))
  const { participantPrunedUpToInclusive: pruned } = answered(await client.get('/v2/state/latest-pruned-offsets'))
  await using session = await openSession(databaseUrl)
  await session.query('SET search_path TO queries')
  const one = async (sql: string) => (await session.query(sql)).rows[0].value
  await until(async () => (await one('SELECT latest_offset() AS value')) >= offset)
  const ledger = { node: { url }, token: undefined }
  await compareActive(ledger, session, seed, offsetsToCheck, pruned)
  await compareUpdates(ledger, session, Math.max(pruned, await one('SELECT oldest_offset() AS value')))
}

/** Runs the node's own check of the whole store. */
async function checkStored(store: string[]): Promise<void> {
  const { code, output, errors } = await runHere(['check', ...store])
  assert.equal(code, 0, output + errors)
}
